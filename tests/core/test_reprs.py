"""The repr of a trace, step, program, prediction or diagnosis is one line, however large it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import worldline
from worldline.core.program import Program
from worldline.core.trace import Steps, Trace
from worldline.diagnose.debug import Debugged
from worldline.predict.prediction import Prediction, PredictionRequest

LONG = Program(
    source="def f(s):\n    t = s * 500\n    return t\n" + "# more\n" * 500, call="f('ab' * 10)", stdin="x" * 9_999
)
pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A trace with long values."""
    return worldline.record(LONG)


def test_steps_are_a_sequence(trace: Trace) -> None:
    steps = trace.steps
    assert isinstance(steps, Steps)
    assert len(steps) == len(trace) == 4
    assert steps[1] == trace[1]
    assert steps[-1].event == "return"
    assert [step.i for step in steps[1:3]] == [1, 2]
    assert list(steps) == [trace[i] for i in range(4)]
    assert next(reversed(steps)) == steps[-1]
    with pytest.raises(IndexError):
        steps[4]


def test_every_repr_is_one_line(trace: Trace, tmp_path: Path) -> None:
    result = worldline.debug(LONG, lambda prompt: "(1 s='" + "ab" * 5_000 + "'\n")
    assert isinstance(result, Debugged)
    report = worldline.bench([LONG], "interpreter")
    things = {
        "program": LONG, "trace": trace, "step": trace.steps[1], "steps": trace.steps,
        "request": PredictionRequest(program=LONG), "prediction": result.sample.found,
        "diagnosis": result.diagnosis, "debugged": result, "report": report,
        "suite": worldline.Suite(name="mine", tasks=[worldline.Task(program=LONG)] * 99, count=99),
        "task": worldline.Task(program=LONG, name="one"),
    }  # fmt: skip
    shown = {name: repr(thing) for name, thing in things.items()}
    assert {name: text for name, text in shown.items() if len(text) > 200 or "\n" in text} == {}
    assert shown["program"] == "<Program program.py, f('ab' * 10), 503 lines>"
    assert shown["trace"].startswith("<Trace of f('ab' * 10): 4 steps, returned 'abab")
    assert shown["step"].startswith("<Step 1: line 2, t='abab")
    assert shown["steps"] == "<4 steps>"
    assert shown["prediction"].startswith("<Prediction ended, ")
    assert shown["diagnosis"].startswith(f"<Diagnosis of f('ab' * 10): {result.cause.name}")
    assert shown["report"] == "<Report own of interpreter: 1 sample, answers 100.0 %, traces 100.0 %>"


def test_a_debugged_run_needs_no_model_to_be_named() -> None:
    result = worldline.debug(Program(source="def f(n):\n    return n\n", call="f(1)"), interventions=False)
    assert result.model == "default, scratchpad auto"


def test_the_package_exports_the_basic_names() -> None:
    names = "record debug encode load_model bench Program Trace PredictionRequest Prediction Suite Task"
    assert set(names.split()) <= set(worldline.__all__)


def test_the_repr_of_a_prediction_shows_its_start() -> None:
    assert repr(Prediction(text=b"(1 n=1\n", status="ended")) == "<Prediction ended, 7 bytes of compact: (1 n=1\\n>"
