"""What a trace loses on its way through a codec and back: nothing, or a named difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worldline.codec.compact import writer as compact
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import token
from worldline.core.trace import Trace

END = token("end_of_text")
COMPACT = (Compact(), Compact(delta="element"), Compact(same=True), Compact(bare=True))


def differences(trace: Trace) -> Iterator[str]:
    """The first difference of each format, as text."""
    yield from cwm_differences(trace)
    for options in COMPACT:
        yield from compact_differences(trace, options)


def cwm_differences(trace: Trace) -> Iterator[str]:
    """The frames that a trace has in Meta's format, lines resolved from their text by control flow, and the end."""
    shown, text = tuple(cwm.frames(trace)), cwm.encode(trace)
    parsed = cwm_parse.parse(text, trace.program.source, entry=cwm.entry_line(trace))
    if parsed.malformed is not None:
        yield f"cwm: {parsed.malformed}"
    for frame, found in zip(shown, parsed.frames, strict=False):
        if frame != found:
            yield f"cwm: {frame} became {found}"
            return
    if len(parsed.frames) != len(shown):
        yield f"cwm: {len(shown)} frames became {len(parsed.frames)}"
    if parsed.ended != text.endswith(END):
        yield "cwm: the end was lost"


def compact_differences(trace: Trace, options: Compact) -> Iterator[str]:
    """Steps, hidden inputs and the end, through the byte codec; the alias column where it is written."""
    data = compact.encode(trace, options)
    parsed = parse(data)
    if parsed.malformed is not None:
        yield f"{options}: {parsed.malformed}"
        return
    for step, found in zip(trace.steps, parsed.steps, strict=False):
        true = step if options.same else replace(step, same={})
        if true != found:
            yield f"{options}: {true} became {found}"
            return
    if len(parsed.steps) != len(trace):
        yield f"{options}: {len(trace)} steps became {len(parsed.steps)}"
    if parsed.hidden != trace.hidden:
        yield f"{options}: hidden inputs {trace.hidden} became {parsed.hidden}"
