"""Meta's trace format behind the seam (`codec.notation`): frames of special tokens, for models trained on it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import edit, events, guard, writer
from worldline.codec.cwm.foreign.stripped import continuation
from worldline.codec.cwm.frame_text import FRAME_END, TEXT_END, beside, cut
from worldline.codec.cwm.stage import stage, staged
from worldline.codec.cwm.text import SPECIAL, TOKENS, quoted, token
from worldline.codec.notation import Notation, StepSpan, TraceContext, deepest
from worldline.codec.reading import Reading
from worldline.core.program import Program
from worldline.core.trace import Trace

_BEGIN, _PROMPT = token("begin_of_text").encode(), token("trace_context_start").encode()
_MOVES = re.compile(f"({re.escape(token('call_sep'))})|{re.escape(token('return_sep'))}")


@dataclass(frozen=True)
class CwmNotation:
    """Frames that show the whole locals before a line, special tokens spelled out."""

    name: str = "cwm"
    title: str = "Meta's notation"
    end_mark: bytes = TEXT_END
    unit_mark: bytes = FRAME_END
    special_tokens: Mapping[str, int] = field(default_factory=lambda: MappingProxyType(TOKENS))
    has_modes: bool = False
    is_canonical: bool = False
    shows_io: bool = False
    resumes_anywhere: bool = False

    def prompt(self, context: TraceContext) -> bytes:
        """Write what a model is asked with, the frames that are known beforehand among it."""
        return _bytes(stage(context.program).prompt)

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        """Write the prompt of a recorded trace."""
        return _bytes(writer.prompt_of(trace))

    def steps(self, trace: Trace, options: Compact | None = None, *, most: int | None = None) -> bytes:
        """Write the frames of a trace, or its first `most`."""
        return _bytes(writer.encode(trace, most)).removeprefix(self.prompt_of(trace))

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        """Write a value behind its name, or what a step gives back."""
        head = token("arg_sep") if name is None else f"{quoted(name)}: "
        return head + '"', quoted(value)[1:-1], '"' + (token("frame_sep") if name is None else ", ")

    def staged(self, program: Program) -> Program:
        """The program with a `main` that makes a call with arguments."""
        return staged(program)

    def recognizes(self, text: str) -> bool:
        """Whether a text has a special token, or begins with names, as one without them does."""
        return SPECIAL.search(text) is not None or text.lstrip().startswith("{")

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """The frames of the call alone, with their special tokens."""
        frames = continuation(_text(text), context.program, context.table)
        return _bytes(stage(context.program).without_closing(frames))

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        """Read the events of a text."""
        return events.read_events(text, context.program, context.table, status=status)

    def split(self, text: bytes) -> Sequence[StepSpan]:
        """Cut a text into frames."""
        return cut(text)

    def count_steps(self, text: bytes) -> int:
        """How many whole frames a text has."""
        return text.count(FRAME_END)

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        """The offsets of at most `count` frames; a prompt in front of them ends with a separator as well."""
        spans: list[tuple[int, int]] = []
        start = 0
        if text.removeprefix(_BEGIN).startswith(_PROMPT):
            start = text.find(FRAME_END) + len(FRAME_END)
        while len(spans) < count:
            stop = text.find(FRAME_END, start)
            if stop < 0:
                if start < len(text):  # the cut broke it off
                    spans.append((start, len(text)))
                break
            spans.append((start, stop + len(FRAME_END)))
            start = spans[-1][1]
        return spans

    def depth(self, text: str) -> int | None:
        """How many frames are at most one inside another."""
        return deepest(match[1] is not None for match in _MOVES.finditer(text)) or None

    def own_text(self, text: bytes, skip: int) -> bytes:
        """What stands behind the first `skip` bytes, or behind the prompt that a dump begins with."""
        return text.partition(FRAME_END)[2] if _PROMPT in text else text[skip:]

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        """Cut a text behind the locals that show what a frame left, with other values among them."""
        return edit.edited(text, context.program, context.table, step, values)

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        """Where the first frame begins that the guard refuses."""
        number = guard.first_refused(text, context.program, context.table)
        return None if number is None else cut(text)[number].start

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        """Where the first frame begins that does something else than the true one."""
        pairs = ((frame, true) for frame, true in beside(text, truth) if true is not None)
        return next((frame.start for frame, true in pairs if frame.around(text) != true.around(truth)), None)

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """The frame itself: a frame tells its own state."""
        return step

    def resumable(self, text: bytes) -> bytes:
        """The whole frames: a model that reads tokens continues between them."""
        return text[: max((frame.end for frame in cut(text) if frame.whole and not frame.is_end), default=0)]


def _text(data: bytes) -> str:
    """The text of any bytes: lone surrogates stay what they are, what is no character is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


NOTATION: Notation = CwmNotation()
