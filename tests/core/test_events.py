"""The classes of events, and the rule of when a step's change is known."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.events import (
    CHANGELESS,
    ENDED,
    EVENTS,
    FINAL,
    LEAVING,
    OUTCOMES,
    Pending,
    known_at,
    shown_at,
    unsettled,
)

pytestmark = pytest.mark.unit


class FrameStep(NamedTuple):
    """The least that an event is."""

    frame: int
    event: str


RUNS = st.lists(st.builds(FrameStep, st.integers(0, 3), st.sampled_from(EVENTS)), max_size=30)


def test_event_classes_contain_only_events_and_outcomes() -> None:
    assert {*CHANGELESS, *LEAVING, *FINAL} <= {*EVENTS}
    assert {*ENDED} <= {*OUTCOMES}


@given(RUNS)
def test_a_change_is_known_at_the_next_event_of_its_frame_that_can_change_something(run: list[FrameStep]) -> None:
    for i, (step, settled_at) in enumerate(zip(run, known_at(run), strict=True)):
        later = (j for j in range(i + 1, len(run)) if run[j].frame == step.frame)
        goes_on = next((j for j in later if run[j].event not in CHANGELESS), None)
        assert settled_at == (None if step.event in CHANGELESS else goes_on)


@given(RUNS)
def test_people_see_a_change_with_the_last_event_before_it_is_known(run: list[FrameStep]) -> None:
    for i, (step, settled_at, seen_at) in enumerate(zip(run, known_at(run), shown_at(run), strict=True)):
        is_at_once = settled_at is None or step.event == "call"
        assert seen_at == (i if is_at_once else settled_at - 1)


def test_another_thread_does_not_delay_a_change() -> None:
    run = [
        FrameStep(0, "line"),
        FrameStep(1, "line"),
        FrameStep(2, "call"),
        FrameStep(2, "return"),
        FrameStep(0, "line"),
    ]
    assert shown_at(run, threads=[0, 1, 0, 0, 0]) == [3, 1, 2, 3, 4]
    assert shown_at(run, threads=[0, 1, 1, 1, 0]) == [0, 1, 2, 3, 4]


@given(RUNS)
def test_changes_that_never_become_known_are_unsettled(run: list[FrameStep]) -> None:
    never = {i for i, settled_at in enumerate(known_at(run)) if settled_at is None and run[i].event not in CHANGELESS}
    assert set(unsettled(run).values()) == never
    assert all(run[i].frame == frame for frame, i in unsettled(run).items())


@pytest.mark.parametrize("event", CHANGELESS)
def test_a_changeless_event_leaves_its_line_pending(event: str) -> None:
    pending = Pending[str]()
    pending.hold(0, "line", "first")
    pending.hold(0, event, "never")
    assert pending.settle(0, event) is None
    assert pending.get(0) == "first"
    assert Pending(pending.steps).settle(0, "return") == "first"
    assert pending.drop(0) == "first"
    assert pending.settle(0, "return") is None
