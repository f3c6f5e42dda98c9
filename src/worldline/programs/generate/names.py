"""What things are called: natural names by type, beside random ones. Knows the type names of `types`, nothing else."""

from __future__ import annotations

import builtins
import keyword
from random import Random

from worldline.programs.generate.library import pools, words
from worldline.programs.generate.words import letters

_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"match", "case", "type"}


def fresh(rng: Random, kind: str, taken: set[str], *, local: bool = False) -> str:
    """A name for a value of type `kind` that is not taken; it is taken then."""
    kind = kind.rstrip("!")
    natural = pools("vocabulary/parameters")
    own = pools("vocabulary/locals").get(kind) if local and rng.random() < 0.75 else None
    pool = own or natural.get(kind) or natural["any"]
    name = rng.choice(pool)
    if rng.random() < 0.06:
        name = strange(rng)
    elif name in taken:
        name = rng.choice(pool)
    if name in taken:
        stem = name
        suffixes = ("2", "_new", "1", "_b", "3", "_copy", "4", "5", "6", "7", "8", "9", "_last")
        start = rng.randrange(3)
        name = next((stem + suffix for suffix in suffixes[start:] if stem + suffix not in taken), "")
        while not name or name in taken:
            name = strange(rng)
    taken.add(name)
    return name


def strange(rng: Random) -> str:
    """A random identifier that hides no builtin."""
    while True:
        roll = rng.random()
        if roll < 0.35:
            name = letters(rng, rng.randint(1, 5))
        elif roll < 0.6:
            name = rng.choice(words("vocabulary/words")) + "_" + rng.choice(words("vocabulary/words"))
        elif roll < 0.8:
            name = rng.choice(words("vocabulary/words"))
        elif roll < 0.9:
            name = "_" + letters(rng, rng.randint(1, 4))
        else:
            name = letters(rng, rng.randint(1, 2)) + str(rng.randint(0, 99))
        if name not in _RESERVED:
            return name


def function(rng: Random, taken: set[str], *, helper: bool = False) -> str:
    """A name for a function that is not taken; it is taken then."""
    usual = pools("vocabulary/functions")
    name = rng.choice(usual["helper" if helper else "main"])
    while name in taken or name in _RESERVED:
        name = rng.choice(usual["helper"]) if rng.random() < 0.4 else strange(rng)
    taken.add(name)
    return name
