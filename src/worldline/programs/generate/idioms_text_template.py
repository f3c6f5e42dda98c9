"""A small template language for randomised source text, and its expansion.

A template is Python source with three kinds of holes: `$s` is a name drawn once a program from the pool `s` (`$s2` is
another name of the same pool), `«a|b|c»` is one of its alternatives (nested at will, spanning lines; `«K:a|b»` takes
the same place in every group marked K), and `«#macro arguments»` is a macro, itself a template whose `$1`, `$2` are
the arguments (` ; ` between them), or a primitive, a function that draws a literal. Nothing here knows Python's
grammar: a template is as right as its author made it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(r"«(?:([A-Z]):|#(\w+) ?)?|»|\||\$([a-z]+\d?|\d)")


@dataclass(frozen=True)
class Name:
    """A hole for a name: a pool's letters and perhaps a digit, or the number of a macro's argument."""

    slot: str


@dataclass(frozen=True)
class Choice:
    """One of several alternatives; those that share a key are chosen alike."""

    key: str
    options: tuple[Pieces, ...]


@dataclass(frozen=True)
class Macro:
    """A call of a macro by name, its arguments still a template."""

    name: str
    arguments: Pieces


Pieces = tuple["str | Name | Choice | Macro", ...]


@dataclass
class Scope:
    """What one expansion has decided so far: the names taken, the keyed choices, the inputs at hand."""

    rng: random.Random
    pools: Mapping[str, tuple[str, ...]]
    macros: Mapping[str, Pieces]
    primitives: Mapping[str, Callable[[Scope, list[str]], str]]
    letters: str = ""
    names: dict[str, str] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)

    def name(self, slot: str) -> str:
        """The name that stands in this slot throughout the program, drawn at its first use."""
        found = self.names.get(slot)
        if found is None:
            pool = self.pools[slot.rstrip("0123456789")]
            taken = set(self.names.values()) | set(self.extras.values())
            found = self.rng.choice([one for one in pool if one not in taken] or [slot + "_"])
            self.names[slot] = found
        return found


def parse(text: str) -> Pieces:
    """The template that this text spells."""
    tokens = list(_TOKEN.finditer(text))
    pieces, place = _sequence(text, tokens, 0, 0, inside=False)
    if place != len(tokens):
        raise ValueError(f"a » too many in the template {text!r}")
    return pieces


def _sequence(
    text: str, tokens: list[re.Match[str]], place: int, start: int, *, inside: bool
) -> tuple[Pieces, int]:
    """The pieces from `start` up to the `|` or `»` that ends them, and the place of that token."""
    pieces: list[str | Name | Choice | Macro] = []
    while place < len(tokens):
        token = tokens[place]
        mark = token[0][0]
        if mark == "|" and not inside:
            place += 1
            continue
        pieces.append(text[start : token.start()])
        if mark in "|»":
            return tuple(piece for piece in pieces if piece), place
        if mark == "$":
            pieces.append(Name(token[3]))
            place, start = place + 1, token.end()
        else:
            piece, place = _group(text, tokens, place)
            pieces.append(piece)
            start = tokens[place - 1].end()
    if inside:
        raise ValueError(f"a « without its » in the template {text!r}")
    pieces.append(text[start:])
    return tuple(piece for piece in pieces if piece), place


def _group(text: str, tokens: list[re.Match[str]], place: int) -> tuple[Choice | Macro, int]:
    opening = tokens[place]
    options: list[Pieces] = []
    while True:
        pieces, place = _sequence(text, tokens, place + 1, tokens[place].end(), inside=True)
        options.append(pieces)
        if tokens[place][0] == "»":
            break
    if opening[2]:
        return Macro(opening[2], options[0]), place + 1
    return Choice(opening[1] or "", tuple(options)), place + 1


def expand(pieces: Pieces, scope: Scope, arguments: tuple[str, ...] = ()) -> str:
    """The text of a template, its holes filled."""
    return "".join([_fill(piece, scope, arguments) for piece in pieces])


def _fill(piece: str | Name | Choice | Macro, scope: Scope, arguments: tuple[str, ...]) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Name):
        return arguments[int(piece.slot) - 1] if piece.slot.isdigit() else scope.name(piece.slot)
    if isinstance(piece, Choice):
        return expand(_pick(piece, scope), scope, arguments)
    given = expand(piece.arguments, scope, arguments).split(" ; ")
    primitive = scope.primitives.get(piece.name)
    if primitive is not None:
        return primitive(scope, given)
    return expand(scope.macros[piece.name], scope, tuple(given))


def _pick(choice: Choice, scope: Scope) -> Pieces:
    options = choice.options
    if not choice.key:
        return options[int(scope.rng.random() * len(options))]
    place = scope.keys.setdefault(choice.key, int(scope.rng.random() * len(options)))
    return options[place]
