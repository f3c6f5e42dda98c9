"""Delve as an oracle: the same lines in the same order, and the same plain values before each of them.

Delve also stops where a call returns into a line, and on the lines where a function begins and ends: those stops are
left out. A line that follows itself in one frame counts once. The programs call nothing of the library, whose lines
Delve would step through one by one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import delve
import pytest
from go_runs import HAS_GO, GoRecorder, check, recorder

from worldline.core.trace import Trace

PROGRAMS = sorted((Path(__file__).parent / "oracle").glob("*.go"))
HAS_DELVE = shutil.which("dlv") is not None
pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(not HAS_GO or not HAS_DELVE, reason="there is no Go or no Delve"),
]


@pytest.fixture(scope="module")
def go() -> Iterator[GoRecorder]:
    with recorder() as opened:
        yield opened


def stops_of(trace: Trace) -> list[delve.Stop]:
    """Each line step of a recording, with the values of its frame before it."""
    stops: list[delve.Stop] = []
    states: dict[int, dict[str, str]] = {}
    for step in trace.steps:
        state = states.setdefault(step.frame, {})
        if step.event == "line":
            stops.append(delve.Stop(step.depth + 1, step.line, dict(state)))
        state.update(step.delta)
        for name in step.gone:
            state.pop(name, None)
    return stops


def merged(stops: list[delve.Stop]) -> list[delve.Stop]:
    """Drop stops where a call returns into its line, and a line that follows itself."""
    kept: list[delve.Stop] = []
    last: dict[int, int] = {}  # the line of the frame at each depth
    before = 0
    for stop in stops:
        if stop.depth > before or last.get(stop.depth) != stop.line:
            kept.append(stop)
        last[stop.depth], before = stop.line, stop.depth
    return kept


def cases_with_a_tag(source: str) -> set[int]:
    """The lines of cases that compiled code searches instead of trying one after the other; a recording tries them."""
    lines, tags = set(), dict[str, bool]()  # by indentation
    for number, text in enumerate(source.split("\n"), 1):
        word, indentation = text.strip(), text[: len(text) - len(text.lstrip())]
        if word.startswith("switch "):
            tags[indentation] = not word.endswith(("switch {", "; {"))
        elif word.startswith("case ") and tags.get(indentation, False):
            lines.add(number)
    return lines


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_debugger_agrees(path: Path, go: GoRecorder) -> None:
    source = path.read_text()
    trace = go.record(source)
    check(trace, go.flow(trace))
    tagged = cases_with_a_tag(source)
    ours = merged([stop for stop in stops_of(trace) if stop.line not in tagged])
    theirs = merged([stop for stop in delve.stops(source) if stop.line not in tagged])
    assert [(stop.depth, stop.line) for stop in ours] == [(stop.depth, stop.line) for stop in theirs]
    compared = 0
    for mine, other in zip(ours, theirs, strict=True):
        for name, value in other.values.items():
            assert mine.values.get(name) == value, (name, mine, other)
            compared += 1
    assert compared >= 20


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 10
