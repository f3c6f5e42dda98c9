"""The crux suite: CRUXEval's own JSONL, a function `f`, an input and its output a row; the whole trace is asked for.

The answer is the row's output, read as a value and never evaluated. Where the run ends with something else the row is
wrong about itself (or about this Python): `run` counts it apart, in no rate. The other half of the benchmark, which
asks for an input, is `crux_input`.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.limits import Limits
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.value import Value, canonical, parse
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.suite import Suite, Task

KEYS = ("code", "input", "output", "id")
LIMITS = Limits(steps=20_000)
NAMED = ("exception", "object", "enum", "ref", "opaque", "cut")  # what a literal is not made of


def load(
    *, data: str | Path, seed: int = 0, reveal: int = 1, delta: str = "whole", bare: bool = False
) -> Suite:
    """Every row, in an order of the seed's, so that the first N are a sample. CRUXEval has no docstrings to bare."""
    rows = read_rows(data, KEYS)
    Random(f"bench crux {seed}").shuffle(rows)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(name="crux", tasks=(_task(row, options) for row in rows), limits=LIMITS)


def literal(output: str) -> str | None:
    """The canonical text of a row's output; None where it is no literal, such as `len('abc')` or `math.inf`."""
    said = canonical(output.strip())
    value = said if isinstance(said, Malformed) else parse(said)
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Value) or part.kind in NAMED or part.label:
            return None
        waiting.extend(part.items)
    return said if isinstance(said, str) else None


def _task(row: dict[str, str], options: Compact) -> Task:
    program = Program(source=ended(row["code"]), call=f"f({row['input'].strip()})")
    return Task(program=program, options=options, name=row["id"], answer=literal(row["output"]))


def ended(source: str) -> str:
    """A source whose last line has its newline."""
    return source if source.endswith("\n") else source + "\n"
