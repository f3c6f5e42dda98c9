"""A rewriting's run, folded, is the original's run told by statements: every step, name and value of it."""

from __future__ import annotations

import ast
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
    pairs = zip(originals, done, strict=True)
    new = [replace(one, source=two.source, call=two.call or one.call) for one, two in pairs]
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


FUNCTIONS = """
import random
class Box:
    def __init__(self, x):
        self.x = x
    def add(self, n):
        return self.x + n
def g(n):
    print('g', n)
    return n + 1
def f(a, b=0, *rest, **named):
    return [a, b, rest, named]
def h(act):
    return act(2)
def bad(n):
    raise KeyError(n)
ITEMS = [3, 1, 2]
"""
ARGUMENTS = (
    "f([3, 1], 'ab' * 2, g(4))",
    "f(g(g(1)), b=g(2) * 2)",
    "f(*ITEMS, g(2))",
    "f(1, *[g(1)], **{'c': g(2)})",
    "f(1 / 0, g(1))",
    "f(g(1), 1 / 0)",
    "f(bad(g(1)), g(2))",
    "bad(g(1))",
    "f(nothing, g(1))",
    "nothing(g(1))",
    "f(1, 2, g(3), a=g(4))",
    "h(lambda x: [print(x), g(x)])",
    "h(lambda x: 1 / 0)",
    "h([g(x) for x in ITEMS if x > 1].append)",
    "f(list(g(x) for x in ITEMS), sum(x * 2 for x in ITEMS))",
    "h(g)",
    "Box(g(1)).add(g(2))",
    "Box(1).add('a')",
    "f(print(g(1)), Box)",
    "f({g(1): g(2)}, (g(3) and g(-1)) or 5, 1 if g(0) else 2)",
    "f(len(ITEMS) > 2, sorted(ITEMS), max(ITEMS, key=lambda n: -n))",
    "sorted(f(g(1)), key=str)",
    "f(f'{g(1)}{g(2)!r}', float('inf'), -g(1))",
    "f(x for x in ITEMS)",
)
NOTHING_TO_DECOMPOSE = {
    "f(*ITEMS, g(2))",
    "h(lambda x: [print(x), g(x)])",
    "h(lambda x: 1 / 0)",
    "h(g)",
    "f(x for x in ITEMS)",
}


@pytest.mark.parametrize("mode", MODES[::2], ids="+".join)
def test_arguments_of_the_call_are_steps(mode: dict[str, bool]) -> None:
    made = [Program(source=FUNCTIONS, call=call) for call in ARGUMENTS]
    done = [rewrite(FUNCTIONS, call=one.call, arguments=True, **mode) for one in made]
    assert {one.call for one, two in zip(made, done, strict=True) if two.call is None} == NOTHING_TO_DECOMPOSE
    assert differing(made, done) == []
    after = record_many([_called(*pair) for pair in zip(made, done, strict=True)])
    assert [trace.outcome for trace in after] == [trace.outcome for trace in recorded(tuple(made))]


def _called(program: Program, done: Rewritten) -> Program:
    return replace(program, source=done.source, call=done.call or program.call)


@pytest.mark.fuzz
def test_arguments_of_generated_programs_are_steps() -> None:
    rng = Random("arguments")
    made = [_with_operations(generate.program(rng)) for _ in range(examples(40, 300))]
    made = [one for one in made if one is not None]
    done = [rewrite(one.source, call=one.call, arguments=True, flatten=True) for one in made]
    assert sum(two.call is not None for two in done) > len(made) * 0.8
    assert differing(made, done) == []


def _with_operations(program: Program) -> Program | None:
    """The same call with arguments that are operations: `f(3, 4)` as `f([3].pop(len([]) - 1), [4][0])`."""
    call = ast.parse(program.call or "0", mode="eval").body
    if not isinstance(call, ast.Call) or not call.args or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    call.args = [
        ast.parse(f"[{ast.unparse(each)}]{'[0]' if number % 2 else '.pop(len([]) - 1)'}", mode="eval").body
        for number, each in enumerate(call.args)
    ]
    return replace(program, call=ast.unparse(call))


def test_input_for_an_argument_is_not_of_the_program() -> None:
    program = Program(source="def f(a):\n    return a + input()\n", call="f(input() + '!')", stdin="a\nb\n")
    done = rewrite(program.source, call=program.call, arguments=True, flatten=True)
    before, after = record_many([program, _called(program, done)])
    assert [draw.value for draw in after.hidden] == ["'a\\n'", "'b\\n'"]
    where = line_map(program.source, done.source, done.lines)
    assert folded(program, where, after).hidden == folded(program, line_map(program.source), before).hidden
    assert [draw.value for draw in before.hidden] == ["'b\\n'"]


def test_a_call_of_literals_stays() -> None:
    source = "def f(a, b):\n    return a + b * 2\n"
    for call in ("f(1, [-2, 'a'])", "f(1, b={'a': (1, 2)})", "f((x := 1), x)", "f(1, vars())", "1 + f(1, 2 * 3)"):
        done = rewrite(source, call=call, arguments=True, flatten=True)
        assert (done.call, "entry" in done.source) == (None, False)


def test_the_steps_of_arguments_stand_under_the_call() -> None:
    program = Program(source="def f(a):\n    return a\n", call="f('ab' * 2)")
    done = rewrite(program.source, flatten=True, call=program.call, arguments=True)
    assert done.source == ("def f(a):\n    return a\n\n\ndef entry():\n    t1 = 'ab' * 2\n    return f(t1)\n")
    assert (done.call, done.lines) == ("entry()", (1, 2, 0, 0, 0, 0, 0, 0))
    (trace,) = record_many([_called(program, done)])
    made = folded(program, line_map(program.source, done.source, done.lines), trace)
    assert [(step.event, step.line, step.delta) for step in made.steps] == [
        ("call", 1, {"a": "'abab'"}),
        ("line", 2, {}),
        ("return", 2, {}),
    ]
    assert made.under == [[0, 1, 2, 3], [4], [5, 6]]
