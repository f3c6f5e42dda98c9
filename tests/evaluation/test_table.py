"""Tables as data: a share shows its n and its interval, and what is not known is no number."""

from __future__ import annotations

import json

import pytest

from worldline.core.stats import Share
from worldline.evaluation.table import Between, Cell, Measured, Table, text_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "-"),
        (Share(81, 263), "30.8 % (25.5 - 36.6) of 263"),
        (Share(0, 0), "- of 0"),
        (Between(0.5, 0.25, 1.0), "50.0 % (25.0 - 100.0)"),
        (1234.56, "1,234.6"),
        (16384, "16,384"),
        ("3/string", "3/string"),
    ],
)
def test_a_cell_is_read_as(cell: Cell, text: str) -> None:
    assert text_of(cell) == text


def test_a_table_is_rows_by_head() -> None:
    table = Table("t", ("kind", "rate"), (("a", Share(1, 2)), ("b", None)), "note")
    assert table.texts() == [["kind", "rate"], ["a", "50.0 % (9.5 - 90.5) of 2"], ["b", "-"]]
    found = Measured("s", "m", 2, (table,), faults=1).as_json()
    assert json.loads(json.dumps(found)) == found
    assert (found["n"], found["faults"]) == (2, 1)
    assert found["tables"][0]["rows"][0]["rate"]["some"] == 1
    assert found["tables"][0]["rows"][1] == {"kind": "b", "rate": None}
