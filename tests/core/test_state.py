"""Law 2: folding the deltas from the empty state gives the snapshots, from any keyframe."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Script

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import Replay, State, state_at, states
from worldline.core.trace import InterpreterInfo, Outcome, Trace
from worldline.recording.wire import decode

pytestmark = pytest.mark.unit

NAMES, VALUES = st.sampled_from(["a", "b", "c", "d"]), st.sampled_from(["0", "1", "'x'", "[]"])
Snapshot = dict[int, dict[str, str]]


@dataclass
class Machine:
    """A program that runs: real namespaces, and a snapshot of them whenever a step's changes are complete."""

    script: Script = field(default_factory=Script)
    spaces: Snapshot = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)
    asleep: list[int] = field(default_factory=list)
    after: list[Snapshot] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    unsettled: dict[int, dict[str, str | None]] = field(default_factory=dict)

    def step(self, gone: bool = False) -> None:
        """A step has happened: frames that had ended before it are no longer part of the state."""
        for frame in self.ended:
            del self.spaces[frame]
        self.ended = [self.script.current] if gone else []
        self.show(self.script.current, len(self.after) - 1)
        self.after.append({frame: dict(names) for frame, names in self.spaces.items()})

    def change(self, name: str, value: str | None) -> None:
        """The current frame's pending step changes a name. An argument of a call is known since the call."""
        frame = self.script.current
        pending = self.script.pending[frame]
        if value is None and name not in self.spaces[frame] and name not in self.unsettled.get(frame, {}):
            return
        self.script.change(name, value)
        self.unsettled.setdefault(frame, {})[name] = value
        if self.script.steps[pending]["event"] == "call":
            self.show(frame, pending)

    def show(self, frame: int, since: int) -> None:
        """The changes of a frame's pending step are part of the states since a step."""
        changes = self.unsettled.pop(frame, {})
        shown = [snapshot[frame] for snapshot in self.after[max(since, 0) :] if frame in snapshot]
        for names in (self.spaces[frame], *shown):
            assign(names, changes)

    def stop(self) -> None:
        """The recording ends: what never became known is seen with its own step."""
        for frame in list(self.unsettled):
            self.show(frame, self.script.pending[frame])


def assign(names: dict[str, str], changes: dict[str, str | None]) -> None:
    for name, value in changes.items():
        if value is None:
            names.pop(name, None)
        else:
            names[name] = value


def call(machine: Machine, parent: int) -> None:
    machine.script.call(parent, "f", "p.py", 1)
    machine.stack.append(machine.script.current)
    machine.spaces[machine.script.current] = {}
    machine.step()


def leave(machine: Machine, how: str) -> None:
    """The innermost frame returns, raises out or falls asleep; the line below it ends, and the next one starts."""
    machine.script.event(how, 2, "None")
    frame = machine.stack.pop()
    machine.step(gone=how != "yield")
    if how == "yield":
        machine.asleep.append(frame)
    machine.script.switch(machine.stack[-1])
    machine.script.line(3)
    machine.step()


def wake(machine: Machine) -> None:
    frame = machine.asleep.pop()
    machine.script.resume(frame, 4)
    machine.stack.append(frame)
    machine.step()


def act(machine: Machine, draw: st.DrawFn) -> None:
    for _ in range(draw(st.integers(0, 3))):
        machine.change(draw(NAMES), draw(st.none() | VALUES))
    what = draw(st.sampled_from(["line", "line", "call", "return", "raise", "yield", "wake", "caught"]))
    if what == "call":
        call(machine, machine.stack[-1])
    elif what in ("return", "raise", "yield") and len(machine.stack) > 1:
        leave(machine, what)
    elif what == "wake" and machine.asleep:
        wake(machine)
    elif what == "caught":  # raised and caught here, perhaps with a call in between
        machine.script.event("raise", 2, "E()")
        machine.step()
        if draw(st.booleans()):
            call(machine, machine.stack[-1])
    else:
        machine.script.line(5)
        machine.step()


@st.composite
def runs(draw: st.DrawFn) -> tuple[Trace, list[Snapshot]]:
    """A trace and the snapshots it must fold to."""
    machine = Machine()
    call(machine, -1)
    for _ in range(draw(st.integers(0, 25))):
        act(machine, draw)
    machine.stop()
    decoded = decode(machine.script.wire())
    return trace_of(machine.script), [*machine.after[: len(decoded.columns)]]


def trace_of(script: Script) -> Trace:
    decoded = decode(script.wire())
    interpreter = InterpreterInfo("cpython", "3.11.0", "python")
    return Trace(Program(source=""), interpreter, Limits(), Outcome("returned"), decoded.columns, decoded.frames)


@given(runs(), st.integers(1, 7))
def test_folding_the_deltas_gives_the_snapshots(run: tuple[Trace, list[Snapshot]], every: int) -> None:
    trace, snapshots = run
    assert [state.copy().frames for _, state in states(trace)] == snapshots
    replay = Replay(trace, every=every)
    for i in (*reversed(range(len(trace))), *range(len(trace))):
        assert replay.at(i).frames == snapshots[i]
        assert state_at(trace, i).frames == snapshots[i]


def long_trace(steps: int, depth: int = 0) -> Trace:
    script = Script()
    for parent in range(-1, depth):
        script.call(parent, "f", "p.py", 1)
        script.change("n", str(parent))
    for i in range(steps):
        script.line(2)
        script.change("i", str(i))
    return trace_of(script)


def test_a_far_step_costs_the_distance_to_its_keyframe(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = long_trace(2000)
    replay = Replay(trace, every=64)
    assert replay.at(2000).frames[0]["i"] == "1999"
    reads: list[int] = []
    whole = Trace.__getitem__
    monkeypatch.setattr(Trace, "__getitem__", lambda self, i: reads.append(i) or whole(self, i))  # type: ignore[func-returns-value]
    assert replay.at(1500).frames[0]["i"] == "1499"
    assert len(reads) <= 64


def test_keyframes_share_what_did_not_change_and_stay_smaller_than_the_trace() -> None:
    trace = long_trace(500, depth=50)
    replay = Replay(trace, every=8)
    replay.at(len(trace) - 1)
    earlier, later = (fold.state for fold in replay._folds[-2:])
    assert earlier.frames[3] is later.frames[3]
    assert earlier.frames[50] is not later.frames[50]
    assert sum(len(fold.state.frames) for fold in replay._folds) <= len(trace)


def test_states_that_share_are_still_independent() -> None:
    trace = long_trace(3)
    replay = Replay(trace, every=1)
    before = replay.at(1).frames
    expected = {frame: dict(names) for frame, names in before.items()}
    mine = replay.at(1)
    mine.apply(trace[2])
    assert mine.frames != expected
    assert replay.at(1).frames == expected == before
    copy = mine.copy()
    mine.apply(trace[3])
    assert copy.frames == {0: {"n": "-1", "i": "1"}}


def test_steps_that_do_not_exist() -> None:
    replay = Replay(long_trace(1))
    for i in (-1, 2, 99):
        with pytest.raises(IndexError):
            replay.at(i)
    assert State().copy() == State()


def test_an_exception_before_a_resumed_generator_has_not_left_its_frame() -> None:
    """What a run of the test above found once."""
    machine = Machine()
    call(machine, -1)
    call(machine, 0)
    leave(machine, "yield")
    machine.script.event("raise", 2, "E()")
    machine.step()
    wake(machine)
    trace = trace_of(machine.script)
    assert [sorted(state.copy().frames) for _, state in states(trace)] == [[0], *[[0, 1]] * 5]
