"""Meta's trace format as a `Notation`: frames of special tokens, for models trained on it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import events, guard, writer
from worldline.codec.cwm.external.reading import continuation
from worldline.codec.cwm.frame_text import FRAME_END, TEXT_END, cut, paired_frames
from worldline.codec.cwm.parse import parse
from worldline.codec.cwm.reader import read_object
from worldline.codec.cwm.stage import posed, sent_and_written, stage, staged
from worldline.codec.cwm.text import SPECIAL, TOKENS, WITH_LOCALS, quoted, token
from worldline.codec.notation import Notation, StepSpan, TraceContext, deepest
from worldline.codec.reading import Reading
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Trace

_BEGIN, _PROMPT = token("begin_of_text").encode(), token("trace_context_start").encode()
_MOVES = re.compile(f"({re.escape(token('call_sep'))})|{re.escape(token('return_sep'))}")


@dataclass(frozen=True)
class CwmNotation:
    """Frames that show all locals before a line, with special tokens spelled out."""

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
        """Write the prompt of a program, with the frames that are known beforehand."""
        return _bytes(stage(context.program).prompt)

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        return _bytes(writer.prompt_of(trace))

    def steps(self, trace: Trace, options: Compact | None = None, *, limit: int | None = None) -> bytes:
        return _bytes(writer.encode(trace, limit)).removeprefix(self.prompt_of(trace))

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        head = token("arg_sep") if name is None else f"{quoted(name)}: "
        return head + '"', quoted(value)[1:-1], '"' + (token("frame_sep") if name is None else ", ")

    def staged(self, program: Program) -> Program:
        """Return the program with a `main` that makes a call with arguments."""
        return staged(program)

    def posed(self, program: Program) -> Program:
        """Return the program, with its `main` if that changes more than its own frames."""
        return posed(program)

    def sent_and_written(self, trace: Trace, options: Compact | None = None) -> tuple[bytes, bytes]:
        prompt, text = sent_and_written(trace)
        return _bytes(prompt), _bytes(text)

    def recognizes(self, text: str) -> bool:
        """Whether a text has a special token or, like one without them, starts with names."""
        return SPECIAL.search(text) is not None or text.lstrip().startswith("{")

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """Return the frames of the call alone, with their special tokens."""
        frames = continuation(_text(text), context.program, context.table)
        return _bytes(stage(context.program).without_closing(frames))

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        return events.read_events(text, context.program, context.table, status=status)

    def split(self, text: bytes) -> Sequence[StepSpan]:
        return cut(text)

    def count_steps(self, text: bytes) -> int:
        return text.count(FRAME_END)

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        """Return start and end of at most `count` frames; a prompt before them ends with a separator too."""
        spans: list[tuple[int, int]] = []
        start = 0
        if text.removeprefix(_BEGIN).startswith(_PROMPT):
            start = text.find(FRAME_END) + len(FRAME_END)
        while len(spans) < count:
            stop = text.find(FRAME_END, start)
            if stop < 0:
                # The last frame was cut off.
                if start < len(text):
                    spans.append((start, len(text)))
                break
            spans.append((start, stop + len(FRAME_END)))
            start = spans[-1][1]
        return spans

    def depth(self, text: str) -> int | None:
        return deepest(match[1] is not None for match in _MOVES.finditer(text)) or None

    def own_text(self, text: bytes, skip: int) -> bytes:
        """Return the text after the first `skip` bytes, or after the prompt that a dump starts with."""
        return text.partition(FRAME_END)[2] if _PROMPT in text else text[skip:]

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        """Cut a text after the locals that show the state after a frame, with other values among them."""
        return _edited(text, context, step, values)

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        number = guard.first_refused(text, context.program, context.table)
        return None if number is None else cut(text)[number].start

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        pairs = ((frame, true) for frame, true in paired_frames(text, truth) if true is not None)
        return next((frame.start for frame, true in pairs if frame.around(text) != true.around(truth)), None)

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """Return `step`: a frame holds its own state."""
        return step

    def resumable(self, text: bytes) -> bytes:
        """Return the complete frames: a model that reads tokens continues between them."""
        return text[: max((frame.end for frame in cut(text) if frame.whole and not frame.is_end), default=0)]


def _edited(text: bytes, context: TraceContext, step: int, values: Mapping[str, str | None]) -> bytes:
    """The text up to the edited locals. All bytes before them stay the same.

    A frame holds the names before its line, so the state after a frame stands in the next frame of its activation.
    """
    program = context.program
    source, language = program.source, program.language
    shown = parse(text.decode("utf-8", "replace"), source, language=language, table=context.table).frames
    if not 0 <= step < len(shown):
        raise UsageError(f"no step {step} to edit in a text of {len(shown)}")
    scope = shown[step].scope
    after = next((i for i in range(step + 1, len(shown)) if shown[i].scope == scope), None)
    if after is None or shown[after].event not in WITH_LOCALS:
        raise UsageError(f"step {step} ({shown[step].event}): no later frame shows its names; edit an earlier step")
    frame = cut(text)[after]
    names = read_object(frame.state(text).decode("utf-8", "replace"))
    assert not isinstance(names, Malformed)
    for name, value in values.items():
        if value is None:
            names.pop(name, None)
        else:
            names[name] = value
    pairs = (f"{quoted(name)}: {quoted(value)}" for name, value in names.items())
    return text[: frame.state_start] + ("{" + ", ".join(pairs) + "}").encode()


def _text(data: bytes) -> str:
    """The text of any bytes: lone surrogates stay, invalid bytes are replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


NOTATION: Notation = CwmNotation()
