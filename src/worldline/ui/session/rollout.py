"""How scenes grow: the interpreter runs on from an intervention, then the model does, and whoever looks sees it come.

`grow` adds a branch, `imagine` fills the root of a new scene; both say what comes, several times a second, and stop at
once when they are told to. What a program or a model does is never an exception here: it is a branch that failed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.diagnose.debug import ENDLESS, believed
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.imagine import MOST
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.predict.stream import never, patiently
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.branches.continuation import Continuation, continuation, recorded
from worldline.ui.session.branches.plan import BranchPlan, planned
from worldline.ui.session.rollout_text import RolloutText, carried, steps_of, written
from worldline.ui.session.session import Session

PACE = 0.1  # seconds between two reports


@dataclass(frozen=True)
class RolloutProgress:
    """How far a branch is: the interpreter's part (`truth`), the `model`'s, or its end, `done` or `failed`."""

    branch: int
    stage: str
    bytes: int = 0
    steps: int = 0
    note: str = ""


def predict_branch(
    session: Session,
    predictor: Predictor,
    edit: BranchEdit,
    *,
    parent: int = 0,
    limits: Limits | None = None,
    stop: Callable[[], bool] = never,
) -> Iterator[RolloutProgress]:
    """A branch from an intervention on another. It is there at once; it grows while this is iterated.

    UsageError, before anything is added, where the intervention cannot be.
    """
    lineage = session.lineage(parent)
    before = lineage[-1]
    if before.status == "running":
        raise UsageError(f"branch {parent} is still growing")
    plan, codec = planned(before, edit), predictor.info.notation
    if codec != before.found.codec and not plan.fresh:
        raise UsageError(f"{predictor.info.name} writes {codec}, and cannot go on in {before.found.codec}")
    sure = () if plan.fresh else carried(before, plan.ask.given)
    branch = session.add(parent, edit, plan.ask, codec=codec, at=plan.at, sure=sure)
    truth = partial(continuation, lineage, plan, limits=limits, codec=codec)
    return _grown(session, predictor, branch, plan, truth, stop)


def predict_root(
    session: Session, predictor: Predictor, *, limits: Limits | None = None, stop: Callable[[], bool] = never
) -> Iterator[RolloutProgress]:
    """The root of a new scene: its program is recorded, then imagined."""
    root = session.branch(0)
    if root.status != "running":
        raise UsageError("the scene's root is there already")
    root = session.put(root, found=replace(root.found, codec=predictor.info.notation))
    plan = BranchPlan(ask=root.ask, at=0, fresh=True)
    truth = partial(recorded, root.ask, limits=limits, codec=predictor.info.notation)
    return _grown(session, predictor, root, plan, truth, stop)


def _grown(
    session: Session,
    predictor: Predictor,
    branch: Branch,
    plan: BranchPlan,
    truth: Callable[[], Continuation],
    stop: Callable[[], bool],
) -> Iterator[RolloutProgress]:
    """Both parts, one after the other. Whoever leaves early has stopped it."""
    try:
        yield RolloutProgress(branch.id, "truth")
        branch = yield from _true(session, branch, truth, stop)
        yield _said(branch, "model", branch.why)
        branch = yield from _imagined(session, predictor, branch, plan, stop)
        branch = yield from _explained(session, predictor, branch, stop)
        yield _said(branch, "failed" if branch.status == "failed" else "done", branch.note)
    finally:
        if session.branch(branch.id).status == "running":
            session.put(session.branch(branch.id), status="stopped", note=STOPPED)


def _said(branch: Branch, stage: str, note: str) -> RolloutProgress:
    return RolloutProgress(branch.id, stage, len(branch.found.text), steps_of(branch.found), note)


def _true(
    session: Session, branch: Branch, truth: Callable[[], Continuation], stop: Callable[[], bool]
) -> Generator[RolloutProgress, None, Branch]:
    """The interpreter's part, in a thread of its own: it takes what it takes."""
    waiting = patiently(truth, stop=stop)
    while True:
        try:
            next(waiting)
        except StopIteration as done:
            found = done.value or Continuation(why=STOPPED)
            break
        except Exception as error:  # a machine without a box, a disk that is full
            found = Continuation(why=str(error) or type(error).__name__)
            break
        yield RolloutProgress(branch.id, "truth")
    ask = replace(
        branch.ask,
        limit=_limit(session, branch, found.truth),
        given=branch.ask.given if found.given is None else found.given,
        hidden=found.hidden or branch.ask.hidden,
    )
    note = _otherwise(session, branch, ask, found.truth)
    return session.put(branch, ask=ask, truth=found.truth, why=found.why, changed=found.changed, note=note)


def _limit(session: Session, branch: Branch, truth: Prediction | None) -> int:
    """A budget that was said holds; any other one has room for the truth twice, as far as that is reasonable."""
    said = session.limited if branch.edit is None else branch.edit.kind == "budget"
    if said or truth is None:
        return branch.ask.limit
    room = min(2 * len(truth.text) + SLACK, MOST if truth.status == "ended" else ENDLESS)
    return room if branch.edit is None else max(branch.ask.limit, room)


def _otherwise(session: Session, branch: Branch, ask: PredictionRequest, truth: Prediction | None) -> str:
    """A rewritten program that does not end as the old one did is no rewriting of it."""
    if branch.edit is None or branch.edit.kind != "rewrite" or truth is None:
        return ""
    before = session.branch(branch.parent or 0)
    if before.truth is None or before.changed:
        return ""
    old, new = read(before.ask, before.truth), read(ask, truth)
    return (
        ""
        if not old.ended or ends_alike(old, new)
        else "the rewritten program ends otherwise than the original"
    )


def _imagined(
    session: Session, predictor: Predictor, branch: Branch, plan: BranchPlan, stop: Callable[[], bool]
) -> Generator[RolloutProgress, None, Branch]:
    """The model's part; the branch is replaced as it grows."""
    if predictor.info.is_ground_truth and (plan.point is not None or branch.changed):
        return _finished(session, branch, _continuation(branch))
    growing = RolloutText(branch.ask, kept=branch.sure)
    said, found, codec = time.perf_counter(), None, predictor.info.notation
    try:
        for found in written(predictor, plan, growing, stop):
            if found is None and time.perf_counter() - said >= PACE:
                branch = _grown_by(session, branch, growing)
                yield RolloutProgress(branch.id, "model", len(branch.found.text), growing.steps, branch.why)
                said = time.perf_counter()
    except Exception as error:  # whatever a predictor raises, it is its own
        problem = str(error) or type(error).__name__
        found = Prediction(text=growing.whole, status="fault", codec=codec, note=problem)
    if found is None:
        found = Prediction(text=growing.whole, status="fault", codec=codec, note="it gave no answer")
    elif found.status != "fault" and not found.text.startswith(growing.ask.given):
        found = replace(found, status="fault", note="it does not go on from what is given")
    return _finished(session, replace(branch, sure=growing.sure()), found)


def _grown_by(session: Session, branch: Branch, growing: RolloutText) -> Branch:
    """The branch with what is written so far, if that is more than it had."""
    if len(growing.whole) == len(branch.found.text):
        return branch
    text = replace(branch.found, text=growing.whole, status="budget")
    return session.put(branch, found=text, sure=growing.sure())


def _continuation(branch: Branch) -> Prediction:
    """The interpreter as predictor goes on from an intervention as it does in truth."""
    truth, given = branch.truth, branch.ask.given
    if truth is None or not truth.text.startswith(given):
        return Prediction(text=given, status="fault", note=branch.why or "it goes otherwise than is given")
    cut = len(truth.text) > branch.ask.limit
    return replace(truth, text=truth.text[: branch.ask.limit], status="budget" if cut else truth.status)


def _finished(session: Session, branch: Branch, found: Prediction) -> Branch:
    stopped = found.note == STOPPED
    status = "failed" if found.status == "fault" else "stopped" if stopped else "done"
    note = found.note if status != "done" else branch.note
    return session.put(branch, found=found, status=status, note=note)


def _explained(
    session: Session, predictor: Predictor, branch: Branch, stop: Callable[[], bool]
) -> Generator[RolloutProgress, None, Branch]:
    """Why it is not the truth, and what the model believed where it parts, unless nobody waits for that."""
    if branch.status != "done" or branch.truth is None:
        return branch
    # What a model drew otherwise is judged beside the run that has its draws: only where hidden inputs are controlled.
    record = recorder() if branch.ask.control is not None else None
    diagnosis = Diagnosis(Sample(ask=branch.ask, truth=branch.truth, found=branch.found), record)
    branch = session.explain(branch, diagnosis)
    if diagnosis.is_whole:
        return branch
    asking = patiently(lambda: believed(predictor, diagnosis, branch.sure), stop=stop)
    while True:
        try:
            next(asking)
        except StopIteration as done:
            return session.put(branch, belief=done.value)
        except Exception:  # a belief is what a predictor says of itself: one that does not, has none
            return branch
        yield _said(branch, "model", branch.why)
