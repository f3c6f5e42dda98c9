"""Patterns that search the text of users and models take linear time, also over strings that are never closed."""

from __future__ import annotations

import gc
import re
import time

import pytest

from worldline.analyze.flow import definitions
from worldline.core import value_parts
from worldline.core.spelling import OBJECT_NUMBER, QUOTED
from worldline.data import equivalence
from worldline.evaluation.suites.languages import calls
from worldline.plan.rehearse import visible
from worldline.programs.languages import tokens
from worldline.recording import together
from worldline.ui.http import json_body
from worldline.ui.session.marks.natives import notes

PIECES = ("'", '"', "\\'", '\\"', "'\\", "\\\n", "a.", "a", "a:", "[", "(", " ", "\n", "/*", "a#")
PATTERNS = {
    "value parts": value_parts._TOKEN,
    "equivalence": equivalence._OBJECT_NUMBER,
    "together": together._TOKENS,
    "comments": visible._COMMENT,
    "tokens": tokens._TOKEN,
    "assignments": calls._SET,
    "literals": calls._LITERAL,
    "rust literals": calls._RUST_LITERAL,
    "c functions": calls._C_FUNCTION,
    **{f"script {number}": pattern for number, pattern in enumerate(definitions._SCRIPT)},
}


def cpu_seconds(pattern: re.Pattern[str], text: str) -> float:
    gc.disable()
    try:
        began = time.process_time()
        for _ in pattern.finditer(text):
            pass
        return time.process_time() - began
    finally:
        gc.enable()


@pytest.mark.parametrize("name", PATTERNS)
def test_a_search_takes_linear_time(name: str) -> None:
    """Eight times the text takes about eight times the CPU time, not 64 times, on a busy machine too."""
    for piece in PIECES:
        short, long = piece * 2_000, piece * 16_000
        least = max(cpu_seconds(PATTERNS[name], short), cpu_seconds(PATTERNS[name], short))
        assert cpu_seconds(PATTERNS[name], long) < 24 * least + 0.2, piece


def test_a_body_and_a_value_that_are_never_closed_take_linear_time() -> None:
    began = time.process_time()
    assert json_body._depth(b'["' + b'\\"' * 400_000) == 1
    assert list(notes("'" + "\\'" * 200_000 + " nil", "rust")) == []
    assert time.process_time() - began < 5  # quadratic: minutes


def test_a_string_hides_what_it_holds() -> None:
    search = re.compile(f"{QUOTED}|{OBJECT_NUMBER}")
    text = "a.B#1(x='C#2', y=\"it's D#3\", z=E#4('\\'F#5')) 'G#6"
    assert [match[0] for match in search.finditer(text) if match[1]] == ["B#1", "E#4"]
