"""The stochastic suite: held out, by seed; beliefs are judged as distributions, and the interpreter's errors are 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.evaluation import suites
from worldline.evaluation.suites.stochastic import WORLDS
from worldline.evaluation.table import Table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.programs.split import program_key, split_of
from worldline.recording.recorder import SandboxWorker, prepare


class Dreamer(PlainPredictor):
    """Writes what happens under seeds of its own: of `seeds` many, over and over."""

    name = "dreamer"

    def __init__(self, seeds: int) -> None:
        self._seeds, self._number = seeds, count()
        setup = prepare(limits=Limits(), python=None, core="auto", trust=True, controlled=True)
        self._worker = SandboxWorker(setup)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            seed = 1_000 + next(self._number) % self._seeds
            trace = self._worker.record(ask.program, control=Control(seed=seed, schedule=seed))
            yield Prediction(text=encode_steps(trace, ask.options), status="ended")


def rows(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.heads, row, strict=True)) for row in table.rows]


def test_the_interpreter_errs_nowhere() -> None:
    suite = suites.load("stochastic", world=("draws", "dice", "shuffles", "games"))
    found = measured("stochastic", suite, Interpreter(), limit=4)
    assert (found.n, found.faults) == (4, 0)
    (table,) = found.tables
    assert table.title == "by its probabilities"
    *worlds, every = rows(table)
    assert every["asked"] == every["exact"] != 0
    for row in (*worlds, every):
        assert row["asked"] == 0 or row["log-loss"] == row["entropy"]
        assert all(row[head] in ("0.0000", None) for head in ("KL, bits", "Brier", "calibration", "impossible"))
    assert float(str(every["entropy"])) > 0.5


@pytest.mark.long(reason="48 texts of each of three programs, by two models")
def test_a_belief_is_judged_by_its_distribution() -> None:
    def divergence(seeds: int) -> float:
        suite = suites.load("stochastic", world="draws")
        found = measured("stochastic", suite, Dreamer(seeds), limit=3)
        return float(str(rows(found.tables[0])[-1]["KL, bits"]))

    assert divergence(10_000) < 0.6 < 1.0 < divergence(1)


@pytest.mark.long(reason="searches the schedules of a race and records 48 texts")
def test_races_have_results_and_no_odds() -> None:
    found = measured("stochastic", suites.load("stochastic", world="races"), Dreamer(50), limit=1)
    (table,) = found.tables
    assert table.title == "races"
    for row in rows(table):
        assert row["mass on impossible ones"] == "0.0000"
        assert 1 <= int(str(row["imagined"])) <= int(str(row["possible results"]))


@pytest.mark.long(reason="draws programs until 110 of them are held out")
def test_programs_are_held_out_distinct_and_the_seed_s() -> None:
    def drawn(seed: int) -> list[str]:
        return [program_key(task.program) for task in islice(suites.load("stochastic", seed=seed).tasks, 20)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert {split_of(key) for key in drawn(1)} == {"test"}
    assert len({*drawn(1)}) == 20
    groups = [task.group for task in islice(suites.load("stochastic").tasks, len(WORLDS))]
    assert groups == list(WORLDS)


def test_unknown_worlds_are_refused() -> None:
    with pytest.raises(UsageError, match="world"):
        suites.load("stochastic", world="luck")
