"""Names for generated programs: natural names by role, matching pairs, and random identifiers.

The names are in `templates/vocabulary`; its file `kinds` maps types to roles.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping
from functools import cache
from random import Random
from string import ascii_lowercase

from worldline.programs.generate.language.library import lines, pools, words

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"match", "case", "type"}
SUFFIXES = ("2", "_new", "1", "_b", "3", "_copy", "4", "5", "6", "7", "8", "9", "_last")
PARAMETER, LOCAL, ELEMENT = range(3)
_PLURALS = {"num": "nums", "item": "items", "word": "words", "rec": "recs", "p": "ps", "op": "ops"}


def pool(role: str) -> tuple[str, ...]:
    """Return the names that suit a role; a role without a list is its own name."""
    return pools("vocabulary/names").get(role) or (role,)


def role_of(kind: str, *, use: int) -> str:
    """Return the role of a variable of a type, used as a `PARAMETER`, a `LOCAL` or a loop's `ELEMENT`."""
    known = pools("vocabulary/kinds")
    return known.get(kind.rstrip("!"), known["any"])[use]


@cache
def _partners() -> dict[str, tuple[str, Mapping[str, tuple[str, ...]]]]:
    """Map each role to its partner role and to its pool for each name of the partner."""
    singular = pools("vocabulary/singular")
    partners: dict[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
        role: (plural, singular) for role, plural in _PLURALS.items()
    }
    tied: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for line in lines("vocabulary/partners"):
        roles, _, listed = line.partition(": ")
        role, other = roles.split()
        name, *suiting = listed.split()
        tied.setdefault((role, other), {})[name] = tuple(suiting)
    return partners | {role: (other, table) for (role, other), table in tied.items()}


def suiting(role: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the role's names that fit the names of other roles: `for word in words`, `left, right`."""
    other, table = _partners().get(role, ("", {}))
    return table.get(names.get(other, "")) or pool(role)


@cache
def _plain_words() -> tuple[str, ...]:
    return tuple(word for word in words("vocabulary/words") if word.isidentifier() and word.islower())


def strange(rng: Random) -> str:
    """Draw a random identifier that hides no builtin."""
    while True:
        roll = rng.random()
        if roll < 0.35:
            name = _letters(rng, 5)
        elif roll < 0.6:
            name = rng.choice(_plain_words()) + "_" + rng.choice(_plain_words())
        elif roll < 0.8:
            name = rng.choice(_plain_words())
        elif roll < 0.9:
            name = "_" + _letters(rng, 4)
        else:
            name = _letters(rng, 2) + str(rng.randint(0, 99))
        if name not in RESERVED:
            return name


def _letters(rng: Random, max_length: int) -> str:
    return "".join(rng.choices(ascii_lowercase, k=rng.randint(1, max_length)))
