"""A rewriting's run, folded, is the original's run told by statements: every step, name and value of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from both import programs
from tiers import examples

from worldline.analyze.rewrite import Rewritten, rewrite
from worldline.analyze.rewrite.fold import FoldedRun, fold
from worldline.analyze.rewrite.line_map import LineMap, line_map
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.evaluation import suites
from worldline.programs import generate, tasks
from worldline.recording.recorder import record_many

HUMANEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"
MODES = ({"flatten": True}, {"chars": True}, {"flatten": True, "chars": True})
ODD = {**programs("oddballs.txt"), **programs("oddballs_chars.txt")}
SAY = ODD.pop("say")[0]

pytestmark = pytest.mark.usefixtures("sandbox")


def told(program: Program, where: LineMap, trace: Trace) -> list[tuple[Any, ...]]:
    made = folded(program, where, trace)
    parents = [frame.parent for frame in made.frames]
    return [(s.event, s.frame, parents[s.frame], s.line, s.delta, sorted(s.gone), s.arg) for s in made.steps]


def folded(program: Program, where: LineMap, trace: Trace) -> FoldedRun:
    return fold(program, where, list(trace.steps), trace.frames, trace.hidden)


def differing(originals: Sequence[Program], done: Sequence[Rewritten]) -> list[str]:
    """The programs whose rewritings' runs do not fold to their own."""
    new = [replace(one, source=two.source) for one, two in zip(originals, done, strict=True)]
    runs = zip(originals, done, recorded(tuple(originals)), record_many(new), strict=True)
    found = []
    for program, two, before, after in runs:
        where = line_map(program.source, two.source, two.lines)
        if told(program, line_map(program.source), before) != told(program, where, after):
            found.append(f"{program.source}\n{program.call}\n{two.source}")
    return found


@cache
def recorded(programs: tuple[Program, ...]) -> list[Trace]:
    """The runs of the originals, which every mode is compared with."""
    return list(record_many(programs))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES, ids="+".join)
def test_generated_programs(mode: dict[str, bool]) -> None:
    rng = Random(f"fold {mode}")
    made = [generate.program(rng) if n % 5 else tasks.program(rng) for n in range(60)]
    assert differing(made, [rewrite(one.source, call=one.call, **mode) for one in made]) == []
    some = [rewrite(one.source, call=one.call, only=_drawn(rng, one.source), **mode) for one in made]
    assert differing(made, some) == []


def _drawn(rng: Random, source: str) -> list[int]:
    return [line for line in range(1, source.count("\n") + 1) if rng.random() < 0.4]


@pytest.mark.long(reason="60 problems of HumanEval")
@pytest.mark.skipif(not HUMANEVAL.exists(), reason="HumanEval is not here")
def test_humaneval() -> None:
    made = [task.program for task in islice(suites.load("humaneval", data=HUMANEVAL, calls=1).tasks, 60)]
    assert differing(made, [rewrite(one.source, call=one.call, flatten=True) for one in made]) == []


@pytest.mark.fuzz
@pytest.mark.parametrize("mode", MODES, ids="+".join)
def test_what_is_easily_lost(mode: dict[str, bool]) -> None:
    made = [
        Program(source=SAY + source, call=call)
        for source, *calls in list(ODD.values())[:: examples(5, 1)]
        for call in calls
    ]
    assert differing(made, [rewrite(one.source, call=one.call, **mode) for one in made]) == []


def test_only_the_statements_that_are_named_are_rewritten() -> None:
    source = "def f(a):\n    b = a + a * 2\n    if a > b + 1 and b:\n        b = a + b * 2\n    return b - a * 3\n"
    assert rewrite(source, flatten=True, only=[2]).source == source.replace(
        "    b = a + a * 2\n", "    t1 = a * 2\n    b = a + t1\n"
    )
    inner = rewrite(source, flatten=True, only=[4])
    assert inner.source == source.replace("        b = a + b * 2", "        t1 = b * 2\n        b = a + t1")
    assert inner.lines[:7] == (1, 2, 3, 4, 4, 5, 0)
    assert not rewrite(source, flatten=True, only=[]).changed


def test_scratch_stands_under_the_step_it_was_for() -> None:
    program = Program(source="def f(a):\n    b = a + a * 2\n    return b\n", call="f(3)")
    done = rewrite(program.source, flatten=True)
    (trace,) = record_many([replace(program, source=done.source)])
    made = folded(program, line_map(program.source, done.source, done.lines), trace)
    assert [(step.event, step.line, step.delta) for step in made.steps] == [
        ("call", 1, {"a": "3"}),
        ("line", 2, {"b": "9"}),
        ("line", 3, {}),
        ("return", 3, {}),
    ]
    assert made.under == [[0], [1, 2], [3], [4]]
