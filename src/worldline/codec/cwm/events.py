"""A text of Meta's notation as events. Total on any text.

Text after the first fault is not read. If the text was cut, its last frame is kept apart (`Reading.partial`).
"""

from __future__ import annotations

from worldline.analyze.flow.table import FlowTable
from worldline.codec.cwm.external.reading import tagged_text
from worldline.codec.cwm.frame import CwmFrame
from worldline.codec.cwm.parse import parse
from worldline.codec.cwm.partial_frame import PartialFrame, read_partial_frame
from worldline.codec.cwm.text import WITH_LOCALS, token
from worldline.codec.reading import Event, Reading
from worldline.core.program import Program


def read_events(data: bytes, program: Program, table: FlowTable | None, *, status: str) -> Reading:
    """Read the events of a text, with or without its prompt and special tokens, up to the first fault."""
    text, tail = tagged_text(data.decode("utf-8", "replace"), program, table), None
    if status == "budget":
        text, tail = _broken_off(text, program.source)
    entry = 0 if program.call is None else None
    parsed = parse(text, program.source, entry=entry, language=program.language, table=table)
    if status == "ended" and parsed.malformed is not None:
        tail = _last_partial(text, program.source, parsed.malformed.offset)
    events: list[Event] = []
    parents: dict[int, int] = {}
    stack: list[int] = []
    for frame in parsed.frames:
        while frame.event != "call" and len(stack) > 1 and frame.scope in stack and stack[-1] != frame.scope:
            # An exception has left these frames.
            stack.pop()
        if frame.event == "call":
            parents.setdefault(frame.scope, stack[-1] if stack else -1)
            stack.append(frame.scope)
        events.append(_of_frame(frame, parents.get(frame.scope, -1)))
        if frame.event == "return" and stack:
            stack.pop()
    # Many dumps lost the end token: a model that stopped by itself when nothing was running has ended.
    is_over = status == "ended" and parsed.malformed is None and bool(events) and not stack
    ended = parsed.ended or is_over
    return Reading(events=tuple(events), ended=ended, malformed=parsed.malformed, partial=None if ended else tail)


def _broken_off(text: str, source: str) -> tuple[str, PartialFrame | None]:
    """A cut text without its last frame if that is unfinished, and what was written of it."""
    separator = token("frame_sep")
    end = text.rfind(separator) + len(separator) if separator in text else 0
    # Without a character that was cut.
    rest = text[end:].rstrip("\ufffd")
    last = token("end_of_text")
    if last in rest:
        return text, None
    if last.startswith(rest) or (not end and _is_prompt(rest)):
        return text[:end], None
    tail = read_partial_frame(rest)
    is_prose = not rest.startswith(("<", "{")) and not _begins_line(source, rest.partition("\n")[0])
    return (text, None) if tail is None or is_prose else (text[:end], tail)


def _last_partial(text: str, source: str, fault: int) -> PartialFrame | None:
    """What was written of the last frame of a text that breaks off by itself, unless its fault is earlier."""
    before, tail = _broken_off(text, source)
    return tail if fault >= len(before) else None


def _is_prompt(text: str) -> bool:
    """Whether a text breaks off inside the prompt, which a dump may start with."""
    starts = token("begin_of_text"), token("trace_context_start")
    return any(start.startswith(text) or text.startswith(start) for start in starts)


def _begins_line(source: str, text: str) -> bool:
    return any(line.startswith(text) for line in source.splitlines())


def _of_frame(frame: CwmFrame, parent: int) -> Event:
    lines = (frame.line,) if frame.line is not None else frame.candidates
    return Event(
        event=frame.event,
        frame=frame.scope,
        line=frame.line,
        lines=lines,
        values=frame.locals,
        arg=frame.arg,
        parent=parent,
        whole=frame.event in WITH_LOCALS,
    )
