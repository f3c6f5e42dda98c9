"""One branch at one moment: its positions, both runs, and the points to stop at, computed on first use.

Another thread replaces the branch while the model is writing, so one answer must use one snapshot.
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

LOOKAHEAD_BYTES = 256  # of the truth, beyond what the model has written


@dataclass(frozen=True)
class BranchSnapshot:
    """A branch of a session at one moment."""

    session: Session
    branch: Branch

    @property
    def is_running(self) -> bool:
        """Whether steps, or the cause of the divergence, may still come."""
        branch = self.branch
        is_unexplained = branch.status == "done" and branch.truth is not None and branch.cause is None
        return branch.status == "running" or is_unexplained

    @cached_property
    def stepper(self) -> Stepper:
        """The predicted run."""
        return Stepper(self._found if self.run_diff is None else self.run_diff.right)

    @cached_property
    def run_diff(self) -> RunDiff | None:
        """Both runs; None without an actual one.

        While the model is writing, the truth is read only a little further than the prediction.
        """
        branch, truth = self.branch, self.branch.truth
        if truth is None or not self.is_running:
            return None if truth is None else self.session.run_diff(branch.id)
        end = truth.text.find(b"\n", len(branch.found.text) + LOOKAHEAD_BYTES)
        if end >= 0 and notation(truth.codec).is_canonical:
            truth = replace(truth, text=truth.text[: end + 1], status="budget")
        return RunDiff(Run("truth", branch.ask, truth), self._found)

    @cached_property
    def truth(self) -> Stepper | None:
        """The actual run."""
        return None if self.run_diff is None or self.run_diff.left is None else Stepper(self.run_diff.left)

    @cached_property
    def stop_points(self) -> list[StopPoint]:
        """The points to stop at, as far as they are certain."""
        return stop_points(self.stepper, self.run_diff, self.branch.cause, is_running=self.is_running)

    @property
    def _found(self) -> Run:
        if self.session.is_recorded:
            return self.session.run_diff(self.branch.id).right
        return Run("found", self.branch.ask, self.branch.found, confidences=self.branch.confidences)

    def known(self, filters: set[str]) -> int:
        """Return the number of positions for which it is certain whether these filters stop there."""
        if not self.is_running or self.run_diff is None:
            return len(self.stepper)
        reached = {point.kind for point in self.stop_points} & {*DEFAULT_STOPS}
        later = filters - {RAISED} - reached
        limits = [point.position for point in self.stop_points if point.title == "wrong action" and later]
        limits += [point.position for point in self.stop_points if point.kind != RAISED and later & CAUSE_STOPS.keys()]
        return min([len(self.stepper), *(position + 1 for position in limits)])

    def ending(self) -> str:
        """Describe how the prediction ends."""
        malformed = self.stepper.run.reading.malformed
        if malformed is not None:
            return f"the prediction is malformed here: expected {malformed.expected}"
        if self.branch.status == "stopped":
            return "the model was stopped here"
        status = self.branch.found.status
        if self.session.is_recorded:
            return "the test ends here" if status == "ended" else "the recording ends here: its budget is spent"
        sentences = {"budget": "the prediction reached its byte limit here", "ended": "the prediction ends here"}
        return sentences.get(status, f"the prediction ends here: {status}")
