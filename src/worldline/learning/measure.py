"""Measure a model on fresh drills with the engine, on a CPU, with the same scores that a trainer computes.

A trace is right if every byte is the likeliest: unguided greedy decoding would write it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from time import monotonic
from typing import Any, Protocol

import numpy as np

from worldline.core.clusters.shares import clustered
from worldline.core.fault import RowFault, call_or_fault
from worldline.data.document import Document
from worldline.data.exchange import Score
from worldline.learning.curriculum import Curriculum, DrillResult, LessonTally, initial_curriculum, update_curriculum
from worldline.learning.drills import Drill, DrillBook

DRILLS_PER_DRAW = 8
# More than it takes to open the next spacing.
EXAMS_PER_SPACING = 16


class ScoringEngine(Protocol):
    """What scoring needs from an engine."""

    def start(self) -> Any:
        """Return the state before the first byte."""

    def feed(self, state: Any, data: Any, *, pin: bool) -> Any:
        """Return the logits after the last byte."""

    def feed_all(self, state: Any, data: Any, *, pin: bool) -> Any:
        """Return the logits after every byte."""


def score_document(engine: ScoringEngine, document: Document) -> Score:
    """Score a document's steps with an engine, teacher-forced, byte by byte."""
    state = engine.start()
    first = engine.feed(state, document.prompt, pin=True)[None]
    rest = [engine.feed_all(state, document.steps[:-1], pin=False)] if len(document.steps) > 1 else []
    logits = np.concatenate([first, *rest]).astype(np.float64)
    target = np.frombuffer(document.steps, np.uint8)
    high = logits.max(1)
    likely = logits[np.arange(len(target)), target] - high - np.log(np.exp(logits - high[:, None]).sum(1))
    hits = (logits.argmax(1) == target).astype(np.uint8)
    return Score(array("f", likely.astype(np.float32).tobytes()), hits.tobytes())


@dataclass(frozen=True)
class LabelResult:
    """Results of one label: number, error rate with interval, mean confidence, factor before and now."""

    label: str
    n: int
    wrong: float
    interval: tuple[float, float]
    sure: float
    before: float
    now: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON."""
        return dict(vars(self))


def measure(
    engine: ScoringEngine,
    book: DrillBook,
    *,
    count: int = 0,
    seconds: float = 0.0,
    before: Curriculum | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> tuple[Curriculum, list[LabelResult]]:
    """Measure a model on drills until the budget is used.

    Earlier results count less than new ones. Spacings are tested one after another as long as each is
    mastered.

    Args:
        engine: Engine to measure.
        book: Draws the drills.
        count: Number of drills; 0 for no limit.
        seconds: Time budget; 0 for no limit.
        before: Earlier curriculum.
        progress: Called with the number of drills done.

    Returns:
        The new curriculum, and the results it is based on.
    """
    started, done, results = monotonic(), 0, list[list[DrillResult]]()
    known = before or initial_curriculum(book.spacings)
    spacings = sorted(book.spacings)
    while not ((count and done >= count) or (seconds and monotonic() - started >= seconds)):
        drills: list[Drill] = book.drills(min(DRILLS_PER_DRAW, count - done) if count else DRILLS_PER_DRAW)
        results += _score_drills(engine, book, drills)
        done += max(1, len(drills))
        progress(len(drills))
    opened = known.opened
    for spacing in [s for s in spacings if s >= opened]:
        exams = _score_drills(engine, book, book.exams(spacing, EXAMS_PER_SPACING))
        results += exams
        after = update_curriculum(Curriculum(opened=spacing), list(chain(*exams)), book.spacings)
        if after.opened == spacing:
            break
        opened = after.opened
    current = Curriculum(known.tallies, opened, known.factors, known.sets)
    now = update_curriculum(current, list(chain(*results)), book.spacings)
    return now, summarize_results(results, known, now)


def _score_drills(engine: ScoringEngine, book: DrillBook, drills: list[Drill]) -> list[list[DrillResult]]:
    """Results of each drill; a fault on one costs no other."""
    results: list[list[DrillResult]] = []
    for drill in drills:
        drill_results = call_or_fault(lambda: list(drill.results(score_document(engine, drill.document))))  # noqa: B023
        if isinstance(drill_results, RowFault):
            book.faults += 1
        else:
            results.append(drill_results)
    return results


def summarize_results(drills: list[list[DrillResult]], before: Curriculum, now: Curriculum) -> list[LabelResult]:
    """Summarize the results of drills by label, in each axis those that teach most first.

    A drill may have several results with one label, which are not independent: intervals are clustered by drill.
    """
    tallies: dict[str, LessonTally] = {}
    counts: dict[str, list[tuple[int, int]]] = {}
    for drill in drills:
        by_label: dict[str, list[bool]] = {}
        for result in drill:
            tallies[result.label] = tallies.get(result.label, LessonTally()).plus(result.tally())
            by_label.setdefault(result.label, []).append(result.right)
        for label, outcomes in by_label.items():
            counts.setdefault(label, []).append((outcomes.count(False), len(outcomes)))
    summaries = []
    for label, tally in tallies.items():
        wrong = clustered(counts[label])
        was, will = before.factors.get(label, 1.0), now.factors.get(label, 1.0)
        rate = wrong.some / wrong.n
        summaries.append(LabelResult(label, wrong.n, rate, wrong.interval, tally.sure / wrong.n, was, will))
    return sorted(summaries, key=lambda row: (row.label.partition(" ")[0], -row.now, -row.wrong, row.label))
