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

from worldline.analyze.flow.conditions import conditions
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.plan.paths import symbolic
from worldline.plan.paths.arcs import Arc, arcs_of, inside_lines, taken_arcs
from worldline.plan.paths.draw import Drawer
from worldline.plan.paths.path_class import PathClass, PathKey, PathReport, SolverConditions, key_of
from worldline.plan.paths.target import Target, find_target
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

SOLVERS = ("missing", "always", "never")
"""When CrossHair is asked: for arcs that random inputs missed, in any case, or not at all."""
ROUND = 50  # calls in one process
ROUNDS = 20
QUIET = 6  # rounds without a new arc: then random inputs have had their chance
MOST = 32  # classes kept
ALTERNATIVES = 8  # of the solver's words for one class
NAMED = 3  # decisions inside lines, in a note
FIRST = 0.25  # of CrossHair's seconds: often enough; the rest only where arcs are still missing
LIMITS = replace(DOCUMENT_LIMITS, steps=5_000, wall=5.0)


@dataclass
class _Seen:
    """A class as it was met first, and how many inputs since."""

    call: str
    found_by: str
    key: PathKey
    arcs: frozenset[Arc]
    solved: dict[SolverConditions, None]
    inputs: int = 1


@dataclass
class _Ledger:
    """Everything that a search has met so far."""

    arcs: frozenset[Arc]
    steps: int  # the limit of one call: calls that run together have a wider one
    classes: dict[PathKey, _Seen] = field(default_factory=dict)
    reached: dict[Arc, str] = field(default_factory=dict)
    tried: dict[str, PathKey | None] = field(default_factory=dict)
    raised: dict[str, str] = field(default_factory=dict)
    unended: int = 0

    @property
    def missing(self) -> list[Arc]:
        """The arcs that no run has taken."""
        return sorted(self.arcs - self.reached.keys())

    def enter(self, call: str, trace: Trace | None, found_by: str, solved: SolverConditions = ()) -> None:
        """Count one run: the class that its trace is of, and the arcs that it took."""
        self.tried[call] = None
        ended = trace is not None and trace.outcome.kind in ("returned", "raised")
        if trace is None or not ended or len(trace) > self.steps:
            self.unended += 1
            return
        met = conditions(trace)
        arcs = taken_arcs(met, self.arcs)
        for arc in arcs:
            self.reached.setdefault(arc, found_by)
        self.tried[call] = key = key_of(trace, met)
        self.raised[call] = key[1].partition(" ")[0]
        known = self.classes.setdefault(key, _Seen(call, found_by, key, arcs, {}, 0))
        known.inputs += 1
        if known.found_by == found_by and len(call) < len(known.call):
            known.call = call
        self.tell(call, solved)

    def tell(self, call: str, solved: SolverConditions) -> None:
        """The solver's words for a call that was run: of its class."""
        key = self.tried.get(call)
        if solved and key is not None and len(self.classes[key].solved) < ALTERNATIVES:
            self.classes[key].solved[solved] = None

    def kept(self, most: int) -> list[_Seen]:
        """The classes worth keeping: those that reach what no other kept one does, then the shortest."""
        order = sorted(self.classes.values(), key=lambda candidate: len(candidate.key[0]))
        chosen: list[_Seen] = []
        covered: set[Arc] = set()
        for candidate in sorted(order, key=lambda seen: -len(seen.arcs)):
            if not candidate.arcs <= covered:
                chosen.append(candidate)
                covered |= candidate.arcs
        chosen = [
            *chosen,
            *(candidate for candidate in order if not any(candidate is other for other in chosen)),
        ][:most]
        return sorted(chosen, key=lambda candidate: (len(candidate.key[0]), candidate.key))


def paths(
    program: Program,
    function: str,
    *,
    examples: Sequence[str] = (),
    seconds: float = 10.0,
    drawn: bool = True,
    solver: str = "missing",
    max_classes: int = MOST,
    seed: int = 0,
    limits: Limits = LIMITS,
    trust: bool = False,
) -> PathReport:
    """Find the classes of inputs that take different paths through a function, each with a recorded trace.

    Args:
        program: The program that defines the function.
        function: The name of the function, or a call of it as an example: `f`, or `f(3)`.
        examples: More calls to start with.
        seconds: About how long to search.
        drawn: Try random inputs; otherwise the examples are left out too, and CrossHair is alone.
        solver: When CrossHair is used: `missing` (for arcs that random inputs missed), `always` or `never`.
        max_classes: How many classes are kept at most.
        seed: Which random inputs.
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
        raise UsageError("a search has more than 0 seconds and keeps at least 1 class")
    target = find_target(program, function)
    target = replace(target, examples=(*target.examples, *examples))
    hunt = _Hunt(target, seed, limits, trust)
    spent: dict[str, float] = {}
    with closing(hunt):
        begun = time.monotonic()
        if drawn:
            hunt.draw(begun + seconds / 2)
        spent["random"] = time.monotonic() - begun
        ended = hunt.solve(max(1.0, seconds - spent["random"]), solver)
        spent["crosshair"] = time.monotonic() - begun - spent["random"]
        classes, unconfirmed = hunt.confirmed(max_classes)
        spent["confirming"] = time.monotonic() - begun - spent["random"] - spent["crosshair"]
    ledger = hunt.ledger
    return PathReport(
        target.program,
        target.name,
        classes,
        len(ledger.classes),
        dict(ledger.reached),
        tuple(ledger.missing),
        len(ledger.tried),
        ledger.unended,
        unconfirmed,
        ended,
        hunt.agreement,
        tuple(_said(target, ended)),
        spent,
    )


class _Hunt:
    """One search in progress: a sandbox for many calls at a time, and the ledger."""

    def __init__(self, target: Target, seed: int, limits: Limits, trust: bool) -> None:
        self.target, self.limits, self.trust = target, limits, trust
        self.ledger = _Ledger(arcs_of(target.program.source, target.name), limits.steps)
        self._rng, self._drawer = Random(f"paths/{seed}/{target.name}"), Drawer(target)
        self.deadline = math.inf
        self.claims: dict[str, str] = {}  # of CrossHair: what a call raises
        self._many = self._worker(replace(stretched(limits, ROUND), wall=limits.wall))

    def _worker(self, limits: Limits) -> BoxWorker:
        return BoxWorker(prepare(limits=limits, python=None, core="auto", trust=self.trust))

    def run(
        self, calls: Sequence[str], found_by: str, solved: Mapping[str, SolverConditions] | None = None
    ) -> None:
        """Record calls that are new, together, and enter what they did."""
        solutions = solved or {}
        new = [call for call in dict.fromkeys(calls) if call not in self.ledger.tried]
        for call in set(solutions).difference(new):
            self.ledger.tell(call, solutions[call])
        traces = record_all(self._many, [self.target.called(call) for call in new], deadline=self.deadline)
        for call, trace in zip(new, traces, strict=False):  # what the deadline left was not tried
            self.ledger.enter(call, trace, found_by, solutions.get(call, ()))

    def draw(self, deadline: float) -> None:
        """Examples, then rounds of drawn calls: until every arc is reached, or random inputs have had their chance."""
        self.deadline = deadline
        self.run(self.target.examples, "example")
        quiet = 0
        for _ in range(ROUNDS):
            before = len(self.ledger.reached)
            self.run([self._drawer.call(self._rng) for _ in range(ROUND)], "random")
            quiet = 0 if len(self.ledger.reached) > before else quiet + 1
            satisfied = not self.ledger.missing and quiet
            if satisfied or quiet >= QUIET or time.monotonic() > deadline:
                break
        self.deadline = math.inf

    def solve(self, seconds: float, solver: str) -> str:
        """Ask CrossHair, where it is wanted; how that ended."""
        if solver == "never" or (solver == "missing" and not self.ledger.missing):
            return "not asked"
        if not symbolic.is_installed():
            return "not installed"
        if self.ledger.tried and not self.ledger.classes:
            return "not asked: no call has ended"
        ended = ""
        for share in (FIRST, 1 - FIRST):
            exploration = symbolic.explore(
                self.target.program,
                self.target.name,
                seconds=max(1.0, seconds * share),
                names=self.target.names,
                guessed=self.target.guessed,
                consumed=self.target.signature.yields,
                trust=self.trust,
            )
            self.claims |= {path.call: path.raised for path in exploration.paths}
            solved = {path.call: path.conditions for path in exploration.paths}
            for at in range(0, len(exploration.paths), ROUND):
                self.run([path.call for path in exploration.paths[at : at + ROUND]], "crosshair", solved)
            ended = f"{exploration.end}: {exploration.why}" if exploration.why else exploration.end
            if exploration.end != "time" or not self.ledger.missing:
                break
        return ended

    def confirmed(self, most: int) -> tuple[tuple[PathClass, ...], int]:
        """The classes kept, each recorded alone; how many of them did not take their path again."""
        classes: list[PathClass] = []
        chosen = self.ledger.kept(most)
        with closing(self._worker(self.limits)) as alone:
            for seen in chosen:
                trace = alone.record(self.target.called(seen.call))
                met = conditions(trace)
                if key_of(trace, met) == seen.key:
                    classes.append(
                        PathClass(met, seen.call, trace, seen.found_by, tuple(seen.solved), seen.inputs)
                    )
        return tuple(classes), len(chosen) - len(classes)

    @property
    def agreement(self) -> tuple[int, int]:
        """Of how many calls CrossHair said rightly what they raise, and of how many it said anything."""
        raised = self.ledger.raised
        return sum(raised.get(call) == claim for call, claim in self.claims.items()), len(self.claims)

    def close(self) -> None:
        """Close the sandbox."""
        self._many.close()


def _said(target: Target, ended: str) -> list[str]:
    """Return notes for the reader of the report."""
    notes = []
    if ended == "not installed":
        notes.append(symbolic.MISSING)
    if target.guessed:
        kinds = ", ".join(f"{name} as {kind}" for name, kind in target.guessed.items())
        notes.append(f"without an annotation, and so guessed by their use: {kinds}")
    inside = inside_lines(target.program.source, target.name)
    if inside and ended == "not asked":
        listed = "; ".join(inside[:NAMED]) + (f"; {len(inside) - NAMED} more" if len(inside) > NAMED else "")
        notes.append(
            f"decided inside one line, so no arc; `--solver always` looks for its other way: {listed}"
        )
    return notes
