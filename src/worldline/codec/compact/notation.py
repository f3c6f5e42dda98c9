"""The compact notation as a `Notation`: worldline's own, for models that read bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from worldline.codec.compact import depth, edit, turns
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.words import name_text
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import Notation, StepSpan, TraceContext
from worldline.codec.reading import NOTHING, Event, Reading
from worldline.core.events import unsettled
from worldline.core.program import Program
from worldline.core.trace import Step, Trace


@dataclass(frozen=True)
class CompactNotation:
    """Lines of text, one or more for each step, that show what changed."""

    name: str = "compact"
    title: str = "the compact notation"
    end_mark: bytes = b"\n.\n"
    unit_mark: bytes = b"\n"
    special_tokens: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    has_modes: bool = True
    is_canonical: bool = True
    shows_io: bool = True
    resumes_anywhere: bool = True

    def prompt(self, context: TraceContext) -> bytes:
        return prompt(context.program, context.options, context.hidden)

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        return prompt(trace.program, options, trace.hidden)

    def steps(self, trace: Trace, options: Compact | None = None, *, limit: int | None = None) -> bytes:
        text = encode_steps(trace, options)
        return text if limit is None else turns.first_lines(text, limit)

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        return (")" if name is None else f" {name_text(name)}="), value, "\n"

    def staged(self, program: Program) -> Program:
        return program

    def posed(self, program: Program) -> Program:
        return program

    def sent_and_written(self, trace: Trace, options: Compact | None = None) -> tuple[bytes, bytes]:
        return self.prompt_of(trace, options), self.steps(trace, options)

    def recognizes(self, text: str) -> bool:
        """Return False: plain lines may be in any notation."""
        return False

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """Return the text unchanged: files hold the steps alone."""
        return text

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        return _read_events(text, self.prompt(context), status=status)

    def split(self, text: bytes) -> Sequence[StepSpan]:
        return turns.turns(text)

    def count_steps(self, text: bytes) -> int:
        return sum(turn.whole for turn in turns.turns(text)) - turns.is_ended(text)

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        return turns.step_spans(text, count)

    def depth(self, text: str) -> int | None:
        return depth.depth(text)

    def own_text(self, text: bytes, skip: int) -> bytes:
        return text[skip:]

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        return edit.edit_step(text, self.prompt(context), step, values)

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        """Return the start of the first line in which the guard refuses a byte."""
        guide = Guide(context.program, context.options, guard=True, table=context.table, hidden=context.hidden)
        for at, byte in enumerate(text):
            try:
                guide.feed(byte)
            except ImpossibleByte:
                return text.rfind(b"\n", 0, at) + 1
        return None

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        """Return the start of the first turn whose action differs from the true one."""
        pairs = zip(turns.turns(truth), turns.turns(text), strict=False)
        return next((turn.start for true, turn in pairs if true.action(truth) != turn.action(text)), None)

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """Return the first turn that differs, from step `step` on: changes may stand in a later turn."""
        same = 0
        for true, turn in zip(turns.turns(truth), turns.turns(text), strict=False):
            if truth[true.start : true.end] != text[turn.start : turn.end]:
                break
            same += 1
        return max(same, step)

    def resumable(self, text: bytes) -> bytes:
        """Return the whole text: a model that reads bytes can continue from any."""
        return text


def _read_events(text: bytes, prompt: bytes, *, status: str) -> Reading:
    """Read the events up to the end or the first fault."""
    if status == "ended" and text.rpartition(b"\n")[2] not in (b"", b"."):
        # The last line was not cut off: read it, unless it is half an end mark.
        text += b"\n"
    parsed = parse(text, prompt, loose=True)
    hidden: dict[int, list[tuple[str, str]]] = {}
    for entry in parsed.hidden:
        hidden.setdefault(entry.step, []).append((entry.kind, entry.value))
    main = parsed.program.name if parsed.program else None
    places = [(frame.parent, None if frame.file == main else frame.file) for frame in parsed.frames]
    events = [_of_step(step, *places[step.frame], tuple(hidden.get(step.i, ()))) for step in parsed.steps]
    if not parsed.ended:
        _leave_open(events)
    return Reading(events=tuple(events), ended=parsed.ended, malformed=parsed.malformed)


def _of_step(step: Step, parent: int, file: str | None, hidden: tuple[tuple[str, str], ...]) -> Event:
    line, values, same = step.line, step.delta or NOTHING, step.same or NOTHING
    return Event(step.event, step.frame, line, (line,), values, step.gone, step.arg, False, parent, same, hidden, file)


def _leave_open(events: list[Event]) -> None:
    """Mark the newest step of each frame if it shows no change: changes may stand after steps of other frames."""
    for i in unsettled(events).values():
        event = events[i]
        if event.event != "return" and not (event.values or event.gone or event.same):
            events[i] = event._replace(open=True)


NOTATION: Notation = CompactNotation()
