"""Verbs behind a recording, as a user types them, on a program of another language: `a.js`, recorded in the box."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.predict import models
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("box")
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


class Says(PlainPredictor):
    """Whatever it is asked, it says one text."""

    name = "says"

    def __init__(self, text: bytes) -> None:
        self.text = text

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            yield Prediction(text=max(self.text, ask.given, key=len)[: ask.limit], status="ended")


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


def test_debug_finds_where_a_model_parts(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = STEPS.replace("sum=4", "sum=5").encode()
    monkeypatch.setattr(models, "load_model", lambda scheme, extras=None: Says(wrong))
    found = json.loads(ran("debug", file, "--call", CALL, "--json").output)
    assert found["diverges"]
    assert found["cause"]["name"] == "wrong value"
    assert found["cause"]["operation"] == ""
    assert "by `sum += x;`" in found["cause"]["evidence"]


def test_imagine_shows_what_a_model_says(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "load_model", lambda scheme, extras=None: Says(STEPS.encode()))
    found = ran("imagine", file, "--call", CALL).output
    assert "sum += x;" in found
    assert "return 4" in found


def test_a_scratchpad_and_a_rewriting_are_refused(file: str) -> None:
    result = CliRunner().invoke(cli, ["imagine", file, "--call", CALL, "--scratchpad", "flatten"])
    assert isinstance(result.exception, UsageError)
    assert "a.js is JavaScript, and a scratchpad rewrites only Python" in str(result.exception)
