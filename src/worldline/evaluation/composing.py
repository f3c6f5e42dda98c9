"""A benchmark as a plan of three parts: how a model is asked (`Asking`), where it runs, and how the suite judges it.

A plan with several scratchpads or several samples is that many runs, each in its own folder:

    OUT                 one run
    OUT/2               the second of several samples
    OUT/flatten         one of several scratchpads
    OUT/flatten/2       the second sample of one of several scratchpads
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from worldline.evaluation import suites
from worldline.evaluation.asking import NONE, Asking, rewritten_suite
from worldline.evaluation.forced import QUERIES
from worldline.evaluation.measuring import MeasureExecutor, measure, pool_executor
from worldline.evaluation.measuring import sum_up as sum_up_measurements
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.run.samples import pooled
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
from worldline.storage.remote import Folder


@dataclass(frozen=True)
class BenchProgress:
    """How far a benchmark is: programs done, of how many (None: unknown), and a note on what is under way."""

    done: int
    total: int | None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class BenchPlan:
    """Everything that decides a benchmark, checked by `checks`."""

    suite: Suite
    reload: Callable[[], Suite] | None  # None where the suite's tasks can be read only once
    model: AnyModel
    extras: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    samples: int = 1
    modes: Sequence[str] = (NONE,)
    force: Sequence[str] = ()
    queries: int | None = None
    shard: SuiteShard | None = None
    out: Folder | None = None

    def seeded(self, sample: int) -> dict[str, str]:
        """The model's options for a sample: of several, each has its own seed, from the one that is set."""
        if self.samples == 1:
            return dict(self.extras)
        return {**self.extras, "seed": str(int(self.extras.get("seed", "0")) + sample - 1)}

    def folder(self, mode: str, sample: int) -> Folder | None:
        """Where one of the plan's runs is kept."""
        if self.out is None:
            return None
        at = self.out if len(self.modes) == 1 else self.out / mode
        return at if self.samples == 1 else at / str(sample)

    def config(self, mode: str, sample: int, predictor: Predictor) -> dict[str, Any]:
        """What a run keeps of the plan; `predictor` is the model as it was loaded, with nothing around it."""
        return {
            "options": {name: value for name, value in self.options.items() if value is not None},
            "extras": self.seeded(sample),
            "scheme": self.model if isinstance(self.model, str) else predictor.info.name,
            "weights": predictor.info.digest,
            **({"force": list(self.force), "queries": self.queries} if self.force else {}),
            **({"scratchpad": mode} if mode != NONE else {}),
        }


@dataclass(frozen=True, kw_only=True)
class BenchListener:
    """Who hears of a benchmark under way."""

    verdict: Callable[[Verdict], None] | None = None
    progress: Callable[[BenchProgress], None] | None = None


def load_asked(suite: str, model: AnyModel, extras: Mapping[str, str], asking: Asking) -> Predictor:
    """Load a model, here or on a worker, and ask it in a way."""
    return asking.around(_load_bare(suite, model, extras))


def _load_bare(suite: str, model: AnyModel, extras: Mapping[str, str]) -> Predictor:
    if (suite, model) == ("crux-input", SEARCH):
        from worldline.plan.inputs.answerer import load_search

        return load_search(extras)
    return load_model(model, extras)


def run_plan(
    plan: BenchPlan, listener: BenchListener, pool: WorkerPool | None = None
) -> dict[str, Report | Measured]:
    """Carry out a plan, on the workers of a pool where there is one; the result by scratchpad mode."""
    state = _BenchState(plan, listener, pool)
    if suites.is_measured(plan.suite.name):
        meter = suites.meter(plan.suite.name, force=plan.force or None)
        return {mode: _measured(plan, mode, meter, state) for mode in plan.modes}
    return {mode: _judged(plan, mode, state) for mode in plan.modes}


class _BenchState:
    """The suite of each run of a plan, and how many programs of all of them are done."""

    def __init__(self, plan: BenchPlan, listener: BenchListener, pool: WorkerPool | None) -> None:
        self.pool, self._listener = pool, listener
        self._suites = chain([plan.suite], _reloaded(plan.reload))
        count, runs = plan.suite.count if plan.limit is None else plan.limit, len(plan.modes) * plan.samples
        self._done, self._total = 0, None if count is None else count * runs

    def next_suite(self) -> Suite:
        """The suite for one more run, its tasks not yet read."""
        self.say("")
        return next(self._suites)

    def say(self, note: str) -> None:
        """Say what is under way."""
        if self._listener.progress is not None:
            self._listener.progress(BenchProgress(self._done, self._total, note))

    def judged(self, verdict: Verdict) -> None:
        """A prediction was judged."""
        if self._listener.verdict is not None:
            self._listener.verdict(verdict)
        self.advance()

    def advance(self, _: Measurement | None = None) -> None:
        """A program is done."""
        self._done += 1
        self.say(self.pool.summary if self.pool is not None else "")


def _reloaded(load: Callable[[], Suite] | None) -> Iterator[Suite]:
    """Load a suite as often as it is needed."""
    while load is not None:
        yield load()


def _judged(plan: BenchPlan, mode: str, state: _BenchState) -> Report:
    """A suite of judged traces in one mode: every sample, summed up."""
    runs = [_judged_once(plan, mode, sample, state) for sample in range(1, plan.samples + 1)]
    if len(runs) == 1:
        return runs[0][0]
    return pooled([report for report, _ in runs], [records for _, records in runs])


def _judged_once(plan: BenchPlan, mode: str, sample: int, state: _BenchState) -> tuple[Report, list[Record]]:
    suite = state.next_suite() if mode == NONE else state.next_suite().for_scratchpads()
    queries = QUERIES if plan.queries is None else plan.queries
    asking = Asking(mode, next(iter(plan.force), None), queries, suite.limits)
    bare = _load_bare(suite.name, plan.model, plan.seeded(sample))
    predictor, at, records = asking.around(bare), plan.folder(mode, sample), list[Record]()
    load = partial(load_asked, suite.name, plan.model, plan.seeded(sample), asking)
    rows = None if state.pool is None else spread(state.pool, load, predictor.info.notation)
    report = run(
        suite, predictor, limit=plan.limit, each=state.judged, out=at, keep=records.append if at is None else None,
        config=plan.config(mode, sample, bare), known=lambda count: state.say(f"({count:,} recorded)"),
        shard=plan.shard, rows=rows,
    )  # fmt: skip
    records = sorted(records, key=lambda record: record.at) if at is None else [*newest(local(at)).values()]
    faults = (f"{one.name}: {one.found.note}" for one in records if one.is_fault and one.found.note)
    tables = suites.tables(suite.name, records)
    return replace(report, tables=tables, first_fault=next(faults, "")), records


def _measured(plan: BenchPlan, mode: str, meter: SuiteMeter, state: _BenchState) -> Measured:
    """A suite with a meter in one mode: every sample, summed up."""
    runs = [_measured_once(plan, mode, sample, meter, state) for sample in range(1, plan.samples + 1)]
    first = runs[0][0]
    if len(runs) == 1:
        return first
    rows = [row for _, measured in runs for row in measured]
    return sum_up_measurements(rows, meter, suite=first.suite, model=first.model)


def _measured_once(
    plan: BenchPlan, mode: str, sample: int, meter: SuiteMeter, state: _BenchState
) -> tuple[Measured, list[Measurement]]:
    suite = rewritten_suite(state.next_suite(), mode)
    load = partial(load_asked, suite.name, plan.model, plan.seeded(sample), Asking())
    predictor = load()
    executor: MeasureExecutor | None = None
    if state.pool is not None:
        executor = pool_executor(state.pool, load, meter, suite.limits)
    return measure(
        suite, meter, predictor, limit=plan.limit, shard=plan.shard, executor=executor, each=state.advance,
        out=plan.folder(mode, sample), config=plan.config(mode, sample, predictor),
    )  # fmt: skip
