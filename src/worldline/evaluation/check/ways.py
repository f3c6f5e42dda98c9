"""The ways in which a model can be asked, as `-M` options, and how each is described to a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.codec.names import NOTATIONS
from worldline.codec.notation import notation
from worldline.predict.models import HUB, INTERPRETER, PYTHON, SERVER, AnyModel
from worldline.predict.servers.prompt_styles import CHAT
from worldline.predict.servers.registry import WAYS, default_way, notation_for, path_of

HOW = {
    "text": "the prompt alone",
    "chat": "one worked example",
    "fewshot": "two worked examples",
    "fewshot-chat": "two worked examples",
    "tokens": "the prompt as token ids",
}


@dataclass(frozen=True)
class Way:
    """One way to ask a model.

    Attributes:
        options: The `-M` options that select it.
        notation: The notation that the model has to write; empty if only the model knows.
        path: The endpoint of a server; empty for other models.
        title: What it does, in words.
    """

    options: Mapping[str, str]
    notation: str
    path: str
    title: str


def ways_of(model: AnyModel, extras: Mapping[str, str]) -> list[Way]:
    """Return the ways to ask a model, its default first; `extras` that select one leave only that."""
    if isinstance(model, str) and model.startswith((SERVER, HUB)):
        ways = _prompted(model)
    elif isinstance(model, str) and (model == INTERPRETER or model.startswith(PYTHON)):
        ways = (Way({"codec": name}, name, "", notation(name).title) for name in NOTATIONS)
    else:
        ways = iter([Way({}, "", "", "the format that it was trained on")])
    return [way for way in ways if all(extras.get(key, value) == value for key, value in _selecting(way).items())]


def _prompted(model: str) -> Iterator[Way]:
    """The prompt styles of every notation. Options are left out where they are the default of the style."""
    is_server = model.startswith(SERVER)
    name = model.partition("#")[2] if is_server else model.removeprefix(HUB)
    usual = default_way(name, converses=is_server)
    styles = [(codec, style) for codec, known in WAYS.items() for style in known]
    for codec, style in sorted(styles, key=lambda pair: pair != (notation_for(name, usual), usual)):
        options = {"way": style} if notation_for(name, style) == codec else {"way": style, "codec": codec}
        path = path_of(style)
        by = "chat" if path == CHAT else "completions"
        yield Way(options, codec, path if is_server else "", f"{notation(codec).title} by {by}, {HOW[style]}")


def _selecting(way: Way) -> dict[str, str]:
    """What `-M` would have to say to select this way."""
    return {**way.options, **({"codec": way.notation} if way.notation else {})}
