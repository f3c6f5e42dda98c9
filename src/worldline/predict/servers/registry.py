"""The prompt styles by name (`-M way=NAME`) for each notation, and the defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldline.core.errors import UsageError
from worldline.predict.servers.fewshot import FewShot, FewShotChat
from worldline.predict.servers.meta import MetaChat, MetaText
from worldline.predict.servers.prompt_styles import CHAT, COMPLETIONS, Chat, PromptStyle, Text, Tokens
from worldline.predict.servers.tokens import Vocabulary, is_meta

StyleFactory = Callable[[Callable[[], Vocabulary]], PromptStyle]
WAYS: Mapping[str, Mapping[str, StyleFactory]] = {
    "compact": {"text": lambda _: Text(), "chat": lambda _: Chat()},
    "cwm": {
        "text": lambda _: MetaText(),
        "chat": lambda _: MetaChat(),
        "fewshot": lambda _: FewShot(),
        "fewshot-chat": lambda _: FewShotChat(),
        "tokens": lambda vocabulary: Tokens(vocabulary()),
    },
}

BY_CHAT = ("chat", "fewshot-chat")


def path_of(way: str) -> str:
    """Return the endpoint of a server that a prompt style uses."""
    return CHAT if way in BY_CHAT else COMPLETIONS


def default_way(model: str, *, converses: bool) -> str:
    """Return the default prompt style of a model: token ids for Meta's own, else by chat if it `converses`."""
    return "tokens" if is_meta(model) else "chat" if converses else "text"


def notation_for(model: str, way: str) -> str:
    """Return the default notation of a model: Meta's for its own model, else the first with this style."""
    return Tokens.codec if is_meta(model) else next(name for name, ways in WAYS.items() if way in ways)


def check_way(way: str, codec: str) -> None:
    """Raise UsageError if a notation does not have a prompt style."""
    if way not in WAYS[codec]:
        others = " and ".join(f"way={name}" for name in WAYS[codec])
        raise UsageError(f"way={way} is for Meta's format only: codec={codec} needs {others}")


def prompt_style(way: str, codec: str, vocabulary: Callable[[], Vocabulary]) -> PromptStyle:
    """Create the prompt style of that name; if the notation lacks it, that of the notation which has it."""
    ways = WAYS[codec] if way in WAYS[codec] else WAYS[notation_for("", way)]
    return ways[way](vocabulary)
