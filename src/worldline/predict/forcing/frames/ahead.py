"""One frame ahead from every true state, in Meta's format: each part of a frame is compared behind true text alone.

The event is asked for behind the true frames before it, the locals behind the true event, the line behind the true
locals (and the value of a return behind its true line). A model is asked anew behind each part that it gets wrong, so
that one that is right is asked once. A state is compared as values: `..` and a value that is the same are one.
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
from worldline.predict.forcing.batching import Talk
from worldline.predict.forcing.forced_rollout import NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of

LOOKAHEAD = 1 << 12  # bytes asked for at once


def ahead(ask: PredictionRequest, truth: Prediction) -> Talk[NextSteps]:
    """Every whole true frame within the limit, each of its parts asked for behind the truth before it."""
    text = truth.text[: ask.limit]
    program = ask.program
    told, table = text.decode("utf-8", "replace"), table_of(program)
    shown = parse(told, program.source, language=program.language, table=table).frames
    model, found = _Behind(ask, text, ReprEquality(program.source, program.language)), list[NextStep]()
    known: dict[int, dict[str, str]] = {}
    for number, frame in enumerate(each for each in cut(text) if each.whole):
        scope = shown[number].scope if number < len(shown) else -1
        one = yield from _one(model, frame, number, known.get(scope, {}))
        if one is None:
            return NextSteps(tuple(found), model.seconds, "fault")
        found.append(one)
        if number < len(shown) and shown[number].event in ("call", "line"):
            known[scope] = shown[number].locals
    return NextSteps(tuple(found), model.seconds)


@dataclass
class _Behind:
    """What a model writes behind true text: an answer, as long as it is true itself."""

    ask: PredictionRequest
    text: bytes
    equality: ReprEquality
    held: Prediction | None = None
    good: bool = True  # all of the last answer that was looked at is true
    is_first: bool = True
    is_fault: bool = False
    seconds: float = 0.0

    def behind(self, at: int, size: int) -> Talk[bytes]:
        """What it writes behind so much of the truth: `size` bytes of it, or up to a special token where that is 0."""
        if not self._covers(at, size):
            self.good = self.held is None or self.text[:at].startswith(self.held.text)
            yield from self._ask(at)
        return b"" if self.held is None else self.held.text[at:]

    def _covers(self, at: int, size: int) -> bool:
        if self.held is None or not self.held.text.startswith(self.text[:at]):
            return False
        rest = self.held.text[at:]
        return self.held.status != "budget" or (len(rest) >= size if size else MARK.search(rest) is not None)

    def _ask(self, at: int) -> Talk[None]:
        wide = self.ask.limit if self.is_first else at + LOOKAHEAD
        asked = replace(self.ask, given=self.text[:at], limit=max(wide, at + 1))
        self.held = yield asked if self.good else replace(asked, stop="frame_sep")
        self.is_first = False
        self.is_fault = self.is_fault or self.held.status == "fault"
        self.seconds += self.held.seconds

    def shows(self, wanted: dict[str, str] | None, got: dict[str, str] | None) -> bool:
        """Whether what was written shows the true values."""
        if wanted is None or got is None or wanted.keys() != got.keys():
            return False
        return all(self.equality.holds(value, got[name]) for name, value in wanted.items())


def _one(model: _Behind, frame: CutFrame, number: int, known: dict[str, str]) -> Talk[NextStep | None]:
    """A frame by its parts; None where the tool failed."""
    text = model.text
    before, behind = frame.around(text)
    first = yield from model.behind(frame.start, len(before))
    written = next((first[: each.end] for each in cut(first)), b"")
    same_action = first.startswith(before)
    same_state = True
    if not frame.is_end and not model.is_fault:
        rest = yield from model.behind(frame.state_start, 0)
        match = MARK.search(rest)
        state, wanted = rest[: match.start() if match else len(rest)], frame.state(text)
        same_state = state == wanted or model.shows(_values(wanted, known), _values(state, known))
    if not frame.is_end and not model.is_fault:
        rest = yield from model.behind(frame.state_end, len(behind))
        same_action = same_action and rest.startswith(behind)
    if model.is_fault:
        return None
    return NextStep(
        step=number, wanted=text[frame.start : frame.end], found=written, same_action=same_action,
        same_state=same_state,
    )  # fmt: skip


def _values(state: bytes, known: dict[str, str]) -> dict[str, str] | None:
    """What a state says, respelled, a value under no name; None where it is none."""
    text = state.decode("utf-8", "replace")
    if not text.startswith("{"):
        value = read_string(text)
        return None if isinstance(value, Malformed) else {"": respelled(value, raised=True)}
    names = read_object(text)
    if isinstance(names, Malformed):
        return None
    said = {
        name: value for name, value in names.items() if not (name.startswith("__") and name.endswith("__"))
    }
    return {
        name: known.get(name, value) if value == UNCHANGED else respelled(value)
        for name, value in said.items()
    }
