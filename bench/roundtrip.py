"""What a trace loses on its way through a codec and back: nothing, or a named difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worldline.codec import compact
from worldline.codec.compact_parse import parse
from worldline.codec.compact_prompt import Compact
from worldline.core.trace import Trace

COMPACT = (Compact(), Compact(delta="element"), Compact(same=True))


def differences(trace: Trace) -> Iterator[str]:
    """The first difference of each format, as text."""
    for options in COMPACT:
        yield from compact_differences(trace, options)


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
