"""Predicts every frame of Meta's format from the true text before it, part by part.

The event is requested after the true frames before it, the locals after the true event, the line after the true locals
(and the value of a return after its true line). A new request is made after each part that is wrong, so a model that is
right is asked once. States are compared as values: `..` equals an unchanged value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldline.codec.cwm.equality import ReprEquality
from worldline.codec.cwm.frame_text import MARK, CutFrame, cut
from worldline.codec.cwm.parse import parse
from worldline.codec.cwm.reader import read_object, read_string
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import UNCHANGED
from worldline.core.malformed import Malformed
from worldline.predict.forcing.batching import RequestGenerator
from worldline.predict.forcing.forced_rollout import NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of

LOOKAHEAD_BYTES = 1 << 12  # requested at once


def predict_next_steps(request: PredictionRequest, truth: Prediction) -> RequestGenerator[NextSteps]:
    """Predict each whole true frame within the limit; see `writing.Forcing`."""
    text = truth.text[: request.limit]
    program = request.program
    decoded, table = text.decode("utf-8", "replace"), table_of(program)
    shown = parse(decoded, program.source, language=program.language, table=table).frames
    model, steps = (_Continuations(request, text, ReprEquality(program.source, program.language)), list[NextStep]())
    known: dict[int, dict[str, str]] = {}
    for number, frame in enumerate(frame for frame in cut(text) if frame.whole):
        scope = shown[number].scope if number < len(shown) else -1
        step = yield from _compare_frame(model, frame, number, known.get(scope, {}))
        if step is None:
            return NextSteps(tuple(steps), model.seconds, "fault")
        steps.append(step)
        if number < len(shown) and shown[number].event in ("call", "line"):
            known[scope] = shown[number].locals
    return NextSteps(tuple(steps), model.seconds)


@dataclass
class _Continuations:
    """Continuations of the true text. An answer is used while it is true itself."""

    request: PredictionRequest
    text: bytes
    equality: ReprEquality
    answer: Prediction | None = None
    is_true: bool = True  # what was read of the last answer is true
    is_first: bool = True
    is_fault: bool = False
    seconds: float = 0.0

    def after(self, at: int, size: int) -> RequestGenerator[bytes]:
        """Return what the model writes after `at` true bytes: at least `size` bytes, or up to a special token if 0."""
        if not self._covers(at, size):
            self.is_true = self.answer is None or self.text[:at].startswith(self.answer.text)
            yield from self._ask(at)
        return b"" if self.answer is None else self.answer.text[at:]

    def _covers(self, at: int, size: int) -> bool:
        if self.answer is None or not self.answer.text.startswith(self.text[:at]):
            return False
        rest = self.answer.text[at:]
        return self.answer.status != "budget" or (len(rest) >= size if size else MARK.search(rest) is not None)

    def _ask(self, at: int) -> RequestGenerator[None]:
        wide = self.request.limit if self.is_first else at + LOOKAHEAD_BYTES
        request = replace(self.request, given=self.text[:at], limit=max(wide, at + 1))
        self.answer = yield request if self.is_true else replace(request, stop="frame_sep")
        self.is_first = False
        self.is_fault = self.is_fault or self.answer.status == "fault"
        self.seconds += self.answer.seconds

    def is_same_state(self, true: dict[str, str] | None, predicted: dict[str, str] | None) -> bool:
        """Whether two states have the same names and values."""
        if true is None or predicted is None or true.keys() != predicted.keys():
            return False
        return all(self.equality.holds(value, predicted[name]) for name, value in true.items())


def _compare_frame(
    model: _Continuations, frame: CutFrame, number: int, known: dict[str, str]
) -> RequestGenerator[NextStep | None]:
    """Predict the parts of a frame; None if the tool failed."""
    text = model.text
    before, after = frame.around(text)
    first = yield from model.after(frame.start, len(before))
    written = next((first[: part.end] for part in cut(first)), b"")
    same_action = first.startswith(before)
    same_state = True
    if not frame.is_end and not model.is_fault:
        rest = yield from model.after(frame.state_start, 0)
        match = MARK.search(rest)
        state, true = rest[: match.start() if match else len(rest)], frame.state(text)
        same_state = state == true or model.is_same_state(_values(true, known), _values(state, known))
    if not frame.is_end and not model.is_fault:
        rest = yield from model.after(frame.state_end, len(after))
        same_action = same_action and rest.startswith(after)
    if model.is_fault:
        return None
    return NextStep(
        step=number, wanted=text[frame.start : frame.end], found=written, same_action=same_action, same_state=same_state
    )


def _values(state: bytes, known: dict[str, str]) -> dict[str, str] | None:
    """Return the values of a state, respelled; a single value has no name. None if it is invalid."""
    text = state.decode("utf-8", "replace")
    if not text.startswith("{"):
        value = read_string(text)
        return None if isinstance(value, Malformed) else {"": respelled(value, raised=True)}
    names = read_object(text)
    if isinstance(names, Malformed):
        return None
    shown = {name: value for name, value in names.items() if not (name.startswith("__") and name.endswith("__"))}
    return {name: known.get(name, value) if value == UNCHANGED else respelled(value) for name, value in shown.items()}
