"""`worldline futures` as a user types it: what is asked, how it is told, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drawing_programs import SOURCES

from worldline.cli import main

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def coins(tmp_path: Path) -> str:
    (tmp_path / "coins.py").write_text(SOURCES["coins"])
    return str(tmp_path / "coins.py")


def told(capsys: Capture, *words: str) -> dict[str, Any]:
    assert main(["futures", "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_exact_outcomes_are_printed_as_table_and_json(coins: str, capsys: Capture) -> None:
    assert main(["futures", coins, "--call", "f(2)"]) == 0
    out = capsys.readouterr().out
    assert "the answer: exact; 4 runs" in out
    assert "1/2 = 0.5000" in out
    found = told(capsys, coins, "--call", "f(2)")
    assert {row["what"]: row["exact"] for row in found["truth"]["rows"]} == {"1": "1/2", "0": "1/4", "'<b>'": "1/4"}
    assert (found["way"], found["model"], found["own"]) == ("exact; 4 runs", None, None)


def test_a_place_a_name_and_paths(coins: str, capsys: Capture) -> None:
    found = told(capsys, coins, "--call", "f(2)", "--name", "heads", "--at", "L6")
    assert found["asked"] == "heads at line 6, the last time it runs"
    assert [row["exact"] for row in found["truth"]["rows"]] == ["1/2", "1/4", "1/4"]
    assert told(capsys, coins, "--call", "f(2)", "--at", "3")["truth"]["rows"][0]["what"] == "line 6"
    assert told(capsys, coins, "--call", "f(2)", "--paths")["truth"]["rows"][0]["exact"] == "1"


def test_budgets(coins: str, capsys: Capture) -> None:
    found = told(capsys, coins, "--call", "f(6)", "--exact", "--runs", "5")
    assert (found["runs"], found["truth"]["exact"]) == (5, False)
    assert found["truth"]["left"] > 0
    assert told(capsys, coins, "--call", "f(6)", "--sampled-runs", "7")["truth"]["samples"] == 7


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--at", "x"], "expected a step"),
        (["--at", "L3"], "needs a name"),
        (["--paths", "--name", "x"], "whole"),
        (["--exact", "--sampled-runs", "3"], "not both"),
        (["--model", "nobody"], "no model"),
    ],
)
def test_what_cannot_be_is_refused(coins: str, capsys: Capture, words: list[str], why: str) -> None:
    assert main(["futures", coins, "--call", "f(1)", *words]) == 2
    assert why in capsys.readouterr().err
