"""The search for a function's paths: examples and typed random inputs first, CrossHair for the arcs still missing.

Every call is recorded in the sandbox, many per process. A path counts only if a recorded trace took it, and each stored
class is recorded once more, alone. Random inputs depend on a seed; how far CrossHair gets depends on the machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from random import Random

from worldline.analyze.flow.conditions.jumps import decision_outcomes, source_decisions
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.plan.paths import symbolic
from worldline.plan.paths.arcs import Arc, find_arcs, taken_arcs
from worldline.plan.paths.completeness import PathCompleteness, open_branches
from worldline.plan.paths.draw import Drawer
from worldline.plan.paths.path_class import PathClass, PathKey, PathReport, SolverConditions, key_of
from worldline.plan.paths.target import Target, find_target, read_call
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

SOLVERS = ("missing", "always", "never")
"""When CrossHair is used: for arcs that random inputs missed, always, or never."""
CALLS_PER_PROCESS = 50
MAX_ROUNDS = 20
MAX_QUIET_ROUNDS = 6  # rounds without a new arc, then random inputs stop
DEFAULT_CLASSES = 32
MAX_ALTERNATIVES = 8  # solver conditions per class
FIRST_SOLVER_SHARE = 0.25  # of CrossHair's seconds; the rest is used only if arcs are still missing
CALL_LIMITS = replace(DOCUMENT_LIMITS, steps=5_000, wall=5.0)


@dataclass
class _Seen:
    """A class by its shortest input so far, and its number of inputs."""

    call: str
    found_by: str
    key: PathKey
    arcs: frozenset[Arc]
    solved: dict[SolverConditions, None]
    inputs: int = 1


@dataclass
class _Ledger:
    """What a search has found so far."""

    arcs: frozenset[Arc]
    steps: int  # the limit of one call; a batch has a higher one
    classes: dict[PathKey, _Seen] = field(default_factory=dict)
    reached: dict[Arc, str] = field(default_factory=dict)
    tried: dict[str, PathKey | None] = field(default_factory=dict)
    raised: dict[str, str] = field(default_factory=dict)
    unended: int = 0

    @property
    def missing(self) -> list[Arc]:
        """The arcs that no run has taken."""
        return sorted(self.arcs - self.reached.keys())

    def add(self, call: str, trace: Trace | None, found_by: str, solved: SolverConditions = ()) -> None:
        """Add one run to its class, and note the arcs that it took."""
        self.tried[call] = None
        ended = trace is not None and trace.outcome.kind in ("returned", "raised")
        if trace is None or not ended or len(trace) > self.steps:
            self.unended += 1
            return
        met = decision_outcomes(trace)
        arcs = taken_arcs(met, self.arcs)
        for arc in arcs:
            self.reached.setdefault(arc, found_by)
        self.tried[call] = key = key_of(trace, met)
        self.raised[call] = key[1].partition(" ")[0]
        known = self.classes.setdefault(key, _Seen(call, found_by, key, arcs, {}, 0))
        known.inputs += 1
        if known.found_by == found_by and len(call) < len(known.call):
            known.call = call
        self.add_conditions(call, solved)

    def add_conditions(self, call: str, solved: SolverConditions) -> None:
        """Add the solver's conditions for an executed call to its class."""
        key = self.tried.get(call)
        if solved and key is not None and len(self.classes[key].solved) < MAX_ALTERNATIVES:
            self.classes[key].solved[solved] = None

    def select(self, most: int) -> list[_Seen]:
        """Select at most `most` classes: first those with arcs of their own, then the shortest."""
        order = sorted(self.classes.values(), key=lambda candidate: len(candidate.key[0]))
        chosen: list[_Seen] = []
        covered: set[Arc] = set()
        for candidate in sorted(order, key=lambda seen: -len(seen.arcs)):
            if not candidate.arcs <= covered:
                chosen.append(candidate)
                covered |= candidate.arcs
        others = [candidate for candidate in order if not any(candidate is other for other in chosen)]
        return sorted([*chosen, *others][:most], key=lambda candidate: (len(candidate.key[0]), candidate.key))


def paths(
    program: Program,
    function: str,
    *,
    examples: Sequence[str] = (),
    seconds: float = 10.0,
    drawn: bool = True,
    solver: str = "missing",
    max_classes: int = DEFAULT_CLASSES,
    seed: int = 0,
    limits: Limits = CALL_LIMITS,
    trust: bool = False,
) -> PathReport:
    """Find the classes of inputs that take different paths through a function, each with a recorded trace.

    Args:
        program: The program that defines the function.
        function: The name of the function, or a call of it as an example: `f`, or `f(3)`.
        examples: More calls to start with.
        seconds: About how long to search.
        drawn: Try examples and random inputs; otherwise CrossHair alone.
        solver: When CrossHair is used: `missing` (for arcs that random inputs missed), `always` or `never`.
        max_classes: At most this many classes.
        seed: The seed of the random inputs.
        limits: Limits of one execution.
        trust: Execute without a sandbox.

    Returns:
        The classes, and the arcs that no input reached.

    Raises:
        UsageError: There is no such function, or an argument is out of range.
    """
    if solver not in SOLVERS:
        raise UsageError(f"solver must be one of {', '.join(SOLVERS)}, not {solver!r}")
    if not seconds > 0 or max_classes < 1:
        raise UsageError("a search needs more than 0 seconds and at least 1 class")
    target = find_target(program, function)
    target = replace(target, examples=(*target.examples, *examples))
    hunt = _Hunt(target, seed, limits, trust)
    spent: dict[str, float] = {}
    with closing(hunt):
        started = time.monotonic()
        if drawn:
            hunt.draw(started + seconds / 2)
        spent["random"] = time.monotonic() - started
        ended = hunt.solve(max(1.0, seconds - spent["random"]), solver)
        spent["crosshair"] = time.monotonic() - started - spent["random"]
        classes, unconfirmed = hunt.confirmed(max_classes)
        spent["confirming"] = time.monotonic() - started - spent["random"] - spent["crosshair"]
    ledger = hunt.ledger
    return PathReport(
        target.program,
        target.name,
        classes,
        hunt.completeness(len(classes), ended, unconfirmed),
        dict(ledger.reached),
        tuple(ledger.missing),
        len(ledger.tried),
        ledger.unended,
        unconfirmed,
        ended,
        hunt.agreement,
        tuple(_notes(target, ended)),
        spent,
    )


class _Hunt:
    """One search in progress: a sandbox for many calls at a time, and the ledger."""

    def __init__(self, target: Target, seed: int, limits: Limits, trust: bool) -> None:
        self.target, self.limits, self.trust = target, limits, trust
        self.ledger = _Ledger(find_arcs(target.program.source, target.name), limits.steps)
        self._rng, self._drawer = Random(f"paths/{seed}/{target.name}"), Drawer(target)
        self.deadline = math.inf
        self.claims: dict[str, str] = {}  # by call: what it raises, according to CrossHair
        self.unspelled = 0  # paths of CrossHair without a call
        self._many = self._worker(replace(stretched(limits, CALLS_PER_PROCESS), wall=limits.wall))

    def _worker(self, limits: Limits) -> SandboxWorker:
        return SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=self.trust))

    def run(self, calls: Sequence[str], found_by: str, solved: Mapping[str, SolverConditions] | None = None) -> None:
        """Record the new calls together, and add their runs to the ledger."""
        solutions = solved or {}
        new = [call for call in dict.fromkeys(calls) if call not in self.ledger.tried]
        for call in set(solutions).difference(new):
            self.ledger.add_conditions(call, solutions[call])
        programs = [self.target.called(call) for call in new]
        traces = record_all(self._many, programs, deadline=self.deadline, jumps=True)
        for call, trace in zip(new, traces, strict=False):  # the deadline may have passed
            self.ledger.add(call, trace, found_by, solutions.get(call, ()))

    def draw(self, deadline: float) -> None:
        """Try examples, then rounds of random calls, until every arc is reached or no new one appears."""
        self.deadline = deadline
        self.run(self.target.examples, "example")
        quiet = 0
        for _ in range(MAX_ROUNDS):
            before = len(self.ledger.reached)
            self.run([self._drawer.call(self._rng) for _ in range(CALLS_PER_PROCESS)], "random")
            quiet = 0 if len(self.ledger.reached) > before else quiet + 1
            satisfied = not self.ledger.missing and quiet
            if satisfied or quiet >= MAX_QUIET_ROUNDS or time.monotonic() > deadline:
                break
        self.deadline = math.inf

    def solve(self, seconds: float, solver: str) -> str:
        """Use CrossHair if `solver` allows it, and say how that ended."""
        if solver == "never" or (solver == "missing" and not self.ledger.missing):
            return "not asked"
        if not symbolic.is_installed():
            return "not installed"
        if self.ledger.tried and not self.ledger.classes:
            return "not asked: no call has ended"
        ended = ""
        for share in (FIRST_SOLVER_SHARE, 1 - FIRST_SOLVER_SHARE):
            exploration = explore_target(self.target, max(1.0, seconds * share), self.trust)
            self.claims |= {path.call: path.raised for path in exploration.paths}
            self.unspelled = exploration.unspelled
            solved = {path.call: path.conditions for path in exploration.paths}
            for at in range(0, len(exploration.paths), CALLS_PER_PROCESS):
                self.run([path.call for path in exploration.paths[at : at + CALLS_PER_PROCESS]], "crosshair", solved)
            ended = f"{exploration.end}: {exploration.why}" if exploration.why else exploration.end
            if exploration.end != "time" or not self.ledger.missing:
                break
        return ended

    def confirmed(self, most: int) -> tuple[tuple[PathClass, ...], int]:
        """Record each selected class alone; return those that repeat their path, and the number of the others."""
        classes: list[PathClass] = []
        chosen = self.ledger.select(most)
        with closing(self._worker(self.limits)) as alone:
            for seen in chosen:
                trace = alone.record(self.target.called(seen.call), jumps=True)
                met = decision_outcomes(trace) if trace.jumps is not None else ()
                if key_of(trace, met) == seen.key:
                    classes.append(PathClass(met, seen.call, trace, seen.found_by, tuple(seen.solved), seen.inputs))
        return tuple(classes), len(chosen) - len(classes)

    def completeness(self, stored: int, ended: str, unconfirmed: int) -> PathCompleteness:
        """Say what is known about other paths."""
        ledger = self.ledger
        solved = {ledger.tried.get(call) for call in self.claims}
        missed = sum(key not in solved for key in ledger.classes)
        right, claims = self.agreement
        doubts = [
            (missed, f"it missed {missed:,} of the executed classes"),
            (claims - right, f"{claims - right:,} of its {claims:,} predicted outcomes are wrong"),
            (self.unspelled, f"{self.unspelled:,} of its paths have no input that can be executed"),
            (ledger.unended, f"{ledger.unended:,} executions have no path"),
            (unconfirmed, f"{unconfirmed:,} classes did not take their path again"),
            (len(source_decisions(self.target.program.source).unread), "some decisions could not be told apart"),
        ]
        is_exhausted = ended == "exhausted"
        return PathCompleteness(
            len(ledger.classes),
            stored,
            open_branches(key[0] for key in ledger.classes),
            ended,
            tuple(text for count, text in doubts if count and is_exhausted),
        )

    @property
    def agreement(self) -> tuple[int, int]:
        """CrossHair's calls whose exception it predicted, and all its calls."""
        raised = self.ledger.raised
        return sum(raised.get(call) == claim for call, claim in self.claims.items()), len(self.claims)

    def close(self) -> None:
        """Close the sandbox."""
        self._many.close()


def explore_target(target: Target, seconds: float, trust: bool) -> symbolic.Exploration:
    """Find paths of a function with CrossHair."""
    return symbolic.explore(
        target.program,
        target.name,
        seconds=seconds,
        names=target.names,
        guessed=target.guessed,
        consumed=target.signature.yields,
        trust=trust,
    )


def _notes(target: Target, ended: str) -> list[str]:
    """Return notes for the reader of the report."""
    notes = []
    if ended == "not installed":
        notes.append(symbolic.MISSING)
    if target.guessed:
        kinds = ", ".join(f"{name} as {kind}" for name, kind in target.guessed.items())
        notes.append(f"parameters without an annotation, with types guessed from their use: {kinds}")
    unread = source_decisions(target.program.source).unread
    if unread:
        notes.append(f"code whose decisions could not be told apart, and are not counted: {', '.join(unread)}")
    return notes


@dataclass(frozen=True)
class MissingBranchSearch:
    """Searches for missing arcs, N seconds per function; only for functions called by name."""

    seconds: float
    trust: bool = False

    def __call__(self, program: Program, traces: Mapping[str, Trace]) -> list[str]:
        """Return calls that take arcs which none of the traces takes."""
        try:
            name, _ = read_call(program.call or "")
        except UsageError:
            return []
        arcs = find_arcs(program.source, name)
        if not arcs:
            return []
        known = [read_call(call)[1] for call in traces]
        try:
            report = paths(program, name, examples=known, seconds=self.seconds, trust=self.trust)
        except UsageError:  # it is not a top-level function
            return []
        new = {arc for arc, found_by in report.reached.items() if found_by != "example"}
        searched = [path for path in report.classes if path.found_by != "example"]
        return [path.trace.program.call or "" for path in searched if taken_arcs(path.decisions, arcs) & new]
