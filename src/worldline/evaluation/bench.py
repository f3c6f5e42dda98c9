"""`worldline.bench`: a suite asked of a model, in one call. It prints nothing."""

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
from worldline.evaluation.asking import NONE, modes_of
from worldline.evaluation.checks import check_plan
from worldline.evaluation.composing import BenchListener, BenchPlan, BenchProgress, run_plan
from worldline.evaluation.own.own import loose_suite
from worldline.evaluation.run.shard import SuiteShard, parse_shard
from worldline.evaluation.score import Verdict
from worldline.evaluation.scratchpads import BenchResult, ScratchpadReports
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured
from worldline.parallel.pool import WorkerPool
from worldline.parallel.ray_pool import join_ray
from worldline.predict.models import AnyModel
from worldline.storage.remote import StorePath, place

LooseSuite = Iterable[Task] | Iterable[Program] | Iterable[Mapping[str, Any]]
AnySuite = str | Path | Suite | LooseSuite
MeasuredName = Literal["states", "branches", "stochastic", "crux-input", "repair"]
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
    functions: int | None


class BenchOptions(SuiteOptions, total=False):
    """What every form of `bench` takes besides `scratchpad`; `bench` says what each means."""

    max_programs: int | None
    samples: int
    force: str | Sequence[str] | None
    queries: int | None
    shard: str | SuiteShard | None
    out: str | Path | StorePath | None
    ray: str | WorkerPool | None
    extras: Mapping[str, str] | None
    limits: Limits | None
    each: Callable[[Verdict], None] | None
    progress: Callable[[BenchProgress], None] | None
    notify: Callable[[str], None] | None


@overload
def bench(  # type: ignore[overload-overlap]
    suite: MeasuredName,
    model: AnyModel = "default",
    *,
    scratchpad: str = NONE,
    **options: Unpack[BenchOptions],
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
    suite: AnySuite, model: AnyModel = "default", *, scratchpad: str = NONE, **options: Unpack[BenchOptions]
) -> Report: ...
@overload
def bench(
    suite: AnySuite,
    model: AnyModel = "default",
    *,
    scratchpad: str | Sequence[str],
    **options: Unpack[BenchOptions],
) -> BenchResult: ...
def bench(
    suite: AnySuite,
    model: AnyModel = "default",
    *,
    max_programs: int | None = None,
    samples: int = 1,
    scratchpad: str | Sequence[str] = NONE,
    force: str | Sequence[str] | None = None,
    queries: int | None = None,
    shard: str | SuiteShard | None = None,
    out: str | Path | StorePath | None = None,
    ray: str | WorkerPool | None = None,
    extras: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    each: Callable[[Verdict], None] | None = None,
    progress: Callable[[BenchProgress], None] | None = None,
    notify: Callable[[str], None] | None = None,
    **options: Unpack[SuiteOptions],
) -> BenchResult:
    """Measure a model on a suite.

    Args:
        suite: A name, a FILE.jsonl, a `Suite`, or tasks, programs or rows.
        model: What `--model` takes, a predictor, or a function or class that maps a prompt to a text.
        max_programs: How many programs; by default as many as the suite counts.
        samples: How often each program is asked, each time with another seed.
        scratchpad: An easier form to predict programs in: `none`, `flatten`, `chars`, `auto`; or several, or `all`.
        force: The part of the true trace that the model is fed: `actions`, `states`, `guard` or `queries`. The suite
            `states` takes several of `free`, `actions`, `states` and `next`.
        queries: With `force="queries"`, how many true steps the model may ask for.
        shard: Ask only for every N-th program, from the K-th on: "K/N". `merge` puts the shards together.
        out: A folder or URL that keeps the run. A run that is there is resumed.
        ray: A Ray cluster that does the work: its address, or `auto` for one that runs or a new one; or a worker pool.
        extras: Options of the model, as `-M` takes them.
        limits: Limits of a recording; by default the suite's.
        each: Called with every verdict, as it comes.
        progress: Called when a program is done.
        notify: Called with a sentence that the user should see: a cluster was started.
        options: The suite's own options: `SuiteOptions`.

    Returns:
        A `Report`; of a suite with tables of its own, such as `states`, a `Measured`; of several scratchpads a
        `ScratchpadReports`.

    Raises:
        UsageError: An option is unknown, or two of them contradict each other.
        FingerprintError: `out` holds a run of other settings.
    """
    own = dict[str, Any](options)
    loaded, reload = _suite(suite, own, limits)
    modes = modes_of(scratchpad)
    plan = BenchPlan(
        suite=loaded, reload=reload, model=model, extras=_extras(loaded.name, model, extras or {}), options=own,
        limit=max_programs, samples=samples, modes=modes, queries=queries,
        force=[force] if isinstance(force, str) else list(force or ()),
        shard=parse_shard(shard) if isinstance(shard, str) else shard,
        out=None if out is None else place(out),
    )  # fmt: skip
    check_plan(plan, has_pool=ray is not None)
    pool = join_ray(ray, say=notify) if isinstance(ray, str) else ray
    reports = run_plan(plan, BenchListener(verdict=each, progress=progress), pool)
    is_single = isinstance(scratchpad, str) and len(modes) == 1
    return reports[modes[0]] if is_single else ScratchpadReports(reports)


def _suite(
    suite: AnySuite, options: dict[str, Any], limits: Limits | None
) -> tuple[Suite, Callable[[], Suite] | None]:
    """A suite, and how to have it again; None where its tasks can be read only once."""
    if isinstance(suite, str | Path):
        _settle_reveal(str(suite), options)
        load = partial(_loaded, str(suite), options, limits)
        return load(), load
    if options:
        raise UsageError(f"{', '.join(options)}: options are for suites that are loaded by name")
    loaded = suite if isinstance(suite, Suite) else loose_suite(_iterated(suite))
    loaded = loaded if limits is None else replace(loaded, limits=limits)
    return loaded, None if iter(loaded.tasks) is loaded.tasks else lambda: loaded


def _loaded(name: str, options: Mapping[str, Any], limits: Limits | None) -> Suite:
    suite = suites.load(name, **options)
    return suite if limits is None else replace(suite, limits=limits)


def _settle_reveal(suite: str, options: dict[str, Any]) -> None:
    """Only the permutation suite compares several values of `reveal`; the others take one."""
    reveal = options.get("reveal")
    if reveal is None or isinstance(reveal, int) or PERMUTATION in (suite, options.get("of")):
        return
    if len(reveal) != 1:
        raise UsageError("only the permutation suite takes several spacings")
    options["reveal"] = reveal[0]


def _iterated(things: Any) -> Iterator[Any]:
    try:
        return iter(things)
    except TypeError:
        return iter(())


def _extras(suite: str, model: AnyModel, extras: Mapping[str, str]) -> dict[str, str]:
    """The model's options; in the suite `stochastic` a model is drawn from as it would draw, unless it is set."""
    is_drawn = suite == "stochastic" and isinstance(model, str) and model != "interpreter"
    if is_drawn and not str(model).startswith(("replay:", "python:")):
        return {"temperature": "1", **extras}
    return dict(extras)
