"""The livecodebench suite: the code execution task of LiveCodeBench, from its own file.

A row has a function, a call of it and the output. As in the benchmark's own evaluation, a program may use common
modules without importing them: the imports that it lacks are added. The whole trace is predicted, and the answer is the
returned value. The row's output is compared with the recording, as in `crux`.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.rows import read_rows
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites.crux import LIMITS, ended, literal
from worldline.evaluation.suites.published import ANSWER, published_rows
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table

KEYS = ("id", "code", "input", "output")
# What the benchmark imports for every program, besides numpy and pandas: modules, and names from modules.
MODULES = "bisect collections copy functools heapq itertools math operator random re string sys"
NAMES = {
    "bisect": "bisect_left bisect_right insort",
    "collections": "Counter OrderedDict defaultdict deque",
    "copy": "deepcopy",
    "functools": "cache lru_cache partial reduce",
    "heapq": "heapify heappop heappush merge",
    "itertools": "accumulate chain combinations count cycle groupby islice permutations product repeat zip_longest",
    "math": "ceil comb floor gcd inf isqrt log log10 log2 prod sqrt",
    "operator": "iand itemgetter sub",
    "os.path": "commonprefix",
    "random": "randrange shuffle",
    "string": "ascii_lowercase",
    "typing": "Any Callable Dict Generator Iterable Iterator List Optional Set Tuple Union",
}
DIRECT, REASONED = "direct", "chain of thought"  # ways of asking in the published rows
NOTE = "published: LiveCodeBench's leaderboard for code execution, 479 rows (arXiv 2403.07974)"


def load(*, data: str | Path, seed: int = 0, reveal: int = 1, delta: str = "whole", bare: bool = False) -> Suite:
    """Load every row, shuffled by the seed so that the first N are a sample."""
    rows = read_rows(data, KEYS)
    Random(f"bench livecodebench {seed}").shuffle(rows)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(name="livecodebench", tasks=(_task(row, options) for row in rows), limits=LIMITS)


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return the share of right answers beside those that were published for other models."""
    judged = [record.judged["answer"] == "right" for record in records if record.counts]
    rows: list[tuple[Cell, ...]] = [("this model", Share(sum(judged), len(judged)), None, None)]
    rows += [(model, None, ways[DIRECT], ways[REASONED]) for model, ways in published_answers().items()]
    heads = ("model", "pass@1", "published, %", "with chain of thought, %")
    return (Table("beside published models", heads, tuple(rows), NOTE),)


def published_answers() -> dict[str, dict[str, float]]:
    """Return the answers of each model on the benchmark's own leaderboard, by the way of asking."""
    models: dict[str, dict[str, float]] = {}
    for row in published_rows("livecodebench"):
        if row.way:
            models.setdefault(row.model, {})[row.way] = row.figures[ANSWER]
    return models


def with_imports(source: str) -> str:
    """Return a source with the imports that it lacks, of those that the benchmark provides."""
    try:
        names = set(_undefined(symtable.symtable(source, "<program>", "exec")))
    except (SyntaxError, ValueError, RecursionError):
        return source
    modules = [f"import {module}\n" for module in MODULES.split() if module in names]
    lacking = {module: [name for name in known.split() if name in names] for module, known in NAMES.items()}
    chosen = [
        f"from {module} import {', '.join(own)}\n"
        for module, own in lacking.items()
        if own and f"from {module} import *" not in source
    ]
    return "".join([*modules, *chosen, source])


def _undefined(module: symtable.SymbolTable) -> Iterator[str]:
    """The global names that a module reads and does not define itself."""
    defined = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    waiting = [module]
    while waiting:
        table = waiting.pop()
        waiting.extend(table.get_children())
        for symbol in table.get_symbols():
            is_own = table is not module and not symbol.is_global()
            if symbol.is_referenced() and not is_own and symbol.get_name() not in defined:
                yield symbol.get_name()


def _task(row: dict[str, str], options: Compact) -> Task:
    program = Program(source=with_imports(ended(row["code"])), call=row["input"].strip())
    return Task(program=program, options=options, name=row["id"], answer=literal(row["output"]))
