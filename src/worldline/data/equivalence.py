"""Check that a rewritten program behaves like the original: run both in the sandbox and compare.

Compared are how a run ends, its value or exception, and its output, but not the steps, which rewriting
changes. A run that hit a limit, read a clock or drew at random decides nothing. `draw_calls` draws
calls by guessed types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from worldline.core.events import ENDED
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.spelling import OBJECT_NUMBER, QUOTED
from worldline.core.trace import Trace
from worldline.data.mine.inputs import draw_arguments
from worldline.data.mine.types import guess_signature
from worldline.recording.recorder import record_many

PROOF_LIMITS = Limits(
    steps=50_000, value_bytes=16_384, trace_bytes=16 << 20, wall=5.0, memory=512 << 20, processes=8, output=65_536
)
_ADDRESS = re.compile("0x7f[0-9a-f]{6,}")  # Address of an object, in a repr that the program made.
_OBJECT_NUMBER = re.compile(f"{QUOTED}|{OBJECT_NUMBER}")


@dataclass(frozen=True)
class Ending:
    """What is compared: how a run ended, with what, and its output."""

    kind: str
    detail: str
    output: str


@dataclass(frozen=True)
class Difference:
    """A call that ends differently in the two programs."""

    call: str | None
    before: Ending
    after: Ending


@dataclass(frozen=True)
class Proof:
    """Numbers of equal and undecided calls, and the calls that differ."""

    same: int
    undecided: int
    differences: tuple[Difference, ...]


def prove(
    program: Program,
    rewritten: Program,
    *,
    calls: Sequence[str | None],
    limits: Limits = PROOF_LIMITS,
    trust: bool = False,
) -> Proof:
    """Run two programs on the same calls and compare how they end.

    Args:
        program: Original program.
        rewritten: Rewritten program.
        calls: Calls to run; None runs the program as a script.
        limits: Limits of each run.
        trust: Whether to run without a sandbox.

    Returns:
        The comparison.
    """
    pairs = [(replace(program, call=call), replace(rewritten, call=call)) for call in calls]
    verdicts = list(compare_programs(pairs, limits=limits, trust=trust))
    differences = tuple(verdict for verdict in verdicts if isinstance(verdict, Difference))
    return Proof(verdicts.count("same"), verdicts.count("undecided"), differences)


def compare_programs(
    pairs: Iterable[tuple[Program, Program]], *, limits: Limits = PROOF_LIMITS, trust: bool = False
) -> Iterator[Difference | str]:
    """Compare pairs of programs; yield "same", "undecided" or a difference for each."""
    both = (program for pair in pairs for program in pair)
    traces = record_many(both, limits=limits, trust=trust)
    for before in traces:
        yield _judge(before, next(traces))


def _judge(before: Trace, after: Trace) -> Difference | str:
    kinds = (before.outcome.kind, after.outcome.kind)
    if kinds[0] not in ENDED or kinds[1] == "limit":
        return "undecided"
    if summarize_ending(before) == summarize_ending(after):
        return "same"
    if before.hidden or after.hidden:
        return "undecided"
    return Difference(before.program.call, summarize_ending(before), summarize_ending(after))


def summarize_ending(trace: Trace) -> Ending:
    """Summarize how a run ended. Objects are numbered by their order in the value."""
    seen: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return f"{match[1]}{seen.setdefault(match[2], len(seen) + 1)}"

    detail = _OBJECT_NUMBER.sub(number, trace.outcome.detail)
    return Ending(trace.outcome.kind, _ADDRESS.sub("0x", detail), _ADDRESS.sub("0x", trace.output))


def draw_calls(program: Program, rng: Random, count: int) -> list[str]:
    """Draw further calls of the function that a program calls; empty if the call is not a simple one."""
    try:
        call = ast.parse(program.call or "", mode="eval").body
        tree = ast.parse(program.source)
    except (SyntaxError, ValueError):
        return []
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return []
    name = call.func.id
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not definitions:
        return []
    guessed = guess_signature(definitions[-1], program.source)
    wrapped = f"list({name}({{}}))" if guessed.yields else f"{name}({{}})"
    calls = [wrapped.replace("{}", ", ".join(draw_arguments(rng, guessed))) for _ in range(count)]
    return list(dict.fromkeys(calls))
