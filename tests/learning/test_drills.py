"""Drills: every lesson has its turn, and what a score says counts where it should."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator

import pytest

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.data.document import Document, make_document
from worldline.data.exchange import Score
from worldline.data.mixture import Mixture, Mode, Source
from worldline.learning.drills import Drill, DrillBook, locate_operations
from worldline.recording.recorder import record

MIXTURE = Mixture(
    sources=(
        Source(kind="generate", program="worldline.programs.generate:program"),
        Source(kind="generate", program="worldline.programs.generate:program", form="flatten"),
        Source(kind="tasks", program="worldline.programs.tasks:program"),
    ),
    modes=(
        Mode(weight=1.0),
        Mode(weight=1.0, options=Compact(bare=True)),
        *(Mode(weight=1.0, options=Compact(reveal=n), kinds=("tasks",)) for n in (2, 4)),
    ),
)


@pytest.fixture(scope="module")
def book() -> Iterator[DrillBook]:
    built = DrillBook(MIXTURE, seed=3, split="train", trust=True)
    yield built
    built.close()


@pytest.fixture(scope="module")
def drills(book: DrillBook) -> list[Drill]:
    return book.drills(40)


def test_every_lesson_has_its_turn(drills: list[Drill]) -> None:
    labels = {label for drill in drills for label in drill.labels}
    assert {"source generate", "source generate flatten", "source tasks", "kind looping"} <= labels
    assert {"mode whole", "mode bare"} <= labels
    assert not any(label.startswith("reveal") for label in labels)


def test_the_same_seed_draws_the_same(drills: list[Drill]) -> None:
    again = DrillBook(MIXTURE, seed=3, split="train", trust=True)
    try:
        assert again.drills(40) == drills
    finally:
        again.close()


def test_an_exam_hides_the_state(book: DrillBook) -> None:
    (exam,) = book.exams(4, 1)
    assert exam.labels == ("reveal 4",)
    assert exam.document.prompt.count(b"\n") > 64
    assert not exam.shown


def test_operations_are_found_where_they_show() -> None:
    source = "def f(s):\n    n = s.count('a')\n    if n > 1:\n        return s[1:]\n    return s.upper()\n"
    trace = record(Program(source=source, call="f('banana')"), trust=True)
    built = make_document(trace, Compact(), kind="other")
    assert built is not None
    shown = {(name, built.steps[start:end].strip()) for name, start, end in locate_operations(trace, built.steps)}
    assert {("count", b"n=3"), ("condition", b"4"), ("slice", b"'anana'"), ("argument", b"s='banana'")} <= shown


def test_results_count_for_every_label_and_operation() -> None:
    drill = Drill(Document(b"p", b"abcd", "other"), ("kind x", "mode whole"), (("count", 0, 2), ("slice", 2, 4)))
    results = {r.label: r for r in drill.results(Score(array("f", [-0.5, 0, 0, -1.0]), b"\1\1\1\0"))}
    assert {label: result.right for label, result in results.items()} == {
        "kind x": False,
        "mode whole": False,
        "operation count": True,
        "operation slice": False,
    }
    assert math.isclose(results["operation count"].logprob, -0.5)
    assert not list(drill.results(Score(array("f"), b"")))
