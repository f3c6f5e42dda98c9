"""A model measured on fresh drills by the engine, on a CPU: the same scores that a trainer gives, and what follows.

A trace is right where every byte of it is the likeliest: greedy decoding, unguided, would write it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

import numpy as np

from worldline.core.fault import RowFault, fenced
from worldline.core.stats import wilson
from worldline.data.document import Document
from worldline.data.exchange import Score
from worldline.learning.curriculum import Curriculum, LessonTally, Result, beginning, moved
from worldline.learning.drills import Drill, DrillBook

SOME = 8  # drills drawn at a time
EXAMS = 16  # of a spacing: more than it takes to open the next one


class ScoringEngine(Protocol):
    """What scoring needs of an engine."""

    def start(self) -> Any:
        """The state in which nothing was read."""

    def feed(self, state: Any, data: Any, *, pin: bool) -> Any:
        """Logits behind the last byte."""

    def feed_all(self, state: Any, data: Any, *, pin: bool) -> Any:
        """Logits behind every byte."""


def score(engine: ScoringEngine, document: Document) -> Score:
    """What an engine makes of a document's steps, byte by byte, each read behind the true ones."""
    state = engine.start()
    first = engine.feed(state, document.prompt, pin=True)[None]
    rest = [engine.feed_all(state, document.steps[:-1], pin=False)] if len(document.steps) > 1 else []
    logits = np.concatenate([first, *rest]).astype(np.float64)
    wanted = np.frombuffer(document.steps, np.uint8)
    high = logits.max(1)
    likely = logits[np.arange(len(wanted)), wanted] - high - np.log(np.exp(logits - high[:, None]).sum(1))
    hits = (logits.argmax(1) == wanted).astype(np.uint8)
    return Score(array("f", likely.astype(np.float32).tobytes()), hits.tobytes())


@dataclass(frozen=True)
class Row:
    """One label: how many, wrong with an interval, mean sureness, its factor before and now."""

    label: str
    n: int
    wrong: float
    interval: tuple[float, float]
    sure: float
    before: float
    now: float

    def as_json(self) -> dict[str, Any]:
        """The row by its words."""
        return dict(vars(self))


def measure(
    engine: ScoringEngine, book: DrillBook, *, count: int = 0, seconds: float = 0.0, before: Curriculum | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> tuple[Curriculum, list[Row]]:  # fmt: skip
    """Drill until so many are done or the time is over; the curriculum that follows, and what it is based on.

    What an earlier curriculum knows counts less than what is measured now; spacings are asked for one after another, as
    long as they are held.
    """
    begun, done, results = monotonic(), 0, list[Result]()
    known = before or beginning(book.spacings)
    spacings = sorted(book.spacings)
    while not ((count and done >= count) or (seconds and monotonic() - begun >= seconds)):
        drills: list[Drill] = book.drills(min(SOME, count - done) if count else SOME)
        results += _results(engine, book, drills)
        done += max(1, len(drills))
        progress(len(drills))
    opened = known.opened
    for spacing in [s for s in spacings if s >= opened]:
        exams = _results(engine, book, book.exams(spacing, EXAMS))
        results += exams
        after = moved(Curriculum(opened=spacing), exams, book.spacings)
        if after.opened == spacing:
            break
        opened = after.opened
    now = moved(Curriculum(known.tallies, opened, known.factors, known.sets), results, book.spacings)
    return now, rows(results, known, now)


def _results(engine: ScoringEngine, book: DrillBook, drills: list[Drill]) -> list[Result]:
    """What each drill says; one on which the tool fails costs no other."""
    found: list[Result] = []
    for drill in drills:
        one = fenced(lambda: list(drill.results(score(engine, drill.document))))  # noqa: B023
        if isinstance(one, RowFault):
            book.faults += 1
        else:
            found += one
    return found


def rows(results: list[Result], before: Curriculum, now: Curriculum) -> list[Row]:
    """What was measured, label by label, those that teach most first in each axis."""
    tallies: dict[str, LessonTally] = {}
    for result in results:
        tallies[result.label] = tallies.get(result.label, LessonTally()).plus(result.tally())
    found = []
    for label, tally in tallies.items():
        n, wrong = round(tally.n), round(tally.n - tally.right)
        was, will = before.factors.get(label, 1.0), now.factors.get(label, 1.0)
        found.append(Row(label, n, wrong / n, wilson(wrong, n), tally.sure / n, was, will))
    return sorted(found, key=lambda row: (row.label.partition(" ")[0], -row.now, -row.wrong, row.label))
