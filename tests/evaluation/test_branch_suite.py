"""The branches suite: the interpreter goes the true way at every decision; a wrong way counts where it was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.suites import is_measured, load
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Between, Table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")

SOURCE = "def f(n):\n    for i in range(n):\n        if i == 1:\n            n += 1\n    return n\n"
ONE = Suite(name="branches", tasks=[Task(program=Program(source=SOURCE, call="f(2)"))], count=1)


class Wrong(PlainPredictor):
    """Holds that `i == 1` never holds, and is right about all else; it writes the truth's values."""

    name = "wrong"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        whole = b"(1 n=2\n2 i=0\n3\n2 i=1\n3\n4 n=3\n2\n5\n)3\n.\n"
        for ask in asks:
            text = whole
            if ask.given.endswith(b"2 i=1\n3\n") or not ask.given:
                text = b"(1 n=2\n2 i=0\n3\n2 i=1\n3\n2\n5\n)2\n.\n"
            assert text.startswith(ask.given)
            yield Prediction(text=text[: ask.limit], status="ended" if len(text) <= ask.limit else "budget")


def rows(table: Table) -> dict[str, tuple[int, float]]:
    found = {}
    for name, count, _, right in table.rows:
        assert isinstance(name, str)
        assert isinstance(count, int)
        assert isinstance(right, Between)
        found[name] = count, round(right.rate, 3)
    return found


def test_the_interpreter_goes_the_true_way_at_every_decision() -> None:
    assert is_measured("branches")
    found = measured("branches", load("branches", seed=3), Interpreter(), limit=12)
    assert (found.n, found.faults) == (12, 0)
    for table in found.tables:
        assert table.rows[-1][0] == "all"
        assert all(rate == 1.0 for _, rate in rows(table).values())
    assert rows(found.tables[0])["all"][0] > 30


def test_a_wrong_way_is_counted_where_it_was_decided() -> None:
    found = measured("branches", ONE, Wrong())
    kinds, types, outcomes = map(rows, found.tables)
    assert kinds == {"for": (3, 1.0), "if": (2, 0.5), "all": (5, 0.8)}
    assert types == {"int": (5, 0.8), "all": (5, 0.8)}
    assert outcomes == {"held": (3, 0.667), "did not hold": (2, 1.0), "all": (5, 0.8)}


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="reveal is 1 or more"):
        load("branches", reveal=0)
    with pytest.raises(UsageError, match="takes no --force"):
        measured("branches", ONE, Interpreter(), force=("states",))
    with pytest.raises(UsageError, match="compact"):
        measured("branches", ONE, Interpreter(codec="cwm"))
