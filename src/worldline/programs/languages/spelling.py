"""How a language spells programs: the tables of the folder `spelling`, and a writer with its own habits.

`spelling/README.md` describes the tables. An operation may have a spelling for one type (`at stack`) or for all; a
missing one raises `UntranslatableError`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

PAIRED = {"endfunction": "function", "close": "open"}  # what is spelled in the way of what it ends
_LINE = re.compile(r"^((?:[a-z]+)(?: [a-z]+)*?)(?: (\d))?: ?(.*)$")
_NEWLINE = re.compile(r"\\\\n|\\n")
_HOLE = re.compile(r"\{(\d)(?::(\d))?\}")


class UntranslatableError(ValueError):
    """The target language cannot express this program."""


class SpelledExpression(NamedTuple):
    """The text of an expression, its precedence and the type of its value."""

    text: str
    level: int = 9
    type: str = "int"

    def within(self, level: int) -> str:
        """Return the text, in parentheses if its precedence is below `level`."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True)
class SpellingRules:
    """What the types of a language ask for, beyond what its table spells.

    Attributes:
        formats: How a value is printed, by its type; None where `printf` says it.
        joins_printed: Values that are printed together are joined by `+`, so that each is put in brackets.
        counts_lists: A list that is passed to a function is followed by its length.
        returns_lists: A function may give back a list.
        returns_shared: A function may give back a text, a map, or a list that it was given.
        reassigns_texts: A name may get another text.
    """

    formats: str | None = None
    joins_printed: bool = False
    counts_lists: bool = False
    returns_lists: bool = True
    returns_shared: bool = True
    reassigns_texts: bool = True


RULES = {
    "js": SpellingRules(),
    "ts": SpellingRules(),
    "java": SpellingRules(joins_printed=True, returns_shared=False),
    "c": SpellingRules(counts_lists=True, returns_lists=False, reassigns_texts=False),
    "cpp": SpellingRules(),
    "rust": SpellingRules(formats="{}", returns_shared=False, reassigns_texts=False),
    "go": SpellingRules(formats="%v"),
}
"""The languages that programs are translated into."""

Ways = Mapping[str, tuple[tuple[int, str], ...]]


@cache
def table(language: str) -> Ways:
    """Return the spellings of each operation in a language."""
    spellings: dict[str, list[tuple[int, str]]] = {}
    text = files("worldline.programs.languages").joinpath("spelling", f"{language}.txt").read_text("utf-8")
    for line in text.split("\n"):
        if match := _LINE.match(line):
            spellings.setdefault(match[1], []).append((int(match[2] or 0), _NEWLINE.sub(_unescaped, match[3])))
    return {name: tuple(ways) for name, ways in spellings.items()}


class Speaker:
    """Writes one program; where an operation has several spellings, it always uses the same one."""

    def __init__(self, language: str, rng: Random) -> None:
        self.language, self.rules = language, RULES[language]
        self._table = table(language)
        self._habits = {name: rng.randrange(len(ways)) for name, ways in sorted(self._table.items())}

    def can(self, name: str, kind: str = "") -> bool:
        """Return whether the language has a spelling for this operation."""
        return f"{name} {kind}" in self._table or name in self._table

    def expression(
        self, name: str, *parts: SpelledExpression | str, kind: str = "", type: str = "int"
    ) -> SpelledExpression:
        """Build an expression from its parts."""
        level, text = self._way(name, kind)
        return SpelledExpression(_filled(text, parts), level, type)

    def line(self, name: str, *parts: SpelledExpression | str, kind: str = "") -> list[str]:
        """Write a statement, or the head of a block, as lines."""
        return _filled(self._way(name, kind)[1], parts).split("\n")

    def text(self, name: str, *parts: SpelledExpression | str, kind: str = "") -> str:
        """Write any other piece of text."""
        return _filled(self._way(name, kind)[1], parts)

    def used(self, features: set[str]) -> list[str]:
        """Return the lines that these features need at the top of the file."""
        named = ((name.split()[1:], ways) for name, ways in self._table.items() if name.startswith("uses "))
        return [ways[0][1] for words, ways in named if features.intersection(words)]

    def _way(self, name: str, kind: str) -> tuple[int, str]:
        full = f"{name} {kind}" if f"{name} {kind}" in self._table else name
        if full not in self._table:
            raise UntranslatableError(f"{self.language} has no {name} {kind}")
        ways = self._table[full]
        return ways[self._habits[PAIRED.get(full, full)] % len(ways)]


def _unescaped(match: re.Match[str]) -> str:
    return "\n" if match[0] == "\\n" else "\\n"


def _filled(text: str, parts: tuple[SpelledExpression | str, ...]) -> str:
    def fill(match: re.Match[str]) -> str:
        part = parts[int(match[1])]
        return part.within(int(match[2] or 0)) if isinstance(part, SpelledExpression) else part

    return _HOLE.sub(fill, text)
