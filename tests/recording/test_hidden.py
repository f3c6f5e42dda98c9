"""Hidden inputs of Python programs: recorded where they are consumed, decided by a seed, a record, or the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from drawing_programs import SOURCES
from interpreters import FOUND

from worldline.core.errors import UsageError
from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.recording.recorder import record

LIMITS = Limits(wall=60)
DICE, SYSTEM = SOURCES["dice"], SOURCES["system"]
SEEDED = """\
import random
r = random.Random(7)
random.seed("a")
xs = [r.random(), random.random(), r.randrange(9), random.getrandbits(5)]
q = random.Random()
q.setstate(r.getstate())
ys = [q.random() == r.random(), q.randrange(9)]
"""


def run(source: str, *, control: Control | None, call: str | None = None, **options: Any) -> Trace:
    return record(Program(source=source, call=call), control=control, limits=LIMITS, **options)


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "hidden", "notes")}


def kinds(trace: Trace) -> list[str]:
    return [hidden.kind for hidden in trace.hidden]


@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("source", [DICE, SYSTEM])
def test_one_seed_gives_one_run_whichever_core_records_it(version: str, source: str) -> None:
    both = {
        core: run(source, control=Control(seed=5), python=FOUND[version], core=core) for core in ("native", "python")
    }
    assert both["native"].outcome.kind == "returned", both["native"].stderr
    assert [trace.interpreter.core for trace in both.values()] == ["native", "python"]
    assert facts(both["native"]) == facts(both["python"])
    assert both["native"].hidden
    again = run(source, control=Control(seed=5), python=FOUND[version])
    assert facts(again) == facts(both["native"])
    other = run(source, control=Control(seed=6), python=FOUND[version])
    assert [each.value for each in other.hidden] != [each.value for each in again.hidden]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("source", [DICE, SYSTEM, SEEDED])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_record_replays_under_another_seed(version: str, source: str, seed: int | None) -> None:
    first = run(source, control=Control(seed=seed), python=FOUND[version])
    again = run(source, control=replace(replaying(first.hidden), seed=99), python=FOUND[version])
    assert facts(again) == facts(first)


def test_live_runs_differ_and_say_how() -> None:
    first, second = (run(DICE, control=Control(seed=None)) for _ in range(2))
    assert [each.value for each in first.hidden] != [each.value for each in second.hidden]


def test_draws_are_told_at_the_level_of_the_program() -> None:
    trace = run(DICE, control=Control(seed=5))
    assert kinds(trace)[:4] == ["below 6"] * 3 + ["float"]
    shuffled = ["below 5", "below 4", "below 3", "below 2", "bits 70"]
    assert kinds(trace)[-5:] == shuffled
    assert kinds(run(SYSTEM, control=Control(seed=5))) == [
        "urandom 4", "urandom 0", "urandom 3", "below 10", "urandom 16", "float", "below 3", "bits 12",
    ]  # fmt: skip


def test_a_draw_belongs_to_the_line_that_made_it() -> None:
    trace = run(DICE, control=Control(seed=5))
    lines = [trace[hidden.step].line for hidden in trace.hidden if hidden.kind == "below 6"]
    assert lines == [7, 7, 7]
    for hidden in trace.hidden[:3]:
        step = trace[hidden.step]
        before = next(trace[i] for i in reversed(range(hidden.step)) if "total" in trace[i].delta)
        assert int(step.delta["total"]) == int(before.delta["total"]) + int(hidden.value) + 1
    assert [each.step for each in trace.hidden] == sorted(each.step for each in trace.hidden)


def test_a_draw_behind_a_call_in_its_line_belongs_to_the_step_that_comes() -> None:
    source = "import random\ndef f():\n    return 1\nx = f() + random.randrange(6)\ny = 2\n"
    trace = run(source, control=Control(seed=1))
    (draw,) = trace.hidden
    assert (trace[draw.step].event, trace[draw.step].line) == ("line", 5)


def test_draws_before_the_call_and_behind_the_last_step() -> None:
    source = "import random, atexit\nk = random.randrange(5)\natexit.register(random.random)\n"
    before = run(source + "def f():\n    return k\n", call="f()", control=Control(seed=1))
    assert [(each.step, each.kind) for each in before.hidden] == [(0, "below 5"), (len(before), "float")]


def test_what_the_program_seeded_is_not_hidden() -> None:
    trace = run(SEEDED, control=Control(seed=1))
    assert not trace.hidden
    assert trace.outcome.kind == "returned"
    free = run(SEEDED, control=None)
    assert facts(trace) == facts(free)


def test_states_are_hidden_inputs_too() -> None:
    source = "import random\ns = random.getstate()\na = random.random()\nrandom.setstate(s)\nb = random.random()\n"
    source += "assert a == b\n"
    trace = run(source, control=Control(seed=4))
    assert trace.outcome.kind == "returned"
    assert kinds(trace) == ["state", "float", "float"]
    assert facts(run(source, control=replaying(trace.hidden))) == facts(trace)


def test_a_change_of_one_draw() -> None:
    trace = run(DICE, control=Control(seed=5))
    first = trace.hidden[0]
    changed = replace(first, value=str((int(first.value) + 1) % 6))
    other = run(DICE, control=Control(seed=5, given=(changed, *trace.hidden[1:])))
    assert other.hidden == (changed, *trace.hidden[1:])
    assert int(other.output) - int(trace.output) == int(changed.value) - int(first.value)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((Hidden(0, "below 6", "1"), Hidden(0, "float", "0.5")), "at draw 2: float was given, below 6 asked for"),
        ((Hidden(0, "below 6", "1"),), "at draw 2: below 6 asked for, none given"),
    ],
)
def test_a_replay_that_parts_says_where(given: tuple[Hidden, ...], why: str) -> None:
    source = "import random\na = random.randrange(6)\nb = random.randrange(6)\n"
    trace = run(source, control=replaying(given))
    assert trace.notes == (f"parted {why}",)
    assert (trace.hidden[0].kind, trace.hidden[0].value) == ("below 6", "1")


def test_a_replay_with_too_many() -> None:
    given = (Hidden(0, "below 6", "1"), Hidden(0, "clock", "5"))
    trace = run("import random\na = random.randrange(6)\n", control=replaying(given))
    assert trace.notes == ("parted at draw 2: clock was given, none asked for",)


@pytest.mark.parametrize(
    ("kind", "value"), [("below 6", "6"), ("below 6", "x"), ("float", "1.5"), ("urandom 2", "b'a'")]
)
def test_values_that_no_draw_has(kind: str, value: str) -> None:
    with pytest.raises(UsageError):
        run("x = 1\n", control=Control(given=(Hidden(0, kind, value),)))


@pytest.mark.parametrize("version", FOUND)
def test_the_program_sees_what_it_would_see(version: str) -> None:
    source = """\
import random, os, _random, traceback
print(random.random, os.urandom, _random.Random.random, random.Random._randbelow)
print(random.random.__self__ is random._inst, random.Random._randbelow is random.Random._randbelow_with_getrandbits)
acts = [lambda: random.getrandbits(-1), lambda: os.urandom("a"), lambda: random.random(1), lambda: random.choice([])]
for act in acts:
    try:
        act()
    except Exception as error:
        print(repr(error), [frame.name for frame in traceback.extract_tb(error.__traceback__)], error.__context__)
class Loaded(random.Random):
    def random(self):
        return 0.25
class Own(random.Random):
    def getrandbits(self, k):
        return 1
print(Loaded().choice("abcd"), Own().choice("abcd"), Loaded(3).randrange(9))
"""
    free, held = (run(source, control=control, python=FOUND[version]) for control in (None, Control(seed=1)))
    address = __import__("re").compile("0x[0-9a-f]+")
    assert address.sub("", held.output) == address.sub("", free.output)
    assert not held.hidden


def test_without_a_control_nothing_is_swapped() -> None:
    assert run(DICE, control=None).hidden == ()


def test_threads_of_other_languages_are_not_scheduled() -> None:
    program = Program(source="int main(void) { return 0; }\n", name="a.c")
    outcome = record(program, control=Control(schedule=1)).outcome
    assert (outcome.kind, outcome.detail) == ("unsupported", "control: only threads of Python programs are scheduled")


@pytest.mark.parametrize("core", ["native", "python"])
def test_what_is_read_by_lines_is_read_once(core: str) -> None:
    source = "import sys\nfirst = next(sys.stdin)\nfor line in sys.stdin:\n    print(line)\n"
    trace = record(Program(source=source, stdin="a\nb\n"), core=core, limits=LIMITS)
    assert [each.value for each in trace.hidden] == ["'a\\n'", "'b\\n'", "''"]
    assert [step.arg for step in trace.steps if step.event == "input"] == ["'a\\n'", "'b\\n'", "''"]
