"""No program is asked twice by the generated suite; in a file of functions, the one that is entered is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites import generated
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.programs.split import key
from worldline.recording.languages import worker


def test_a_language_without_its_toolchain_ends_as_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "find", lambda language: f"toolchain: no compiler of {language}")
    found = run(suites.load("generated", language="rust"), Interpreter(), limit=2)
    assert (found.n, found.faults, found.skipped) == (0, 2, 0)
    assert list(found.left_out) == ["fault(unsupported: toolchain: no compiler of rust)"]


def test_generated_programs_are_distinct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is drawn again is not asked again: the generator here draws each program three times."""
    drawn: list[Program] = []
    draw = generated._draw

    def thrice(rng: Random) -> Program:
        drawn.append(drawn[-1] if len(drawn) % 3 else draw(rng))
        return drawn[-1]

    monkeypatch.setattr(generated, "_draw", thrice)
    tasks = list(islice(suites.load("generated", seed=2).tasks, 12))
    assert len({key(task.program.source) for task in tasks}) == 12
    assert [task.name for task in tasks] == [f"generated/{number}" for number in range(12)]


def test_a_file_of_functions_and_the_one_that_is_entered() -> None:
    found = suites.load("generated", functions=5, seed=1)
    tasks = list(islice(found.tasks, 24))
    assert {task.group for task in tasks} == {f"{place} of 5" for place in range(1, 6)}
    for task in tasks:
        names = re.findall(r"^def (\w+)", task.program.source, re.MULTILINE)
        assert len(names) == 5
        assert names[int(task.group[0]) - 1] == (task.program.call or "").partition("(")[0]
    with pytest.raises(UsageError, match="functions"):
        suites.load("generated", functions=0)


def test_what_is_entered_is_counted_by_place(tmp_path: Path) -> None:
    class LastEntered(PlainPredictor):
        """Enters the last function of a file, whatever is called."""

        name = "last"

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for ask in asks:
                lines = ask.program.source.split("\n")
                last = max(n for n, line in enumerate(lines, 1) if line.startswith("def "))
                yield Prediction(text=f"({last}\n".encode(), status="budget")

    run(suites.load("generated", functions=3), LastEntered(), limit=12, out=tmp_path, config={})
    (table,) = suites.tables("generated", newest(tmp_path).values())
    rates = {place: share for place, share in table.rows if isinstance(share, Share)}
    assert {place: share.rate for place, share in rates.items() if place != "all"} == {
        "1 of 3": 0.0,
        "2 of 3": 0.0,
        "3 of 3": 1.0,
    }
    assert rates["all"].n == 12
    assert suites.tables("generated", []) == ()
