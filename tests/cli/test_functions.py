"""The functions behind the commands, called as a program would: what the commands do not pass on themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import worldline
from worldline.cli import main
from worldline.core.errors import UsageError

SOURCE = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
PROGRAM = worldline.Program(source=SOURCE, call="f(3)")


def test_a_program_is_read_with_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "data.txt").write_text("7")
    found = worldline.load_program(
        tmp_path / "a.py", argv=["x"], call="f(2)", stdin="in", data=[str(tmp_path / "data.txt")]
    )
    assert (found.call, found.argv, found.stdin, found.files) == ("f(2)", ("x",), "in", (("data.txt", "7"),))


def test_a_program_that_would_do_nothing_is_refused_only_if_it_must_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    assert worldline.load_program(tmp_path / "a.py").call is None
    with pytest.raises(UsageError, match="only defines functions"):
        worldline.load_program(tmp_path / "a.py", must_run=True)


def test_a_control_is_chosen_by_its_arguments() -> None:
    assert worldline.choose_control() is None
    assert worldline.choose_control(seed=3) == worldline.Control(seed=3)
    assert worldline.choose_control(live=True) == worldline.Control(seed=None)
    assert worldline.choose_control(schedule=5) == worldline.Control(seed=0, schedule=5)
    with pytest.raises(UsageError, match="neither --seed nor --replay"):
        worldline.choose_control(live=True, seed=1)


def test_a_prediction_is_continued_from_an_edit_in_words() -> None:
    with worldline.without_sandbox():
        found = worldline.imagine(PROGRAM, "interpreter", edit="2:total=10")
    assert b"total=10" in found.found.text
    with pytest.raises(UsageError, match="not STEP:NAME=VALUE"):
        worldline.imagine(PROGRAM, "interpreter", edit="total=10")


def test_debug_takes_the_name_of_a_model_with_its_options() -> None:
    with worldline.without_sandbox():
        found = worldline.debug(PROGRAM, "interpreter", extras={"codec": "cwm"}, interventions=False)
    assert (found.diverges, found.sample.found.codec) == (False, "cwm")


def test_futures_take_a_function_as_a_model() -> None:
    coin = worldline.Program(source="import random\ndef f():\n    return random.randint(0, 1)\n", call="f()")
    with worldline.without_sandbox():
        found = worldline.futures(coin, exact=True, model=lambda prompt: "", texts=2, seconds=None)
    assert {row["exact"] for row in found.as_json()["truth"]["rows"]} == {"1/2"}


def test_a_rewriting_has_costs_and_a_proof_where_they_are_asked_for() -> None:
    plain = worldline.rewrite(PROGRAM, flatten=True)
    assert (plain.costs, plain.proof) == ({}, None)
    proved = worldline.rewrite(PROGRAM, flatten=True, prove=1, cost=True, trust=True)
    assert proved.costs["after"].steps >= proved.costs["before"].steps
    assert proved.proof is not None
    assert proved.proof.differences == ()
    with pytest.raises(UsageError, match="say --flatten"):
        worldline.rewrite(PROGRAM)


def test_a_trace_is_stored_once(tmp_path: Path) -> None:
    trace = worldline.record(PROGRAM, trust=True)
    assert worldline.store(trace, tmp_path / "traces")
    assert not worldline.store(trace, tmp_path / "traces")
    assert worldline.load(tmp_path / "traces").program == PROGRAM
    assert worldline.verify(tmp_path / "traces") == []
    (row,) = worldline.cost([trace], tokenizers=["bytes"]).rows
    assert row.steps == len(trace)


@pytest.mark.usefixtures("sandbox")
def test_an_option_names_a_language_by_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "generated", "--model", "interpreter", "--max-programs", "1", "--json", "--language"]
    assert main([*words, "TypeScript"]) == 0
    assert list(json.loads(capsys.readouterr().out)["by_length"]) == ["TypeScript"]
    assert main([*words, "cobol"]) == 2
    assert "one of js, ts, java" in capsys.readouterr().err
