"""Hidden inputs are shown beside the step that consumes them, with their range."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from plain_predictor import PlainPredictor
from rich.console import Console

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.debug import debug
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import record_request
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.report.debug_page import page as debug_page
from worldline.ui.session.chunk import chunk
from worldline.ui.session.session import Session
from worldline.ui.terminal.debug import print_debugged
from worldline.ui.terminal.step.row_view import row_view
from worldline.ui.terminal.table import print_trace

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAM = Program(source="import random\n\ndef f(k):\n    x = random.randrange(k)\n    return x\n", call="f(6)")
HELD = Control(seed=1)


class Gambler(PlainPredictor):
    """Runs every program with its own luck."""

    name = "gambler"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            control = replace(HELD, given=(Hidden(0, "below 6", "2"),))
            yield replace(record_request(replace(ask, control=control, hidden=()), Limits())[0], status="ended")


def shown(act: object, *arguments: object) -> str:
    file = io.StringIO()
    act(Console(file=file, width=140, color_system=None), *arguments)  # type: ignore[operator]
    return file.getvalue()


def test_the_table_shows_them_in_their_row() -> None:
    text = shown(print_trace, record(PROGRAM, control=HELD))
    assert "│ a draw of 0 to 5: 5  x=5\n" in text
    assert "1 hidden input\n" in text


def test_threads_have_their_number_where_there_are_several() -> None:
    trace = record(PROGRAM, control=HELD)
    several = replace(trace, hidden=(*trace.hidden, Hidden(2, "thread 0 1", "1")))
    text = shown(print_trace, several)
    assert "│ 0  a draw of 0 to 5: 5  x=5\n" in text
    assert "│ 1  who runs, of threads 0 or 1: 1" in text
    assert "2 threads: rows start with" in text


def test_debug_shows_both_sides_and_says_that_it_is_right_given_its_draws() -> None:
    result = debug(PROGRAM, Gambler(), control=HELD, interventions=False)
    text = shown(print_debugged, result)
    (row,) = [line for line in text.splitlines() if line.startswith("▶")]
    assert "a draw of 0 to 5: 5  x=5" in row
    assert "a draw of 0 to 5: 2  x=2" in row
    assert "could not be known (below 6, draw): line 4 draws below 6: 5, predicted 2" in text
    assert "right given its own draws" in text
    assert 'class="piece hidden differs">a draw of 0 to 5: ' in debug_page(result)


def test_the_page_and_the_stepper_show_special_values() -> None:
    ask = PredictionRequest(program=PROGRAM, control=HELD)
    truth, trace = record_request(ask, Limits())
    ask = replace(ask, hidden=trace.hidden)
    (result,) = Gambler().predict([ask])
    sample = Sample(ask=ask, truth=truth, found=result)
    assert Diagnosis(sample).cause.name == "could not be known"
    session = Session.of_sample(sample, name="dice", model="gambler")
    run_diff = session.run_diff(0)
    row = chunk(run_diff, 0)["rows"][1]
    assert row["left"]["hidden"] == [["a draw of 0 to 5", "5"]]
    assert row["right"]["hidden"] == [["a draw of 0 to 5", "2"]]
    assert "thread" not in row["left"]
    carried = [item for level in row_view(run_diff, 1).levels for item in level.names if item.carried]
    assert [(item.name, item.left, item.right) for item in carried] == [("a draw of 0 to 5", "5", "2")]
