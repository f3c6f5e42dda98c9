"""Verbs behind a recording, as a user types them, on a program of another language: `a.js`, recorded in the box."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCE = """function total(xs) {
  let sum = 0;
  for (const x of xs) {
    sum += x;
  }
  return sum;
}
"""
CALL = "total([3, 1])"
STEPS = "(1 xs=[3, 1]\n2 sum=0\n3 x=3\n4 sum=3\n3 x=1\n4 sum=4\n3 -x\n6\n)4\n.\n"


def model_that_writes(steps: str, folder: Path) -> str:
    """A model file whose model always writes these steps."""
    path = folder / "model.py"
    written = f"    written = prompt.rpartition({f'>{CALL}' + chr(10)!r})[2]\n"
    path.write_text(f"def model(prompt):\n{written}    return {steps!r}[len(written):]\n")
    return f"python:{path}:model"


@pytest.fixture
def file(tmp_path: Path) -> str:
    if isinstance(found := toolchain.find("js"), str):
        pytest.skip(found)
    path = tmp_path / "a.js"
    path.write_text(SOURCE)
    return str(path)


def ran(*words: str) -> Result:
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    return result


def test_encode_writes_both_notations(file: str) -> None:
    text = ran("encode", file, "--call", CALL).output
    assert text.startswith("# lang=js\n1|function total(xs) {\n")
    assert text.endswith(f">{CALL}\n{STEPS}")
    assert "<|call_sep|>" in ran("encode", file, "--call", CALL, "--format", "cwm").output


def test_cost_counts_them(file: str) -> None:
    assert "compact" in ran("cost", file, "--call", CALL).output


def test_debug_finds_where_a_model_diverges(file: str, tmp_path: Path) -> None:
    model = model_that_writes(STEPS.replace("sum=4", "sum=5"), tmp_path)
    report = json.loads(ran("debug", file, "--call", CALL, "--json", "--model", model).output)
    assert report["diverges"]
    assert report["cause"]["name"] == "wrong value"
    assert report["cause"]["operation"] == ""
    assert "by `sum += x;`" in report["cause"]["evidence"]


def test_imagine_shows_what_a_model_writes(file: str, tmp_path: Path) -> None:
    output = ran("imagine", file, "--call", CALL, "--model", model_that_writes(STEPS, tmp_path)).output
    assert "sum += x;" in output
    assert "return 4" in output


def test_a_scratchpad_and_a_rewriting_are_refused(file: str) -> None:
    result = CliRunner().invoke(cli, ["imagine", file, "--call", CALL, "--scratchpad", "flatten"])
    assert isinstance(result.exception, UsageError)
    assert "a.js is JavaScript, and a scratchpad rewrites only Python" in str(result.exception)
