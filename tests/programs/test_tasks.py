"""State-tracking programs: they run, in every form, at any length, and say what the published shape says."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter

import pytest

from worldline.codec.compact.writer import encode
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs import tasks
from worldline.programs.worlds import WORLDS
from worldline.recording.recorder import record, record_many


def drawn(count: int, seed: int = 0) -> list[Program]:
    rng = random.Random(seed)
    return [tasks.program(rng) for _ in range(count)]


@pytest.mark.long(reason="records 150 programs")
def test_they_run_and_are_short() -> None:
    traces = list(record_many(drawn(150)))
    assert {trace.outcome.kind for trace in traces} == {"returned"}
    sizes = sorted(len(encode(trace)) for trace in traces)
    assert sizes[len(sizes) * 9 // 10] < 4_096


def test_every_form_is_drawn() -> None:
    programs = drawn(400)
    scripts = [program for program in programs if program.call is None]
    forms = Counter(
        {
            "scripts": len(scripts),
            "mains": sum(program.call == "main()" for program in programs),
            "given": sum("(moves)" in program.source for program in programs),
            "loops": sum("for " in program.source for program in programs),
            "loops in scripts": sum("\nfor " in program.source for program in scripts),
            "looks on the way": sum(program.source.count("print(") > 2 for program in scripts),
        }
    )
    assert min(forms.values()) > 3, forms


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("length", [1, 12, 120])
def test_every_world_takes_any_number_of_moves(name: str, length: int) -> None:
    for seed in range(20):
        world = WORLDS[name](random.Random(seed), length)
        assert len(world.moves) == length
        for move in world.moves:
            ast.parse(move)
            assert "\n" not in move


def test_a_loop_does_what_the_lines_do() -> None:
    """The two forms of one world end alike: the loop's data and body are the moves."""
    programs: list[Program] = []
    for name, draw in WORLDS.items():
        for seed in range(8):
            rng = random.Random(f"{name} {seed}")
            world = draw(rng, 14)
            loop = world.loop or tasks._chain(rng, world)
            if loop is None:
                continue
            start = [f"{key} = {literal}" for key, literal in world.start]
            walk = [f"for {loop.target} in {loop.items}:", *("    " + line for line in loop.body)]
            forms = (world.moves, walk)
            programs += [tasks._function(rng, world, [*start, *form], {}, main=False) for form in forms]
    traces = list(record_many(programs))
    assert len(traces) > 100
    for one, other in zip(traces[::2], traces[1::2], strict=True):
        assert one.outcome.kind == "returned", one.program.source
        assert one.outcome == other.outcome, one.program.source + other.program.source


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(20, 7) == drawn(20, 7) != drawn(20, 8)


def test_lengths_are_mostly_short() -> None:
    rng = random.Random(0)
    lengths = [tasks._length(rng) for _ in range(2_000)]
    assert (min(lengths), max(lengths)) == (2, tasks.MAX_MOVES)
    assert 0.8 < sum(length <= 40 for length in lengths) / 2_000 < 0.95


LINE = r"    a, b, c, d, e = (?:[a-e], ){4}[a-e]\n"


@pytest.mark.parametrize(
    ("arbitrary", "pair", "line"),
    [(True, None, LINE), (False, False, LINE), (False, True, r"    ([a-e]), ([a-e]) = [a-e], [a-e]\n")],
)
def test_a_permutation_has_the_published_shape(arbitrary: bool, pair: bool | None, line: str) -> None:
    program = tasks.permutation(random.Random(1), length=16, arbitrary=arbitrary, pair=pair)
    digits = "".join(f"    {name} = [0-9]\n" for name in "abcde")
    shape = rf"def f\(\):\n{digits}(?:{line}){{16}}    return a, b, c, d, e\ndef main\(\):\n    return f\(\)\n"
    assert re.fullmatch(shape, program.source)
    assert program.call == "main()"


def test_a_permutation_s_trace_begins_at_main_and_ends_with_the_state() -> None:
    program = tasks.permutation(random.Random(2), length=8, arbitrary=True)
    trace = record(program)
    steps = list(trace.steps)
    assert trace.frames[0].name == "main"
    assert (steps[0].event, steps[0].frame) == ("call", 0)
    values = [int(line.split("=")[1]) for line in program.source.splitlines()[1:6]]
    state = dict(zip("abcde", values, strict=True))
    for line in program.source.splitlines()[6:14]:
        names, order = (side.strip().split(", ") for side in line.split("="))
        state |= dict(zip(names, [state[key] for key in order], strict=True))
    assert steps[-1].arg == repr(tuple(state.values()))


def test_swaps_swap_two() -> None:
    program = tasks.permutation(random.Random(3), length=50, pair=False)
    for line in program.source.splitlines()[6:56]:
        names, order = (side.strip().split(", ") for side in line.split("="))
        assert sum(one != other for one, other in zip(names, order, strict=True)) == 2


def test_digits_are_distinct_or_not() -> None:
    rng = random.Random(0)
    counts = Counter(
        len({line[-1] for line in tasks.permutation(rng, length=0).source.splitlines()[1:6]}) for _ in range(100)
    )
    assert counts[5] > 50
    assert sum(counts[few] for few in (2, 3, 4)) > 10


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="2 to 26 names"):
        tasks.permutation(random.Random(0), length=3, names=1)
    with pytest.raises(UsageError, match="pair"):
        tasks.permutation(random.Random(0), length=3, arbitrary=True, pair=True)
