"""The failures of a run on disk asked again: as many passing ones beside them, the whole run expected from both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.interventions import intervene_on_run
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

SOURCE = "def f(n):\n    m = n + 1\n    return m\n"
FAILED = 4  # of twelve: those with the smallest arguments


class Small(PlainPredictor):
    """Wrong about small numbers, unless the first lines are given; about others it is wrong if they are."""

    name = "small"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            n = int((ask.program.call or "")[2:-1])
            m = n + 1 + (n < FAILED and not ask.given)
            yield Prediction(text=b"(1 n=%d\n2 m=%d\n3\n)%d\n.\n" % (n, m, m), status="ended")


def made(folder: Path, **config: object) -> Path:
    """A run of twelve tasks, four of them wrong."""
    tasks = [Task(program=Program(source=SOURCE, call=f"f({n})"), name=f"f/{n}") for n in range(12)]
    found = run(Suite(name="small", tasks=tasks), Small(), out=folder, config={"scheme": "small", **config})
    assert (found.n, found.all.answer.right) == (12, 8)
    return folder


def test_as_many_passing_ones_as_failed_and_the_net_of_all(tmp_path: Path) -> None:
    path = made(tmp_path / "run")
    for limit, tried in ((None, 4), (2, 2), (9, 4)):
        found, at = intervene_on_run(path, lambda scheme, extras: Small(), interventions=["repair"], limit=limit)
        assert (len(found.failed), len(found.chosen)) == (tried, tried)
        assert all(at[i] < FAILED for i in found.failed)
        assert all(at[i] >= FAILED for i in found.chosen)
        assert (max(found.failing, len(found.failed)), found.passing) == (4, 8)
        (effect,) = found.effects
        assert effect.expected is not None
        assert (effect.pairs.recovered, effect.unfit, effect.expected.count) == (tried, tried, 4.0)
        # All passing traces are right, which a repair cannot change; of 4 failures, 2 or 4 were tried.
        assert (found.exposed, effect.expected.low, effect.expected.high) == (0, tried, 4.0)
        assert found.confirmed["wrong value"].some == tried


class Brief(PlainPredictor):
    """Ends long before the program does, unless the first lines are given: then it is right."""

    name = "brief"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        truths = Interpreter().predict(asks)
        for ask, truth in zip(asks, truths, strict=True):
            yield truth if ask.given else Prediction(text=b"(1 n=90\n2 m=1\n)1\n.\n", status="ended")


def test_a_truth_that_is_stored_in_part_is_recorded_again(tmp_path: Path) -> None:
    source = "def f(n):\n    m = 0\n    for i in range(n):\n        m += i\n    return m\n"
    tasks = [Task(program=Program(source=source, call="f(90)"), name="long")]
    run(Suite(name="long", tasks=tasks), Brief(), out=tmp_path, config={"scheme": "brief"})
    (record,) = newest(tmp_path).values()
    assert not record.truth.endswith(b".\n")
    found, _ = intervene_on_run(tmp_path, lambda scheme, extras: Brief(), interventions=["repair"])
    assert (found.failed, found.unjudged) == ((0,), 0)
    assert [trial.outcome for trial in found.tried] == ["recovered"]


def test_runs_that_cannot_be_predicted_again_are_refused(tmp_path: Path) -> None:
    forced = made(tmp_path / "forced", force=["actions"])
    with pytest.raises(UsageError, match="actions forced"):
        intervene_on_run(forced, lambda scheme, extras: Interpreter())
    with pytest.raises(UsageError, match="unknown intervention luck"):
        intervene_on_run(made(tmp_path / "run"), lambda scheme, extras: Interpreter(), interventions=["luck"])
