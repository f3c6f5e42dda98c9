"""Questions about programs whose dependencies are not installed: executed without them, predicted, or unknown."""

from __future__ import annotations

import pytest

from worldline import ask
from worldline.core.program import Program
from worldline.plan.answer import IMAGINED, RUN, UNKNOWN, Answer

pytestmark = pytest.mark.usefixtures("sandbox")

SOURCE = """\
import nolib
from nothere.text import clean

app = nolib.App()
LIMIT = 3
FIRST = clean("x")

def double(x):
    return x * 2 + LIMIT

@app.route("/")
def routed(x):
    return x + 1

def cleaned(x):
    return clean(x)

def first():
    return FIRST
"""


def asked(call: str, source: str = SOURCE, **options: object) -> Answer:
    return ask(Program(source=source, call=call), **options)  # type: ignore[arg-type]


def test_a_call_that_cannot_reach_the_module_is_executed_without_it() -> None:
    answer = asked("double(4)")
    assert (answer.value, answer.how, answer.probability) == ("11", RUN, 1.0)
    assert "without nolib and nothere, not installed" in answer.why
    assert "lines left out: 1, 2, 4, 6, 11, 15, 18" in answer.why
    assert answer.spent.executions == 3


def test_a_call_that_reaches_the_module_is_predicted_and_says_why() -> None:
    answer = asked("routed(4)", sure=0.5)
    assert (answer.value, answer.how, answer.probability) == ("5", IMAGINED, None)
    assert answer.why.startswith("not executed, because it needs nolib (line 1), which is not installed; ")


@pytest.mark.parametrize("call", ["cleaned(' x ')", "first()"])
def test_below_its_threshold_the_model_does_not_know(call: str) -> None:
    answer = asked(call, sure=1.0)
    assert (answer.value, answer.how) == (None, UNKNOWN)
    assert "does not know" in answer.why or "predicts no answer" in answer.why


def test_a_statement_that_may_change_what_the_call_reads_is_not_left_out() -> None:
    source = "import nolib\nSEEN = []\nSEEN.append(nolib.value)\ndef count():\n    return len(SEEN)\n"
    answer = asked("count()", source, sure=1.0)
    assert answer.how != RUN


def test_an_exception_of_the_programs_own_is_its_answer() -> None:
    source = "def f():\n    raise ModuleNotFoundError(\"No module named 'x'\")\n"
    answer = asked("f()", source)
    assert answer.how == RUN
    assert answer.value is not None
    assert "ModuleNotFoundError" in answer.value
