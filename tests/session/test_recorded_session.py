"""A session of a recorded run alone: the events are those that its text would have, and nothing is compared."""

from __future__ import annotations

import pytest

from worldline.codec.compact.writer import encode_steps
from worldline.codec.reading import read_trace
from worldline.core.program import Program
from worldline.diagnose.reading import read
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.session.chunk import chunk
from worldline.ui.session.session import Session

pytestmark = pytest.mark.usefixtures("sandbox")
OTHER = "def twice(n):\n    m = n * 2\n    return m\n"
MAIN = "import other\n\n"
MAIN += "def f(n):\n    xs = [n]\n    ys = xs\n    print(xs)\n    del xs\n    return other.twice(n) + ys[0]\n"
GENERATOR = "def g(n):\n    for i in range(n):\n        yield i\n\ndef f(n):\n    return sum(g(n)) / 0\n"
PROGRAMS = (
    Program(source=MAIN, name="main.py", files=(("other.py", OTHER),), call="f(2)"),
    Program(source=GENERATOR, call="f(3)"),
    Program(source="x = 1\nfor i in range(3):\n    x += i\nprint(x)\n"),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_events_of_a_trace_are_those_of_its_text(program: Program) -> None:
    trace = record(program)
    text = Prediction(text=encode_steps(trace), status="ended", codec="compact")
    of_text = read(PredictionRequest(program=program), text)
    of_trace = read_trace(trace)
    assert of_trace.ended
    # A text has no marks of shared objects unless values are written element by element.
    assert tuple(event._replace(same={}) for event in of_trace.events) == of_text.events


def test_nothing_is_compared_and_every_file_is_described() -> None:
    trace = record(PROGRAMS[0])
    session = Session.of_trace(trace, name="f")
    described = session.describe()
    assert described["recorded"] is True
    assert "failure" not in described
    assert [file["name"] for file in described["program"]["files"]] == ["other.py"]
    assert described["program"]["files"][0]["runnable"] == [2, 3]
    (branch,) = described["branches"]
    assert (branch["status"], branch["rows"], branch["at"], branch["cost"]) == (
        "done",
        len(trace),
        len(trace) - 1,
        None,
    )
    rows = chunk(session.run_diff(), 0)["rows"]
    assert {row["action"] for row in rows} == {"open"}
    assert [row["elsewhere"] for row in rows if "elsewhere" in row] == [["other.py:2"], ["other.py:3"]]


def test_a_recording_that_its_budget_ended_is_not_said_to_have_ended() -> None:
    from worldline.core.limits import Limits

    trace = record(Program(source="n = 0\nwhile True:\n    n += 1\n"), limits=Limits(steps=50))
    session = Session.of_trace(trace, name="loop")
    assert not read_trace(trace).ended
    assert session.branch(0).found.status == "budget"
