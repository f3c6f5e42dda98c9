"""A scene: one program with its run, true and imagined, and the branches that interventions made of it.

One thread may grow a scene while others look: a branch is a frozen value, replaced as a whole, and what was asked for
is made from the branches as they stood. No lock is held while anything is read or written. Growing is `grow`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, Generic, TypeVar

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION
from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.diagnose.branch import WrongBranch, wrong_branch
from worldline.diagnose.debug import ENDLESS
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.as_json import branch_json, plain, program_json
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.without_gc import without_gc

RUN_NAMES = ("truth", "found", "other")


T = TypeVar("T")


class _Memo(Generic[T]):
    """What was made of some parts, by name, until it is made of others."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[tuple[object, ...], T]] = {}

    def get(self, name: tuple[object, ...], parts: tuple[object, ...]) -> T | None:
        """What was made of these very parts; None where nothing was."""
        was, made = self._made.get(name, ((), None))
        is_same = len(was) == len(parts) and all(one is other for one, other in zip(was, parts, strict=True))
        return made if is_same else None

    def put(self, name: tuple[object, ...], parts: tuple[object, ...], made: T) -> T:
        """Keep something in the place of what had its name."""
        self._made[name] = parts, made
        return made

    def copy(self) -> _Memo[T]:
        """Another one that holds the same, for now."""
        found = _Memo[T]()
        found._made = self._made.copy()
        return found


class Session:
    """A tree of branches, the root first. `other` is what a second model imagined of the root's program."""

    def __init__(
        self,
        root: Branch,
        *,
        name: str,
        model: str,
        other: Prediction | None = None,
        other_ask: PredictionRequest | None = None,
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
        self._diagnosed = _Memo[Diagnosis]()  # reading is most of the time that it takes: it is done once
        self._runs, self._run_diffs = _Memo[Run](), _Memo[RunDiff]()

    @classmethod
    def of_sample(
        cls,
        sample: Sample,
        *,
        name: str,
        model: str,
        other: Prediction | None = None,
        other_ask: PredictionRequest | None = None,
        other_model: str | None = None,
        sure: tuple[StepConfidence, ...] = (),
        wrong: WrongBranch | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> Session:
        """A scene of what is known already: a sample, and perhaps what a second model made of it."""
        truth = None if sample.truth.status == "fault" else sample.truth
        failed = sample.found.status == "fault"
        root = Branch(
            id=0,
            parent=None,
            edit=None,
            ask=sample.ask,
            truth=truth,
            why="" if truth else sample.truth.note or "it was not recorded",
            found=sample.found,
            sure=sure,
            status="failed" if failed else "done",
            note=sample.found.note if failed else "",
            wrong=wrong,
        )
        session = cls(
            root,
            name=name,
            model=model,
            other=other,
            other_ask=other_ask,
            other_model=other_model,
            tokenizer=tokenizer,
        )
        if truth and not failed:
            session.explain(root, Diagnosis(sample))
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
        """A scene of a program that nobody has run or imagined yet: `grow.imagine` does both.

        `limit` are the most bytes that the model may write; by default, it is settled when the truth is known.
        `control` decides the hidden inputs of the run.
        """
        ask = PredictionRequest(
            program=program, options=options or Compact(), limit=limit or ENDLESS, control=control
        )
        nothing = Prediction(text=b"", status="empty", codec=codec)
        root = Branch(
            id=0,
            parent=None,
            edit=None,
            ask=ask,
            truth=None,
            why="it is not recorded yet",
            found=nothing,
        )
        limited = limit is not None
        return cls(root, name=name or program.name, model=model, tokenizer=tokenizer, limited=limited)

    def beside(self, other: Prediction, *, ask: PredictionRequest, model: str) -> Session:
        """Another scene, of the root alone, with what a second model made of it; what was read is not read again."""
        found = Session(
            self._branches[0], name=self.name, model=self.model, other=other, other_ask=ask, other_model=model,
            tokenizer=self.tokenizer, limited=self.limited,
        )  # fmt: skip
        found._diagnosed, found._runs = self._diagnosed.copy(), self._runs.copy()
        return found

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch as it stands, by its number."""
        return self._branches

    @property
    def run_names(self) -> tuple[str, ...]:
        """The sides that the root has."""
        return RUN_NAMES if self.other is not None else RUN_NAMES[:2]

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
        edit: BranchEdit,
        ask: PredictionRequest,
        *,
        codec: str,
        at: int,
        sure: tuple[StepConfidence, ...],
    ) -> Branch:
        """A new branch, of which nothing is known but how it begins."""
        found = Prediction(text=ask.given, status="budget", codec=codec)
        with self._adding:
            added = Branch(
                id=len(self._branches), parent=parent, edit=edit, ask=ask, truth=None, found=found,
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

    def explain(self, branch: Branch, diagnosis: Diagnosis) -> Branch:
        """Puts a branch in its place with the cause of its sample; what was read for it is kept for its sides."""
        with without_gc():
            cause, wrong = diagnosis.cause, branch.wrong or wrong_branch(diagnosis)
        self._diagnosed.put((branch.id,), _texts(branch), diagnosis)
        return self.put(branch, cause=cause, wrong=wrong)

    def _run(self, branch: Branch, name: str) -> Run | None:
        """One side of a branch; None for a truth that nobody knows."""
        if name not in RUN_NAMES or (name == "other" and (self.other is None or branch.id)):
            raise UsageError(f"branch {branch.id} has no side {name[:100]!r}")
        ask = self._other_ask if name == "other" else branch.ask
        text = {"truth": branch.truth, "found": branch.found, "other": self.other}[name]
        if text is None:
            return None
        sure = branch.sure if name == "found" else ()
        parts = ask, text, sure
        known = self._runs.get((branch.id, name), parts)
        if known is None:
            diagnosis = self._diagnosed.get((branch.id,), _texts(branch)) if name != "other" else None
            reading = None if diagnosis is None else diagnosis.truth if name == "truth" else diagnosis.found
            with without_gc():
                known = Run(name, ask, text, sure=sure, reading=reading)
        return self._runs.put((branch.id, name), parts, known)

    def run_diff(self, branch: int = 0, left: str = "truth", right: str = "found") -> RunDiff:
        """Two sides of a branch, row by row; made anew when the branch has grown.

        Where nobody knows the truth there is nothing on its side, and nothing differs.
        """
        return self._run_diff(self.branch(branch), left, right)

    def _run_diff(self, branch: Branch, left: str = "truth", right: str = "found") -> RunDiff:
        name, parts = (branch.id, left, right), (*_texts(branch), branch.sure)
        known = self._run_diffs.get(name, parts)
        if known is not None:
            return known
        reference, beside = self._run(branch, left), self._run(branch, right)
        if beside is None:
            raise UsageError(f"branch {branch.id} has no truth: {branch.why}")
        if reference is not None and reference.prediction.codec != beside.prediction.codec:
            raise UsageError(f"{left} and {right} are written in two notations: they do not compare")
        diagnosis = self._diagnosed.get((branch.id,), _texts(branch))
        divergences = diagnosis.divergences if diagnosis and (left, right) == ("truth", "found") else None
        run_diff = RunDiff(reference, beside, divergences)
        return self._run_diffs.put(name, parts, run_diff)

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
                "program": program_json(root.ask.program),
                "branches": [self._branch_json(branch, root) for branch in branches],
                "sides": list(self.run_names),
            }
        )
        return whole

    def describe_branch(self, number: int) -> dict[str, Any]:
        """One of the branches in what `describe` says."""
        one: dict[str, Any] = plain(self._branch_json(self.branch(number), self._branches[0]))
        return one

    def _branch_json(self, branch: Branch, root: Branch) -> dict[str, Any]:
        return branch_json(branch, self._run_diff(branch), root, self.tokenizer)


def _texts(branch: Branch) -> tuple[object, ...]:
    """What the sides of a branch are read from."""
    return branch.ask, branch.truth, branch.found
