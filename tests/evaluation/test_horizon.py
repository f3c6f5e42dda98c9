"""The horizon suite: worlds of any length, held out, by seed; how far a prediction was right is counted in steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.horizon import WORLDS
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.programs.split import key, split


@pytest.mark.long(reason="24 traces of up to 500 steps")
def test_the_interpreter_is_always_right(tmp_path: Path) -> None:
    found = run(suites.load("horizon", length=(64, 500)), Interpreter(), limit=24, out=tmp_path / "run")
    assert (found.n, found.all.answer.right, found.all.trace.right) == (24, 24, 24)
    (table,) = suites.tables("horizon", newest(tmp_path / "run").values())
    assert [row[:2] for row in table.rows] == [(world, length) for world in WORLDS for length in (64, 500)]
    assert {row[2] for row in table.rows} == {Share(2, 2)}
    assert {row[6] for row in table.rows} == {100.0}


@pytest.mark.long(reason="a trace of 12,000 steps")
def test_more_than_ten_thousand_steps() -> None:
    found = run(suites.load("horizon", length=12_000), Interpreter(), limit=len(WORLDS))
    assert found.all.trace.right == len(WORLDS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("length", [32, 100, 3_000])
def test_a_length_is_met_within_a_turn(world: str, length: int) -> None:
    steps = []
    run(
        suites.load("horizon", length=length, world=world),
        Interpreter(),
        limit=3,
        on_verdict=lambda verdict: steps.append(verdict.steps),
    )
    assert len(steps) == 3
    assert all(abs(each - length) <= 45 for each in steps), steps


def test_a_program_stays_short_however_long_it_runs() -> None:
    tasks = islice(suites.load("horizon", length=20_000).tasks, 10)
    assert max(len(task.program.source) for task in tasks) < 500


def test_programs_are_held_out_distinct_and_the_seed_s() -> None:
    def drawn(seed: int) -> list[str]:
        return [task.program.source for task in islice(suites.load("horizon", seed=seed).tasks, 10)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert {split(source) for source in drawn(1)} == {"test"}
    assert len({key(source) for source in drawn(1)}) == 10


class Late(PlainPredictor):
    """The truth, with one wrong digit two thirds of the way."""

    name = "late"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for found in Interpreter().predict(asks):
            lines = found.text.splitlines(keepends=True)
            at = len(lines) * 2 // 3
            while b"n=" not in lines[at]:
                at += 1
            lines[at] = lines[at].replace(b"n=", b"n=7")
            yield Prediction(text=b"".join(lines), status="ended")


def test_steps_before_the_first_wrong_one_are_counted(tmp_path: Path) -> None:
    suite = suites.load("horizon", length=300, world="counter")
    run(suite, Late(), limit=2, out=tmp_path / "run")
    (table,) = suites.tables("horizon", newest(tmp_path / "run").values())
    ((world, length, exact, _, least, middle, share),) = table.rows
    assert (world, length, exact) == ("counter", 300, Share(2, 2))
    assert isinstance(least, int)
    assert isinstance(middle, float)
    assert isinstance(share, float)
    assert 195 <= least <= middle <= 205
    assert 60 < share < 70


@pytest.mark.parametrize(
    ("options", "said"), [({"length": 3}, "32 or more"), ({"world": "chess"}, "not chess"), ({"world": ()}, "not none")]
)
def test_invalid_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        suites.load("horizon", **options)
