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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hostile_header import Header

from worldline.core.trace import Step, Trace

HEX_INT = re.compile(r"(?<![\w'\"])-?0x[0-9a-f]{257,}")


@dataclass(frozen=True)
class Seen:
    """A trace with its steps made once, since every fact looks at all of them."""

    trace: Trace
    steps: tuple[Step, ...]


def complaints(header: Header, trace: Trace, version: str, core: str) -> list[str]:
    """Every stated fact that the trace does not bear out."""
    seen = Seen(trace, tuple(trace.steps))
    found: list[str] = []
    for key, check in CHECKS.items():
        for value in header.values(key, version, core):
            if not check(seen, value):
                found += [f"not in the trace: {key}: {value[:200]}{_instead(seen, key, value)}"]
    return found + list(_event_order(seen.steps))[:8]


def _delta(seen: Seen, fact: str) -> bool:
    name, _, value = fact.partition("=")
    return any(step.delta.get(name) == value for step in seen.steps)


def _values_of(seen: Seen, name: str) -> list[str]:
    return [step.delta[name] for step in seen.steps if name in step.delta]


def _series(seen: Seen, fact: str) -> bool:
    name, _, values = fact.partition(" = ")
    return _values_of(seen, name) == values.split(" | ")


def _gone(seen: Seen, name: str) -> bool:
    return any(name in step.gone for step in seen.steps)


def _same(seen: Seen, fact: str) -> bool:
    name, _, other = fact.partition("=")
    return any(step.same.get(name) == other for step in seen.steps)


def _arg(seen: Seen, fact: str) -> bool:
    event, _, value = fact.partition(" ")
    return any(step.event == event and step.arg == value for step in seen.steps)


def _lines_of(seen: Seen, name: str) -> list[int]:
    return [
        step.line
        for step in seen.steps
        if step.event == "line" and seen.trace.frames[step.frame].name == name
    ]


def _lines(seen: Seen, fact: str) -> bool:
    name, *numbers = fact.split()
    return _lines_of(seen, name) == [int(number) for number in numbers]


def _steps(seen: Seen, fact: str) -> bool:
    relation, number = fact.split()
    return len(seen.steps) == int(number) if relation == "==" else len(seen.steps) >= int(number)


def _note(seen: Seen, slug: str) -> bool:
    return any(note == slug or note.startswith(f"{slug}:") for note in seen.trace.notes)


def _hidden(seen: Seen, kind: str) -> bool:
    return any(hidden.kind == kind for hidden in seen.trace.hidden)


CHECKS = {
    "delta": _delta, "series": _series, "gone": _gone, "same": _same, "arg": _arg, "lines": _lines,
    "steps": _steps, "note": _note, "hidden": _hidden,
}  # fmt: skip


def _instead(seen: Seen, key: str, fact: str) -> str:
    """What the trace says in place of a fact, for the message."""
    if key in ("delta", "series"):
        values = _values_of(seen, re.split(r" ?= ?", fact, maxsplit=1)[0])
        return f"; seen instead: {[value[:120] for value in values[:12]]}"
    if key == "arg":
        event = fact.partition(" ")[0]
        return (
            f"; seen instead: {[(step.arg or '')[:120] for step in seen.steps if step.event == event][:12]}"
        )
    if key == "lines":
        return f"; seen instead: {_lines_of(seen, fact.split()[0])[:60]}"
    return f"; notes {seen.trace.notes}, hidden {seen.trace.hidden[:4]}, {len(seen.steps)} steps"


def misshapen(trace: Trace) -> list[str]:
    """What is wrong with a trace whatever its program: addresses, frames without a caller."""
    found = [f"an address: {text[:200]}" for text in _texts(trace) if "0x" in HEX_INT.sub("", text)]
    found += [
        f"frame {frame.serial} has parent {frame.parent}"
        for frame in trace.frames
        if not -1 <= frame.parent < frame.serial
    ]
    return found[:8]


def _texts(trace: Trace) -> Iterator[str]:
    yield from trace.columns.texts
    yield from trace.notes
    yield trace.outcome.detail
    for frame in trace.frames:
        yield frame.name
    for hidden in trace.hidden:
        yield hidden.value


def _event_order(steps: Sequence[Step]) -> Iterator[str]:
    """Complaints about frames that run before their call, after their return, or resume without a yield."""
    life: dict[int, str] = {}
    for step in steps:
        before = life.get(step.frame)
        if (before is None) != (step.event == "call"):
            yield f"step {step.i}: {step.event} of a frame that was {before}"
        if before == "return" and step.event not in ("output", "exit"):
            yield f"step {step.i}: {step.event} after the frame returned"
        if step.event == "resume" and before != "yield":
            yield f"step {step.i}: a resume after {before}"
        if before == "yield" and step.event not in ("resume", "raise", "output", "input", "exit"):
            yield f"step {step.i}: {step.event} of a suspended frame"
        if step.event not in ("output", "input", "exit"):
            life[step.frame] = step.event
