"""`debug --nearest`: a wrong branch, and the input at which it would have been right, found by running the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.core.program import Program
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")

SOURCE = "def f(n: int):\n    a = n + 1\n    if n % 2 == 0:\n        return 1\n    return a\n"
MODEL = 'def write(prompt):\n    return "(1 n=5\\n2 a=6\\n3\\n4\\n)1\\n.\\n"\n'


def asked(folder: Path, source: str) -> list[str]:
    """`debug` of a call of the source, by a model that takes the other branch."""
    (folder / "a.py").write_text(source)
    (folder / "m.py").write_text(MODEL)
    model = f"python:{folder / 'm.py'}:write"
    return ["debug", str(folder / "a.py"), "--call", "f(5)", "--model", model, "--no-interventions"]


def test_the_nearest_input_takes_the_branch_of_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = asked(tmp_path, SOURCE)
    assert main([*words, "--nearest", "20"]) == 1
    said = capsys.readouterr().out
    assert "`n % 2 == 0` is false (n is 5); the model continues as if it were true" in " ".join(said.split())
    assert main([*words, "--nearest", "20", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["branch"]["nearest"]
    assert found["exact"]
    trace = record(Program(source=SOURCE, call=found["call"]))
    assert trace.outcome.kind == "returned"
    assert 4 in trace.columns.line
    assert f"for {found['call']} the model's branch is right" in said


def test_a_branch_that_no_input_turns_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = asked(tmp_path, SOURCE.replace("n % 2 == 0", "n * 0 == 1"))
    assert main([*words, "--nearest", "2"]) == 1
    assert "no input found for which the model's branch is right" in capsys.readouterr().out
    assert main(words) == 1
    assert "no input was found" not in capsys.readouterr().out
