"""Counts the constructs that a dataset executed: statements, operators, methods, builtins, literals, exceptions.

`count` takes a trace and counts the entries of every line that ran. A function's own form (parameters, decorators,
`global`) counts when it is called, as do the literals of the call itself. A method's receiver has the type that the
source or the trace shows, else `?`. `REQUIRED` lists the entries that every dataset must execute.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from worldline.core.events import EVENTS
from worldline.core.trace import Trace
from worldline.programs.coverage.lines import CALLED, SCOPES, Entries, entries, spellings
from worldline.programs.coverage.receivers import Receivers
from worldline.programs.coverage.required import REQUIRED

__all__ = ["REQUIRED", "count", "missing", "share", "table"]

_LINE, _CALL, _RAISE = (EVENTS.index(event) for event in ("line", "call", "raise"))
_NAMED = "method $"  # of something whose kind only the trace tells


def count(trace: Trace) -> Counter[str]:
    """Count how often each construct ran in the trace of a single-file program.

    Args:
        trace: The trace. For a language without a syntax tree, only its name and its events count.

    Returns:
        Counts by entry; empty if the source does not parse.
    """
    if not trace.program.lang.has_syntax_tree:
        named = (f"{EVENTS[event]} of {trace.program.language}" for event in trace.columns.event)
        return Counter([f"language {trace.program.language}", *named])
    try:
        lines = _lines(trace.program.source)
    except (SyntaxError, ValueError, RecursionError):
        return Counter()
    counts: Counter[str] = Counter()
    unresolved: dict[tuple[int, str], list[str]] = {}
    for place, times in Counter(place for _, place in _ran(trace)).items():
        for entry in lines.get(place, ()):
            if entry.startswith(_NAMED):
                unresolved.setdefault(place, []).append(entry)
            else:
                counts[entry] += times
    if unresolved:
        counts.update(_resolved(trace, unresolved))
    counts.update(entry for _, entry in spellings(trace.program.call or ""))
    counts.update(f"event {EVENTS[event]}" for event in trace.columns.event)
    counts.update(_exceptions(trace))
    return counts


def _ran(trace: Trace) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield each step that ran a line or called a function, with its place: the line and the kind of its frame."""
    columns = trace.columns
    names = [frame.name.rpartition(".")[2] for frame in trace.frames]
    scopes = [name if name in SCOPES else "" for name in names]
    for i, event in enumerate(columns.event):
        if event in (_LINE, _CALL):
            yield i, (columns.line[i], CALLED if event == _CALL else scopes[columns.frame[i]])


def _resolved(trace: Trace, unresolved: Mapping[tuple[int, str], list[str]]) -> Iterator[str]:
    """Yield `method $name.upper` for every step that ran it, with the name's kind at that step."""
    known, frames = Receivers(trace), trace.columns.frame
    for i, place in _ran(trace):
        for entry in unresolved.get(place, ()):
            path, _, method = entry.removeprefix("method ").rpartition(".")
            yield f"method {known.kind(path, frames[i], i)}.{method}"


def missing(counts: Mapping[str, int], required: Iterable[str] = REQUIRED) -> list[str]:
    """Return the required entries that never ran."""
    return [entry for entry in required if not counts.get(entry)]


def share(counts: Mapping[str, int]) -> float:
    """Return the fraction of the required entries that ran at least once, from 0 to 1."""
    return 1 - len(missing(counts)) / len(REQUIRED)


def table(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return every entry and its count, sorted by name; required entries appear even if they never ran."""
    return sorted((dict.fromkeys(REQUIRED, 0) | dict(counts)).items())


@lru_cache(maxsize=256)
def _lines(source: str) -> Entries:
    return entries(source, ast.parse(source))


def _exceptions(trace: Trace) -> Counter[str]:
    """Count the raised exceptions, and the caught ones: their frame has further steps."""
    columns = trace.columns
    last = {frame: i for i, frame in enumerate(columns.frame)}
    counts: Counter[str] = Counter()
    for i, event in enumerate(columns.event):
        if event == _RAISE:
            name = columns.texts[columns.arg[i]].partition("(")[0]
            counts[f"raised {name}"] += 1
            if last[columns.frame[i]] > i:
                counts[f"caught {name}"] += 1
    return counts
