"""A benchmark as a plan: how the model predicts (`PredictionMode`), where it runs, how the suite judges.

Each scratchpad and each repeat of a plan is one run, in its own folder:

    OUT                 one run
    OUT/2               the second of several repeats
    OUT/flatten         one of several scratchpads
    OUT/flatten/2       the second repeat of one of several scratchpads
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.language import DEFAULT_LANGUAGE, LANGUAGES
from worldline.evaluation import suites
from worldline.evaluation.measuring import measure, pool_executor
from worldline.evaluation.measuring import sum_up as sum_up_measurements
from worldline.evaluation.prediction_mode import DEFAULT_QUERIES, NONE, PredictionMode, rewritten_suite
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.early_stop import can_be_asked_otherwise
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.run.samples import pool_samples
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.run.spread import spread
from worldline.evaluation.run.stored import local
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.measurement import Measurement, SuiteMeter
from worldline.evaluation.suites.suite import Suite
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured
from worldline.parallel.pool import WorkerPool
from worldline.plan.inputs.answerer import SCHEME as SEARCH
from worldline.predict.models import AnyModel, load_model
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import choose_scratchpad
from worldline.predict.vote import vote_options
from worldline.storage.remote import Folder

# Suites about programs as they are written, or in other languages.
WITHOUT_DEFAULT_SCRATCHPAD = ("permutation", "composition", "horizon", "budget", "humaneval-x", "crux-x")
DEFAULT_MODE = "default"  # the name of a result whose scratchpad was not chosen


@dataclass(frozen=True)
class BenchProgress:
    """Progress of a benchmark: programs done, their total (None if unknown), and a note on the current work."""

    done: int
    total: int | None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class BenchPlan:
    """Everything that decides a benchmark, checked by `checks`."""

    suite: Suite
    reload: Callable[[], Suite] | None  # None if the suite's tasks can be read only once
    model: AnyModel
    extras: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    samples: int = 1
    voters: Sequence[AnyModel] = ()
    repeats: int = 1
    modes: Sequence[str | None] = (NONE,)  # None for the default, which depends on the model
    force: Sequence[str] = ()
    queries: int | None = None
    shard: SuiteShard | None = None
    out: Folder | None = None
    keep_going: bool = False

    @property
    def models(self) -> tuple[AnyModel, ...]:
        """All models that predict."""
        return self.model, *self.voters

    @property
    def is_vote(self) -> bool:
        """Whether several predictions of a program vote."""
        return self.samples > 1 or bool(self.voters)

    def seeded(self, repeat: int) -> dict[str, str]:
        """Return the model's options for a repeat; several repeats have consecutive seeds."""
        if self.repeats == 1:
            return dict(self.extras)
        return {**self.extras, "seed": str(int(self.extras.get("seed", "0")) + repeat - 1)}

    def choose_mode(self, mode: str | None, predictor: Predictor) -> str:
        """Return a mode of the plan; the default is `none` for a forced model and suites that measure the raw one."""
        if mode is not None:
            return mode
        language = LANGUAGES[self.options.get("language") or DEFAULT_LANGUAGE]
        if self.force or not language.is_default or self.suite.name in WITHOUT_DEFAULT_SCRATCHPAD:
            return NONE
        return choose_scratchpad(None, predictor, options=Compact(reveal=self.options.get("reveal") or 1))

    def folder(self, mode: str, repeat: int) -> Folder | None:
        """Return where one of the plan's runs is stored."""
        if self.out is None:
            return None
        at = self.out if len(self.modes) == 1 else self.out / mode
        return at if self.repeats == 1 else at / str(repeat)

    def config(self, mode: str, repeat: int, *predictors: Predictor) -> dict[str, Any]:
        """Return what a run stores about the plan; `predictors` are the models without their wrappers."""
        predictor, *others = predictors
        names = [name if isinstance(name, str) else None for name in self.voters]
        voters = [
            {"scheme": name or other.info.name, "weights": other.info.digest}
            for name, other in zip(names, others, strict=True)
        ]
        return {
            "options": {name: value for name, value in self.options.items() if value is not None},
            "extras": self.seeded(repeat),
            "scheme": self.model if isinstance(self.model, str) else predictor.info.name,
            "weights": predictor.info.digest,
            **({"force": list(self.force), "queries": self.queries} if self.force else {}),
            **({"scratchpad": mode} if mode != NONE else {}),
            **({"samples": self.samples, "voters": voters} if self.is_vote else {}),
        }


@dataclass(frozen=True, kw_only=True)
class BenchListener:
    """Callbacks for the verdicts and the progress of a benchmark."""

    verdict: Callable[[Verdict], None] | None = None
    progress: Callable[[BenchProgress], None] | None = None


def load_wrapped(suite: str, models: Sequence[AnyModel], extras: Mapping[str, str], mode: PredictionMode) -> Predictor:
    """Load models, in this process or on a worker, and wrap them in their prediction mode."""
    return mode.wrap(*(_load_bare(suite, model, extras) for model in models))


def _load_bare(suite: str, model: AnyModel, extras: Mapping[str, str]) -> Predictor:
    if (suite, model) == ("crux-input", SEARCH):
        from worldline.plan.inputs.answerer import load_search

        return load_search(extras)
    return load_model(model, extras)


def run_plan(plan: BenchPlan, listener: BenchListener, pool: WorkerPool | None = None) -> dict[str, Report | Measured]:
    """Execute a plan, on the workers of `pool` if it is set, and return the results by scratchpad."""
    state = _BenchState(plan, listener, pool)
    if suites.is_measured(plan.suite.name):
        meter = suites.meter(plan.suite.name, force=plan.force or None)
        return {mode or NONE: _measured(plan, mode or NONE, meter, state) for mode in plan.modes}
    return {mode or DEFAULT_MODE: _judged(plan, mode, state) for mode in plan.modes}


class _BenchState:
    """The suite for each run of a plan, and how many programs of all runs are done."""

    def __init__(self, plan: BenchPlan, listener: BenchListener, pool: WorkerPool | None) -> None:
        self.pool, self._listener = pool, listener
        self._suites = chain([plan.suite], _reloaded(plan.reload))
        count, runs = plan.suite.count if plan.limit is None else plan.limit, len(plan.modes) * plan.repeats
        self._done, self._total = 0, None if count is None else count * runs

    def next_suite(self) -> Suite:
        """Return the suite for one more run, its tasks not yet read."""
        self.report("")
        return next(self._suites)

    def report(self, note: str) -> None:
        """Report the progress, with a note on the current work."""
        if self._listener.progress is not None:
            self._listener.progress(BenchProgress(self._done, self._total, note))

    def judged(self, verdict: Verdict) -> None:
        """Report a verdict."""
        if self._listener.verdict is not None:
            self._listener.verdict(verdict)
        self.advance()

    def advance(self, _: Measurement | None = None) -> None:
        """Count a program as done."""
        self._done += 1
        self.report(self.pool.summary if self.pool is not None else "")


def _reloaded(load: Callable[[], Suite] | None) -> Iterator[Suite]:
    while load is not None:
        yield load()


def _judged(plan: BenchPlan, mode: str | None, state: _BenchState) -> Report:
    """Judge every repeat of a suite with one scratchpad."""
    runs = list[tuple[Report, list[Record]]]()
    for repeat in range(1, plan.repeats + 1):
        runs.append(_judged_once(plan, mode, repeat, state))
        if runs[-1][0].is_stopped or plan.repeats == 1:
            return runs[-1][0]
    return pool_samples([report for report, _ in runs], [records for _, records in runs])


def _judged_once(plan: BenchPlan, chosen: str | None, repeat: int, state: _BenchState) -> tuple[Report, list[Record]]:
    bare = [_load_bare(plan.suite.name, model, plan.seeded(repeat)) for model in plan.models]
    mode = plan.choose_mode(chosen, bare[0])
    suite = state.next_suite().in_modes_of(bare[0].info)
    suite = suite if mode == NONE else suite.for_scratchpads()
    queries, force = DEFAULT_QUERIES if plan.queries is None else plan.queries, next(iter(plan.force), None)
    vote, is_strict = vote_options(plan.samples, plan.seeded(repeat)), chosen is not None
    prediction_mode = PredictionMode(mode, force, queries, suite.limits, vote=vote, is_strict=is_strict)
    predictor, folder, records = prediction_mode.wrap(*bare), plan.folder(mode, repeat), list[Record]()
    load = partial(load_wrapped, suite.name, plan.models, plan.seeded(repeat), prediction_mode)
    report = run(
        suite,
        predictor,
        limit=plan.limit,
        on_verdict=state.judged,
        on_record=records.append if folder is None else None,
        on_truth=lambda count: state.report(f"({count:,} recorded)"),
        out=folder,
        config=plan.config(mode, repeat, *bare),
        shard=plan.shard,
        executor=None if state.pool is None else spread(state.pool, load, predictor.info.notation),
        stops_early=not plan.keep_going and can_be_asked_otherwise(bare[0].info),
    )
    ordered = sorted(records, key=lambda record: record.at) if folder is None else [*newest(local(folder)).values()]
    return with_tables(report, ordered), ordered


def with_tables(report: Report, records: Sequence[Record]) -> Report:
    """Add the suite's own tables and the first fault to a report; `records` are in the order of the suite."""
    faults = (f"{record.name}: {record.found.note}" for record in records if record.is_fault and record.found.note)
    return replace(report, tables=suites.tables(report.suite, records), first_fault=next(faults, ""))


def _measured(plan: BenchPlan, mode: str, meter: SuiteMeter, state: _BenchState) -> Measured:
    """Measure every repeat of a suite with one scratchpad."""
    runs = [_measured_once(plan, mode, repeat, meter, state) for repeat in range(1, plan.repeats + 1)]
    first = runs[0][0]
    if len(runs) == 1:
        return first
    rows = [row for _, measured in runs for row in measured]
    return sum_up_measurements(rows, meter, suite=first.suite, model=first.model)


def _measured_once(
    plan: BenchPlan, mode: str, repeat: int, meter: SuiteMeter, state: _BenchState
) -> tuple[Measured, list[Measurement]]:
    suite = rewritten_suite(state.next_suite(), mode)
    load = partial(load_wrapped, suite.name, plan.models, plan.seeded(repeat), PredictionMode())
    predictor = load()
    return measure(
        suite,
        meter,
        predictor,
        limit=plan.limit,
        shard=plan.shard,
        executor=None if state.pool is None else pool_executor(state.pool, load, meter, suite.limits),
        out=plan.folder(mode, repeat),
        config=plan.config(mode, repeat, predictor),
        on_measurement=state.advance,
    )
