"""Facts about a trace that a hostile program states, and shapes that every trace must have.

    # delta: total=6             some step's delta binds total to exactly this canonical value
    # series: x = 1 | 2 | 3      the values of x in all deltas of all frames, in order and complete
    # gone: e                    some step says that e is gone
    # same: b=a                  some step says that b is bound to a's object
    # arg: raise ValueError(1)   some step of this event carries exactly this value
    # lines: f 3 4 3 5           the lines of all line events of frames called f, in order and complete
    # steps: >= 300000           how many steps there are (>= or ==)
    # note: settrace             a note of the trace
    # hidden: input              the kind of a hidden input of the trace

Each check returns complaints, an empty list when all is well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hostile_header import Header

from worldline.core.events import EVENTS
from worldline.core.trace import NO_TEXT, Trace

HEX_INT = re.compile(r"(?<![\w'\"])-?0x[0-9a-f]{257,}")
ASIDE = ("output", "input", "exit")  # events that say nothing about the life of their frame


def complaints(header: Header, trace: Trace, version: str, core: str) -> list[str]:
    """Every stated fact that the trace does not bear out."""
    found: list[str] = []
    for key, check in CHECKS.items():
        for value in header.values(key, version, core):
            if not check(trace, value):
                found += [f"not in the trace: {key}: {value[:200]}{_instead(trace, key, value)}"]
    return found


def _text(trace: Trace, number: int) -> str | None:
    return None if number == NO_TEXT else trace.columns.texts[number]


def _changes(trace: Trace, name: str) -> list[str | None]:
    """The successive values of a name in all frames; None where it was gone. Columns, since traces can be long."""
    columns = trace.columns
    wanted = {number for number, text in enumerate(columns.texts) if text == name}
    pairs = zip(columns.change_name, columns.change_value, strict=True)
    return [_text(trace, value) for number, value in pairs if number in wanted]


def _args(trace: Trace, event: str) -> list[str | None]:
    columns, wanted = trace.columns, EVENTS.index(event)
    return [_text(trace, arg) for kind, arg in zip(columns.event, columns.arg, strict=True) if kind == wanted]


def _delta(trace: Trace, fact: str) -> bool:
    name, _, value = fact.partition("=")
    return value in _changes(trace, name)


def _series(trace: Trace, fact: str) -> bool:
    name, _, values = fact.partition(" = ")
    return [value for value in _changes(trace, name) if value is not None] == values.split(" | ")


def _gone(trace: Trace, name: str) -> bool:
    return None in _changes(trace, name)


def _same(trace: Trace, fact: str) -> bool:
    name, _, other = fact.partition("=")
    return any(step.same.get(name) == other for step in trace.steps)


def _arg(trace: Trace, fact: str) -> bool:
    event, _, value = fact.partition(" ")
    return value in _args(trace, event)


def _lines_of(trace: Trace, name: str) -> list[int]:
    return [step.line for step in trace.steps if step.event == "line" and trace.frames[step.frame].name == name]


def _lines(trace: Trace, fact: str) -> bool:
    name, *numbers = fact.split()
    return _lines_of(trace, name) == [int(number) for number in numbers]


def _steps(trace: Trace, fact: str) -> bool:
    relation, number = fact.split()
    return len(trace) == int(number) if relation == "==" else len(trace) >= int(number)


def _note(trace: Trace, slug: str) -> bool:
    return slug in trace.notes


def _hidden(trace: Trace, kind: str) -> bool:
    return any(hidden.kind == kind for hidden in trace.hidden)


CHECKS = {
    "delta": _delta, "series": _series, "gone": _gone, "same": _same, "arg": _arg, "lines": _lines,
    "steps": _steps, "note": _note, "hidden": _hidden,
}  # fmt: skip


def _instead(trace: Trace, key: str, fact: str) -> str:
    """What the trace says in place of a fact, for the message."""
    if key in ("delta", "series", "gone"):
        values = _changes(trace, re.split(r" ?= ?", fact, maxsplit=1)[0])
        return f"; seen instead: {[value and value[:120] for value in values[:12]]}"
    if key == "arg":
        return f"; seen instead: {[arg and arg[:120] for arg in _args(trace, fact.partition(' ')[0])[:12]]}"
    if key == "lines":
        return f"; seen instead: {_lines_of(trace, fact.split()[0])[:60]}"
    return f"; notes {trace.notes}, hidden {trace.hidden[:4]}, {len(trace)} steps"


def misshapen(trace: Trace) -> list[str]:
    """What is wrong with a trace whatever its program: addresses, wrong callers, events of dead frames."""
    found = [f"an address: {text[:200]}" for text in _texts(trace) if "0x" in HEX_INT.sub("", text)]
    found += [
        f"frame {frame.serial} has parent {frame.parent}"
        for frame in trace.frames
        if not -1 <= frame.parent < frame.serial
    ]
    return (found + list(_event_order(trace)))[:8]


def _texts(trace: Trace) -> Iterator[str]:
    yield from trace.columns.texts
    yield from trace.notes
    yield trace.outcome.detail
    for frame in trace.frames:
        yield frame.name
    for hidden in trace.hidden:
        yield hidden.value


def _event_order(trace: Trace) -> Iterator[str]:
    """Complaints about frames that run before their call, after their return, or resume without a yield."""
    life: dict[int, str] = {}
    for i, (kind, frame) in enumerate(zip(trace.columns.event, trace.columns.frame, strict=True)):
        event, before = EVENTS[kind], life.get(frame)
        if (before is None) != (event == "call"):
            yield f"step {i}: {event} of a frame that was {before}"
        if event in ASIDE:
            continue
        if before == "return":
            yield f"step {i}: {event} after the frame returned"
        if event == "resume" and before != "yield":
            yield f"step {i}: a resume after {before}"
        if before == "yield" and event not in ("resume", "raise"):
            yield f"step {i}: {event} of a suspended frame"
        life[frame] = event
