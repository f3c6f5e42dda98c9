"""Every result of a racing program is found, and no other: compared with all interleavings of a model of it."""

from __future__ import annotations

from functools import cache

import pytest
from racing_programs import POOL, PROGRAMS, RacingProgram, every_result

from worldline.core.errors import UsageError
from worldline.core.hidden import SCHEDULE, Control, format_schedule, parse_schedule, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.plan.futures.future_report import Effort, build_report
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.race_report import RaceReport, search_races
from worldline.plan.futures.races import RaceSearch
from worldline.plan.futures.subject import Subject, read_from_trace
from worldline.recording.guests.turns.footprint import EVERYTHING, is_dependent, read_footprint, write_footprint

ENDLESS = """\
import threading
ticks = []
def spin():
    while True:
        ticks.append(1)
threading.Thread(target=spin, daemon=True).start()
print('main is done')
"""
LATE = """\
import threading, time
def f():
    log = []
    def w(name, seconds):
        time.sleep(seconds)
        log.append(name)
    ts = [threading.Thread(target=w, args=a) for a in (('slow', 5), ('fast', 1))]
    for t in ts: t.start()
    for t in ts: t.join()
    return log
"""
RANDOM = """\
import random, threading
def f():
    log = []
    def w(): log.append(random.randrange(6))
    ts = [threading.Thread(target=w) for _ in range(2)]
    for t in ts: t.start()
    for t in ts: t.join()
    return log
"""


def searched(source: str, *, runs: int = 2_000, limits: Limits | None = None) -> RaceReport:
    call = "f()" if "def f()" in source else None
    with sandboxed_program(Program(source=source, call=call), limits=limits) as world:
        return search_races(
            world,
            Subject(),
            seed=0,
            has_draws="random" in source,
            max_runs=runs,
            enough=lambda: False,
            progress=lambda text: None,
        )


@cache
def report_of(name: str) -> RaceReport:
    """The search of one of the programs, once for all tests."""
    return searched(PROGRAMS[name].source)


def assert_complete(program: RacingProgram, report: RaceReport) -> int:
    """Assert that the search found what all interleavings give. Return how many those are."""
    results, count = every_result(program)
    assert {race.what for race in report.results} == results
    assert report.is_complete
    assert report.words.startswith("complete: ")
    return count


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_result_is_found_and_its_schedule_replays_it(name: str) -> None:
    program = PROGRAMS[name]
    report = report_of(name)
    assert_complete(program, report)
    with sandboxed_program(Program(source=program.source, call="f()")) as world:
        for race in report.results:
            written = Control(given=(Hidden(0, SCHEDULE, repr(race.schedule)),))
            trace = world(written)
            assert read_from_trace(Subject(), trace) == race.what
            assert trace.hidden == race.hidden
            again = world(replaying(trace.hidden))
            assert (again.hidden, again.columns) == (trace.hidden, trace.columns)
            assert not [note for note in again.notes if note.startswith("parted")]


@pytest.mark.long(reason="searches all the programs")
def test_most_programs_need_fewer_runs_than_they_have_interleavings() -> None:
    fewer = 0
    for name, program in PROGRAMS.items():
        report = report_of(name)
        fewer += report.runs < assert_complete(program, report)
    assert len(PROGRAMS) >= 20
    assert fewer > len(PROGRAMS) / 2


@pytest.mark.long(reason="a pool has many locks of its own")
def test_a_thread_pool() -> None:
    assert_complete(POOL, searched(POOL.source))


def test_the_eleven_of_two_updates_each_is_found() -> None:
    assert "11" in {race.what for race in report_of("two updates each").results}


def test_a_search_that_was_stopped_is_not_complete() -> None:
    report = searched(PROGRAMS["three updates"].source, runs=5)
    assert not report.is_complete
    assert report.waiting > 0
    assert report.words.startswith("not complete: 5 runs; ")


def test_an_endless_thread_is_never_complete() -> None:
    report = searched(ENDLESS, runs=2, limits=Limits(steps=3_000))
    assert not report.is_complete


def test_a_limit_is_a_reason() -> None:
    report = searched(PROGRAMS["appends"].source, limits=Limits(steps=12))
    assert not report.is_complete
    assert "met a limit" in report.words


def test_completeness_names_what_it_depends_on() -> None:
    late = searched(LATE)
    assert {race.what for race in late.results} == {"['fast', 'slow']"}
    assert "sleeps and timeouts end in the order of their time" in late.words


@pytest.mark.long(reason="every access to the generator is a place to switch: hundreds of runs")
def test_completeness_names_the_draws() -> None:
    drawn = searched(RANDOM)
    assert len(drawn.results) == 2
    assert drawn.words.endswith("with the draws of seed 0")


def test_a_report_keeps_schedules_apart_from_chance() -> None:
    program = Program(source=PROGRAMS["a deadlock"].source, call="f()")
    with sandboxed_program(program) as world:
        report = build_report(world, program, Subject(), effort=Effort())
        races = report.races
        assert races is not None
        assert not report.by_chance
        assert {race.what for race in races.results} == {"'fine'", "(limit deadlock)"}
        for what, seed in races.seeds.items():
            assert read_from_trace(Subject(), world(Control(seed=0, schedule=seed))) == what
    assert report.as_json()["races"]["complete"]


def test_runs_of_the_search_are_counted() -> None:
    with sandboxed_program(Program(source=PROGRAMS["appends"].source, call="f()")) as world:
        search = RaceSearch(world.run_turns)
        runs = [run for run in search if run.trace is not None]
    assert search.is_complete
    assert len(runs) + search.redundant == search.runs
    assert runs[0].preemptions == 0


@pytest.mark.unit
def test_schedules_are_read_and_written() -> None:
    assert parse_schedule(format_schedule([0, 0, 1, 0])) == ((0, 2), (1, 1), (0, 1))
    assert parse_schedule("") == ()
    for text in ("0", "0:0", "a:1", "0:1,", "-1:2", "0:1:2"):
        with pytest.raises(UsageError, match="THREAD:TURNS"):
            parse_schedule(text)


@pytest.mark.unit
def test_what_depends_on_what() -> None:
    read, write, other, whole = ((1, 2, "r"),), ((1, 2, "w"),), ((1, 3, "w"),), ((1, 0, "w"),)
    assert not is_dependent(read, read)
    assert is_dependent(read, write)
    assert not is_dependent(write, other)
    assert is_dependent(other, whole)
    assert is_dependent(EVERYTHING, read)
    assert not is_dependent(EVERYTHING, ())
    assert read_footprint(write_footprint((*read, *whole))) == (*whole, *read)
