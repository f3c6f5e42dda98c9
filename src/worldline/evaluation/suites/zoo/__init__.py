"""The functions that the composition suite chains: small, readable and unary, on strings or on other types.

They are in the text files of this folder; README.md explains the notation. Functions on other types never make or read
a string, so that the two kinds can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from textwrap import dedent

STRING, OTHER = "string", "other"
KINDS = (STRING, OTHER)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PLACE = re.compile(r"<([a-z]+)>")
_FUNCTION = re.compile(r"^(\w+)(\*?)(?:>(\w+))?:(?: (.+)|((?:\n    .+)+))", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function of one argument: its name, its argument and result types, and its body with holes for literals."""

    name: str
    takes: str
    gives: str
    body: str
    grows: bool = False  # the result is longer than the argument: few of them in one chain

    def source(self, rng: Random) -> str:
        """Write the definition with random literals."""
        drawn = {place: _literal(rng, place) for place in dict.fromkeys(_PLACE.findall(self.body))}
        body = _PLACE.sub(lambda place: drawn[place[1]], self.body)
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return f"def {self.name}({PARAMETERS[self.takes]}):\n{lines}"


PARAMETERS = {"str": "s", "int": "n", "list": "xs"}


def _literal(rng: Random, place: str) -> str:
    if place == "sep":
        return repr(rng.choice("-_.+ "))
    if place == "letter":
        return repr(rng.choice(_LETTERS))
    if place == "pair":
        return repr("".join(rng.choices(_LETTERS, k=2)))
    low, high = {"k": (1, 4), "few": (2, 9), "some": (3, 60), "low": (1, 20), "m": (11, 97)}[place]
    return str(rng.randint(low, high))


def _functions(name: str, takes: str) -> tuple[Function, ...]:
    """The functions of one text file: `name: body`. `*` marks one that grows, `>type` another result type."""
    text = files(__package__).joinpath(name).read_text("utf-8")
    functions = []
    for head, mark, other, line, block in _FUNCTION.findall(text):
        body = line or dedent(block).strip()
        functions.append(Function(head, takes, other or takes, body, grows=bool(mark)))
    return tuple(functions)


ZOO = {STRING: _functions("strings.txt", "str"), OTHER: _functions("ints.txt", "int") + _functions("lists.txt", "list")}


def value(rng: Random, type: str) -> str:
    """Draw a literal of a type, as short as the published ones."""
    if type == "str":
        letters = rng.choices(_LETTERS + _LETTERS.upper(), k=rng.randint(4, 8))
        return repr("".join(letters))
    if type == "int":
        return str(rng.randint(2, 999))
    return repr(rng.choices(range(-9, 30), k=rng.randint(3, 6)))
