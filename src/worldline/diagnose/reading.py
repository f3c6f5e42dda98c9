"""A prediction's text, of either notation, as events: one shape for whatever reads them. Total on any bytes.

It reads and does not compare. An event of the compact notation holds what its step changed; one of Meta's holds the
whole locals before its line ran. Text after the first fault is not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from worldline.codec.compact import parse as compact_parse
from worldline.codec.cwm.text import WITH_LOCALS, token
from worldline.core.events import FINAL, unsettled
from worldline.core.malformed import Malformed
from worldline.core.trace import Hidden, Step
from worldline.core.value import equal
from worldline.predict.prediction import CONTEXT, Prediction, PredictionRequest
from worldline.predict.table import table_of

if TYPE_CHECKING:
    from worldline.codec.cwm.begun import BegunFrame
    from worldline.codec.cwm.frame import CwmFrame

_NONE: Mapping[str, str] = MappingProxyType({})


class Event(NamedTuple):
    """One event as a text tells it; a tuple, because a long run has very many.

    `line` is None where the text leaves it open: `lines` are those it may be. `values` are the names with the values
    that the step changed, or, when `whole`, all locals before the line. `parent` is the frame around it, -1 for none.
    `open`: the text stops before this step's changes must stand. `file` is none for the main one.
    """

    event: str
    frame: int
    line: int | None
    lines: tuple[int, ...] = ()
    values: Mapping[str, str] = _NONE
    gone: tuple[str, ...] = ()
    arg: str | None = None
    whole: bool = False
    parent: int = -1
    same: Mapping[str, str | None] = _NONE
    hidden: tuple[tuple[str, str], ...] = ()
    file: str | None = None
    open: bool = False

    @property
    def action(self) -> tuple[str, int | None]:
        """The event and its line: what a text that is read loosely is aligned by."""
        return self.event, self.line if self.line is not None else next(iter(self.lines), None)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a text says, up to its end or its first fault. `ended`: it says so itself, and it may.

    `places` says which of the text's steps each event is, where some are left out. `begun` is a frame of Meta's
    notation that the cut broke off, which `reconcile` judges.
    """

    events: tuple[Event, ...]
    ended: bool
    malformed: Malformed | None = None
    places: tuple[int, ...] | None = None
    begun: BegunFrame | None = None

    @property
    def steps(self) -> int:
        """How many events were read."""
        return len(self.events)

    @property
    def outcome(self) -> int:
        """The step with which the outermost frame ends; -1 where the text does not get there."""
        is_cwm = bool(self.events) and self.events[0].whole
        later: set[int] = set()  # frames that go on, so that what they raised was handled
        for i in range(len(self.events) - 1, -1, -1):
            event = self.events[i]
            if event.parent >= 0 or event.event in ("output", "input"):
                continue
            if event.frame not in later and event.event in (("return",) if is_cwm else FINAL):
                return self._raised(i) if is_cwm else i
            later.add(event.frame)
        return -1

    def _raised(self, end: int) -> int:
        """Meta's notation closes a frame that an exception left with a return of None: what counts is before it."""
        last = self.events[end]
        before = next((i for i in range(end - 1, -1, -1) if self.events[i].frame == last.frame), end)
        return before if last.arg == "None" and self.events[before].event == "raise" else end

    @property
    def answer(self) -> tuple[str, str] | None:
        """How the outermost frame ended: event and value; None where the text does not get there."""
        last = self.events[self.outcome] if self.outcome >= 0 else None
        return None if last is None or last.arg is None else (last.event, last.arg)

    @property
    def printed(self) -> tuple[str | None, ...]:
        """What was written to standard output, piece by piece; Meta's notation does not show it."""
        return tuple(event.arg for event in self.events if event.event == "output")


def threads_of(events: Sequence[Event]) -> list[int] | None:
    """The thread of each event: 0 is the main one; None where no event says that another runs."""
    found, now = list[int](), 0
    for event in events:
        for kind, value in event.hidden:
            chosen = Hidden(0, kind, value).thread
            now = now if chosen is None else chosen
        found.append(now)
    return found if len(set(found)) > 1 else None


def ends_alike(one: Reading, other: Reading, *, printed: bool = False) -> bool:
    """Whether two readings end with one event and value and, where asked for, printed the same."""
    first, second = one.answer, other.answer
    if first is None or second is None or first[0] != second[0]:
        return False
    return equal(first[1], second[1]) and (not printed or one.printed == other.printed)


def read(ask: PredictionRequest, prediction: Prediction) -> Reading:
    """The events of a prediction for an ask; `reconcile.read_beside` is for one that is compared with a truth."""
    if prediction.codec == "cwm":
        return _read_cwm(ask, prediction)
    text = prediction.text
    if prediction.status == "ended" and text.rpartition(b"\n")[2] not in (b"", b"."):
        text += b"\n"  # no cut broke its last line off: it is meant as it stands, if not as an end
    return _read_compact(ask, text)


def _read_compact(ask: PredictionRequest, text: bytes) -> Reading:
    parsed = compact_parse.parse(text, ask.prompt, loose=True)
    hidden: dict[int, list[tuple[str, str]]] = {}
    for one in parsed.hidden:
        hidden.setdefault(one.step, []).append((one.kind, one.value))
    main = parsed.program.name if parsed.program else None
    places = [(frame.parent, None if frame.file == main else frame.file) for frame in parsed.frames]
    events = [_of_step(step, *places[step.frame], tuple(hidden.get(step.i, ()))) for step in parsed.steps]
    if not parsed.ended:
        _leave_open(events)
    return Reading(events=tuple(events), ended=parsed.ended, malformed=parsed.malformed)


def _of_step(step: Step, parent: int, file: str | None, hidden: tuple[tuple[str, str], ...]) -> Event:
    line, values, same = step.line, step.delta or _NONE, step.same or _NONE
    return Event(
        step.event, step.frame, line, (line,), values, step.gone, step.arg, False, parent, same, hidden, file
    )


def _leave_open(events: list[Event]) -> None:
    """Marks each frame's newest step when it shows no change: changes may stand after steps of other frames."""
    for i in unsettled(events).values():
        event = events[i]
        if event.event != "return" and not (event.values or event.gone or event.same):
            events[i] = event._replace(open=True)


def _read_cwm(ask: PredictionRequest, prediction: Prediction) -> Reading:
    from worldline.codec.cwm import parse as cwm_parse  # most models write the compact notation
    from worldline.codec.cwm.foreign.stripped import tagged_text

    program, table = ask.program, table_of(ask.program)
    text, tail = tagged_text(prediction.text.decode("utf-8", "replace"), program, table), None
    if prediction.status == "budget":
        text, tail = _broken_off(text, program.source)
    entry = 0 if program.call is None else None
    parsed = cwm_parse.parse(text, program.source, entry=entry, language=program.language, table=table)
    if prediction.status == "ended" and parsed.malformed is not None:
        tail = _last_begun(text, program.source, parsed.malformed.offset)
    events: list[Event] = []
    parents: dict[int, int] = {}
    stack: list[int] = []
    for frame in parsed.frames:
        while frame.event != "call" and len(stack) > 1 and frame.scope in stack and stack[-1] != frame.scope:
            stack.pop()  # frames that an exception has left
        if frame.event == "call":
            parents.setdefault(frame.scope, stack[-1] if stack else -1)
            stack.append(frame.scope)
        events.append(_of_frame(frame, parents.get(frame.scope, -1)))
        if frame.event == "return" and stack:
            stack.pop()
    # Many dumps lost the end's token: whoever stopped of himself where nothing runs any more has ended.
    is_over = prediction.status == "ended" and parsed.malformed is None and bool(events) and not stack
    ended = parsed.ended or is_over
    return Reading(
        events=tuple(events), ended=ended, malformed=parsed.malformed, begun=None if ended else tail
    )


def _broken_off(text: str, source: str) -> tuple[str, BegunFrame | None]:
    """A cut text without its last frame where that one is unfinished, and what was written of it."""
    from worldline.codec.cwm.begun import begun

    separator = token("frame_sep")
    end = text.rfind(separator) + len(separator) if separator in text else 0
    rest = text[end:].rstrip("\ufffd")  # a character that was cut
    last = token("end_of_text")
    if last in rest:
        return text, None
    if last.startswith(rest) or (not end and _is_prompt(rest)):
        return text[:end], None
    tail = begun(rest)
    is_prose = not rest.startswith(("<", "{")) and not _begins_line(source, rest.partition("\n")[0])
    return (text, None) if tail is None or is_prose else (text[:end], tail)


def _last_begun(text: str, source: str, fault: int) -> BegunFrame | None:
    """What was written of the last frame of a text that breaks off of itself; None where its fault is before it."""
    before, tail = _broken_off(text, source)
    return tail if fault >= len(before) else None


def _is_prompt(text: str) -> bool:
    """Whether a text breaks off inside the prompt, which a dump may begin with."""
    starts = token("begin_of_text"), token("trace_context_start")
    return any(start.startswith(text) or text.startswith(start) for start in starts)


def _begins_line(source: str, text: str) -> bool:
    return any(line.startswith(text) for line in source.splitlines())


def _of_frame(frame: CwmFrame, parent: int) -> Event:
    lines = (frame.line,) if frame.line is not None else frame.candidates
    return Event(
        event=frame.event, frame=frame.scope, line=frame.line, lines=lines, values=frame.locals, arg=frame.arg,
        parent=parent, whole=frame.event in WITH_LOCALS,
    )  # fmt: skip


def unfinished_as(is_malformed: bool, is_ended: bool, has_steps: bool, prediction: Prediction) -> str | None:
    """The outcome of a text that came to no end; None of one that did."""
    if is_malformed or prediction.status == "broken":
        return "malformed"
    if is_ended:
        return None
    # Only a budget truncates: whoever stopped of himself, or wrote no step, did not write a trace.
    is_cut = prediction.status == "budget" and (has_steps or prediction.note == CONTEXT)
    return "truncated" if is_cut else "malformed"
