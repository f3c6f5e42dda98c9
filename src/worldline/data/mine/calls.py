"""Find calls of a function that are worth keeping: written by people or drawn by guess, tried in a sandbox.

A call is kept if it returns, or raises what the code itself raises, and takes a new path.
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
from worldline.data.document import is_sound, make_document
from worldline.data.mine.extract import ExtractedFunction
from worldline.data.mine.inputs import draw_arguments
from worldline.data.mine.mined import MinedCall
from worldline.data.mine.types import GuessedSignature, guess_signature
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.programs.generate.guided.arguments import mutate
from worldline.programs.split import key
from worldline.recording.recorder import SandboxWorker
from worldline.recording.together import record_all

# Calls kept per function.
MAX_CALLS = 8
CALLS_PER_ROUND = 20
MAX_ROUNDS = 3
# Shorter runs teach nothing.
MIN_LINE_EVENTS = 2
MAX_CALL_DOCUMENT_BYTES = 8_192
# More steps do not fit such a document.
MINING_LIMITS = replace(DOCUMENT_LIMITS, steps=1_000)
_LINE = EVENTS.index("line")


class Reach(Protocol):
    """Finds further calls of a function that take branches the known calls miss."""

    def __call__(self, program: Program, traces: Mapping[str, Trace]) -> list[str]:
        """Return calls worth trying; `program` is one of the known calls."""


def find_calls(
    worker: SandboxWorker,
    function: ExtractedFunction,
    rng: Random,
    shown: Sequence[str] = (),
    reach: Reach | None = None,
) -> list[MinedCall]:
    """Find the calls of a function that are worth keeping, written ones first.

    Args:
        worker: Sandbox to try calls in.
        function: Extracted function.
        rng: Source of randomness.
        shown: Calls that people wrote.
        reach: Finds calls for missed branches.

    Returns:
        The calls.
    """
    hashed, known = key(function.core), set(map(_wrap_generator(function), shown))
    traces = trace_calls(worker, function, rng, shown)
    if reach is not None and traces and not function.methods:
        traces |= _find_reached(worker, function, traces, reach)
    return [MinedCall(function.source, call, function.origin, hashed, call in known) for call in traces]


def _find_reached(
    worker: SandboxWorker, function: ExtractedFunction, known_traces: Mapping[str, Trace], reach: Reach
) -> dict[str, Trace]:
    """Calls for missed branches that are worth keeping."""
    calls = reach(Program(source=function.source, call=next(iter(known_traces))), known_traces)[:MAX_CALLS]
    programs = [Program(source=function.source, call=call) for call in calls if call not in known_traces]
    traces = zip(programs, record_all(worker, programs), strict=True)
    return {
        program.call or "": trace
        for program, trace in traces
        if trace is not None and is_worth_keeping(trace) and (trace.outcome.kind != "raised" or raises_itself(trace))
    }


def trace_calls(
    worker: SandboxWorker, function: ExtractedFunction, rng: Random, shown: Sequence[str] = (), *, most: int = MAX_CALLS
) -> dict[str, Trace]:
    """Find calls that are worth keeping, with their traces.

    Args:
        worker: Sandbox to try calls in.
        function: Extracted function.
        rng: Source of randomness.
        shown: Calls that people wrote.
        most: Maximum number of calls.

    Returns:
        Traces by call.
    """
    traces: dict[str, Trace] = {}
    paths: set[bytes] = set()
    raised = 0
    tried: set[str] = set()
    for turn in range(MAX_ROUNDS):
        calls = list(() if turn else map(_wrap_generator(function), shown))
        calls += _mutate_calls(rng, traces)
        calls += [call for _ in range(CALLS_PER_ROUND - len(calls)) if (call := _draw_call(rng, function)) not in tried]
        tried.update(calls)
        programs = [Program(source=function.source, call=call) for call in dict.fromkeys(calls)]
        for program, trace in zip(programs, record_all(worker, programs), strict=True):
            if trace is None or len(traces) >= most:
                continue
            path = bytes(trace.columns.event) + trace.columns.line.tobytes()
            if path in paths or not is_worth_keeping(trace):
                continue
            if trace.outcome.kind == "raised":
                if raised or not raises_itself(trace):
                    continue
                raised += 1
            paths.add(path)
            traces[program.call or ""] = trace
        if len(traces) >= most or (turn and not traces):
            break
    return traces if len(traces) > raised else {}


def _mutate_calls(rng: Random, known: Mapping[str, Trace]) -> list[str]:
    """Calls that differ a little from known ones, which often take another path with realistic arguments."""
    calls = list(known)
    mutated = (mutate_call(rng, rng.choice(calls)) for _ in range(CALLS_PER_ROUND // 3 if calls else 0))
    return [call for call in mutated if call and call not in known]


def mutate_call(rng: Random, call: str) -> str:
    """Mutate one positional argument of a call; return an empty text if none of them is a literal.

    Args:
        rng: Source of randomness.
        call: The call, possibly inside `list(...)`.

    Returns:
        The mutated call.
    """
    try:
        tree = ast.parse(call, mode="eval").body
        inner = tree.args[0] if isinstance(tree, ast.Call) and call.startswith("list(") and tree.args else tree
        literals = [node for node in inner.args if _is_literal(node)] if isinstance(inner, ast.Call) else []
        if not literals or not isinstance(inner, ast.Call):
            return ""
        at = inner.args.index(rng.choice(literals))
        value = mutate(rng, ast.literal_eval(inner.args[at]))
        inner.args[at] = ast.parse(repr(value), mode="eval").body
        return ast.unparse(tree)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ""


def _is_literal(node: ast.expr) -> bool:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False
    return isinstance(value, int | str | list | dict) and not isinstance(value, bool)


def _wrap_generator(function: ExtractedFunction) -> Callable[[str], str]:
    """Wrap calls of a generator so that they run it to the end."""
    yields = not function.methods and _guess_signatures(function)[0].yields
    return (lambda call: f"list({call})") if yields else (lambda call: call)


def is_worth_keeping(trace: Trace) -> bool:
    """Return whether a call ended by itself, ran a few lines, and fits a document."""
    lines = sum(event == _LINE for event in trace.columns.event)
    if lines < MIN_LINE_EVENTS or not is_sound(trace) or "<" in trace.outcome.detail[:1]:
        return False
    return make_document(trace, Compact(bare=True), kind="mine", max_bytes=MAX_CALL_DOCUMENT_BYTES) is not None


def raises_itself(trace: Trace) -> bool:
    """Whether the exception comes from a raise statement of the code."""
    lines = trace.program.source.split("\n")
    first = next((step for step in trace.steps if step.event == "raise"), None)
    return first is not None and lines[first.line - 1].lstrip().startswith("raise")


def _draw_call(rng: Random, function: ExtractedFunction) -> str:
    """A call with arguments drawn by guess."""
    signatures = _guess_signatures(function)
    if not function.methods:
        inner = f"{function.node.name}({', '.join(draw_arguments(rng, signatures[0]))})"
        return f"list({inner})" if signatures[0].yields else inner
    instance = f"{function.node.name}({', '.join(draw_arguments(rng, signatures[0]))})"
    number = rng.randrange(len(function.methods))
    inner = f"{instance}.{function.methods[number].name}({', '.join(draw_arguments(rng, signatures[number + 1]))})"
    return f"list({inner})" if signatures[number + 1].yields else inner


@lru_cache(maxsize=64)
def _guess_signatures(function: ExtractedFunction) -> list[GuessedSignature]:
    """Signature of the function; for a class, of its constructor and then each method."""
    if isinstance(function.node, ast.FunctionDef):
        return [guess_signature(function.node, function.source)]
    start = [n for n in function.node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    no_parameters = GuessedSignature((), False, (), (), False)
    first = guess_signature(start[0], function.source, method=True) if start else no_parameters
    return [first, *(guess_signature(method, function.source, method=True) for method in function.methods)]
