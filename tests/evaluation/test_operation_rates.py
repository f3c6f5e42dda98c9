"""How often an operation fails when it is executed: failures over executions on true steps, as far as a model came."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor
from rich.console import Console

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.terminal.suite_report import print_report

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCE = "def f(s):\n    n = 0\n    for c in s:\n        n += ord(c)\n    t = s[1:].upper()\n    return t + '!'\n"


class Slips(PlainPredictor):
    """The interpreter, but for one text that it writes otherwise in every second answer."""

    name, codec = "slips", "compact"

    def __init__(self, old: bytes, new: bytes) -> None:
        self.old, self.new = old, new

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One for each ask."""
        for i, found in enumerate(Interpreter().predict(asks)):
            yield replace(found, text=found.text.replace(self.old, self.new, 1)) if i % 2 else found


def test_failures_are_a_share_of_executions(tmp_path: Path) -> None:
    """Two runs of five rounds: ord ran ten times, the slice twice, and it is the slice that failed once."""
    tasks = [Task(program=Program(source=SOURCE, call="f('abcde')"), name=str(n)) for n in range(2)]
    suite = Suite(name="slips", tasks=tasks)
    found = run(suite, Slips(b"t='BCDE'", b"t='ABCDE'"), out=tmp_path / "run")
    rates = {name: (share.some, share.n) for name, share in found.operations.items()}
    assert rates["slice"] == (1, 2)
    assert rates["upper"] == (0, 2)
    assert rates["ord"] == (0, 10)
    assert rates["iteration"] == (0, 12)
    assert rates["concatenation" if "concatenation" in rates else "arithmetic"][0] == 0
    told = found.as_json()["operations"]["slice"]
    assert (told["some"], told["n"], told["rate"]) == (1, 2, 0.5)
    assert told["interval"][0] < 0.5 < told["interval"][1]
    again = run(suite, Slips(b"t='BCDE'", b"t='ABCDE'"), out=tmp_path / "run")  # from its records
    assert again.operations == found.operations
    out = io.StringIO()
    print_report(Console(file=out, width=120), found)
    assert "slice" in out.getvalue()
    assert "50.00 %" in out.getvalue()
