"""The search for an input that reaches a goal: execute proposals untraced, many per process, and mutate the nearest.

A hit is executed once more, alone and recorded, and counts only if the goal holds there too. Then simpler inputs are
tried, and the simplest that reaches the goal is reported. Every execution is counted. Two callables stand for the
sandbox: one for calls, one for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.answer import ProgramRunner
from worldline.plan.inputs.goal import Goal
from worldline.plan.inputs.nearness import Meter
from worldline.plan.inputs.proposer import WAYS, InputProposer, InputValues, TriedInput, to_source
from worldline.plan.inputs.simpler import simpler_inputs
from worldline.plan.paths.target import Target, find_target
from worldline.recording.calls import CallBatch, CallEnd

CALLS_PER_ROUND = 40  # after the first rounds
FIRST_ROUNDS = (10, 20)
MAX_STALE = 200  # repeated proposals in a row: then there are no more
MAX_SOLVER_RESERVE = 100  # executions reserved for the solver, or a fifth of all
DEFAULT_SIMPLIFYING = 400  # executions that simplify what was found
MAX_UNCONFIRMED = 5  # hits that did not reach the goal when executed alone

CallRunner = Callable[[CallBatch], list[CallEnd]]


@dataclass(frozen=True)
class NearMiss:
    """The nearest input, and its result."""

    call: str
    came: str
    far: float


@dataclass(frozen=True, kw_only=True)
class InputReport:
    """The result of a search: the call, or None, the executions, and which of them found it."""

    goal: Goal
    call: str | None
    came: str = ""  # the result of the confirming execution
    trace: Trace | None = None
    executions: int
    found_at: int | None = None
    found_by: str = ""
    first_call: str = ""  # that reached the goal; `call` is simpler, or the same
    simplifying: int = 0  # executions of simpler inputs, which `executions` leaves out
    unconfirmed: int = 0
    imagined: int = 0  # bytes
    nearest: NearMiss | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON object."""
        near = self.nearest
        return {
            "goal": self.goal.text,
            "call": self.call,
            "came": self.came,
            "executions": self.executions,
            "found_at": self.found_at,
            "found_by": self.found_by,
            "first_call": self.first_call,
            "simplifying": self.simplifying,
            "unconfirmed": self.unconfirmed,
            "imagined_bytes": self.imagined,
            "notes": list(self.notes),
            "nearest": None if near is None else {"call": near.call, "came": near.came, "far": near.far},
        }


@dataclass(frozen=True)
class InputSearch:
    """How to search: at most this many executions, and a way of `WAYS` to propose inputs.

    The optional `solver` proposes inputs if climbing found none (CrossHair). The optional `rank` orders the first
    inputs (a model), and returns how many bytes it predicted.
    """

    executions: int = 1_000
    way: str = "climb"
    seed: int = 0
    seconds: float = 1.0  # of one call
    simplifying: int = DEFAULT_SIMPLIFYING  # executions, besides the others
    solver: Callable[[Goal, Target], Iterable[InputValues]] | None = None
    rank: Callable[[Goal, Program, list[InputValues]], tuple[list[InputValues], int]] | None = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise UsageError(f"the way must be one of {', '.join(WAYS)}, not {self.way!r}")
        if self.executions < 1:
            raise UsageError(f"a search needs at least 1 execution, not {self.executions}")

    @property
    def climbing(self) -> int:
        """The executions that are not reserved for the solver."""
        return self.executions - (min(MAX_SOLVER_RESERVE, self.executions // 5) if self.solver is not None else 0)

    def find(self, goal: Goal, program: Program, run: CallRunner, world: ProgramRunner) -> InputReport:
        """Search for an input of the program that reaches the goal."""
        hunt = _Hunt(self, goal, program, run, world)
        hunt.climb()
        if hunt.found is None and self.solver is not None:
            hunt.solve(self.solver)
        if hunt.found is not None:
            hunt.simplify()
        return hunt.report()


@dataclass
class _Hunt:
    """One search in progress."""

    how: InputSearch
    goal: Goal
    program: Program
    run: CallRunner
    world: ProgramRunner
    executions: int = 0
    found: tuple[str, Trace, int, str] | None = None
    values: InputValues = field(default_factory=dict)  # that reached the goal
    first_call: str = ""
    simplifying: int = 0
    unconfirmed: int = 0
    imagined: int = 0
    nearest: NearMiss | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.target = find_target(self.program, self.goal.function)
        self.meter = Meter(self.goal, self.program.source)
        self.proposer = InputProposer(self.goal, self.target, way=self.how.way, seed=self.how.seed)
        self.seen: set[str] = set()

    @property
    def _is_over(self) -> bool:
        return self.found is not None or self.unconfirmed >= MAX_UNCONFIRMED

    def climb(self) -> None:
        """Execute rounds of proposals until one reaches the goal, or none are left."""
        if self.how.way == "solver":
            return
        if self.how.rank is not None:
            self._ranked()
        sizes = iter(FIRST_ROUNDS)
        while not self._is_over:
            proposals = self._propose(min(next(sizes, CALLS_PER_ROUND), self.how.climbing - self.executions))
            if not proposals:
                return
            self._execute(proposals, self.how.way)

    def _ranked(self) -> None:
        """Execute the first proposals one by one, in the model's order."""
        assert self.how.rank is not None
        proposals = [values for values, _ in self._propose(FIRST_ROUNDS[0])]
        ordered, self.imagined = self.how.rank(self.goal, self.program, proposals)
        for values in ordered:
            if self._is_over or self.executions >= self.how.executions:
                return
            self._execute([(values, self._probe(values) or "")], "model")

    def _propose(self, count: int) -> list[tuple[InputValues, str]]:
        """Propose `count` new inputs, each with its expression; fewer if there are no more."""
        proposals: list[tuple[InputValues, str]] = []
        stale = 0
        while len(proposals) < count and stale < MAX_STALE:
            values = self.proposer.propose()
            probe = self._probe(values)
            stale += 1
            if probe is not None and probe not in self.seen:
                self.seen.add(probe)
                proposals.append((values, probe))
                stale = 0
        return proposals

    def _probe(self, values: InputValues) -> str | None:
        texts = self._texts(values)
        return None if texts is None else self.goal.probe(texts)

    def _texts(self, values: InputValues) -> dict[str, str] | None:
        texts = {name: to_source(value) for name, value in values.items()}
        return {name: text for name, text in texts.items() if text is not None} if all(texts.values()) else None

    def _execute(self, proposals: list[tuple[InputValues, str]], by: str) -> None:
        """Execute inputs together, learn from each, and confirm the first that reaches the goal."""
        ends = self._call([probe for _, probe in proposals])
        first = self.executions
        self.executions += len(ends)
        for at, ((values, _), end) in enumerate(zip(proposals, ends, strict=True), first + 1):
            near = self.meter.measure(end)
            self.proposer.learn(TriedInput(values, near))
            if near.is_met and not self._is_over:
                self._confirm(values, at, by)
            elif self.nearest is None or near.far < self.nearest.far:
                came = f"{end.kind} {_shown_value(near.sides, end.value)}".strip()
                self.nearest = NearMiss(self.goal.call(self._texts(values) or {}), came, near.far)

    def _call(self, probes: Sequence[str]) -> list[CallEnd]:
        return self.run(
            CallBatch(
                self.program.source,
                tuple(probes),
                tuple(self.program.files),
                self.program.name,
                self.how.seconds,
                lines=self.meter.wants_lines,
            )
        )

    def _confirm(self, values: InputValues, at: int, by: str) -> None:
        """Execute the input alone and recorded; it counts only if the goal holds there too."""
        texts = self._texts(values) or {}
        program = self.program
        call = self.goal.probe(texts)
        trace = self.world(Program(source=program.source, name=program.name, files=program.files, call=call))
        self.executions += 1
        near = self.meter.measure(_call_end(trace, frozenset(_own_lines(trace, self.program.name))))
        if near.is_met:
            self.found, self.values = (self.goal.call(texts), trace, at, by), values
        else:
            self.unconfirmed += 1

    def solve(self, solver: Callable[[Goal, Target], Iterable[InputValues]]) -> None:
        """Execute what the solver proposes, while executions are left."""
        proposed = iter(solver(self.goal, self.target))
        while not self._is_over and self.executions < self.how.executions:
            left = min(CALLS_PER_ROUND, self.how.executions - self.executions)
            proposals = [(values, probe) for values in islice(proposed, left) if (probe := self._probe(values))]
            if not proposals:
                return
            self._execute(proposals, "crosshair")

    def simplify(self) -> None:
        """Execute simpler inputs until none of them reaches the goal, and confirm the last that did."""
        assert self.found is not None
        self.first_call, _, at, by = self.found
        values = self.values
        while (simpler := self._first_simpler(values)) is not None:
            values = simpler
        if values is not self.values:
            self._confirm(values, at, by)

    def _first_simpler(self, values: InputValues) -> InputValues | None:
        """Return the first simpler input that reaches the goal; they are executed in batches."""
        proposals = ((simpler, probe) for simpler in simpler_inputs(values) if (probe := self._probe(simpler)))
        while left := min(CALLS_PER_ROUND, self.how.simplifying - self.simplifying):
            batch = list(islice(proposals, left))
            ends = self._call([probe for _, probe in batch]) if batch else []
            self.simplifying += len(ends)
            for (simpler, _), end in zip(batch, ends, strict=True):
                if self.meter.measure(end).is_met:
                    return simpler
            if len(batch) < left:
                return None
        return None

    def report(self) -> InputReport:
        """Build the report."""
        if self.unconfirmed:
            self.notes.append(
                f"{self.unconfirmed} reached the goal among other calls but not alone: it is not deterministic"
            )
        report = InputReport(
            goal=self.goal,
            call=None,
            executions=self.executions,
            unconfirmed=self.unconfirmed,
            imagined=self.imagined,
            nearest=self.nearest,
            notes=tuple(self.notes),
        )
        if self.found is None:
            return report
        call, trace, at, by = self.found
        end = _call_end(trace)
        came = _shown_value(self.meter.measure(end).sides, end.value)
        return replace(
            report,
            call=call,
            came=came,
            trace=trace,
            found_at=at,
            found_by=by,
            first_call=self.first_call,
            simplifying=self.simplifying,
            nearest=None,
        )


def _shown_value(sides: tuple[tuple[Any, Any], ...], text: str) -> str:
    return repr(sides[0][0]) if sides else text


def _call_end(trace: Trace, lines: frozenset[int] | None = None) -> CallEnd:
    """Convert the outcome of a trace to the end of a call; an exit is a SystemExit."""
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind == "exited":
        kind, detail = "raised", f"SystemExit({detail})"
    return CallEnd(kind, detail, lines)


def _own_lines(trace: Trace, name: str) -> Iterator[int]:
    """Return the lines of the program's own file that a run reached."""
    own = {serial for serial, frame in enumerate(trace.frames) if frame.file == name}
    return (step.line for step in trace.steps if step.event == "line" and step.frame in own)
