"""One branch as it stood at one moment: its steps as positions, both sides, and where it is wrong.

Another thread replaces a branch while it grows, so whatever is concluded in one go must be of one snapshot. All of it
is made when it is first asked for. Nothing here moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from worldline.codec.notation import notation
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import Stepper
from worldline.ui.session.stops import CAUSE_STOPS, DEFAULT_STOPS, RAISED, StopPoint, stop_points

AHEAD = 256  # bytes of the truth that are read beyond what the model has written


@dataclass(frozen=True)
class BranchSnapshot:
    """A branch of a scene, frozen."""

    session: Session
    branch: Branch

    @property
    def is_running(self) -> bool:
        """Whether more may come: steps, or, when all are there, why they are wrong."""
        branch = self.branch
        is_unexplained = branch.status == "done" and branch.truth is not None and branch.cause is None
        return branch.status == "running" or is_unexplained

    @cached_property
    def stepper(self) -> Stepper:
        """The model's side of it."""
        return Stepper(self._found if self.run_diff is None else self.run_diff.right)

    @cached_property
    def run_diff(self) -> RunDiff | None:
        """Both sides, the true one as far as the other has come; None where the interpreter has none.

        Where texts agree, their places do: of a truth beside which a model still writes, what comes later is not read.
        """
        branch, truth = self.branch, self.branch.truth
        if truth is None or not self.is_running:
            return None if truth is None else self.session.run_diff(branch.id)
        end = truth.text.find(b"\n", len(branch.found.text) + AHEAD)
        if end >= 0 and notation(truth.codec).is_canonical:
            truth = replace(truth, text=truth.text[: end + 1], status="budget")
        return RunDiff(Run("truth", branch.ask, truth), self._found)

    @cached_property
    def truth(self) -> Stepper | None:
        """The interpreter's side of it."""
        return None if self.run_diff is None or self.run_diff.left is None else Stepper(self.run_diff.left)

    @cached_property
    def stop_points(self) -> list[StopPoint]:
        """Every place where something is wrong, as far as it is certain."""
        return stop_points(self.stepper, self.run_diff, self.branch.cause, is_running=self.is_running)

    @property
    def _found(self) -> Run:
        return Run("found", self.branch.ask, self.branch.found, confidences=self.branch.confidences)

    def known(self, filters: set[str]) -> int:
        """The positions of which it is certain whether these filters stop there, while more steps may come."""
        if not self.is_running or self.run_diff is None:
            return len(self.stepper)
        reached = {one.kind for one in self.stop_points} & {*DEFAULT_STOPS}
        later = filters - {RAISED} - reached
        limits = [one.position for one in self.stop_points if one.title == "wrong action" and later]
        limits += [
            one.position for one in self.stop_points if one.kind != RAISED and later & CAUSE_STOPS.keys()
        ]
        return min([len(self.stepper), *(position + 1 for position in limits)])

    def ending(self) -> str:
        """How the imagination ends, in words."""
        malformed = self.stepper.run.reading.malformed
        if malformed is not None:
            return f"the text is no longer of its notation: expected {malformed.expected}"
        if self.branch.status == "stopped":
            return "the model was stopped here"
        words = {"budget": "the budget cuts the imagination here", "ended": "the imagination ends here"}
        return words.get(self.branch.found.status, f"the imagination ends here: {self.branch.found.status}")
