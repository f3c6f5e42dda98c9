"""Which constructs a dataset has really run: statement forms, operators, methods, builtins, literals, exceptions.

`count` takes a trace and counts, for every line that ran, what stands on that line of its source; a function's own
form (parameters, decorators, `global`) counts when it is called, and so do the spellings of the call's own literals.
Receivers of methods have the type that the trace or the source tells, else `?`. `REQUIRED` is what every dataset must
have; `missing` and `table` say what one has.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from worldline.core.trace import EVENTS, NO_TEXT, Trace
from worldline.core.value import kind
from worldline.data.coverage_lines import CALLED, SCOPES, Entries, entries, spellings
from worldline.data.coverage_required import REQUIRED

__all__ = ["REQUIRED", "count", "missing", "share", "table"]

_LINE, _CALL, _RAISE = (EVENTS.index(event) for event in ("line", "call", "raise"))
_AMBIGUOUS = "?"
_NOTHING = kind("None")  # a name that is first nothing and then something is the latter


def count(trace: Trace) -> Counter[str]:
    """How often each construct ran in a trace of a program of one file."""
    try:
        lines = _lines(trace.program.source)
    except (SyntaxError, ValueError, RecursionError):
        return Counter()
    kinds = receivers(trace)
    found: Counter[str] = Counter()
    for (line, scope), times in _ran(trace).items():
        for entry in lines.get((line, scope), ()):
            found[_resolved(entry, kinds)] += times
    found.update(entry for _, entry in spellings(trace.program.call or ""))
    found.update(f"event {EVENTS[event]}" for event in trace.columns.event)
    found.update(_exceptions(trace))
    return found


def _ran(trace: Trace) -> Counter[tuple[int, str]]:
    """How often each line ran, by the kind of its frame, and each function was called."""
    columns = trace.columns
    names = [frame.name.rpartition(".")[2] for frame in trace.frames]
    scopes = [name if name in SCOPES else "" for name in names]
    return Counter(
        (line, CALLED if event == _CALL else scopes[frame])
        for line, event, frame in zip(columns.line, columns.event, columns.frame, strict=True)
        if event in (_LINE, _CALL)
    )


def receivers(trace: Trace) -> dict[str, str]:
    """The kind that each name's values have throughout a trace; `?` for more than one."""
    columns, kinds = trace.columns, dict[str, str]()
    for name, value in set(zip(columns.change_name, columns.change_value, strict=True)):
        if value == NO_TEXT:
            continue
        label, found = columns.texts[name], kind(columns.texts[value])
        if found != _NOTHING:
            kinds[label] = found if kinds.get(label, found) == found else _AMBIGUOUS
    return kinds


def missing(found: Mapping[str, int], required: Iterable[str] = REQUIRED) -> list[str]:
    """The required entries that never ran."""
    return [entry for entry in required if not found.get(entry)]


def share(found: Mapping[str, int]) -> float:
    """How much of what is required ran at least once, from 0 to 1."""
    return 1 - len(missing(found)) / len(REQUIRED)


def table(found: Mapping[str, int]) -> list[tuple[str, int]]:
    """Every entry and how often it ran: the required ones, run or not, and all others; by name."""
    return sorted((dict.fromkeys(REQUIRED, 0) | dict(found)).items())


@lru_cache(maxsize=256)
def _lines(source: str) -> Entries:
    return entries(source, ast.parse(source))


def _resolved(entry: str, kinds: dict[str, str]) -> str:
    """`method $name.upper` with the name's kind in its place."""
    if not entry.startswith("method $"):
        return entry
    name, _, method = entry.removeprefix("method $").rpartition(".")
    return f"method {kinds.get(name, _AMBIGUOUS)}.{method}"


def _exceptions(trace: Trace) -> Counter[str]:
    """What was raised, and what of it was caught: its frame has further steps."""
    columns = trace.columns
    last = {frame: i for i, frame in enumerate(columns.frame)}
    found: Counter[str] = Counter()
    for i, event in enumerate(columns.event):
        if event == _RAISE:
            name = columns.texts[columns.arg[i]].partition("(")[0]
            found[f"raised {name}"] += 1
            if last[columns.frame[i]] > i:
                found[f"caught {name}"] += 1
    return found
