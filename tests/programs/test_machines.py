"""Drawn machines and draws: seeded, structurally distinct, executed to an end, and readable by the planner."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable

import pytest

import worldline
from worldline.core.program import Program
from worldline.data.mixture import DOCUMENT_LIMITS, Mixture, Mode, Source, draw_documents
from worldline.plan.reach.machine import read_machine
from worldline.programs import machines
from worldline.programs.generate import draws
from worldline.programs.split import split_of

MAKERS = (machines.program, machines.commanded, draws.program)


def draw(make: Callable[[random.Random], Program], count: int) -> list[Program]:
    return [make(random.Random(seed)) for seed in range(count)]


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_same_program_that_compiles(make: Callable[[random.Random], Program]) -> None:
    programs = draw(make, 150)
    assert programs == draw(make, 150)
    for item in programs:
        compile(item.source, "program.py", "exec")


def test_machines_are_distinct() -> None:
    assert len({item.source for item in draw(machines.program, 400)}) >= 390
    assert len({item.source for item in draw(machines.commanded, 400)}) >= 390


def test_machines_return_and_most_commands_change_the_state() -> None:
    programs = draw(machines.program, 120)
    traces = list(worldline.record_many(programs, limits=DOCUMENT_LIMITS))
    assert Counter(trace.outcome.kind for trace in traces) == {"returned": 120}
    assert 30 <= sum(map(len, traces)) / 120 <= 120
    rng = random.Random(4)
    useful = total = 0
    for _ in range(100):
        machine = machines.draw_machine(rng)
        lines = machines.dispatch(rng, machine)
        body = ast.parse("\n".join(lines)).body
        env = {name: ast.literal_eval(literal) for name, literal in machine.start}
        for word in machines.draw_commands(rng, machine, lines, 10):
            after = machines.step_machine(env, body, machine.command, word)
            useful, total, env = useful + (after != env), total + 1, after
    assert useful / total > 0.7


def test_guards_need_keys_places_and_resources() -> None:
    rng = random.Random(5)
    guards = Counter(len(action.guards) for _ in range(200) for action in machines.draw_machine(rng).actions)
    assert guards[2] + guards[3] > 0.2 * guards.total()


def test_planner_reads_commanded_machines() -> None:
    for item in draw(machines.commanded, 60):
        machine = read_machine(item)
        assert len(machine.commands) >= 2
        assert all(word in item.source for word in machine.commands)


def test_draws_cover_every_size_evenly() -> None:
    sizes: Counter[str] = Counter()
    source = Source(kind="chance", program="worldline.programs.generate.draws:program")
    mixture = Mixture(sources=(source,), modes=(Mode(weight=1.0),), shift=0.0, query=0.0)
    documents = draw_documents(mixture, seed=2, trust=True)
    for _ in range(250):
        item = next(documents)
        assert split_of(item.key) == "train"
        sizes.update(line.split(b"'")[1].decode() for line in item.steps.splitlines() if line.startswith(b"%'below"))
    documents.close()  # type: ignore[attr-defined]
    assert set(sizes) == {f"below {n}" for n in range(2, draws.MAX_SIZE + 1)}
    assert sizes.total() > 1200
    assert min(sizes.values()) > 0.3 * sizes.total() / len(sizes)
