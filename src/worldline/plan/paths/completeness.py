"""What a search knows about paths that it did not execute: branches not tried, and whether a solver closed them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from worldline.plan.paths.symbolic import MAX_PATHS

Way = tuple[tuple[int, int, int, int], bool]
"""A decision's place in the source, and whether its condition held."""
_SOLVER = {
    "not asked": "CrossHair was not asked (`--solver always` asks it)",
    "not installed": "CrossHair is not installed",
    "exhausted": "CrossHair explored every path that it models",
    "time": "CrossHair ran out of time",
    "most": f"CrossHair stopped after {MAX_PATHS} paths",
}


@dataclass(frozen=True)
class PathCompleteness:
    """How far a search is from every path.

    `classes` is the number of executed classes, `stored` of those with a stored trace. `open_branches` counts the ways
    that some executed path could have gone at a decision, and no executed path did. `solver` says how CrossHair ended,
    and `doubts` why its end proves nothing.
    """

    classes: int
    stored: int
    open_branches: int
    solver: str
    doubts: tuple[str, ...] = ()

    @property
    def is_proved(self) -> bool:
        """Whether the solver proved that there is no other path, as far as it models Python."""
        return self.solver == "exhausted" and not self.doubts

    def as_json(self) -> dict[str, Any]:
        """The object that `paths --json` prints."""
        return {"proved": self.is_proved, "open_branches": self.open_branches, "doubts": list(self.doubts)}

    def __str__(self) -> str:
        classes = f"{_count(self.classes, 'class', 'classes')} found"
        if self.stored < self.classes:
            classes += f" ({self.stored:,} kept)"
        if self.is_proved:
            closed = f"the {_count(self.open_branches, 'branch', 'branches')} not tried infeasible"
            proof = closed if self.open_branches else "that there is no other"
            return f"{classes}, complete: CrossHair proved {proof}, as far as it models Python"
        solver, _, why = self.solver.partition(": ")
        ending = "; ".join([_SOLVER.get(solver, f"CrossHair {solver}") + (f": {why}" if why else ""), *self.doubts])
        if not self.open_branches:
            return f"{classes}; every branch was tried both ways, but inputs that raise may be missing; {ending}"
        return f"{classes}; {_count(self.open_branches, 'branch', 'branches')} not tried; {ending}"


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def open_branches(paths: Iterable[Collection[Way]]) -> int:
    """Count the ways that a path could have gone after the same decisions as an executed one, and none did."""
    nodes: dict[tuple[int, Way], int] = {}
    for path in paths:
        node = 0
        for way in path:
            node = nodes.setdefault((node, way), len(nodes) + 1)
    return sum((node, (place, not taken)) not in nodes for node, (place, taken) in nodes)
