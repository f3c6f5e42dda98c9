"""A scene: one program with its run, true and imagined, and the branches that interventions made of it.

One thread may grow a scene while others look: a branch is a frozen value, replaced as a whole, and what was asked for
is made from the branches as they stood. No lock is held while anything is read or written. Growing is `grow`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from worldline.codec.compact_prompt import Compact
from worldline.codec.tokens import Tokenizer
from worldline.core.program import Program
from worldline.diagnose.cause import cause
from worldline.diagnose.debug import ENDLESS
from worldline.diagnose.sample import Sample
from worldline.errors import UsageError
from worldline.explore.branch import Branch, Intervention
from worldline.explore.branch_told import branch_told, plain, program_told
from worldline.explore.pair import Pair
from worldline.explore.side import Side
from worldline.predict.forced import Sure
from worldline.predict.predictor import Ask, Prediction

__all__ = ["SIDES", "Branch", "Intervention", "Scene"]

SIDES = ("truth", "found", "other")


class Scene:
    """A tree of branches, the root first. `other` is what a second model imagined of the root's program."""

    def __init__(
        self,
        root: Branch,
        *,
        name: str,
        model: str,
        other: Prediction | None = None,
        other_ask: Ask | None = None,
        other_model: str | None = None,
        tokenizer: Tokenizer | None = None,
        limited: bool = True,
    ) -> None:
        self.limited = limited  # whether the root's limit was said
        self.name, self.model, self.tokenizer = name, model, tokenizer
        self.other, self.other_model = other, other_model
        self._other_ask = other_ask or root.ask
        self._branches: tuple[Branch, ...] = (root,)
        self._adding = threading.Lock()
        self._pairs: dict[tuple[int, str, str], tuple[tuple[object, ...], Pair]] = {}

    @classmethod
    def of_sample(
        cls,
        sample: Sample,
        *,
        name: str,
        model: str,
        other: Prediction | None = None,
        other_ask: Ask | None = None,
        other_model: str | None = None,
        sure: tuple[Sure, ...] = (),
        tokenizer: Tokenizer | None = None,
    ) -> Scene:
        """A scene of what is known already: a sample, and perhaps what a second model made of it."""
        truth = None if sample.truth.status == "fault" else sample.truth
        failed = sample.found.status == "fault"
        root = Branch(
            id=0,
            parent=None,
            intervention=None,
            ask=sample.ask,
            truth=truth,
            why="" if truth else sample.truth.note or "it was not recorded",
            found=sample.found,
            sure=sure,
            status="failed" if failed else "done",
            note=sample.found.note if failed else "",
            cause=cause(sample) if truth and not failed else None,
        )
        return cls(
            root,
            name=name,
            model=model,
            other=other,
            other_ask=other_ask,
            other_model=other_model,
            tokenizer=tokenizer,
        )

    @classmethod
    def new(
        cls,
        program: Program,
        *,
        model: str,
        name: str | None = None,
        options: Compact | None = None,
        limit: int | None = None,
        codec: str = "compact",
        tokenizer: Tokenizer | None = None,
    ) -> Scene:
        """A scene of a program that nobody has run or imagined yet: `grow.imagine` does both.

        `limit` are the most bytes that the model may write; unless said, it is settled when the truth is known.
        """
        ask = Ask(program=program, options=options or Compact(), limit=limit or ENDLESS)
        nothing = Prediction(text=b"", status="empty", codec=codec)
        root = Branch(
            id=0,
            parent=None,
            intervention=None,
            ask=ask,
            truth=None,
            why="it is not recorded yet",
            found=nothing,
        )
        limited = limit is not None
        return cls(root, name=name or program.name, model=model, tokenizer=tokenizer, limited=limited)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch as it stands, by its number."""
        return self._branches

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that the root has."""
        return SIDES if self.other is not None else SIDES[:2]

    def branch(self, number: int) -> Branch:
        """A branch as it stands."""
        branches = self._branches
        if not 0 <= number < len(branches):
            raise UsageError(f"no branch {number}: there are {len(branches)}")
        return branches[number]

    def lineage(self, number: int) -> list[Branch]:
        """A branch and all that it came from, the root first."""
        line = [self.branch(number)]
        while (parent := line[0].parent) is not None:
            line.insert(0, self.branch(parent))
        return line

    def add(
        self,
        parent: int,
        intervention: Intervention,
        ask: Ask,
        *,
        codec: str,
        at: int,
        sure: tuple[Sure, ...],
    ) -> Branch:
        """A new branch, of which nothing is known but how it begins."""
        found = Prediction(text=ask.given, status="budget", codec=codec)
        with self._adding:
            added = Branch(
                id=len(self._branches), parent=parent, intervention=intervention, ask=ask, truth=None, found=found,
                why="it is not recorded yet", sure=sure, at=at,
            )  # fmt: skip
            self._branches = (*self._branches, added)
        return added

    def put(self, branch: Branch, **changes: Any) -> Branch:
        """Puts a branch in its place, with some of its fields changed."""
        branch = replace(branch, **changes)
        with self._adding:
            self._branches = (*self._branches[: branch.id], branch, *self._branches[branch.id + 1 :])
        return branch

    def _side(self, branch: Branch, name: str) -> Side | None:
        """One side of a branch; None for a truth that nobody knows."""
        if name == "found":
            return Side(name, branch.ask, branch.found, sure=branch.sure)
        if name == "truth":
            return None if branch.truth is None else Side(name, branch.ask, branch.truth)
        if name == "other" and self.other is not None and branch.id == 0:
            return Side(name, self._other_ask, self.other)
        raise UsageError(f"branch {branch.id} has no side {name[:100]!r}")

    def pair(self, branch: int = 0, left: str = "truth", right: str = "found") -> Pair:
        """Two sides of a branch, row by row; made anew when the branch has grown.

        Where nobody knows the truth there is nothing on its side, and nothing differs.
        """
        return self._pair(self.branch(branch), left, right)

    def _pair(self, branch: Branch, left: str = "truth", right: str = "found") -> Pair:
        parts = (branch.ask, branch.truth, branch.found, branch.sure)
        known = self._pairs.get((branch.id, left, right))
        if known is not None and all(one is other for one, other in zip(known[0], parts, strict=True)):
            return known[1]
        reference, beside = self._side(branch, left), self._side(branch, right)
        if beside is None:
            raise UsageError(f"branch {branch.id} has no truth: {branch.why}")
        if reference is not None and reference.prediction.codec != beside.prediction.codec:
            raise UsageError(f"{left} and {right} are written in two notations: they do not compare")
        pair = Pair(reference, beside)
        self._pairs[branch.id, left, right] = parts, pair
        return pair

    def describe(self) -> dict[str, Any]:
        """All that is known of the scene but its rows, ready for JSON."""
        branches = self._branches
        root = branches[0]
        whole: dict[str, Any] = plain(
            {
                "name": self.name,
                "model": self.model,
                "other_model": self.other_model,
                "codec": root.found.codec,
                "program": program_told(root.ask.program),
                "branches": [self._told(branch, root) for branch in branches],
                "sides": list(self.sides),
            }
        )
        return whole

    def describe_branch(self, number: int) -> dict[str, Any]:
        """One of the branches in what `describe` says."""
        one: dict[str, Any] = plain(self._told(self.branch(number), self._branches[0]))
        return one

    def _told(self, branch: Branch, root: Branch) -> dict[str, Any]:
        return branch_told(branch, self._pair(branch), root, self.tokenizer)
