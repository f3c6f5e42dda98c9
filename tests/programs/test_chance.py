"""Stochastic programs: the same for a seed, drawn below every n up to 20, ending well."""

from __future__ import annotations

import contextlib
import io
import random
import re
import sys
import time
from collections import Counter

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.generate import chance
from worldline.programs.generate.language.expansion import fill, templates
from worldline.programs.generate.style.habits import written

pytestmark = pytest.mark.unit

TIMED = ("jobs",)  # they wait for a clock that only the recorder makes virtual: tests/data/test_stochastic_data.py


def outcome(program: Program, monkeypatch: pytest.MonkeyPatch) -> str:
    names: dict[str, object] = {"__name__": "__main__"}
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(sys, "stdin", io.StringIO(program.stdin))
    monkeypatch.setattr(time, "monotonic", iter(range(10_000)).__next__)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program.source, "<program>", "exec"), names)
            if program.call:
                eval(compile(program.call, "<call>", "eval"), names)
    except Exception as error:
        return type(error).__name__
    finally:
        monkeypatch.undo()
    return "returned"


@pytest.mark.parametrize("kind", [kind for kind in chance.KINDS if kind not in TIMED])
def test_programs_are_seeded_and_end_well(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, one, other = chance.of(kind), random.Random(2), random.Random(2)
    state = random.getstate()
    found: Counter[str] = Counter()
    for _ in range(200):
        program = draw(one)
        assert program == draw(other)
        found[outcome(program, monkeypatch)] += 1
    random.setstate(state)
    assert found["returned"] >= 185, found
    assert not {"NameError", "AttributeError", "UnboundLocalError", "ImportError"} & found.keys()


@pytest.mark.parametrize("kind", chance.KINDS)
def test_every_template_compiles_however_it_is_filled(kind: str) -> None:
    for number, one in enumerate(templates(f"chance/{kind}")):
        for seed in range(20):
            program = written(random.Random(seed), fill(one, random.Random(seed)))
            compile(program.source, f"<{kind} {number}>", "exec")
            if program.call:
                compile(program.call, "<call>", "eval")
            assert not re.search(r"[«»‹›$]|:stdin|:call", program.source)


def test_numbers_below_every_n_up_to_twenty_are_drawn() -> None:
    rng, below = random.Random(3), Counter[int]()
    for _ in range(4_000):
        source = chance.of("draws")(rng).source
        below.update(int(n) for n in re.findall(r"randrange\((\d+)\)|randint\(1, (\d+)\)", source) for n in n if n)
    assert all(below[n] > 20 for n in range(2, 21)), below


def test_scripts_calls_and_input() -> None:
    drawn = [chance.program(random.Random(seed)) for seed in range(1_000)]
    assert len({program.source for program in drawn}) > 900
    scripts = [program for program in drawn if program.call is None]
    assert 100 < len(scripts) < 500
    asked = [program for program in drawn if program.stdin]
    assert 10 < len(asked) < 60
    assert all("input(" in one.source or "sys.stdin" in one.source for one in asked)
    imports = Counter(line for one in drawn for line in one.source.split("\n") if "import" in line)
    assert imports["import random as rnd"] > 5
    assert sum("from random import" in line for line in imports) > 10


def test_a_kind_has_a_name() -> None:
    with pytest.raises(UsageError, match="stochastic"):
        chance.of("luck")
