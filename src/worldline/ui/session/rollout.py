"""Write the branches of a session: first the interpreter continues from an edit, then the model.

`predict_branch` adds a branch, `predict_root` fills the root of a new session. Both report progress several times a
second and stop when asked. Whatever a program or a model does is never an exception here: it is a failed branch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.diagnose.debug import believed, default_budget
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.sample import Sample
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import Scratchpad, choose_scratchpad
from worldline.predict.stream import StreamingPredictor, never, run_in_thread
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.branches.continuation import Continuation, continue_truth, record_truth
from worldline.ui.session.branches.plan import BranchPlan, plan_branch
from worldline.ui.session.rollout_text import RolloutText, count_steps, inherited_confidences, stream_prediction
from worldline.ui.session.session import Session

SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True)
class RolloutProgress:
    """The progress of a branch. `stage` is `truth` (the interpreter), `model`, `done` or `failed`."""

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
    """Add a branch that continues another one from an edit.

    Returns:
        The progress. Iterating it does the work; leaving early stops the branch.

    Raises:
        UsageError: The edit is not possible. Then no branch is added.
    """
    lineage = session.lineage(parent)
    before = lineage[-1]
    if before.status == "running":
        raise UsageError(f"branch {parent} is still being predicted: stop it, or wait")
    plan, codec = plan_branch(before, edit), predictor.info.notation
    if codec != before.found.codec and not plan.fresh:
        raise UsageError(f"{predictor.info.name} writes {codec} and cannot continue a text in {before.found.codec}")
    confidences = () if plan.fresh else inherited_confidences(before, plan.ask.given)
    branch = session.add(parent, edit, plan.ask, codec=codec, at=plan.at, confidences=confidences)
    truth = partial(continue_truth, lineage, plan, limits=limits, codec=codec)
    return _write(session, predictor, branch, truth, partial(_write_prediction, session, predictor, plan, stop), stop)


def predict_root(
    session: Session,
    predictor: Predictor,
    *,
    scratchpad: str | None = "none",
    limits: Limits | None = None,
    stop: Callable[[], bool] = never,
) -> Iterator[RolloutProgress]:
    """Record the program of a new session, then predict it.

    Args:
        session: The session, whose root is not recorded yet.
        predictor: The model.
        scratchpad: The simpler form in which the model predicts; None for the default (`choose_scratchpad`).
        limits: Limits of the execution.
        stop: Returns whether to stop.

    Returns:
        The progress. Iterating it does the work; leaving early stops the branch.
    """
    root = session.branch(0)
    if root.status != "running":
        raise UsageError("the root of this session is recorded already")
    ask = replace(root.ask, options=predictor.info.options_for(root.ask.program, root.ask.options))
    root = session.put(root, ask=ask, found=replace(root.found, codec=predictor.info.notation))
    plan = BranchPlan(ask=root.ask, at=0, fresh=True)
    mode = choose_scratchpad(scratchpad, predictor, options=root.ask.options, program=root.ask.program)
    is_folded = mode != "none"
    truth = partial(record_truth, root.ask, limits=limits, codec=predictor.info.notation, is_folded=is_folded)
    if not is_folded:
        # Only without a scratchpad can the text be shown while it grows.
        return _write(session, predictor, root, truth, partial(_write_prediction, session, predictor, plan, stop), stop)
    return _write(session, predictor, root, truth, partial(_write_on_scratchpad, session, predictor, mode, stop), stop)


def _write(
    session: Session,
    predictor: Predictor,
    branch: Branch,
    truth: Callable[[], Continuation],
    predict: Callable[[Branch], Generator[RolloutProgress, None, Branch]],
    stop: Callable[[], bool],
) -> Iterator[RolloutProgress]:
    """Both parts, the interpreter's and the model's, one after the other."""
    try:
        yield RolloutProgress(branch.id, "truth")
        branch = yield from _write_truth(session, branch, truth, stop)
        yield _progress(branch, "model", branch.why)
        branch = yield from predict(branch)
        branch = yield from _explain(session, predictor, branch, stop)
        yield _progress(branch, "failed" if branch.status == "failed" else "done", branch.note)
    finally:
        if session.branch(branch.id).status == "running":
            session.put(session.branch(branch.id), status="stopped", note=STOPPED)


def _progress(branch: Branch, stage: str, note: str) -> RolloutProgress:
    return RolloutProgress(branch.id, stage, len(branch.found.text), count_steps(branch.found), note)


def _write_truth(
    session: Session, branch: Branch, truth: Callable[[], Continuation], stop: Callable[[], bool]
) -> Generator[RolloutProgress, None, Branch]:
    """The interpreter's part, in a thread of its own, for as long as it takes."""
    waiting = run_in_thread(truth, stop=stop)
    while True:
        try:
            next(waiting)
        except StopIteration as done:
            actual = done.value or Continuation(why=STOPPED)
            break
        except Exception as error:  # no sandbox on this machine, a full disk
            actual = Continuation(why=str(error) or type(error).__name__)
            break
        yield RolloutProgress(branch.id, "truth")
    ask = replace(
        branch.ask,
        limit=_limit(session, branch, actual.truth),
        given=branch.ask.given if actual.given is None else actual.given,
        hidden=actual.hidden or branch.ask.hidden,
    )
    note = _rewrite_note(session, branch, ask, actual.truth)
    session.keep_trace(branch.id, actual.trace)
    return session.put(branch, ask=ask, truth=actual.truth, why=actual.why, changed=actual.changed, note=note)


def _limit(session: Session, branch: Branch, truth: Prediction | None) -> int:
    """The chosen limit, or by default twice the length of the truth, capped."""
    is_chosen = session.limited if branch.edit is None else branch.edit.kind == "budget"
    if is_chosen or truth is None:
        return branch.ask.limit
    limit = default_budget(truth)
    return limit if branch.edit is None else max(branch.ask.limit, limit)


def _rewrite_note(session: Session, branch: Branch, ask: PredictionRequest, truth: Prediction | None) -> str:
    """A warning if a rewritten program does not end like the original."""
    if branch.edit is None or branch.edit.kind != "rewrite" or truth is None:
        return ""
    before = session.branch(branch.parent or 0)
    if before.truth is None or before.changed:
        return ""
    old, new = read(before.ask, before.truth), read(ask, truth)
    is_same = not old.ended or ends_alike(old, new)
    return "" if is_same else "the rewritten program does not end like the original"


def _write_prediction(
    session: Session, predictor: Predictor, plan: BranchPlan, stop: Callable[[], bool], branch: Branch
) -> Generator[RolloutProgress, None, Branch]:
    """The model's part; the branch is replaced while the text grows."""
    if predictor.info.is_ground_truth and (plan.point is not None or branch.changed):
        return _finish(session, branch, _true_prediction(branch))
    text = RolloutText(branch.ask, inherited=branch.confidences)
    reported, prediction, codec = time.perf_counter(), None, predictor.info.notation
    try:
        for prediction in stream_prediction(predictor, plan, text, stop):
            if prediction is None and time.perf_counter() - reported >= SECONDS_BETWEEN_REPORTS:
                branch = _extend(session, branch, text)
                yield RolloutProgress(branch.id, "model", len(branch.found.text), text.steps, branch.why)
                reported = time.perf_counter()
    except Exception as error:  # a predictor may raise anything
        problem = str(error) or type(error).__name__
        prediction = Prediction(text=text.whole, status="fault", codec=codec, note=problem)
    if prediction is None:
        prediction = Prediction(text=text.whole, status="fault", codec=codec, note="the model gave no answer")
    elif prediction.status != "fault" and not prediction.text.startswith(text.ask.given):
        note = "the model does not continue the given text"
        prediction = replace(prediction, status="fault", note=note)
    return _finish(session, replace(branch, confidences=text.confidences()), prediction)


def _write_on_scratchpad(
    session: Session, predictor: Predictor, mode: str, stop: Callable[[], bool], branch: Branch
) -> Generator[RolloutProgress, None, Branch]:
    """The model's part on a scratchpad; the branch gets its text at the end, folded into the program's steps."""
    has_left = threading.Event()
    watched = StreamingPredictor(predictor, lambda: stop() or has_left.is_set())
    waiting = run_in_thread(lambda: next(Scratchpad(watched, mode).roll([branch.ask])))
    try:
        while True:
            try:
                next(waiting)
            except StopIteration as done:
                rolled: ForcedRollout = done.value
                break
            except Exception as error:  # a predictor may raise anything
                note = str(error) or type(error).__name__
                failed = Prediction(text=b"", status="fault", codec=predictor.info.notation, note=note)
                return _finish(session, branch, failed)
            yield RolloutProgress(branch.id, "model", bytes=watched.written, note=branch.why)
    finally:
        has_left.set()
    prediction = replace(rolled.prediction, note=STOPPED) if stop() else rolled.prediction
    return _finish(session, replace(branch, confidences=rolled.sure), prediction)


def _extend(session: Session, branch: Branch, text: RolloutText) -> Branch:
    """The branch with the text so far, if that is more than before."""
    if len(text.whole) == len(branch.found.text):
        return branch
    prediction = replace(branch.found, text=text.whole, status="budget")
    return session.put(branch, found=prediction, confidences=text.confidences())


def _true_prediction(branch: Branch) -> Prediction:
    """The prediction of the interpreter, which continues as the true run does."""
    truth, ask = branch.truth, branch.ask
    if truth is None or not truth.text.startswith(ask.given):
        note = branch.why or "the actual run does not start with the given text"
        return Prediction(text=ask.given, status="fault", note=note)
    is_cut = len(truth.text) > ask.limit
    return replace(truth, text=truth.text[: ask.limit], status="budget" if is_cut else truth.status)


def _finish(session: Session, branch: Branch, prediction: Prediction) -> Branch:
    is_stopped = prediction.note == STOPPED
    status = "failed" if prediction.status == "fault" else "stopped" if is_stopped else "done"
    note = prediction.note if status != "done" else branch.note
    return session.put(branch, found=prediction, status=status, note=note)


def _explain(
    session: Session, predictor: Predictor, branch: Branch, stop: Callable[[], bool]
) -> Generator[RolloutProgress, None, Branch]:
    """Find the cause of the divergence, and what the model believed there."""
    if branch.status != "done" or branch.truth is None:
        return branch
    # With controlled hidden inputs, a model that drew other values is compared with the run that has its draws.
    record = recorder() if branch.ask.control is not None else None
    diagnosis = Diagnosis(Sample(ask=branch.ask, truth=branch.truth, found=branch.found), record)
    branch = session.explain(branch, diagnosis)
    if diagnosis.is_whole:
        return branch
    has_pad = branch.found.scratch is not None
    asking = run_in_thread(lambda: believed(predictor, diagnosis, branch.confidences, has_pad=has_pad), stop=stop)
    while True:
        try:
            next(asking)
        except StopIteration as done:
            return session.put(branch, belief=done.value)
        except Exception:  # a predictor need not be able to say
            return branch
        yield _progress(branch, "model", branch.why)
