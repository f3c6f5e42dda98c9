"""The calls of one function that are worth keeping: tried in a box, drawn by guess behind those that people wrote.

Kept are calls that returned, or raised what the code itself raises, each along another path.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Protocol

from worldline.codec.compact.prompt import Compact
from worldline.core.events import EVENTS
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import document, is_sound
from worldline.data.mine.extract import Found
from worldline.data.mine.inputs import arguments
from worldline.data.mine.mined import Mined
from worldline.data.mine.types import Signature, signature
from worldline.data.mixture import SMALL
from worldline.programs.split import key
from worldline.recording.recorder import BoxWorker
from worldline.recording.together import record_all

CALLS = 8  # kept of a function
ROUND = 20  # calls tried at a time
ROUNDS = 3
MIN_LINES = 2  # fewer teach nothing
LONGEST = 8_192  # bytes of the document of a call
LIMITS = replace(SMALL, steps=1_000)  # more do not fit such a document
_LINE = EVENTS.index("line")


class Reach(Protocol):
    """Who knows further calls of a function: such as take branches that these, with their traces, miss."""

    def __call__(self, program: Program, traces: Mapping[str, Trace]) -> list[str]:
        """Calls that are worth a try; `program` is one of the calls that are known."""


def fuzz(
    worker: BoxWorker, found: Found, rng: Random, shown: Sequence[str] = (), reach: Reach | None = None
) -> list[Mined]:
    """The calls of one function that are worth keeping, shown ones first: they end, each along another path."""
    hashed, known = key(found.core), set(map(_consumed(found), shown))
    kept = traced(worker, found, rng, shown)
    if reach is not None and kept and not found.methods:
        kept |= _reached(worker, found, kept, reach)
    return [Mined(found.source, call, found.origin, hashed, call in known) for call in kept]


def _reached(worker: BoxWorker, found: Found, kept: Mapping[str, Trace], reach: Reach) -> dict[str, Trace]:
    """The calls for branches that drawn arguments miss, as far as they too are worth keeping."""
    calls = reach(Program(source=found.source, call=next(iter(kept))), kept)[:CALLS]
    programs = [Program(source=found.source, call=call) for call in calls if call not in kept]
    traces = zip(programs, record_all(worker, programs), strict=True)
    return {
        program.call or "": trace
        for program, trace in traces
        if trace is not None and is_worth(trace) and (trace.outcome.kind != "raised" or _raises_itself(trace))
    }


def traced(
    worker: BoxWorker, found: Found, rng: Random, shown: Sequence[str] = (), *, most: int = CALLS
) -> dict[str, Trace]:
    """The same calls, at most so many, with their traces."""
    kept: dict[str, Trace] = {}
    paths: set[bytes] = set()
    raised = 0
    tried: set[str] = set()
    for turn in range(ROUNDS):
        calls = list(() if turn else map(_consumed(found), shown))
        calls += [call for _ in range(ROUND - len(calls)) if (call := _call(rng, found)) not in tried]
        tried.update(calls)
        programs = [Program(source=found.source, call=call) for call in dict.fromkeys(calls)]
        for program, trace in zip(programs, record_all(worker, programs), strict=True):
            if trace is None or len(kept) >= most:
                continue
            path = bytes(trace.columns.event) + trace.columns.line.tobytes()
            if path in paths or not is_worth(trace):
                continue
            if trace.outcome.kind == "raised":
                if raised or not _raises_itself(trace):
                    continue
                raised += 1
            paths.add(path)
            kept[program.call or ""] = trace
        if len(kept) >= most or (turn and not kept):
            break
    return kept if len(kept) > raised else {}


def _consumed(found: Found) -> Callable[[str], str]:
    """How a written call of a generator is made one that runs it through."""
    yields = not found.methods and _signatures(found)[0].yields
    return (lambda call: f"list({call})") if yields else (lambda call: call)


def is_worth(trace: Trace) -> bool:
    """Whether something can be learned from a call: it ended by itself, ran a few lines, and fits a document."""
    lines = sum(event == _LINE for event in trace.columns.event)
    if lines < MIN_LINES or not is_sound(trace) or "<" in trace.outcome.detail[:1]:
        return False
    return document(trace, Compact(bare=True), kind="mine", max_bytes=LONGEST) is not None


def _raises_itself(trace: Trace) -> bool:
    """Whether the exception is one that the code raises by a statement of its own."""
    lines = trace.program.source.split("\n")
    first = next((step for step in trace.steps if step.event == "raise"), None)
    return first is not None and lines[first.line - 1].lstrip().startswith("raise")


def _call(rng: Random, found: Found) -> str:
    """A call with arguments that are drawn by guess."""
    given = _signatures(found)
    if not found.methods:
        inner = f"{found.node.name}({', '.join(arguments(rng, given[0]))})"
        return f"list({inner})" if given[0].yields else inner
    made = f"{found.node.name}({', '.join(arguments(rng, given[0]))})"
    number = rng.randrange(len(found.methods))
    inner = f"{made}.{found.methods[number].name}({', '.join(arguments(rng, given[number + 1]))})"
    return f"list({inner})" if given[number + 1].yields else inner


@lru_cache(maxsize=64)
def _signatures(found: Found) -> list[Signature]:
    """What the function takes; of a class, what its making takes, and then each method."""
    if isinstance(found.node, ast.FunctionDef):
        return [signature(found.node, found.source)]
    start = [n for n in found.node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    nothing = Signature((), False, (), (), False)
    first = signature(start[0], found.source, method=True) if start else nothing
    return [first, *(signature(method, found.source, method=True) for method in found.methods)]
