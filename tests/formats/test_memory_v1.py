"""Memories written by version 1 are read by every later release, and found by it. `memory-v1` is never made again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.predict.retrieval.step_memory import load_memory

HERE = Path(__file__).parent
KEPT = HERE / "memory-v1"
LOOKUPS = json.loads((HERE / "memory-v1.json").read_text())

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("assigned", "line", "names", "place", "text"), LOOKUPS)
def test_version_1_is_found(assigned: bool, line: int, names: dict[str, str], place: int, text: str | None) -> None:
    program = Program(source=(KEPT / "program.txt").read_text(), call="total([1])")
    options = Compact(assigned=assigned, conditions=assigned)
    entry = load_memory(KEPT / "memory.json").find(program, options, line, names, place)
    assert (entry and entry.decode()) == text


def test_version_1_has_both_outcomes_of_a_lookup() -> None:
    assert {text is None for *_, text in LOOKUPS} == {True, False}
