"""The ways to ask a model by their names, for each notation, and what a model is asked in by default."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldline.core.errors import UsageError
from worldline.predict.servers.fewshot import FewShot, FewShotChat
from worldline.predict.servers.meta import MetaChat, MetaText
from worldline.predict.servers.tokens import Vocabulary, is_meta
from worldline.predict.servers.ways import Chat, Text, Tokens, Way

MakeWay = Callable[[Callable[[], Vocabulary]], Way]
WAYS: Mapping[str, Mapping[str, MakeWay]] = {
    "compact": {"text": lambda _: Text(), "chat": lambda _: Chat()},
    "cwm": {
        "text": lambda _: MetaText(), "chat": lambda _: MetaChat(), "fewshot": lambda _: FewShot(),
        "fewshot-chat": lambda _: FewShotChat(), "tokens": lambda vocabulary: Tokens(vocabulary()),
    },
}  # fmt: skip


def notation_for(model: str, way: str) -> str:
    """The notation that a model is asked in by default: Meta's for its own model, else the first that has the way."""
    return Tokens.codec if is_meta(model) else next(name for name, ways in WAYS.items() if way in ways)


def check_way(way: str, codec: str) -> None:
    """Refuse a way that a notation does not have.

    Raises:
        UsageError: The notation is never asked for in this way.
    """
    if way not in WAYS[codec]:
        others = " and ".join(f"way={name}" for name in WAYS[codec])
        raise UsageError(f"way={way} asks in Meta's format alone: codec={codec} is for {others}")


def way_named(way: str, codec: str, vocabulary: Callable[[], Vocabulary]) -> Way:
    """Make the way of that name; one that only another notation has is that notation's."""
    ways = WAYS[codec] if way in WAYS[codec] else WAYS[notation_for("", way)]
    return ways[way](vocabulary)
