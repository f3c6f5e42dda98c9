"""A suite asked of a predictor: the truth is recorded, the budget follows it, each prediction is judged as it comes.

A model that breaks is judged like any other, as malformed; only a `fault`, the tool's own, is in no rate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from worldline.bench.report import Report, report
from worldline.bench.score import Truth, Verdict, disagrees, judge, truth
from worldline.bench.suite import Suite, Task
from worldline.core.program import Program
from worldline.errors import UsageError
from worldline.predict.predictor import Ask, Predictor
from worldline.record.recorder import record_many

BATCH = 64  # asks that a predictor is given at once
SLACK = 512  # bytes that a budget has beyond twice the truth: what is cut there was not about to end


def run(
    suite: Suite,
    predictor: Predictor,
    *,
    limit: int | None = None,
    batch: int = BATCH,
    each: Callable[[Verdict], None] | None = None,
) -> Report:
    """Ask for `limit` tasks (unless said: as many as the suite counts) and sum up; `each` hears every verdict."""
    if (limit is not None and limit < 1) or batch < 1:
        raise UsageError(f"limit and batch are at least 1, not {limit} and {batch}")
    verdicts: list[Verdict] = []
    counts = {"skipped": 0, "faults": 0, "disagrees": 0}
    known = islice(_known(suite, counts), suite.count if limit is None else limit)
    while some := list(islice(known, batch)):
        for (task, true), prediction in zip(some, predictor.predict(_asks(some)), strict=True):
            if prediction.status == "fault":
                counts["faults"] += 1
                continue
            verdicts.append(judge(task, true, prediction))
            if each is not None:
                each(verdicts[-1])
    return report(verdicts, suite=suite.name, model=predictor.name, **counts)


def _asks(some: list[tuple[Task, Truth]]) -> list[Ask]:
    return [
        Ask(program=task.program, options=task.options, limit=2 * len(true.text) + SLACK)
        for task, true in some
    ]


def _known(suite: Suite, counts: dict[str, int]) -> Iterator[tuple[Task, Truth]]:
    """The tasks that have a true answer, with it; those whose benchmark says another are only counted."""
    waiting: deque[Task] = deque()

    def programs() -> Iterator[Program]:
        for task in suite.tasks:
            waiting.append(task)
            yield task.program

    for trace in record_many(programs(), limits=suite.limits):
        task = waiting.popleft()
        true = truth(task, trace)
        if true is None:
            counts["skipped"] += 1
        elif disagrees(task, true):
            counts["disagrees"] += 1
        else:
            yield task, true
