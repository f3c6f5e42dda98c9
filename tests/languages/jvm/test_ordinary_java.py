"""Ordinary programs, each of a part of the language: they end as in a plain run; their steps were read by eye."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import java_runs
import pytest

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.trace import Trace

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not java_runs.HAS_JDK, reason="there is no JDK")]
PROGRAMS = sorted((Path(__file__).parent / "ordinary").glob("*.java"))
STDIN = {"Reading.java": "2\n3 4 + 2 *\n5 6 *\n"}


@pytest.fixture(scope="module")
def recorder() -> Iterator[java_runs.JavaRecorder]:
    with java_runs.recorder() as found:
        yield found


def record(recorder: java_runs.JavaRecorder, name: str) -> Trace:
    source = next(path for path in PROGRAMS if path.name == name).read_text()
    return recorder.record(source, name=name, stdin=STDIN.get(name, ""))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_ends_as_in_a_plain_run(recorder: java_runs.JavaRecorder, path: Path) -> None:
    trace = record(recorder, path.name)
    plain = java_runs.plain(path.read_text(), STDIN.get(path.name, ""), path.name)
    assert (trace.output, java_runs.status_of(trace)) == (plain.stdout, plain.status)
    flow = recorder.flow(trace)
    java_runs.check(trace, flow)
    guide = Guide(trace.program, Compact(), guard=True, table=read_table(flow))
    guide.feed_all(encode_steps(trace, Compact()))
    assert guide.ended


def lines(trace: Trace, name: str) -> list[list[int]]:
    """The lines of each frame of a name."""
    frames = [number for number, frame in enumerate(trace.frames) if frame.name == name]
    return [[step.line for step in trace.steps if step.frame == frame] for frame in frames]


def test_the_value_of_a_switch_is_taken_in_no_other_case(recorder: java_runs.JavaRecorder) -> None:
    trace = record(recorder, "Shapes.java")
    assert lines(trace, "corners") == [[43, 44, 45, 52, 52], *[[43, 44, 47, 48, 52, 52]] * 2]
    (told,) = [step.delta["n"] for step in trace.steps if step.line == 45]
    assert told == "0"


def test_what_javac_adds_for_a_switch_is_no_frame(recorder: java_runs.JavaRecorder) -> None:
    trace = record(recorder, "Enums.java")
    assert [name for frame in trace.frames if "<clinit>" in (name := frame.name)] == ["Day.<clinit>", "Basic.<clinit>"]


def test_maps_and_sets_of_constants_show_what_they_hold(recorder: java_runs.JavaRecorder) -> None:
    steps = record(recorder, "Enums.java").steps
    hours, free = ([step.delta[name] for step in steps if name in step.delta] for name in ("hours", "free"))
    assert hours[:2] == ["EnumMap#1({})", "EnumMap#1({Day.MON: 8})"]
    assert hours[-1] == "EnumMap#1({Day.MON: 8, Day.TUE: None, Day.SUN: 0})"
    assert free == ["EnumSet#4([Day.MON, Day.SUN])", "EnumSet#4([Day.SUN])"]  # behind two constants of Basic
