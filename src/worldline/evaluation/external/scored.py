"""Predictions made elsewhere, judged as a suite's: each is compared with a recording of the program that it is of.

A row that shows its program needs no suite; the others are the suite's tasks by their names. What runs is the program,
in the box, never the prediction. How a text ends (whole, truncated, run-on, malformed, empty) has rows of its own.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.external.foreign import Foreign, read_predictions
from worldline.evaluation.run.run import run_answers
from worldline.evaluation.run.spread import spread
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites import FILES, SUITES, load
from worldline.evaluation.suites.crux import literal
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.parallel.pool import WorkerPool
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.storage.remote import Folder

NO_PROGRAM = "no program: the row shows none, and it is no task of the suite"
MOST = 100_000  # tasks of a suite without end that are looked through for a name


def score(
    suite: str,
    path: Path,
    *,
    out: Folder | None = None,
    fields: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    each: Callable[[int, int], None] | None = None,
    pool: WorkerPool | None = None,
    **options: Any,
) -> Report:
    """The report on a file of predictions; `options` are the suite's, its `data` among them.

    `fields` says what the file calls a role, such as the text or the id, where no guess will do. `limits` are those of
    a recording; `each` hears how many rows are judged, of how many, from the beginning on. A `pool` has the rows
    judged, where that is not here.
    """
    tasks = _NamedTasks(_tasks(suite, options), is_drawn=suite in SUITES and options.get("data") is None)
    found = _named(read_predictions(path, fields=fields, programs=tasks.program, options=tasks.usual))
    known = {name: each for name, each in found.items() if each.program is not None}
    if not known:
        raise UsageError(
            f"no row of {path} shows its program or is a task of {suite}{_missing(suite, options)}"
        )
    nameless = [name for name in found if name not in known]
    asked = [_task(name, known, tasks.get(each.id), tasks.usual) for name, each in known.items()]
    suited = Suite(name=suite, tasks=asked, limits=limits or Limits())

    def answers(asked: Sequence[Task], asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        return (known[task.name].prediction for task in asked)

    judged = count(1)

    def tell(verdict: Verdict) -> None:
        if each is not None:
            each(next(judged), len(asked))

    if each is not None:
        each(0, len(asked))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    given = {key: value for key, value in options.items() if value is not None}
    return run_answers(
        suited,
        answers,
        name=path.name,
        codec="cwm",
        each=tell,
        said=known,
        left_out={NO_PROGRAM: nameless} if nameless else None,
        out=out,
        config={"options": given, "predictions": digest},
        rows=None if pool is None else spread(pool, None, "cwm"),
    )


def _tasks(suite: str, options: dict[str, Any]) -> Iterator[Task]:
    """The suite's tasks; none of a suite that is a file which was not given."""
    if suite in SUITES and options.get("data") is None:
        made = import_module(SUITES[suite]).load
        if "data" in inspect.signature(made).parameters:
            return iter(())
    found = load(suite, **options)
    return islice(found.tasks, found.count or MOST)


class _NamedTasks:
    """A suite's tasks by name, made as far as they are asked for: the names of a drawn suite's begin alike."""

    def __init__(self, tasks: Iterator[Task], *, is_drawn: bool) -> None:
        self._rest, self._found = tasks, dict[str, Task]()
        first = next(tasks, None)
        self.usual, self._stem = Compact(), ""
        if first is not None:
            self._found[first.name] = first
            self.usual, self._stem = first.options, first.name.partition("/")[0] if is_drawn else ""

    def get(self, name: str) -> Task | None:
        """The task of a name."""
        while name not in self._found and name.startswith(self._stem):
            task = next(self._rest, None)
            if task is None:
                break
            self._found[task.name] = task
        return self._found.get(name)

    def program(self, name: str) -> Program | None:
        """The program of a name."""
        task = self.get(name)
        return None if task is None else task.program


def _missing(suite: str, options: Mapping[str, Any]) -> str:
    """Where the file is to be had whose programs the rows only name."""
    return f": give it by --data, {FILES[suite]}" if suite in FILES and options.get("data") is None else ""


def _named(rows: Sequence[Foreign]) -> dict[str, Foreign]:
    """Predictions by id; a further one of the same id is numbered."""
    times: Counter[str] = Counter()
    found = {}
    for row in rows:
        times[row.id] += 1
        found[row.id if times[row.id] == 1 else f"{row.id}#{times[row.id]}"] = row
    return found


def _task(name: str, known: dict[str, Foreign], task: Task | None, usual: Compact) -> Task:
    """The task that a row is about; a row whose own answer the tool cannot read is a fault."""
    row = known[name]
    assert row.program is not None
    expected = call_or_fault(literal, row.expected) if row.expected is not None else None
    if isinstance(expected, RowFault):
        known[name], expected = row.failed(expected), None
    if task is None:
        return Task(program=row.program, options=usual, name=name, answer=expected)
    answer = task.answer if task.answer is not None else expected
    return Task(program=row.program, options=task.options, name=name, answer=answer, group=task.group)
