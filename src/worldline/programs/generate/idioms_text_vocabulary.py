"""The words of the template language: pools of natural names, primitives that draw literals, and the macros, parsed.

Literals are drawn from the inputs more often than not, so that both branches of a condition are taken. Which names and
literals suit a template is its author's choice, not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from worldline.programs.generate import library
from worldline.programs.generate.idioms_text_inputs import LOWER, vocabulary
from worldline.programs.generate.idioms_text_template import Pieces, Scope, parse

_LETTER_LITERALS = (" ", "-", ",", ".", "_", "a", "e", "i", "o", "s", "t", "*", "x")
_SEPARATORS = (" ", ", ", ",", "-", "_", "|", ";", "/", " - ", ":", "\n", "+", ".", "--", "=>")
_MARKS = ("*", "-", "_", "#", "+", "!", "?", ".", "~", "=", "x", "X", "0", "@", "$", "&")


def _integer(scope: Scope, given: list[str]) -> str:
    low, high = given[0].split()
    return str(scope.rng.randint(int(low), int(high)))


def _letter(scope: Scope, given: list[str]) -> str:
    """A character's literal, half of the time one of the inputs'."""
    rng = scope.rng
    if scope.letters and rng.random() < 0.6:
        return repr(rng.choice(scope.letters))
    return repr(rng.choice((rng.choice(LOWER), rng.choice(_LETTER_LITERALS))))


def _letters(scope: Scope, given: list[str]) -> str:
    """A literal of several characters, to test membership in or to strip."""
    rng = scope.rng
    fixed = (
        "aeiou",
        "aeiou",
        "AEIOU",
        "aeiouAEIOU",
        "0123456789",
        ".,!?",
        ".,;:!?",
        "abc",
        "xyz",
        "+-*/",
        "()[]",
        " -_",
    )
    if scope.letters and rng.random() < 0.35:
        return repr("".join(rng.choice(scope.letters) for _ in range(rng.randint(2, 4))))
    return repr(rng.choice(fixed))


def _word(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(vocabulary()))


def _piece(scope: Scope, given: list[str]) -> str:
    """A short literal: letters of the inputs, a word, an affix."""
    rng = scope.rng
    if scope.letters and rng.random() < 0.7:
        start = rng.randrange(len(scope.letters))
        return repr(scope.letters[start : start + rng.randint(1, 2)])
    return repr(
        rng.choice(
            (rng.choice(LOWER), rng.choice(vocabulary()), "ing", "un", "s", "er", "th", "the", "a", "0", "1")
        )
    )


def _separator(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(_SEPARATORS))


def _joiner(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice((*_SEPARATORS, "", "")))


def _mark(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(_MARKS))


def _extra(kind: str, literal: Callable[[Scope, list[str]], str]) -> Callable[[Scope, list[str]], str]:
    """A primitive that prefers the function's own argument of that kind, where it has one."""

    def draw(scope: Scope, given: list[str]) -> str:
        found = scope.extras.get(kind)
        return found if found is not None and scope.rng.random() < 0.85 else literal(scope, given)

    return draw


def _number(scope: Scope, given: list[str]) -> str:
    return str(scope.rng.choice((1, 2, 2, 3, 3, 4, 5)))


PRIMITIVES: dict[str, Callable[[Scope, list[str]], str]] = {
    "int": _integer,
    "letter": _letter,
    "letters": _letters,
    "word": _word,
    "piece": _piece,
    "sep": _joiner,
    "mark": _mark,
    "achar": _extra("char", _letter),
    "asub": _extra("sub", _piece),
    "asep": _extra("sep", _separator),
    "anum": _extra("num", _number),
}


@cache
def macros() -> dict[str, Pieces]:
    """The macros by name, parsed."""
    blocks = re.split(r"^== ", library.text("macros/text").replace("\\\n", ""), flags=re.M)[1:]
    named = (block.split("\n", 1) for block in blocks)
    return {name: parse(body.removesuffix("\n")) for name, body in named}
