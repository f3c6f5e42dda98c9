"""A suite asked of a model in one call: what `worldline.bench` is. It prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation import suites
from worldline.evaluation.own.own import loose_suite
from worldline.evaluation.run.run import run
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.predict.models import load_model
from worldline.predict.predictor import Predictor

Loose = Iterable[Task] | Iterable[Program] | Iterable[Mapping[str, Any]]


def bench(
    suite: str | Path | Suite | Loose,
    model: str | Predictor | Callable[..., Any] = "default",
    *,
    limit: int | None = None,
    out: str | Path | None = None,
    extras: Mapping[str, str] | None = None,
    each: Callable[[Verdict], None] | None = None,
    **options: Any,
) -> Report:
    """What came of a suite: `report.all.answer.rate`, `report.causes`. `each` hears every verdict as it comes.

    The suite is a name, a FILE.jsonl, a `Suite`, or tasks, programs or rows; the model is what `--model` takes, a
    predictor, or a function from a prompt to a text. `options` are the suite's own; `out` keeps the run in a folder.
    """
    found = _suite(suite, options)
    predictor = load_model(model, extras)
    if suites.is_measured(found.name):
        raise UsageError(f"the suite {found.name} is measured otherwise: `worldline bench {found.name}`")
    config = {
        "options": {name: value for name, value in options.items() if value is not None},
        "extras": dict(extras or {}), "scheme": model if isinstance(model, str) else predictor.info.name,
        "weights": predictor.info.digest,
    }  # fmt: skip
    return run(found, predictor, limit=limit, each=each, out=Path(out) if out else None, config=config)


def _suite(suite: Any, options: dict[str, Any]) -> Suite:
    if isinstance(suite, str | Path):
        return suites.load(str(suite), **options)
    if options:
        raise UsageError(f"{', '.join(options)}: options are for suites that are loaded by name")
    if isinstance(suite, Suite):
        return suite
    try:
        things: Iterator[Any] = iter(suite)
    except TypeError:
        things = iter(())
    return loose_suite(things)
