"""`rewrite` as a user types it: the new source on stdout, what it costs and the proof beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.analyze.rewrite import Rewritten
from worldline.cli import main
from worldline.core.program import Program
from worldline.data import equivalence

SOURCE = "def f(n):\n    return (n + 1) * 2 - len(str(n).upper())\n"


pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A small program."""
    path = tmp_path / "f.py"
    path.write_text(SOURCE)
    return str(path)


def test_the_source_its_cost_and_its_proof(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", file, "--flatten", "--call", "f(3)", "--prove", "4"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) > len(SOURCE.splitlines())
    assert shown.err.startswith("cost: 3 -> ")
    assert "bytes" in shown.err
    assert "tokens" in shown.err
    assert "0 differ" in shown.err


def test_one_object(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["rewrite", file, "--flatten", "--chars", "--call", "f(3)", "--prove", "0", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["cost"]["after"]["steps"] > told["cost"]["before"]["steps"]
    assert (told["proof"]["same"], told["proof"]["differences"]) == (1, [])


def test_a_difference_is_a_finding(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Program(source="def f(n):\n    return 0\n", call="f(3)")
    wrong = Rewritten(other.source, True, (1, 2))
    monkeypatch.setattr("worldline.data.forms.rewriting.rewrite_source", lambda *given, **options: wrong)
    assert main(["rewrite", file, "--flatten", "--call", "f(3)", "--prove", "0"]) == 1
    assert "finding: f(3)" in capsys.readouterr().err
    assert equivalence.prove(other, other, calls=["f(3)"]).same == 1


def test_something_must_be_asked_for(file: str) -> None:
    assert main(["rewrite", file]) == 2
