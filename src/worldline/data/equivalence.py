"""Whether a rewritten program does what the old one does: both are run, boxed, on the same calls, and compared.

Compared are how a run ends, with which value or exception, and what it prints; not the steps, which rewriting changes.
A run that a limit stopped, or that read a clock or drew at random, decides nothing. Calls can be drawn by the
types that mining guesses (`drawn_calls`).
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
from worldline.core.trace import Trace
from worldline.data.mine.inputs import arguments
from worldline.data.mine.types import signature
from worldline.recording.recorder import record_many

LIMITS = Limits(
    steps=50_000,
    value_bytes=16_384,
    trace_bytes=16 << 20,
    wall=5.0,
    memory=512 << 20,
    processes=8,
    output=65_536,
)
_ADDRESS = re.compile("0x7f[0-9a-f]{6,}")  # where an object lies, in a repr that a program made itself
_NUMBERS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|((?:[^\W\d]\w*\.)*[^\W\d]\w*#)(\d+)""")


@dataclass(frozen=True)
class Ending:
    """What of a run is compared: how it ended, with what, and what it printed."""

    kind: str
    detail: str
    output: str


@dataclass(frozen=True)
class Difference:
    """A call that ends one way in the old program and another way in the new one."""

    call: str | None
    before: Ending
    after: Ending


@dataclass(frozen=True)
class Proof:
    """How many calls ended alike, how many decided nothing, and those that differ."""

    same: int
    undecided: int
    differences: tuple[Difference, ...]


def prove(
    program: Program,
    rewritten: Program,
    *,
    calls: Sequence[str | None],
    limits: Limits = LIMITS,
    trust: bool = False,
) -> Proof:
    """Run two programs on some calls (None: as scripts) and compare how they end."""
    pairs = [(replace(program, call=call), replace(rewritten, call=call)) for call in calls]
    found = list(compared(pairs, limits=limits, trust=trust))
    differences = tuple(each for each in found if isinstance(each, Difference))
    return Proof(found.count("same"), found.count("undecided"), differences)


def compared(
    pairs: Iterable[tuple[Program, Program]], *, limits: Limits = LIMITS, trust: bool = False
) -> Iterator[Difference | str]:
    """What each pair of programs shows: "same", "undecided" or a difference."""
    both = (program for pair in pairs for program in pair)
    traces = record_many(both, limits=limits, trust=trust)
    for before in traces:
        yield _judged(before, next(traces))


def _judged(before: Trace, after: Trace) -> Difference | str:
    kinds = (before.outcome.kind, after.outcome.kind)
    if kinds[0] not in ENDED or kinds[1] == "limit":
        return "undecided"
    if ending(before) == ending(after):
        return "same"
    if before.hidden or after.hidden:
        return "undecided"
    return Difference(before.program.call, ending(before), ending(after))


def ending(trace: Trace) -> Ending:
    """How a run ended; objects are numbered by their order in the value, since new names may have shown them before."""
    seen: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return f"{match[1]}{seen.setdefault(match[2], len(seen) + 1)}"

    detail = _NUMBERS.sub(number, trace.outcome.detail)
    return Ending(trace.outcome.kind, _ADDRESS.sub("0x", detail), _ADDRESS.sub("0x", trace.output))


def drawn_calls(program: Program, rng: Random, count: int) -> list[str]:
    """Other calls of the function that a program calls, with arguments drawn by guess; none if it calls none simply."""
    try:
        call = ast.parse(program.call or "", mode="eval").body
        tree = ast.parse(program.source)
    except (SyntaxError, ValueError):
        return []
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return []
    name = call.func.id
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not found:
        return []
    given = signature(found[-1], program.source)
    wrapped = f"list({name}({{}}))" if given.yields else f"{name}({{}})"
    drawn = [wrapped.replace("{}", ", ".join(arguments(rng, given))) for _ in range(count)]
    return list(dict.fromkeys(drawn))
