"""`worldline.bench`: evaluate a model on a suite. It prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation import suites
from worldline.evaluation.bench_plan import BenchListener, BenchPlan, BenchProgress, run_plan
from worldline.evaluation.checks import check_plan
from worldline.evaluation.prediction_mode import modes_of
from worldline.evaluation.run.shard import SuiteShard, parse_shard
from worldline.evaluation.score import Verdict
from worldline.evaluation.scratchpads import BenchResult, ScratchpadReports
from worldline.evaluation.suites.own import loose_suite
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured
from worldline.parallel.pool import WorkerPool
from worldline.parallel.ray_pool import join_ray
from worldline.predict.models import AnyModel
from worldline.storage.remote import StorePath, place

LooseSuite = Iterable[Task] | Iterable[Program] | Iterable[Mapping[str, Any]]
AnySuite = str | Path | Suite | LooseSuite
MeasuredName = Literal["states", "branches", "stochastic", "crux-input", "reval", "repair"]
PERMUTATION = "permutation"  # the suite that takes several values of `reveal`


class SuiteOptions(TypedDict, total=False):
    """Options of the suites that are loaded by name; each suite has some of them (docs/reference/cli.md, `bench`)."""

    data: str | Path | None
    language: str | None
    seed: int | None
    length: int | Sequence[int] | None
    reveal: int | Sequence[int] | None
    delta: str | None
    hidden: str | None
    bare: bool | None
    steps: int | None
    names: int | None
    arbitrary: bool | None
    pair: bool | None
    depth: int | Sequence[int] | None
    kind: str | None
    lines: bool | None
    world: str | Sequence[str] | None
    of: str | None
    formats: str | Sequence[str] | None
    calls: int | None
    split: str | None
    functions: int | None


class BenchOptions(SuiteOptions, total=False):
    """What every form of `bench` takes besides `scratchpad`; the docstring of `bench` explains them."""

    max_programs: int | None
    samples: int
    voters: Sequence[AnyModel]
    repeats: int
    force: str | Sequence[str] | None
    queries: int | None
    shard: str | SuiteShard | None
    out: str | Path | StorePath | None
    ray: str | WorkerPool | None
    extras: Mapping[str, str] | None
    limits: Limits | None
    keep_going: bool
    on_verdict: Callable[[Verdict], None] | None
    progress: Callable[[BenchProgress], None] | None
    notify: Callable[[str], None] | None


@overload
def bench(  # type: ignore[overload-overlap]
    suite: MeasuredName, model: AnyModel = "default", *, scratchpad: str | None = None, **options: Unpack[BenchOptions]
) -> Measured: ...
@overload
def bench(  # type: ignore[overload-overlap]
    suite: AnySuite,
    model: AnyModel = "default",
    *,
    scratchpad: Literal["all"] | list[str] | tuple[str, ...],
    **options: Unpack[BenchOptions],
) -> ScratchpadReports: ...
@overload
def bench(
    suite: AnySuite, model: AnyModel = "default", *, scratchpad: str | None = None, **options: Unpack[BenchOptions]
) -> Report: ...
@overload
def bench(
    suite: AnySuite,
    model: AnyModel = "default",
    *,
    scratchpad: str | Sequence[str] | None,
    **options: Unpack[BenchOptions],
) -> BenchResult: ...
def bench(
    suite: AnySuite,
    model: AnyModel = "default",
    *,
    max_programs: int | None = None,
    samples: int = 1,
    voters: Sequence[AnyModel] = (),
    repeats: int = 1,
    scratchpad: str | Sequence[str] | None = None,
    force: str | Sequence[str] | None = None,
    queries: int | None = None,
    shard: str | SuiteShard | None = None,
    out: str | Path | StorePath | None = None,
    ray: str | WorkerPool | None = None,
    extras: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    keep_going: bool = False,
    on_verdict: Callable[[Verdict], None] | None = None,
    progress: Callable[[BenchProgress], None] | None = None,
    notify: Callable[[str], None] | None = None,
    **options: Unpack[SuiteOptions],
) -> BenchResult:
    """Measure a model on a suite.

    Args:
        suite: A name, a FILE.jsonl, a `Suite`, or tasks, programs or rows.
        model: What `--model` takes, a predictor, or a function or class that maps a prompt to a text.
        max_programs: The number of programs; by default the suite's own.
        samples: Maximum number of predictions of an uncertain program by each model; their answers vote.
        voters: Other models that vote, loaded with the same `extras`.
        repeats: How often the suite is run, each time with another seed.
        scratchpad: The form in which programs are predicted: `none`, `flatten`, `chars`, `auto`; or several, or `all`.
            By default `auto` wherever it applies; suites that measure something else predict programs as they are.
        force: The part of the true trace that the model is fed: `actions`, `states`, `guard` or `queries`. The suite
            `states` takes several of `free`, `actions`, `states` and `next`.
        queries: With `force="queries"`, at most this many true steps per program.
        shard: Evaluate every N-th program, starting with the K-th: "K/N". `merge` joins the shards.
        out: A folder or URL that stores the run. A run stored there is resumed.
        ray: A Ray cluster to run on: its address, or `auto` for a running or a new one; or a worker pool.
        extras: Options of the model, as `-M` takes them.
        limits: Limits of a recording; by default the suite's.
        keep_going: Do not stop if none of the first 8 answers can be read. By default a run of a model that could be
            asked in another way stops then (`is_stopped` of its report) and can be resumed.
        on_verdict: Called with every verdict.
        progress: Called when a program is done.
        notify: Called with messages for the user, such as that a cluster was started.
        options: The suite's own options: `SuiteOptions`.

    Returns:
        A `Report`. A suite with its own tables, such as `states`, gives a `Measured`; several scratchpads give a
        `ScratchpadReports`.

    Raises:
        UsageError: An option is unknown, or two of them contradict each other.
        FingerprintError: `out` holds a run with other settings.
    """
    own = dict[str, Any](options)
    loaded, reload = _suite(suite, own, limits)
    modes = modes_of(scratchpad)
    plan = BenchPlan(
        suite=loaded,
        reload=reload,
        model=model,
        extras=_extras(loaded.name, model, extras or {}),
        options=own,
        limit=max_programs,
        samples=samples,
        voters=tuple(voters),
        repeats=repeats,
        modes=modes,
        queries=queries,
        force=[force] if isinstance(force, str) else list(force or ()),
        shard=parse_shard(shard) if isinstance(shard, str) else shard,
        out=None if out is None else place(out),
        keep_going=keep_going,
    )
    check_plan(plan, has_pool=ray is not None)
    pool = join_ray(ray, say=notify) if isinstance(ray, str) else ray
    reports = run_plan(plan, BenchListener(verdict=on_verdict, progress=progress), pool)
    is_single = (scratchpad is None or isinstance(scratchpad, str)) and len(modes) == 1
    return next(iter(reports.values())) if is_single else ScratchpadReports(reports)


def _suite(suite: AnySuite, options: dict[str, Any], limits: Limits | None) -> tuple[Suite, Callable[[], Suite] | None]:
    """The suite, and a function that loads it again (None if its tasks can be read only once)."""
    if isinstance(suite, str | Path):
        _settle_reveal(str(suite), options)
        load = partial(_loaded, str(suite), options, limits)
        return load(), load
    if options:
        raise UsageError(f"{', '.join(options)}: only suites that are loaded by name take options")
    loaded = suite if isinstance(suite, Suite) else loose_suite(_iterated(suite))
    loaded = loaded if limits is None else replace(loaded, limits=limits)
    return loaded, None if iter(loaded.tasks) is loaded.tasks else lambda: loaded


def _loaded(name: str, options: Mapping[str, Any], limits: Limits | None) -> Suite:
    suite = suites.load(name, **options)
    return suite if limits is None else replace(suite, limits=limits)


def _settle_reveal(suite: str, options: dict[str, Any]) -> None:
    """Unwrap `reveal`: only the permutation suite compares several values."""
    reveal = options.get("reveal")
    if reveal is None or isinstance(reveal, int) or PERMUTATION in (suite, options.get("of")):
        return
    if len(reveal) != 1:
        raise UsageError("only the permutation suite takes several values of reveal")
    options["reveal"] = reveal[0]


def _iterated(things: Any) -> Iterator[Any]:
    try:
        return iter(things)
    except TypeError:
        return iter(())


def _extras(suite: str, model: AnyModel, extras: Mapping[str, str]) -> dict[str, str]:
    """The model's options; the suite `stochastic` samples at temperature 1 by default."""
    is_drawn = suite == "stochastic" and isinstance(model, str) and model != "interpreter"
    if is_drawn and not str(model).startswith(("replay:", "python:")):
        return {"temperature": "1", **extras}
    return dict(extras)
