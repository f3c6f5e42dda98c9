"""Every result of a racing program, each with a schedule that gives it: in a toy world by hand, and in a real box."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from fake_world import trace_of

from worldline.core.hidden import Control, replaying
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.plan.futures.future_report import Effort, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.schedules import Schedules, race_result
from worldline.plan.futures.subject import Subject, read_from_trace

RACE = (Path(__file__).parents[2] / "examples" / "race.py").read_text("utf-8")


def toy(control: Control) -> Trace:
    """Two threads of three lines each, 1 and 2, that main waits for; the answer is the order in which they ran."""
    left, order, hidden, running = {1: 3, 2: 3}, "", list[Hidden](), 0
    given = list(control.given)
    for step in range(1, 7):
        ready = [thread for thread, lines in left.items() if lines]
        kind = f"thread {' '.join(map(str, ready))}"
        asked = given[0] if given and given[0].step == step else None
        if asked is not None and int(asked.value) in ready:
            given.pop(0)
            to = int(asked.value)
        else:
            to = running if running in ready else ready[0]
        if to != running:
            hidden.append(Hidden(step, kind, str(to)))
        running = to
        left[to] -= 1
        order += str(to)
    return trace_of(repr(order), [*hidden, Hidden(7, "thread 0", "0")], lines=6)


def orders(most: int) -> dict[str, int]:
    search = Schedules(toy, most=most)
    found: dict[str, int] = {}
    for preemptions, trace in search:
        if trace is not None:
            found.setdefault(read_from_trace(Subject(), trace), preemptions)
    assert search.done == most
    assert search.waiting == 0
    return found


def test_every_order_of_two_threads_is_found_with_the_fewest_preemptions() -> None:
    assert orders(0) == {"'111222'": 0, "'222111'": 0}
    assert set(orders(1)) == {"'111222'", "'222111'", *(f"'{o}'" for o in ("122211", "112221", "211122", "221112"))}
    assert len(orders(4)) == 20  # 6 over 3


def test_stopped_search_reports_its_bound() -> None:
    search = Schedules(toy, most=3)
    list(islice(search, 1))
    assert search.done == -1
    list(islice(search, 3))
    assert search.runs == 4
    assert search.done < 3


def test_a_racing_counter_loses_counts_and_each_result_is_replayed() -> None:
    program = Program(source=RACE, call="race(1)")
    with sandboxed_program(program) as world:
        found: dict[str, Trace] = {}
        for preemptions, trace in Schedules(world, most=1):
            if trace is not None:
                found.setdefault(race_result(Subject(), preemptions, trace).what, trace)
        assert set(found) == {"1", "2"}
        for what, trace in found.items():
            again = world(replaying(trace.hidden))
            assert read_from_trace(Subject(), again) == what
            assert again.hidden == trace.hidden


def test_an_outlook_tells_threads_apart_from_chance() -> None:
    program = Program(source=RACE, call="race(1)")
    with sandboxed_program(program) as world:
        found = build_report(world, program, Subject(), effort=Effort(preemptions=1))
        assert found.races is not None
        assert not found.by_chance
        assert found.races.words.startswith("all schedules with at most 1 preemption; ")
        assert {what for what, one, _, _ in found.races.rows if one is not None} == {"1", "2"}
        for what, seed in found.races.seeds.items():
            assert read_from_trace(Subject(), world(Control(seed=0, schedule=seed))) == what
    assert found.as_json()["races"]["preemptions"] == 1
