"""A session: one program with its true and predicted runs, and the branches that edits created.

One thread may extend a session while others read it: a branch is frozen and replaced as a whole, and every answer is
computed from the branches as they were. No lock is held while a text is read. `rollout` writes the branches.
"""

from __future__ import annotations

import operator
import threading
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION
from worldline.codec.notation import notation
from worldline.codec.reading import read_trace
from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.core.events import ENDED
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.branch import WrongBranch, wrong_branch
from worldline.diagnose.debug import MAX_CUT_RUN_BYTES
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.failure import FailureExplanation
from worldline.diagnose.failure.sentences import failure_json
from worldline.diagnose.sample import Sample
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.as_json import branch_json, plain, program_json
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.heap.view import RunScenes
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.stepping import written_rows
from worldline.ui.session.without_gc import without_gc

RUN_NAMES = ("truth", "found", "other")
NOT_RECORDED = "not recorded yet"
RECORDED = "recorded"
"""The name of a run without a prediction, in place of that of a model."""
T = TypeVar("T")


@dataclass(frozen=True)
class OtherPrediction:
    """What a second model predicted for the program of a session."""

    prediction: Prediction
    ask: PredictionRequest
    model: str


class _Memo(Generic[T]):
    """The latest result by name, valid as long as its inputs are the same objects."""

    def __init__(self) -> None:
        self._results: dict[tuple[object, ...], tuple[tuple[object, ...], T]] = {}

    def get(self, name: tuple[object, ...], inputs: tuple[object, ...]) -> T | None:
        """Return the result for these inputs, if it is stored."""
        stored, result = self._results.get(name, ((), None))
        is_same = len(stored) == len(inputs) and all(map(operator.is_, stored, inputs))
        return result if is_same else None

    def put(self, name: tuple[object, ...], inputs: tuple[object, ...], result: T) -> T:
        """Store a result in place of the previous one of this name."""
        self._results[name] = inputs, result
        return result

    def copy(self) -> _Memo[T]:
        """Return a copy."""
        memo = _Memo[T]()
        memo._results = self._results.copy()
        return memo


class Session:
    """A tree of branches, root first. `other` is what a second model predicted for the root's program.

    `limited`: whether the user chose the root's limit. The tokenizer counts tokens for the costs. `is_recorded`: the
    root is a recorded run without a prediction, and `failure` explains it if it is a failing test.
    """

    def __init__(
        self,
        root: Branch,
        *,
        name: str,
        model: str,
        other: OtherPrediction | None = None,
        tokenizer: Tokenizer | None = None,
        limited: bool = True,
        failure: FailureExplanation | None = None,
        is_recorded: bool = False,
    ) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        self.other, self.limited = other, limited
        self.failure, self.is_recorded = failure, is_recorded
        self._branches: tuple[Branch, ...] = (root,)
        self._adding = threading.Lock()
        self._diagnoses = _Memo[Diagnosis]()  # reading takes most of the time, so it is done once
        self._runs, self._run_diffs = _Memo[Run](), _Memo[RunDiff]()
        self._run_views = _Memo[RunScenes]()
        self._traces: dict[int, Trace] = {}  # of the actual runs that were recorded, by branch

    @classmethod
    def of_sample(
        cls,
        sample: Sample,
        *,
        name: str,
        model: str,
        confidences: tuple[StepConfidence, ...] = (),
        wrong: WrongBranch | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> Session:
        """Create a session of a sample, whose truth and prediction are known."""
        truth = None if sample.truth.status == "fault" else sample.truth
        failed = sample.found.status == "fault"
        root = Branch(
            id=0,
            ask=sample.ask,
            truth=truth,
            why="" if truth else sample.truth.note or "not recorded",
            found=sample.found,
            confidences=confidences,
            status="failed" if failed else "done",
            note=sample.found.note if failed else "",
            wrong=wrong,
        )
        session = cls(root, name=name, model=model, tokenizer=tokenizer)
        if truth and not failed:
            session.explain(root, Diagnosis(sample))
        return session

    @classmethod
    def of_trace(
        cls, trace: Trace, *, name: str, failure: FailureExplanation | None = None, at: int | None = None
    ) -> Session:
        """Create a session of a recorded run alone: there is no prediction to compare it with.

        Args:
            trace: The run. Its outermost frames may be several: those of a test and of its fixtures.
            name: What a front end calls it.
            failure: The explanation, if it is a failing test; a view starts at the exception.
            at: The step at which a view starts instead.
        """
        ended = "ended" if trace.outcome.kind in ENDED else "budget"
        recorded = Prediction(text=b"", status=ended, codec=DEFAULT_NOTATION)
        ask = PredictionRequest(program=trace.program)
        if at is None:
            at = len(trace) - 1 if failure is None else failure.steps - 1
        root = Branch(id=0, ask=ask, truth=None, found=recorded, status="done", at=max(at, 0))
        session = cls(root, name=name, model=RECORDED, failure=failure, is_recorded=True)
        session.keep_trace(0, trace)
        run = Run(RECORDED, ask, recorded, reading=read_trace(trace))
        session._runs.put((0, "found"), (ask, recorded, root.confidences), run)
        return session

    @classmethod
    def new(
        cls,
        program: Program,
        *,
        model: str,
        name: str | None = None,
        options: Compact | None = None,
        limit: int | None = None,
        codec: str = DEFAULT_NOTATION,
        tokenizer: Tokenizer | None = None,
        control: Control | None = None,
    ) -> Session:
        """Create a session of a program that is neither recorded nor predicted yet: `rollout.predict_root` does both.

        Args:
            limit: The maximum number of bytes the model may write. By default it follows from the true trace.
            control: Decides the hidden inputs of the run.
        """
        ask = PredictionRequest(
            program=notation(codec).posed(program),
            options=options or Compact(),
            limit=limit or MAX_CUT_RUN_BYTES,
            control=control,
        )
        empty = Prediction(text=b"", status="empty", codec=codec)
        root = Branch(id=0, ask=ask, truth=None, why=NOT_RECORDED, found=empty)
        limited = limit is not None
        return cls(root, name=name or program.name, model=model, tokenizer=tokenizer, limited=limited)

    def with_other(self, other: OtherPrediction) -> Session:
        """Return a session of the root alone, with what a second model predicted. Texts are not read again."""
        session = Session(
            self._branches[0],
            name=self.name,
            model=self.model,
            other=other,
            tokenizer=self.tokenizer,
            limited=self.limited,
        )
        session._diagnoses, session._runs = self._diagnoses.copy(), self._runs.copy()
        return session

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch as it is now, by number."""
        return self._branches

    @property
    def run_names(self) -> tuple[str, ...]:
        """The names of the root's runs."""
        return RUN_NAMES if self.other is not None else RUN_NAMES[:2]

    @property
    def other_model(self) -> str | None:
        """The name of the second model, if there is one."""
        return None if self.other is None else self.other.model

    def branch(self, number: int) -> Branch:
        """Return a branch as it is now; UsageError if there is none."""
        branches = self._branches
        if not 0 <= number < len(branches):
            raise UsageError(f"there is no branch {number}: the session has {len(branches)}")
        return branches[number]

    def lineage(self, number: int) -> list[Branch]:
        """Return a branch and its ancestors, root first."""
        line = [self.branch(number)]
        while (parent := line[0].parent) is not None:
            line.insert(0, self.branch(parent))
        return line

    def add(
        self,
        parent: int,
        edit: BranchEdit,
        ask: PredictionRequest,
        *,
        codec: str,
        at: int,
        confidences: tuple[StepConfidence, ...],
    ) -> Branch:
        """Add a branch that has only its first part, `ask.given`."""
        start = Prediction(text=ask.given, status="budget", codec=codec)
        with self._adding:
            branch = Branch(
                id=len(self._branches),
                parent=parent,
                edit=edit,
                ask=ask,
                truth=None,
                found=start,
                why=NOT_RECORDED,
                confidences=confidences,
                at=at,
            )
            self._branches = (*self._branches, branch)
        return branch

    def put(self, branch: Branch, **changes: Any) -> Branch:
        """Replace a branch by this one, with some fields changed; return it."""
        branch = replace(branch, **changes)
        with self._adding:
            self._branches = (*self._branches[: branch.id], branch, *self._branches[branch.id + 1 :])
        return branch

    def explain(self, branch: Branch, diagnosis: Diagnosis) -> Branch:
        """Replace a branch by one with the cause of its divergence, and keep the diagnosis for its runs."""
        with without_gc():
            cause, wrong = diagnosis.cause, branch.wrong or wrong_branch(diagnosis)
        self._diagnoses.put((branch.id,), _texts(branch), diagnosis)
        return self.put(branch, cause=cause, wrong=wrong)

    def _run(self, branch: Branch, name: str) -> Run | None:
        """One run of a branch; None for a truth that is not known."""
        other = self.other if branch.id == 0 else None
        if name not in RUN_NAMES or (name == "other" and other is None):
            raise UsageError(f"branch {branch.id} has no run {name[:100]!r}")
        ask, text = branch.ask, branch.truth if name == "truth" else branch.found
        if name == "other" and other is not None:
            ask, text = other.ask, other.prediction
        if text is None:
            return None
        confidences = branch.confidences if name == "found" else ()
        inputs = ask, text, confidences
        run = self._runs.get((branch.id, name), inputs)
        if run is None:
            diagnosis = self._diagnoses.get((branch.id,), _texts(branch)) if name != "other" else None
            reading = None if diagnosis is None else diagnosis.truth if name == "truth" else diagnosis.found
            with without_gc():
                run = Run(name, ask, text, confidences=confidences, reading=reading)
        return self._runs.put((branch.id, name), inputs, run)

    def run_diff(self, branch: int = 0, left: str = "truth", right: str = "found") -> RunDiff:
        """Compare two runs of a branch row by row. Without a known truth nothing differs.

        Raises:
            UsageError: There is no such branch or run, or the runs have different notations.
        """
        return self._run_diff(self.branch(branch), left, right)

    def _run_diff(self, branch: Branch, left: str = "truth", right: str = "found") -> RunDiff:
        name, inputs = (branch.id, left, right), (*_texts(branch), branch.confidences)
        run_diff = self._run_diffs.get(name, inputs)
        if run_diff is not None:
            return run_diff
        reference, compared = self._run(branch, left), self._run(branch, right)
        if compared is None:
            raise UsageError(f"branch {branch.id} has no actual run: {branch.why}")
        if reference is not None and reference.prediction.codec != compared.prediction.codec:
            raise UsageError(f"{left} and {right} cannot be compared: they are in different notations")
        diagnosis = self._diagnoses.get((branch.id,), _texts(branch))
        divergences = diagnosis.divergences if diagnosis and (left, right) == ("truth", "found") else None
        return self._run_diffs.put(name, inputs, RunDiff(reference, compared, divergences))

    def keep_trace(self, branch: int, trace: Trace | None) -> None:
        """Keep the recording of the actual run of a branch, which says which values hold one container."""
        if trace is not None:
            self._traces[branch] = trace

    def run_view(self, branch: int = 0) -> RunScenes:
        """Return the actual run of a branch to look at alone, with what a complete prediction says otherwise.

        Raises:
            UsageError: There is no such branch, or its actual run is not known.
        """
        current = self.branch(branch)
        is_compared = not self.is_recorded and current.status != "running"
        inputs = (current.ask, current.truth, current.found if is_compared else None)
        known = self._run_views.get((branch,), inputs)
        if known is not None:
            return known
        run = self._run(current, "found" if self.is_recorded else "truth")
        if run is None:
            raise UsageError(f"branch {branch} has no actual run: {current.why}")
        compared = self._run_diff(current) if is_compared else None
        written = 0 if compared is None else written_rows(compared, current)
        view = RunScenes(run, trace=self._traces.get(branch), compared=compared, written=written)
        return self._run_views.put((branch,), inputs, view)

    def describe(self) -> dict[str, Any]:
        """Return everything but the rows as JSON."""
        branches = self._branches
        root = branches[0]
        description: dict[str, Any] = plain(
            {
                "name": self.name,
                "model": self.model,
                "other_model": self.other_model,
                "codec": root.found.codec,
                "program": program_json(root.ask.program),
                "branches": [self._branch_json(branch, root) for branch in branches],
                "sides": list(self.run_names),
                **({"recorded": True} if self.is_recorded else {}),
                **({"failure": failure_json(self.failure)} if self.failure is not None else {}),
            }
        )
        return description

    def describe_branch(self, number: int) -> dict[str, Any]:
        """Return one branch as `describe` has it."""
        description: dict[str, Any] = plain(self._branch_json(self.branch(number), self._branches[0]))
        return description

    def _branch_json(self, branch: Branch, root: Branch) -> dict[str, Any]:
        run_diff = self._run_diff(branch)
        return branch_json(branch, run_diff, root, self.tokenizer, has_cost=not self.is_recorded)


def _texts(branch: Branch) -> tuple[object, ...]:
    """What the runs of a branch are read from."""
    return branch.ask, branch.truth, branch.found
