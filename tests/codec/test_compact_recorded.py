"""The compact codec on real recordings: programs of every shape, and HumanEval's reference solutions."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode, encode_steps
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record, record_many

HUMANEVAL = Path(__file__).parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"
MODES = [
    Compact(),
    Compact(same=True),
    Compact(bare=True),
    Compact(delta="element"),
    Compact(reveal=4),
    Compact(delta="element", reveal=3),
    Compact(reveal=0),
]
GENERATORS = """
def g(n):
    while n:
        got = yield n
        n -= 1 if got is None else got
def f():
    a, b = g(3), g(2)
    return [next(a), next(b), a.send(1), next(b), list(a), sum(x for x in b)]
"""
THROWN = """
def g():
    try:
        yield 1
    except KeyError as e:
        yield str(e)
    finally:
        print('out')
def f():
    a = g()
    next(a)
    x = a.throw(KeyError('k'))
    a.close()
    return x
"""
CAUGHT = """
def h(x):
    try:
        return 1 // x
    finally:
        x = None
def f():
    try:
        h(0)
    except ZeroDivisionError as e:
        return str(e)
"""
OBJECTS = """
class P:
    def __init__(self, x):
        self.x = x
        self.all = []
    def add(self, y):
        self.all.append(y)
        self.x += y
        return self
def f():
    p = P(1)
    q = p.add(2).add(3)
    d = {'p': p}
    return sorted([3, 1, 2], key=lambda v: -v), q.x
"""
ASYNC = """
import asyncio
async def a(n):
    await asyncio.sleep(0)
    return n + 1
async def b():
    return await asyncio.gather(a(1), a(2))
print(asyncio.run(b()))
"""
PROGRAMS = {
    "script": Program(source="x = [1]\ny = x\ny.append(2)\ndel x\nprint(y)\n"),
    "generators": Program(source=GENERATORS, call="f()"),
    "thrown": Program(source=THROWN, call="f()"),
    "caught": Program(source=CAUGHT, call="f()"),
    "uncaught": Program(source="def f(n):\n    if n == 0:\n        raise ValueError('é')\n    f(n - 1)\n", call="f(3)"),
    "objects": Program(source=OBJECTS, call="f()"),
    "exits": Program(source="import sys\nname = input()\nprint('hi', name)\nsys.exit(3)\n", stdin="Ada\n"),
    "async": Program(source=ASYNC),
    "endless": Program(source="n = 0\nwhile True:\n    n += 1\n"),
}


def check(trace: Trace) -> None:
    """Round trip in every mode: all of it where all is revealed, the actions where not."""
    actions = [(step.event, step.frame, step.line, step.depth) for step in trace.steps]
    for options in MODES:
        parsed = parse(encode(trace, options))
        assert parsed.malformed is None, (options, parsed.malformed)
        assert parsed.ended == (trace.outcome.kind in ("returned", "raised", "exited"))
        if options.reveal == 1:
            assert parsed.steps == [step if options.same else replace(step, same={}) for step in trace.steps]
        else:
            assert [(step.event, step.frame, step.line, step.depth) for step in parsed.steps] == actions


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recorded_program_round_trips(name: str) -> None:
    trace = record(PROGRAMS[name], trust=True, limits=Limits(steps=300))
    assert len(trace) > 3
    assert (trace.outcome.kind == "limit") == (name == "endless")
    check(trace)


def calls() -> list[Program]:
    """The first documented call of every eighth task: `>>> f(...)` in its docstring."""
    with gzip.open(HUMANEVAL, "rt", encoding="utf-8") as lines:
        tasks = [json.loads(line) for line in lines]
    programs = []
    for task in tasks[::8]:
        examples = [line.split(">>> ")[1] for line in task["prompt"].splitlines() if ">>> " in line]
        examples = [example for example in examples if example.startswith(task["entry_point"] + "(")]
        if examples:
            source = task["prompt"] + task["canonical_solution"]
            programs.append(Program(source=source, call=examples[0].strip()))
    return programs


@pytest.mark.skipif(not HUMANEVAL.exists(), reason="../shared/data/HumanEval.jsonl.gz is not here")
def test_humaneval_solutions_round_trip_and_element_deltas_are_smaller() -> None:
    traces = [trace for trace in record_many(calls(), trust=True) if trace.outcome.kind == "returned"]
    assert len(traces) >= 5
    for trace in traces:
        check(trace)
    whole = sum(len(encode_steps(trace)) for trace in traces)
    element = sum(len(encode_steps(trace, Compact(delta="element"))) for trace in traces)
    path = sum(len(encode_steps(trace, Compact(reveal=0))) for trace in traces)
    assert path < element <= whole
    assert whole / sum(len(trace) for trace in traces) < 24  # bytes a step: the values are small
