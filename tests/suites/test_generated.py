"""No program is asked twice by the generated suite, so that as many tasks as are counted stand behind an interval."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from worldline import suites
from worldline.core.program import Program
from worldline.programs.split import key
from worldline.suites import generated


def test_generated_programs_are_distinct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is drawn again is not asked again: the generator here draws each program three times."""
    drawn: list[Program] = []
    draw = generated._draw

    def thrice(rng: Random) -> Program:
        drawn.append(drawn[-1] if len(drawn) % 3 else draw(rng))
        return drawn[-1]

    monkeypatch.setattr(generated, "_draw", thrice)
    tasks = list(islice(suites.load("generated", seed=2).tasks, 12))
    assert len({key(task.program.source) for task in tasks}) == 12
    assert [task.name for task in tasks] == [f"generated/{number}" for number in range(12)]
