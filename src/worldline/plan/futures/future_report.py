"""What a program could do, and what a model believes: everything that `worldline futures` reports.

The clock is a callable: when it says `enough`, the report holds what is known by then, and bounds the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.codec.notation import notation
from worldline.core.errors import NotStarted, UsageError
from worldline.core.events import ENDED
from worldline.core.hidden import THREAD, Control
from worldline.core.program import Program
from worldline.core.text import plural
from worldline.core.trace import Hidden, Trace
from worldline.plan.futures.belief import OwnOdds, TextBelief, TrueText, measure_by_texts, measure_own_odds
from worldline.plan.futures.distribution import Distribution, from_samples, from_weights
from worldline.plan.futures.draws import up_to_last_draw
from worldline.plan.futures.odds import text_scorer
from worldline.plan.futures.race_report import RaceReport, search_races
from worldline.plan.futures.scores import Errors, ReliabilityBin
from worldline.plan.futures.subject import IMPOSSIBLE, UNBOUND, Subject, read_from_trace
from worldline.plan.futures.walk import CLOCK, ControlledRunner, ProgramRunner, Walk, is_infinite, is_random
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor

DEFAULT_RUNS, DEFAULT_SAMPLES, DEFAULT_TEXTS = 2_000, 500, 64
NEGLIGIBLE = Fraction(1, 10**9)  # mass that may stay unexplored: a program may draw forever
EXTRA_BYTES = 512  # of a model's text, beyond twice the longest true one


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to do: runs of the walk, samples if it does not end, texts of the model.

    `exact`: walk, even if mass is left. `samples`: sample this many and do not walk. By default: walk if that ends.
    """

    exact: bool = False
    samples: int | None = None
    runs: int = DEFAULT_RUNS
    texts: int = DEFAULT_TEXTS
    seed: int = 0
    fresh: Callable[[int], Predictor] | None = None
    enough: Callable[[], bool] = lambda: False
    progress: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        if self.exact and self.samples is not None:
            raise UsageError("use either --exact or --sampled-runs, not both")


@dataclass(frozen=True, kw_only=True)
class FutureReport:
    """The result of `futures`: the truth as far as it is known, how it was found, and the model's belief."""

    program: Program
    subject: Subject
    truth: Distribution
    runs: int
    notes: tuple[str, ...] = ()
    races: RaceReport | None = None
    model: str = ""
    imagined: TextBelief | None = None
    own: OwnOdds | None = None
    drawn: tuple[str, ...] = field(default=())  # kinds of hidden inputs
    # By outcome: the draws of one run.
    examples: Mapping[str, tuple[Hidden, ...]] = field(default_factory=dict)
    fault: str = ""  # why the model wrote no text, if it was asked and failed

    @property
    def way(self) -> str:
        """How the truth was found."""
        runs = plural(self.runs, "run")
        if self.truth.samples:
            return f"{self.truth.samples:,} samples, 95 % intervals"
        if self.truth.left:
            return f"{runs}; {float(self.truth.left):.4g} of the mass was not explored"
        is_certain = self.runs == 1 and not any(is_random(kind) for kind in self.drawn)
        return f"exact; {runs}{', which draws nothing random' if is_certain else ''}"

    @property
    def by_chance(self) -> bool:
        """Whether anything besides thread schedules is reported: random draws, or the belief of a model."""
        return self.races is None or bool(self.model) or any(is_random(kind) for kind in self.drawn)

    @property
    def things(self) -> list[str]:
        """Every outcome that is true or believed: the true ones first, by mass."""
        every = dict.fromkeys(self.truth.mass)
        for _, masses, _ in self.beliefs:
            every |= dict.fromkeys(masses)
        return list(every)

    @property
    def beliefs(self) -> list[tuple[str, Mapping[str, float], Errors]]:
        """The beliefs of the model: for each way of measuring its name, the masses and the errors."""
        beliefs = list[tuple[str, Mapping[str, float], Errors]]()
        if self.imagined is not None:
            belief = self.imagined.distribution
            masses = {outcome: float(mass) for outcome, mass in belief.mass.items()}
            beliefs.append((f"{belief.samples:,} texts", masses, self.imagined.errors))
        if self.own is not None:
            rest = {IMPOSSIBLE: self.own.rest} if self.own.rest else {}
            beliefs.append(("own odds", {**self.own.masses, **rest}, self.own.errors))
        return beliefs

    @property
    def reliability(self) -> list[tuple[str, tuple[ReliabilityBin, ...]]]:
        """The reliability diagrams: outcomes by the model's texts, single draws by its odds."""
        diagrams = list[tuple[str, tuple[ReliabilityBin, ...]]]()
        if self.imagined is not None:
            diagrams.append(("outcomes, by texts", self.imagined.errors.bins))
        if self.own is not None:
            diagrams.append(("single draws, by odds", self.own.draws))
        return diagrams

    def as_json(self) -> dict[str, Any]:
        """The object that `futures --json` prints."""
        return {
            "program": {"name": self.program.name, "call": self.program.call, "digest": self.program.digest},
            "asked": self.subject.words,
            "way": self.way,
            "runs": self.runs,
            "notes": list(self.notes),
            "drawn": list(self.drawn),
            "truth": self.truth.as_json(),
            "races": self.races and self.races.as_json(),
            "model": self.model or None,
            "imagined": self.imagined and self.imagined.as_json(),
            "own": self.own and self.own.as_json(),
            "examples": {outcome: [dict(h.__dict__) for h in draws] for outcome, draws in self.examples.items()},
        }


@dataclass
class _Truth:
    """The truth, while it is collected."""

    distribution: Distribution = field(default_factory=Distribution)
    futures: list[TrueText] = field(default_factory=list)
    runs: int = 0
    notes: list[str] = field(default_factory=list)
    kinds: dict[str, None] = field(default_factory=dict)
    examples: dict[str, tuple[Hidden, ...]] = field(default_factory=dict)
    longest: int = 0  # bytes of a text
    fault: str = ""  # why the model wrote no text

    def look(self, trace: Trace, *, text: bool) -> bytes:
        """Note what a run drew, and return its text if `text` is set."""
        self.kinds |= {hidden.kind: None for hidden in trace.hidden}
        steps = encode_steps(trace, Compact()) if text else b""
        self.longest = max(self.longest, len(steps))
        return steps


def build_report(
    world: ProgramRunner, program: Program, subject: Subject, *, effort: Effort, model: Predictor | None = None
) -> FutureReport:
    """Explore the futures of a program within an effort, and compare a model with them."""
    truth = _walk(world, subject, effort, texts=model is not None) if effort.samples is None else None
    truth = truth or _sample(world, subject, effort)
    races = None
    if any(kind.startswith(THREAD) for kind in truth.kinds):
        races = search_races(
            world,
            subject,
            seed=effort.seed,
            has_draws=any(map(is_random, truth.kinds)),
            max_runs=effort.runs,
            enough=effort.enough,
            progress=effort.progress,
        )
        if model is not None or any(map(is_random, truth.kinds)):
            truth.notes.append("masses assume that threads switch only where one waits or ends")
        if any(map(is_random, truth.kinds)):
            truth.notes.append(
                f"schedules were searched with the draws of seed {effort.seed}; other draws may give other results"
            )
    if set(truth.distribution.mass) == {UNBOUND}:
        truth.notes.append(f"{subject.name} has no value there in any run")
    ask = PredictionRequest(program=program, options=Compact(), limit=EXTRA_BYTES + 2 * truth.longest)
    by_texts, by_odds = _measure_beliefs(model, ask, subject, truth, effort) if model is not None else (None, None)
    return FutureReport(
        program=program,
        subject=subject,
        truth=truth.distribution,
        runs=truth.runs,
        notes=tuple(truth.notes),
        races=races,
        model=model.info.name if model is not None else "",
        imagined=by_texts,
        own=by_odds,
        drawn=tuple(truth.kinds),
        examples=truth.examples,
        fault=truth.fault,
    )


def _walk(world: ControlledRunner, subject: Subject, effort: Effort, *, texts: bool) -> _Truth | None:
    """Find the truth by walking; None if the walk does not end and `exact` is not set."""
    walk = Walk(world, seed=effort.seed, last=None if texts else subject.step)
    truth, parts = _Truth(), list[tuple[str, Fraction]]()
    for future in walk:
        _require_run(future.trace)
        effort.progress(f"run {walk.runs:,}; {float(walk.left):.3g} of the mass is left")
        text = truth.look(future.trace, text=texts)
        if future.weight:
            outcome = read_from_trace(subject, future.trace)
            parts.append((outcome, future.weight))
            truth.examples.setdefault(outcome, future.trace.hidden)
            if texts:
                # After its last draw, a run that a limit cut adds nothing, and may be long.
                text = text if future.trace.outcome.kind in ENDED else up_to_last_draw(text)
                truth.futures.append(TrueText(text=text, weight=future.weight, what=outcome))
        is_hopeless = walk.unwalkable or walk.runs + walk.waiting > effort.runs
        if walk.left <= NEGLIGIBLE or walk.runs >= effort.runs or effort.enough():
            break
        if is_hopeless and not effort.exact:
            break
    if walk.left > NEGLIGIBLE and not effort.exact:
        return None
    truth.distribution, truth.runs = from_weights(parts, walk.left), walk.runs
    truth.notes += _walk_notes(walk)
    if CLOCK in truth.kinds:
        truth.notes.append(f"clocks are those of seed {effort.seed} in every run; use --sampled-runs for others")
    return truth


def _require_run(trace: Trace) -> None:
    """Raise an error if the program was not executed."""
    if trace.outcome.kind == "unsupported":
        raise NotStarted(f"{trace.program.name} was not executed: {trace.outcome.detail}")
    if trace.outcome.kind == "host-fault":
        raise UsageError(f"{trace.program.name} did not run: {trace.outcome.kind} {trace.outcome.detail}")


def _walk_notes(walk: Walk) -> Iterator[str]:
    for kind, step in walk.unwalkable.items():
        reason = f"a draw of `{kind}` (step {step:,}) has no finite list of values"
        yield f"{reason}: later draws were not explored; use --sampled-runs N"
    if walk.astray:
        yield f"{walk.astray:,} runs diverged under the same draws: an input is not controlled; their mass is left"


def _sample(world: ControlledRunner, subject: Subject, effort: Effort) -> _Truth:
    """Estimate the truth by samples, each with its own seed."""
    truth, outcomes = _Truth(), list[str]()
    wanted = DEFAULT_SAMPLES if effort.samples is None else effort.samples
    for number in range(wanted):
        trace = world(Control(seed=effort.seed + number))
        _require_run(trace)
        effort.progress(f"sample {number + 1:,} of {wanted:,}")
        truth.look(trace, text=number == 0)
        outcomes.append(read_from_trace(subject, trace))
        truth.examples.setdefault(outcomes[-1], trace.hidden)
        if effort.enough():
            truth.notes.append(f"the time limit was reached after {len(outcomes):,} of {wanted:,} samples")
            break
    truth.distribution, truth.runs = from_samples(outcomes), len(outcomes)
    endless = sorted({kind for kind in truth.kinds if is_infinite(kind)})
    if effort.samples is None:
        why = (
            f"draws of {', '.join(endless)} have no finite list of values"
            if endless
            else "a full walk needs more runs than the budget"
        )
        truth.notes.append(f"sampled: {why}")
    return truth


def _measure_beliefs(
    model: Predictor, ask: PredictionRequest, subject: Subject, truth: _Truth, effort: Effort
) -> tuple[TextBelief | None, OwnOdds | None]:
    """Measure the belief of a model in each possible way; a note says why one is missing."""
    if not notation(model.info.notation).shows_io:
        raise UsageError(
            f"{model.info.name} writes {model.info.notation}, which has no draws: use a model that writes compact"
        )
    by_odds = _measure_odds(model, ask, truth, effort)  # first, because it is faster and more precise
    return _measure_texts(model, ask, subject, truth, effort), by_odds


def _measure_odds(model: Predictor, ask: PredictionRequest, truth: _Truth, effort: Effort) -> OwnOdds | None:
    odds = text_scorer(model)
    if odds is None:
        truth.notes.append(
            f"{model.info.name} cannot score texts that it did not write: its own odds are not available"
        )
        return None
    if truth.distribution.samples or truth.distribution.left > NEGLIGIBLE or not truth.futures:
        truth.notes.append("the model's own odds need every true future: that takes an exact walk")
        return None
    effort.progress(f"the model scores {len(truth.futures):,} true texts")
    left = float(truth.distribution.left)
    belief = measure_own_odds(odds, ask, truth.futures, left=left, enough=effort.enough)
    if belief is None:
        truth.notes.append(f"the time limit was reached before the model had scored {len(truth.futures):,} true texts")
    return belief


def _measure_texts(
    model: Predictor, ask: PredictionRequest, subject: Subject, truth: _Truth, effort: Effort
) -> TextBelief | None:
    if model.info.is_ground_truth:
        truth.notes.append("the interpreter writes no texts here: it would be compared with itself")
        return None
    if not effort.texts:
        return None
    effort.progress(f"the model writes {effort.texts:,} texts")
    belief = measure_by_texts(
        model, ask, subject, truth.distribution, effort.texts, fresh=effort.fresh, enough=effort.enough
    )
    if isinstance(belief, str):
        truth.fault = belief or "the model could not be asked"
        truth.notes.append(f"{model.info.name} wrote no texts")
        return None
    if belief.distribution.samples < effort.texts:
        truth.notes.append(
            f"{belief.distribution.samples:,} of {effort.texts:,} texts: the time limit was reached, or some failed"
        )
    return belief
