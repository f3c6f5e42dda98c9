"""What is forced on a model that writes Meta's format, frame by frame: true actions, true states, chosen frames.

A frame's event token and its line are its action; its locals, which stand before the line, or its value are its state.

- `actions`: every event token, line and separator is the true one; locals and values are the model's own, whatever its
  own control flow would have been. Where the truth was cut the writing stops. A state that is none ends it (`broken`).
- `states`: the model says which event is next and which line; as soon as it has said the true event the true locals
  are given, and behind the true line of a return the true value. At its first other event or line it is on its own
  (`left`).
- `chosen_frames`: the true frames of these numbers, as long as its actions so far were the true ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from worldline.codec.cwm.frame_text import (
    ACTION,
    FRAME_END,
    LATE,
    VALUE,
    CutFrame,
    beside,
    cut,
    first_departure,
    is_state,
    is_stop,
)
from worldline.codec.cwm.text import token
from worldline.predict.forcing.batching import Talk
from worldline.predict.forcing.frames.draft import FrameDraft, begun
from worldline.predict.prediction import Prediction, PredictionRequest


@dataclass
class FrameScript:
    """A finished text: where it left the true run, and which of the true frames that were asked for it was given."""

    draft: FrameDraft
    left: int | None = None
    answered: set[int] = field(default_factory=set)


def actions(ask: PredictionRequest, truth: Prediction) -> Talk[FrameScript]:
    """The true actions; the model's own states are kept."""
    draft, frames = begun(ask, truth)
    for frame in frames:
        if draft.status or not frame.whole:
            break
        before, behind = frame.around(truth.text)
        draft.dictate(before)
        if not frame.is_end:
            state = yield from draft.own()
            if not draft.status and not is_state(frame.event, state):
                draft.status = "broken"
        if not draft.status:
            draft.dictate(behind)
    _close(draft, truth)
    return FrameScript(draft)


def states(ask: PredictionRequest, truth: Prediction) -> Talk[FrameScript]:
    """The true states, as long as the model's actions are the true ones."""
    draft, frames = begun(ask, truth, stop="action_sep")
    script = FrameScript(draft)
    for number, frame in enumerate(frames, len(beside(ask.given, truth.text))):
        if draft.status or not frame.whole:
            break
        yield from _stops(draft, frame)
        if (yield from draft.mark()) != frame.event:
            script.left = number
            break
        draft.take(token(frame.event).encode())
        if not frame.is_end and not (yield from _stated(draft, frame, truth.text)):
            script.left = number
            break
    if script.left is not None:
        yield from draft.rest()
    _close(draft, truth)
    return script


def _stops(draft: FrameDraft, true: CutFrame) -> Talk[None]:
    """Lets a model write the StopIteration that ends a loop, of which no recording has a frame."""
    while true.event != "exception_sep" and (yield from draft.mark()) == "exception_sep":
        ahead = yield from draft.look(FRAME_END)
        frame = next(iter(cut(ahead)), None)
        if frame is None or not frame.whole or not is_stop(frame, ahead):
            return
        draft.take(ahead[: frame.end])


def _stated(draft: FrameDraft, frame: CutFrame, text: bytes) -> Talk[bool]:
    """A frame behind its true event: whether the model's line is the true one."""
    before, behind = frame.around(text)
    if frame.event in LATE:
        line = before.partition(ACTION)[2].removesuffix(VALUE)
        given, rest = ACTION, VALUE + frame.state(text) + behind
    else:
        line = behind.removeprefix(ACTION).removesuffix(FRAME_END)
        given, rest = frame.state(text) + ACTION, FRAME_END
    draft.dictate(given)
    if (yield from draft.own()) != line:
        return False
    draft.dictate(rest)
    return True


def chosen_frames(ask: PredictionRequest, truth: Prediction, wanted: Collection[int]) -> Talk[FrameScript]:
    """The true frames of these numbers; everything else is the model's own."""
    draft, frames = begun(ask, truth)
    script, last = FrameScript(draft, left=first_departure(ask.given, truth.text)), max(wanted, default=-1)
    for number, frame in enumerate(frames, len(beside(ask.given, truth.text))):
        if draft.status or script.left is not None or not frame.whole or number > last:
            break
        if number in wanted:
            script.answered.add(number)
            draft.dictate(truth.text[frame.start : frame.end])
        else:
            at = len(draft.text)
            yield from _one(draft)
            script.left = (
                None if first_departure(bytes(draft.text[at:]), truth.text[frame.start :]) is None else number
            )
    yield from draft.rest()
    script.left = first_departure(bytes(draft.text), truth.text)
    _close(draft, truth)
    return script


def _one(draft: FrameDraft) -> Talk[None]:
    """One frame as the model writes it, or the end."""
    name = ""
    while not draft.status and name != "frame_sep":
        name = yield from draft.mark()
        if name:
            draft.take(token(name).encode())
        else:
            yield from draft.own()


def _close(draft: FrameDraft, truth: Prediction) -> None:
    """A text that nothing else has ended is at the end of its truth."""
    draft.status = draft.status or truth.status
