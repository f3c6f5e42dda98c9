"""Texts written by version 1 of each text format are read, and written again to the letter, by every later release.

`text-v1` is never made again: a trace as `record --json` printed it, and it in `cwm` and in each mode of `compact`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.codec import json_text
from worldline.codec.compact import parse as compact_parse
from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm

pytestmark = pytest.mark.unit

KEPT = Path(__file__).parent / "text-v1"
TRACE = json_text.parse((KEPT / "trace.json").read_bytes())
MODES = {
    "default": Compact(),
    "element": Compact(delta="element"),
    "sparse": Compact(reveal=4),
    "path": Compact(reveal=0),
    "same-bare": Compact(same=True, bare=True),
}


def test_json() -> None:
    assert "".join(json_text.encode(TRACE)).rstrip("\n") == (KEPT / "trace.json").read_text().rstrip("\n")
    assert {step.event for step in TRACE.steps} >= {"call", "line", "return", "raise", "yield", "resume", "output"}


def test_cwm() -> None:
    text = (KEPT / "trace.cwm").read_text()
    assert cwm.encode(TRACE) == text
    parsed = cwm_parse.parse(text, TRACE.program.source)
    assert parsed.malformed is None
    assert list(parsed.frames) == cwm.frames(TRACE)


@pytest.mark.parametrize("mode", MODES)
def test_compact(mode: str) -> None:
    data = (KEPT / f"trace.{mode}.compact").read_bytes()
    assert compact.encode(TRACE, MODES[mode]) == data
    parsed = compact_parse.parse(data)
    assert (parsed.malformed, parsed.ended, parsed.options) == (None, True, MODES[mode])
    assert [(step.event, step.line) for step in parsed.steps] == [(step.event, step.line) for step in TRACE.steps]
