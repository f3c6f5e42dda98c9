"""The compact notation behind the seam (`codec.notation`): worldline's own, for models that read bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from worldline.codec.compact import depth, edit, events, turns
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.words import name_text
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import Notation, StepSpan, TraceContext
from worldline.codec.reading import Reading
from worldline.core.program import Program
from worldline.core.trace import Trace


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
        """Write what a model is asked with."""
        return prompt(context.program, context.options, context.hidden)

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        """Write the prompt of a recorded trace."""
        return prompt(trace.program, options, trace.hidden)

    def steps(self, trace: Trace, options: Compact | None = None, *, most: int | None = None) -> bytes:
        """Write the steps of a trace, or its first `most` lines."""
        text = encode_steps(trace, options)
        return text if most is None else turns.first_lines(text, most)

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        """Write a value behind its name, or what a step gives back."""
        return (")" if name is None else f" {name_text(name)}="), value, "\n"

    def staged(self, program: Program) -> Program:
        """The program as it is."""
        return program

    def recognizes(self, text: str) -> bool:
        """Nothing is certain: plain lines may be of any notation."""
        return False

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """The text as it is: files hold the steps alone."""
        return text

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        """Read the events of a text."""
        return events.read_events(text, self.prompt(context), status=status)

    def split(self, text: bytes) -> Sequence[StepSpan]:
        """Cut a text into turns."""
        return turns.turns(text)

    def count_steps(self, text: bytes) -> int:
        """How many whole turns a text has, its end not counted."""
        return sum(turn.whole for turn in turns.turns(text)) - turns.is_ended(text)

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        """The offsets of at most `count` steps."""
        return turns.step_spans(text, count)

    def depth(self, text: str) -> int | None:
        """How many frames are at most one inside another."""
        return depth.depth(text)

    def own_text(self, text: bytes, skip: int) -> bytes:
        """What stands behind the first `skip` bytes."""
        return text[skip:]

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        """Cut a text behind the changes of a step, with other values among them."""
        return edit.edited(text, self.prompt(context), step, values)

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        """Where the first line begins in which the guard refuses a byte."""
        guide = Guide(
            context.program, context.options, guard=True, table=context.table, hidden=context.hidden
        )
        for at, byte in enumerate(text):
            try:
                guide.feed(byte)
            except ImpossibleByte:
                return text.rfind(b"\n", 0, at) + 1
        return None

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        """Where the first turn begins that does something else than the true one."""
        pairs = zip(turns.turns(truth), turns.turns(text), strict=False)
        return next((turn.start for true, turn in pairs if true.action(truth) != turn.action(text)), None)

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """The first turn that differs, from step `step` on: changes may stand in a later turn."""
        same = 0
        for true, turn in zip(turns.turns(truth), turns.turns(text), strict=False):
            if truth[true.start : true.end] != text[turn.start : turn.end]:
                break
            same += 1
        return max(same, step)

    def resumable(self, text: bytes) -> bytes:
        """All of it: a model that reads bytes continues from any."""
        return text


NOTATION: Notation = CompactNotation()
