"""The crux suite: CRUXEval's own JSONL, a function `f`, an input and its output a row; the whole trace is asked for.

The answer is the row's output, read as a value and never evaluated; the trace is what the recording says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from worldline.bench.rows import read_rows
from worldline.bench.suite import Suite, Task
from worldline.codec.compact_prompt import Compact
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.value import canonical
from worldline.limits import Limits

KEYS = ("code", "input", "output", "id")


def load(
    *, data: str | Path, seed: int = 0, reveal: int = 1, delta: str = "whole", bare: bool = False
) -> Suite:
    """Every row, in an order of the seed's, so that the first N are a sample."""
    rows = read_rows(data, KEYS)
    Random(f"bench crux {seed}").shuffle(rows)
    options = Compact(reveal=reveal, delta=delta, bare=bare)

    def tasks() -> Iterator[Task]:
        for row in rows:
            program = Program(source=_ended(row["code"]), call=f"f({row['input'].strip()})")
            said = canonical(row["output"].strip())
            # An output that is no value (none is known) leaves the recording as the only truth.
            answer = None if isinstance(said, Malformed) else said
            yield Task(program=program, options=options, name=row["id"], answer=answer)

    return Suite(name="crux", tasks=tasks(), limits=Limits(steps=20_000))


def _ended(source: str) -> str:
    return source if source.endswith("\n") else source + "\n"
