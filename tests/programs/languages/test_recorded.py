"""Drawn programs recorded in the box: they end well, and give what the same program gives in Python."""

from __future__ import annotations

import re
from random import Random

import pytest
from plain_runs import in_python

from worldline.core.program import Program
from worldline.programs.languages import draw
from worldline.programs.languages.ordinary import composed, ordinary
from worldline.programs.languages.spelling import UntranslatableError
from worldline.programs.languages.translate import translated
from worldline.recording.recorder import record_many

COUNT = 4
_ATOM = re.compile(r"(?<![\w#.])-?\d+|True|False|'[^']*'")


def sayable(language: str) -> list[tuple[Program, Program]]:
    """A few programs with calls as Python and as the language says them."""
    found: list[tuple[Program, Program]] = []
    for number in range(1_000):
        rng = Random(f"recorded {number}")
        program = rng.choice((ordinary, composed, draw.task_text))(rng)
        try:
            said = translated(program, language, rng)
        except UntranslatableError:
            continue
        if program.call is not None:
            found.append((program, said))
        if len(found) == COUNT:
            return found
    raise AssertionError(f"too little can be said in {language}")


@pytest.mark.parametrize("language", ["js", "ts", "java", "c", "cpp", "rust", "go"])
def test_a_recorded_call_gives_what_python_gives(language: str) -> None:
    pairs = sayable(language)
    true = list(record_many([in_python(program) for program, _ in pairs]))
    told = list(record_many([said for _, said in pairs]))
    for (program, said), one, other in zip(pairs, true, told, strict=True):
        assert one.outcome.kind == other.outcome.kind == "returned", (str(other.outcome), other.stderr, said.source)
        assert _ATOM.findall(other.outcome.detail) == _ATOM.findall(one.outcome.detail), (program, said.source)
        assert len(other) >= len(one) // 2
