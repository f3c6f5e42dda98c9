"""Teacher forcing for predictors that only return text, in a notation with special tokens (see `writing`).

The action of a frame is its event token and its line; the state is its locals, before the line, or its value.

- `actions`: every event token, line and separator is true; the model writes locals and values. Writing stops where the
  truth was cut. An invalid state ends the text (`broken`).
- `states`: the model writes event and line. After a true event it is given the true locals, and after the true line of
  a return the true value. At its first wrong event or line it is on its own (`left`).
- `queries`: the chosen frames are true, as long as all actions so far are.
"""

from __future__ import annotations

from collections.abc import Collection

from worldline.codec.cwm.frame_text import (
    ACTION,
    FRAME_END,
    LATE,
    VALUE,
    CutFrame,
    cut,
    first_divergence,
    is_state,
    is_stop,
    paired_frames,
)
from worldline.codec.cwm.text import token
from worldline.predict.forcing.batching import RequestGenerator
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.forcing.frames.draft import FrameDraft, FrameRollout, start_draft
from worldline.predict.forcing.frames.guard import write_guarded
from worldline.predict.forcing.frames.next_frames import predict_next_steps as predict_next_steps
from worldline.predict.prediction import Prediction, PredictionRequest


def force_text(
    request: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = ()
) -> RequestGenerator[ForcedRollout]:
    """Write a forced text; see `writing.Forcing`."""
    if truth is None:
        rollout = yield from write_guarded(request)
    elif force == "queries":
        rollout = yield from _insert_frames(request, truth, chosen)
    elif force == "actions":
        rollout = yield from _force_actions(request, truth)
    else:
        rollout = yield from _force_states(request, truth)
    return ForcedRollout(
        prediction=rollout.draft.prediction,
        force=force,
        dictated=tuple(rollout.draft.dictated),
        left=rollout.left,
        sure=rollout.draft.confidences,
        answered=tuple(sorted(rollout.answered)),
    )


def _force_actions(request: PredictionRequest, truth: Prediction) -> RequestGenerator[FrameRollout]:
    """Dictate the true actions."""
    draft, frames = start_draft(request, truth)
    for frame in frames:
        if draft.status or not frame.whole:
            break
        before, after = frame.around(truth.text)
        draft.dictate(before)
        if not frame.is_end:
            state = yield from draft.take_text()
            if not draft.status and not is_state(frame.event, state):
                draft.status = "broken"
        if not draft.status:
            draft.dictate(after)
    _close(draft, truth)
    return FrameRollout(draft)


def _force_states(request: PredictionRequest, truth: Prediction) -> RequestGenerator[FrameRollout]:
    """Dictate the true states while the model's actions are true."""
    draft, frames = start_draft(request, truth, stop="action_sep")
    rollout = FrameRollout(draft)
    for number, frame in enumerate(frames, len(paired_frames(request.given, truth.text))):
        if draft.status or not frame.whole:
            break
        yield from _take_loop_ends(draft, frame)
        if (yield from draft.next_token()) != frame.event:
            rollout.left = number
            break
        draft.take(token(frame.event).encode())
        if not frame.is_end and not (yield from _force_state(draft, frame, truth.text)):
            rollout.left = number
            break
    if rollout.left is not None:
        yield from draft.take_rest()
    _close(draft, truth)
    return rollout


def _take_loop_ends(draft: FrameDraft, true: CutFrame) -> RequestGenerator[None]:
    """Accept the StopIteration at the end of a loop, for which recordings have no frame."""
    while true.event != "exception_sep" and (yield from draft.next_token()) == "exception_sep":
        ahead = yield from draft.look_ahead(FRAME_END)
        frame = next(iter(cut(ahead)), None)
        if frame is None or not frame.whole or not is_stop(frame, ahead):
            return
        draft.take(ahead[: frame.end])


def _force_state(draft: FrameDraft, frame: CutFrame, text: bytes) -> RequestGenerator[bool]:
    """Dictate the state of a frame whose event is true, and return whether the model's line is true."""
    before, after = frame.around(text)
    if frame.event in LATE:
        line = before.partition(ACTION)[2].removesuffix(VALUE)
        start, end = ACTION, VALUE + frame.state(text) + after
    else:
        line = after.removeprefix(ACTION).removesuffix(FRAME_END)
        start, end = frame.state(text) + ACTION, FRAME_END
    draft.dictate(start)
    if (yield from draft.take_text()) != line:
        return False
    draft.dictate(end)
    return True


def _insert_frames(
    request: PredictionRequest, truth: Prediction, chosen: Collection[int]
) -> RequestGenerator[FrameRollout]:
    """Dictate the true frames of these numbers."""
    draft, frames = start_draft(request, truth)
    rollout = FrameRollout(draft, left=first_divergence(request.given, truth.text))
    last = max(chosen, default=-1)
    for number, frame in enumerate(frames, len(paired_frames(request.given, truth.text))):
        if draft.status or rollout.left is not None or not frame.whole or number > last:
            break
        if number in chosen:
            rollout.answered.add(number)
            draft.dictate(truth.text[frame.start : frame.end])
        else:
            at = len(draft.text)
            yield from _take_frame(draft)
            if first_divergence(bytes(draft.text[at:]), truth.text[frame.start :]) is not None:
                rollout.left = number
    yield from draft.take_rest()
    rollout.left = first_divergence(bytes(draft.text), truth.text)
    _close(draft, truth)
    return rollout


def _take_frame(draft: FrameDraft) -> RequestGenerator[None]:
    """Accept one frame of the model, or the end."""
    name = ""
    while not draft.status and name != "frame_sep":
        name = yield from draft.next_token()
        if name:
            draft.take(token(name).encode())
        else:
            yield from draft.take_text()


def _close(draft: FrameDraft, truth: Prediction) -> None:
    """Give a text that nothing else has ended the status of its truth."""
    draft.status = draft.status or truth.status
