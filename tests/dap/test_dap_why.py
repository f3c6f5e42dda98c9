"""Why a value is wrong, asked of the adapter: `why NAME`, hovers, and the scope Difference unfold the chain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dapclient import Adapter

from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.collect import collect

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCE = """def double(x):
    y = x * 2
    return y

def f(n):
    a = n + 1
    b = double(a)
    c = b - n
    return c
"""
WRONG = ((b"y=8", b"y=9"), (b")8", b")9"), (b"b=8", b"b=9"), (b"c=5", b"c=6"), (b")5", b")6"))


@pytest.fixture
def adapter(tmp_path: Path) -> Iterator[Adapter]:
    """An adapter that has stopped before line 9, after a prediction that doubles wrongly."""
    program = tmp_path / "program.py"
    program.write_text(SOURCE)
    (truth,) = Interpreter().predict([PredictionRequest(program=collect(str(program), call="f(3)"))])
    text = truth.text
    for old, new in WRONG:
        assert old in text, text
        text = text.replace(old, new, 1)
    row = {"digest": collect(str(program), call="f(3)").digest, "text": text.decode()}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    with Adapter() as made:
        made.launch(program=str(program), call="f(3)", model=f"replay:{tmp_path / 'rows.jsonl'}", lines=[9])
        assert made.stopped() == ("breakpoint", "f", 9)
        yield made


def children(adapter: Adapter, body: dict[str, Any]) -> list[dict[str, Any]]:
    """What unfolds under a row."""
    rows: list[dict[str, Any]] = adapter.ask("variables", variablesReference=body["variablesReference"])["variables"]
    return rows


def evaluate(adapter: Adapter, expression: str, context: str = "repl") -> dict[str, Any]:
    """What an expression gives in the innermost frame."""
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    body: dict[str, Any] = adapter.ask("evaluate", expression=expression, frameId=frame["id"], context=context)
    return body


def head(body: dict[str, Any]) -> str:
    """The first sentence of a chain, without its label."""
    line: str = body["result"].splitlines()[0]
    return line.split(maxsplit=1)[1]


@pytest.mark.parametrize("spelled", ["why c", "  why   c ", ":why c"])
def test_the_console_answers_with_the_chain(adapter: Adapter, spelled: str) -> None:
    body = evaluate(adapter, spelled)
    lines = body["result"].splitlines()
    assert lines[0].split(maxsplit=1) == ["why", "c: 5, predicted 6"]
    assert [line.split("  ")[0] for line in lines if line.startswith("step")] == [
        "step 7",
        "step 2",
        "step 6",
        "step 4",
    ]
    assert next(line for line in lines if "origin: right operands" in line).startswith("step 4")
    rows = children(adapter, body)
    assert [row["name"] for row in rows] == [
        "step 7, line 8 in f",
        "step 2, line 7 in f",
        "step 6, line 3 in double",
        "step 4, line 2 in double",
    ]
    assert rows[0]["value"] == "`b - n` sets c"
    values = {row["name"]: row["value"] for row in children(adapter, rows[0])}
    assert values == {"c": "5, predicted 6", "b": "8, predicted 9", "n": "3"}
    both = children(adapter, children(adapter, rows[0])[1])
    assert [(row["name"], row["value"]) for row in both] == [("actual", "8"), ("predicted", "9")]
    origin = {row["name"]: row["value"] for row in children(adapter, rows[-1])}
    assert origin["origin"] == "right operands, wrong result"


def test_a_watch_is_one_line_that_unfolds(adapter: Adapter) -> None:
    body = evaluate(adapter, "why b", "watch")
    assert "\n" not in body["result"]
    assert body["result"].startswith("8, predicted 9: step 4, line 2 in double: `x * 2` sets y")
    assert len(children(adapter, body)) == 3


def test_a_hover_over_a_wrong_name_shows_both_values_and_why(adapter: Adapter) -> None:
    body = evaluate(adapter, "c", "hover")
    assert body["result"] == "6, actual 5; wrong since step 4 (line 2)"
    predicted, actual, why = children(adapter, body)
    assert (predicted["name"], predicted["value"], actual["name"], actual["value"]) == ("predicted", "6", "actual", "5")
    assert why["name"] == "why"
    assert len(children(adapter, why)) == 4


def test_a_right_name_is_hovered_as_before(adapter: Adapter) -> None:
    body = evaluate(adapter, "n", "hover")
    assert (body["result"], body["variablesReference"]) == ("3", 0)


def test_a_wrong_name_evaluates_to_its_value_elsewhere(adapter: Adapter) -> None:
    for context in ("watch", "repl", "clipboard"):
        assert evaluate(adapter, "c", context)["result"] == "6"


def test_the_difference_scope_unfolds_to_the_chain(adapter: Adapter) -> None:
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    scopes = {scope["name"]: scope for scope in adapter.ask("scopes", frameId=frame["id"])["scopes"]}
    rows = {row["name"]: row for row in children(adapter, scopes["Difference"])}
    assert set(rows) == {"b", "c"}
    why = {row["name"]: row for row in children(adapter, rows["c"])}["why"]
    assert len(children(adapter, why)) == 4


def test_why_alone_is_about_the_first_wrong_name_or_the_returned_value(adapter: Adapter) -> None:
    assert head(evaluate(adapter, "why")) == "b: 8, predicted 9"
    adapter.ask("next", threadId=1, granularity="instruction")
    adapter.stopped()
    assert (
        evaluate(adapter, "why")["result"].splitlines()[0].split(maxsplit=1)[1] == "the returned value: 5, predicted 6"
    )


def test_a_right_name_is_followed_to_the_call(adapter: Adapter) -> None:
    lines = evaluate(adapter, "why a")["result"].splitlines()
    assert "it is right" in lines[1]
    assert "`f(3)` gives the argument n" in lines[-1]


def test_only_names_are_understood(adapter: Adapter) -> None:
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
    for expression in ("why exit()", "why c + 1", "why nothing", "why __import__('os')", "why c.real.imag["):
        said = adapter.refused("evaluate", expression=expression, frameId=frame, context="repl")
        assert "no value here" in said or "is not a name" in said, expression
