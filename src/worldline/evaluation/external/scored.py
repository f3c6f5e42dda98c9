"""Judges predictions made elsewhere by recording their programs.

A row that shows its program needs no suite; the others are the suite's tasks by name. Only the program is executed, in
the sandbox, never the prediction. The report has rows for how a text ends: whole, truncated, run-on, malformed, empty.
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
from worldline.evaluation.external.predictions import ExternalPrediction, read_predictions
from worldline.evaluation.run.run import run_answers
from worldline.evaluation.run.spread import spread
from worldline.evaluation.score import Verdict
from worldline.evaluation.selection import Selection, detect_selection
from worldline.evaluation.suites import FILES, SUITES, load
from worldline.evaluation.suites.crux import literal
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.parallel.pool import WorkerPool
from worldline.storage.remote import Folder

NO_PROGRAM = "no program: the row shows none, and it is not a task of the suite"
MAX_TASKS_SEARCHED = 100_000  # of an endless suite, when looking for a name


def score(
    suite: str,
    path: Path,
    *,
    out: Folder | None = None,
    fields: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
    pool: WorkerPool | None = None,
    **options: Any,
) -> Report:
    """Judge a file of predictions; the arguments are those of `worldline.score`."""
    tasks = _NamedTasks(_tasks(suite, options), is_drawn=suite in SUITES and options.get("data") is None)
    by_name = _named(read_predictions(path, fields=fields, programs=tasks.program, options=tasks.options))
    known = {name: row for name, row in by_name.items() if row.program is not None}
    if not known:
        raise UsageError(f"no row of {path} shows its program or is a task of {suite}{_missing(suite, options)}")
    unknown = [name for name in by_name if name not in known]
    judged_tasks = [_task(name, known, tasks.get(row.id), tasks.options) for name, row in known.items()]
    done = count(1)

    def advance(_: Verdict) -> None:
        if progress is not None:
            progress(next(done), len(judged_tasks))

    if progress is not None:
        progress(0, len(judged_tasks))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    chosen = {key: value for key, value in options.items() if value is not None}
    ids, refused = list(dict.fromkeys(row.id for row in known.values())), sum(row.refused for row in known.values())
    return run_answers(
        Suite(name=suite, tasks=judged_tasks, limits=limits or Limits()),
        lambda some, _: (known[task.name].prediction for task in some),
        name=path.name,
        codec="cwm",
        on_verdict=advance,
        external=known,
        left_out={NO_PROGRAM: unknown} if unknown else None,
        select=lambda right, judged: tasks.selection(ids, right, judged, refused),
        out=out,
        config={"options": chosen, "predictions": digest},
        executor=None if pool is None else spread(pool, None, "cwm"),
    )


def _tasks(suite: str, options: dict[str, Any]) -> Iterator[Task]:
    """The suite's tasks; none if the suite needs a data file that is missing."""
    if suite in SUITES and options.get("data") is None:
        build = import_module(SUITES[suite]).load
        if "data" in inspect.signature(build).parameters:
            return iter(())
    loaded = load(suite, **options)
    return islice(loaded.tasks, loaded.count or MAX_TASKS_SEARCHED)


class _NamedTasks:
    """A suite's tasks by name, generated as far as needed. All names of a drawn suite start alike."""

    def __init__(self, tasks: Iterator[Task], *, is_drawn: bool) -> None:
        self._rest, self._by_name, self._is_drawn = tasks, dict[str, Task](), is_drawn
        first = next(tasks, None)
        self.options, self._stem = Compact(), ""
        if first is not None:
            self._by_name[first.name] = first
            self.options, self._stem = first.options, first.name.partition("/")[0] if is_drawn else ""

    def get(self, name: str) -> Task | None:
        """Return the task of a name."""
        while name not in self._by_name and name.startswith(self._stem):
            task = next(self._rest, None)
            if task is None:
                break
            self._by_name[task.name] = task
        return self._by_name.get(name)

    def selection(self, names: Sequence[str], right: int, judged: int, refused: int) -> Selection:
        """Return how the rows of these names were selected from the suite."""
        is_whole = bool(self._by_name) and not self._is_drawn
        if is_whole:
            self._by_name |= {task.name: task for task in self._rest}
        return detect_selection(names, list(self._by_name), right, judged, refused=refused, is_whole=is_whole)

    def program(self, name: str) -> Program | None:
        """Return the program of a name."""
        task = self.get(name)
        return None if task is None else task.program


def _missing(suite: str, options: Mapping[str, Any]) -> str:
    """Where to get the file whose programs the rows only name."""
    return f": pass --data, {FILES[suite]}" if suite in FILES and options.get("data") is None else ""


def _named(rows: Sequence[ExternalPrediction]) -> dict[str, ExternalPrediction]:
    """The predictions by id; further ones of the same id are numbered."""
    times: Counter[str] = Counter()
    named = {}
    for row in rows:
        times[row.id] += 1
        named[row.id if times[row.id] == 1 else f"{row.id}#{times[row.id]}"] = row
    return named


def _task(name: str, known: dict[str, ExternalPrediction], task: Task | None, options: Compact) -> Task:
    """The task of a row; a row whose answer the tool cannot read becomes a fault."""
    row = known[name]
    assert row.program is not None
    expected = call_or_fault(literal, row.expected) if row.expected is not None else None
    if isinstance(expected, RowFault):
        known[name], expected = row.failed(expected), None
    if task is None:
        return Task(program=row.program, options=options, name=name, answer=expected)
    answer = task.answer if task.answer is not None else expected
    return Task(program=row.program, options=task.options, name=name, answer=answer, group=task.group)
