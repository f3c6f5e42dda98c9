"""The crux suite: CRUXEval's JSONL file; each row has a function `f`, an input and its output.

The whole trace is predicted. The answer is the row's output, parsed as a value and never evaluated. If the recording
ends with something else, the row is wrong or about another Python: it is counted apart, in no rate. The other half of
the benchmark, which asks for an input, is `crux_input`.
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
NOT_LITERAL = ("exception", "object", "enum", "ref", "opaque", "cut")  # kinds of value


def load(*, data: str | Path, seed: int = 0, reveal: int = 1, delta: str = "whole", bare: bool = False) -> Suite:
    """Load every row, shuffled by the seed so that the first N are a sample."""
    rows = read_rows(data, KEYS)
    Random(f"bench crux {seed}").shuffle(rows)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(name="crux", tasks=(_task(row, options) for row in rows), limits=LIMITS)


def literal(output: str) -> str | None:
    """Return the canonical text of an output; None if it is not a literal, such as `len('abc')` or `math.inf`."""
    text = canonical(output.strip())
    value = text if isinstance(text, Malformed) else parse(text)
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Value) or part.kind in NOT_LITERAL or part.label:
            return None
        waiting.extend(part.items)
    return text if isinstance(text, str) else None


def _task(row: dict[str, str], options: Compact) -> Task:
    program = Program(source=ended(row["code"]), call=f"f({row['input'].strip()})")
    return Task(program=program, options=options, name=row["id"], answer=literal(row["output"]))


def ended(source: str) -> str:
    """Return a source that ends with a newline."""
    return source if source.endswith("\n") else source + "\n"
