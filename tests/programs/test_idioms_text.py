"""Text idioms: the same seed gives the same program, all compile, nearly all return, none runs long."""

from __future__ import annotations

import ast
import random
import time

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.programs.generate.idioms_text import idioms, program
from worldline.recording.recorder import record_many


def _recorded(programs: list[Program]) -> list[Trace]:
    return list(record_many(programs))


def _returned(traces: list[Trace]) -> list[bool]:
    return [trace.outcome.kind == "returned" for trace in traces]


def test_a_seed_decides_the_program() -> None:
    assert [program(random.Random(seed)) for seed in range(200)] == [
        program(random.Random(seed)) for seed in range(200)
    ]


def test_programs_are_many_and_every_idiom_is_drawn() -> None:
    rng = random.Random(0)
    drawn = {program(rng).source for _ in range(4000)}
    assert len(drawn) > 3600
    names = {
        node.name
        for source in drawn
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    }
    unseen = [idiom for idiom in idioms() if not names & set(getattr(idiom, "names", ()))]
    assert unseen == []
    assert len(idioms()) >= 120


def test_half_of_the_functions_are_called_f() -> None:
    rng = random.Random(1)
    share = sum("def f(" in program(rng).source for _ in range(1000)) / 1000
    assert 0.4 < share < 0.6


def test_programs_compile() -> None:
    for seed in range(3000):
        one = program(random.Random(seed))
        assert one.call is not None
        compile(one.source, "source", "exec")
        compile(one.call, "call", "eval")


def test_nearly_all_programs_return_soon() -> None:
    traces = _recorded([program(random.Random(seed)) for seed in range(300)])
    assert sum(_returned(traces)) >= 0.93 * 300
    steps = sorted(len(trace) for trace in traces)
    assert steps[150] >= 5
    assert steps[285] <= 250


def test_every_idiom_returns_on_most_seeds() -> None:
    programs = [idiom(random.Random(seed)) for idiom in idioms() for seed in range(10)]
    returned = _returned(_recorded(programs))
    rates = [sum(returned[start : start + 10]) for start in range(0, len(returned), 10)]
    bad = [
        getattr(idiom, "names", ("?",))[0] for idiom, rate in zip(idioms(), rates, strict=True) if rate < 8
    ]
    assert bad == []


def test_programs_are_made_fast() -> None:
    rng = random.Random(2)
    start = time.process_time()
    for _ in range(500):
        program(rng)
    assert time.process_time() - start < 1.0
