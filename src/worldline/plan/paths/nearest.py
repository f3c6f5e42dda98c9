"""The nearest input at which a run decides differently at a step.

Neighbours of the input are tried first, then random inputs, then CrossHair's. The nearest hit is moved closer, step by
step, while it still decides differently. Every input was recorded. It is the nearest by `distance` of those tried; a
nearer one may exist.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from worldline.analyze.flow.conditions import Condition, conditions
from worldline.analyze.flow.conditions.jumps import decision_outcomes
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.paths import symbolic
from worldline.plan.paths.completeness import Way
from worldline.plan.paths.distance import CallArguments, arguments_distance, neighbours, values_between
from worldline.plan.paths.draw import Drawer
from worldline.plan.paths.search import CALL_LIMITS, CALLS_PER_PROCESS, explore_target
from worldline.plan.paths.target import Target, find_target, read_call
from worldline.recording.recorder import SandboxWorker, prepare, record
from worldline.recording.together import record_all, stretched

MAX_NEIGHBOURS = 400
MAX_DRAWN = 200
MAX_APPROACH_ROUNDS = 40


@dataclass(frozen=True)
class NearestInput:
    """An input that decides differently: its call, its trace, the deciding condition, and its distance.

    With `exact`, all decisions before are the same, also those on one line. Otherwise the same line decides differently
    at the same turn, after another start. `changed` counts the arguments that differ.
    """

    call: str
    trace: Trace
    condition: Condition
    exact: bool
    changed: int
    distance: float
    tried: int


@dataclass(frozen=True)
class _OtherWay:
    """The wanted divergence: the same decisions up to a point, and then the other one.

    `before` are the lines that decided, `ways` every decision; None: the run could not be repeated.
    """

    before: tuple[tuple[int, bool], ...]
    ways: tuple[Way, ...] | None
    line: int
    taken: bool
    turn: int  # earlier decisions of that line
    next_line: int | None

    def met(self, trace: Trace) -> tuple[Condition, bool] | None:
        """Return the condition that decides differently, and whether the run was the same before it."""
        decided = conditions(trace)
        ways = tuple((condition.line, condition.taken) for condition in decided)
        at = len(self.before)
        if ways[:at] == self.before and ways[at : at + 1] == ((self.line, self.taken),):
            is_exact = self.ways is not None and _ways_before(trace, decided[at].step) == self.ways
            return (decided[at], is_exact) if self._goes(trace, decided[at]) else None
        turns = [condition for condition in decided if condition.line == self.line]
        if len(turns) > self.turn and turns[self.turn].taken == self.taken and self._goes(trace, turns[self.turn]):
            return turns[self.turn], False
        return None

    def _goes(self, trace: Trace, condition: Condition) -> bool:
        if self.next_line is None:
            return True
        frame = trace.columns.frame[condition.step]
        later = (trace[i] for i in range(condition.step + 1, len(trace)) if trace.columns.frame[i] == frame)
        return next((step.line for step in later if step.event == "line"), None) == self.next_line


def nearest(
    trace: Trace,
    step: int,
    *,
    next_line: int | None = None,
    seconds: float = 5.0,
    solver: bool = True,
    seed: int = 0,
    limits: Limits = CALL_LIMITS,
    trust: bool = False,
) -> NearestInput | None:
    """Find the nearest input at which the condition of a step differs, followed by `next_line` if it is set.

    Returns:
        The nearest input; None if none was found.

    Raises:
        UsageError: The trace is not of a plain call, or its step decides nothing.
    """
    call = read_call(trace.program.call or "")[1]
    target, origin = find_target(replace(trace.program, call=None), call), CallArguments.of(call)
    if origin is None:
        raise UsageError(f"{call} is not a plain call, so it has no neighbours")
    chase = _Chase(target, origin, _other_way(trace, step, next_line), limits, trust)
    with closing(chase):
        chase.repeat(trace, step)
        chase.look(solver, seconds / 2, seed)
        chase.approach(seconds / 2)
    return chase.best


def _other_way(trace: Trace, step: int, next_line: int | None) -> _OtherWay:
    met = conditions(trace)
    at = next((n for n, condition in enumerate(met) if condition.step == step), None)
    if at is None:
        raise UsageError(f"step {step} is not a decision: choose a step at an if, a loop or a match")
    decided = met[at]
    ways = tuple((condition.line, condition.taken) for condition in met[:at])
    turn = sum(line == decided.line for line, _ in ways)
    return _OtherWay(ways, None, decided.line, not decided.taken, turn, next_line)


def _ways_before(trace: Trace, step: int) -> tuple[Way, ...]:
    """Return the decisions of a run before a step, by place."""
    return tuple((decision.place, decision.taken) for decision in decision_outcomes(trace) if decision.step < step)


class _Chase:
    """One search in progress: a sandbox, the calls tried, and the nearest so far."""

    def __init__(self, target: Target, origin: CallArguments, wish: _OtherWay, limits: Limits, trust: bool) -> None:
        self.target, self.origin, self.wish, self.trust = target, origin, wish, trust
        bounds = replace(stretched(limits, CALLS_PER_PROCESS), wall=limits.wall)
        self.worker = SandboxWorker(prepare(limits=bounds, python=None, core="auto", trust=trust))
        self.deadline = math.inf
        self.best: NearestInput | None = None
        self._tried: set[str] = set()
        self._planted = (*target.signature.numbers, *target.signature.texts)

    def repeat(self, trace: Trace, step: int) -> None:
        """Record the run again, with its decisions before the step."""
        again = self.worker.record(trace.program, jumps=True)
        if again.jumps is not None and list(again.columns.line[: step + 1]) == list(trace.columns.line[: step + 1]):
            self.wish = replace(self.wish, ways=_ways_before(again, step))

    def look(self, solver: bool, seconds: float, seed: int) -> None:
        """Find any input that decides differently: neighbours, random ones, then CrossHair's."""
        self.deadline = time.monotonic() + seconds
        self.run(islice(self._neighbours(), MAX_NEIGHBOURS))
        if self.best is None:
            drawer, rng = Drawer(self.target), Random(f"nearest/{seed}/{self.target.name}")
            self.run(drawer.call(rng) for _ in range(MAX_DRAWN))
        if (self.best is None or not self.best.exact) and solver and symbolic.is_installed():
            exploration = explore_target(self.target, max(1.0, seconds), self.trust)
            self.deadline = math.inf
            self.run(path.call for path in exploration.paths)

    def _neighbours(self) -> Iterable[str]:
        """Return calls that differ in one argument, the nearest first."""
        candidates = [
            self.origin.changed(place, value)
            for place, old in enumerate(self.origin.values)
            for value in neighbours(old, self._planted)
        ]
        candidates.sort(key=lambda arguments: arguments_distance(arguments, self.origin))
        return (arguments.call(self.target.name) for arguments in candidates)

    def approach(self, seconds: float) -> None:
        """Move the nearest input closer, while that works."""
        self.deadline = time.monotonic() + seconds
        for _ in range(MAX_APPROACH_ROUNDS):
            before = self.best
            arguments = None if before is None else CallArguments.of(before.call)
            if before is None or arguments is None or arguments.words != self.origin.words:
                return
            pairs = enumerate(zip(arguments.values, self.origin.values, strict=True))
            nearer = [
                arguments.changed(place, value) for place, (far, old) in pairs for value in values_between(far, old)
            ]
            known = (before.changed, before.distance)
            self.run(
                candidate.call(self.target.name)
                for candidate in nearer
                if arguments_distance(candidate, self.origin) < known
            )
            if self.best is before:
                return

    def run(self, calls: Iterable[str]) -> None:
        """Record the new calls, and keep the nearest that decides differently."""
        new = [call for call in dict.fromkeys(calls) if call not in self._tried]
        self._tried.update(new)
        for at in range(0, len(new), CALLS_PER_PROCESS):
            batch = new[at : at + CALLS_PER_PROCESS]
            programs = [self.target.called(call) for call in batch]
            traces = record_all(self.worker, programs, deadline=self.deadline, jumps=True)
            for call, trace in zip(batch, traces, strict=False):  # the deadline may have passed
                if trace is not None:
                    self._consider(call, trace)

    def _consider(self, call: str, trace: Trace) -> None:
        match, arguments = self.wish.met(trace), CallArguments.of(call)
        if match is None or arguments is None:
            return
        changed, far = arguments_distance(arguments, self.origin)
        candidate = NearestInput(call, trace, match[0], match[1], changed, far, len(self._tried))
        if self.best is None or _sort_key(candidate) < _sort_key(self.best):
            self.best = candidate

    def close(self) -> None:
        """Close the sandbox."""
        self.worker.close()


def _sort_key(nearest: NearestInput) -> tuple[bool, int, float, int, str]:
    return not nearest.exact, nearest.changed, nearest.distance, len(nearest.call), nearest.call


def nearest_within(seconds: float) -> Callable[[Program, int], NearestInput | None]:
    """Return a search for the nearest input that decides differently, for `debug(nearest=...)`.

    Args:
        seconds: How long one search may take.

    Returns:
        A function of a program and a step. It returns None if no such input was found, or the program is not a
        plain call.
    """

    def search(program: Program, step: int) -> NearestInput | None:
        try:
            return nearest(record(program), step, seconds=seconds)
        except UsageError:
            return None

    return search
