"""Generates Python programs from a seed: typed functions with inputs, across the breadth of the language.

`program(rng)` draws one of `KINDS` by weight. Nothing is executed here, and no global randomness is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.generate import idioms
from worldline.programs.generate.style.layout import dress
from worldline.programs.generate.typed import arithmetic, drills, functions, pipelines

KindMaker = Callable[[Random], Program]


def _sketched(name: str) -> KindMaker:
    return lambda rng: idioms.sketch(rng, name)


# Each kind of program and its share of the mix.
_SHARES: dict[str, tuple[KindMaker, float]] = {
    "straight": (functions.straight, 6),
    "mixed": (functions.mixed, 8),
    "looping": (functions.looping, 12),
    "blended": (functions.blended, 9),
    "failing": (functions.failing, 4),
    "long": (functions.long, 3),
    "drill-text": (drills.text, 9),
    "drill-format": (drills.formats, 2.5),
    "drill-bytes": (drills.octets, 1),
    "drill-list": (drills.lists, 4),
    "drill-map": (drills.maps, 3),
    "drill-number": (drills.numbers, 2.5),
    "drill-change": (drills.changes, 3),
    "drill-sure": (drills.sure, 2.5),
    "drill-slice": (drills.slices, 7),
    "drill-lookup": (drills.lookups, 3),
    "drill-arithmetic": (arithmetic.arithmetic, 5),
    "pipeline": (pipelines.pipeline, 6),
    "composed": (pipelines.composed, 4),
    "helped": (pipelines.helped, 3),
    "decide": (pipelines.decide, 4),
    "nested": (pipelines.nested, 1),
    "copies": (pipelines.copies, 1),
    "loops": (_sketched("loops"), 5),
    "recursion": (_sketched("recursion"), 3),
    "functions": (_sketched("functions"), 4),
    "classes": (_sketched("classes"), 3),
    "generators": (_sketched("generators"), 3),
    "matching": (_sketched("matching"), 1.5),
    "errors": (_sketched("errors"), 4),
    "contexts": (_sketched("contexts"), 0.7),
    "library": (_sketched("library"), 2.5),
    "idioms-text": (idioms.text, 32),
    "idioms-data": (idioms.data, 28),
}
KINDS: dict[str, KindMaker] = {name: maker for name, (maker, _) in _SHARES.items()}
SHARES: dict[str, float] = {name: share for name, (_, share) in _SHARES.items()}
_SIZED = {"mixed": functions.mixed, "looping": functions.looping, "blended": functions.blended}
_NAMES = tuple(_SHARES)
_WEIGHTS = tuple(share for _, share in _SHARES.values())


# The kinds that a trained model got wrong most often, each as often as the others: `hard` draws them.
HARD = (
    "straight",
    "mixed",
    "looping",
    "blended",
    "long",
    "pipeline",
    "composed",
    "library",
    "nested",
    "helped",
    "drill-arithmetic",
    "idioms-text",
    "idioms-data",
)


def of(kind: str) -> KindMaker:
    """Return the maker of one kind of program.

    Raises:
        UsageError: The kind is unknown.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown kind of program {kind!r}: use one of {', '.join(KINDS)}")
    return lambda rng: dress(rng, KINDS[kind](rng))


def hard(rng: Random, *, favour: Mapping[str, float] | None = None) -> Program:
    """Draw a program of one of the kinds in `HARD`.

    Args:
        rng: Source of randomness.
        favour: Factors on the weights of the kinds that it names.
    """
    kind = rng.choices(HARD, [favour.get(name, 1.0) for name in HARD])[0] if favour else rng.choice(HARD)
    return dress(rng, KINDS[kind](rng))


def program(rng: Random, *, size: int = 2, favour: Mapping[str, float] | None = None) -> Program:
    """Draw a program of a kind that is chosen by its share.

    Args:
        rng: Source of randomness.
        size: How many statements the larger kinds have, 1 to 3.
        favour: Factors on the shares of the kinds that it names.
    """
    weights = [share * favour.get(name, 1.0) for name, share in SHARES.items()] if favour else _WEIGHTS
    kind = rng.choices(_NAMES, weights)[0]
    sized = _SIZED.get(kind)
    return dress(rng, sized(rng, size=size) if sized else KINDS[kind](rng))
