"""Suites of programs whose traces are predicted (`run`) and judged as values (`score`)."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from worldline.evaluation.run.record import Record
    from worldline.evaluation.suites.measurement import SuiteMeter
    from worldline.evaluation.suites.suite import Suite
    from worldline.evaluation.table import Table

SUITES = {
    "permutation": "worldline.evaluation.suites.permutation",
    "composition": "worldline.evaluation.suites.composition",
    "horizon": "worldline.evaluation.suites.horizon",
    "budget": "worldline.evaluation.suites.budget",
    "states": "worldline.evaluation.suites.states",
    "branches": "worldline.evaluation.suites.branches",
    "generated": "worldline.evaluation.suites.generated",
    "stochastic": "worldline.evaluation.suites.stochastic",
    "humaneval": "worldline.evaluation.suites.humaneval",
    "crux": "worldline.evaluation.suites.crux",
    "crux-input": "worldline.evaluation.suites.crux_input",
    "livecodebench": "worldline.evaluation.suites.livecodebench",
    "reval": "worldline.evaluation.suites.reval.suite",
    "humaneval-x": "worldline.evaluation.suites.languages.humaneval_x",
    "crux-x": "worldline.evaluation.suites.languages.crux_x",
    "repair": "worldline.evaluation.suites.repair",
    "repository": "worldline.evaluation.suites.repository",
}
REUSABLE = (  # the suites whose programs `states` and `budget` can use
    "generated",
    "humaneval",
    "crux",
    "livecodebench",
    "permutation",
    "composition",
    "horizon",
    "humaneval-x",
    "crux-x",
)
FILES = {  # where to get the data files of third-party benchmarks
    "humaneval": "data/HumanEval.jsonl.gz of https://github.com/openai/human-eval",
    "crux": "data/cruxeval.jsonl of https://github.com/facebookresearch/cruxeval",
    "crux-input": "data/cruxeval.jsonl of https://github.com/facebookresearch/cruxeval",
    "livecodebench": "data/test-00000-of-00001.parquet of "
    "https://huggingface.co/datasets/livecodebench/execution-v2, or its rows as JSON lines",
    "reval": "the folder `data` of https://github.com/r-eval/REval",
    "humaneval-x": "a folder of the files of https://huggingface.co/datasets/THUDM/humaneval-x",
    "crux-x": "https://github.com/CRUXEVAL-X/cruxeval-x (the whole folder), or the dataset xhwl/cruxeval-x",
    "repair": "a clone of https://github.com/jkoppel/QuixBugs",
    "repository": "a dataset that `worldline record --pytest REPO -o DIR` wrote",
}


def load(suite: str, **options: Any) -> Suite:
    """Load a suite by its name, or a FILE.jsonl of your own programs.

    Args:
        suite: The name or the file.
        options: The suite's options. None means the default.

    Raises:
        UsageError: The suite or an option is unknown, or its data file is missing.
    """
    build, own = _builder(suite)
    chosen = {name: value for name, value in options.items() if value is not None} | own
    known = inspect.signature(build).parameters
    passes_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())
    unknown = [] if passes_on else sorted(chosen.keys() - known.keys())
    if unknown:
        raise UsageError(f"the suite {suite} has no option {', '.join(unknown)}; it has {', '.join(known)}")
    if "data" in known and known["data"].default is inspect.Parameter.empty and "data" not in chosen:
        raise UsageError(f"the suite {suite} needs its data file: pass --data, {FILES[suite]}")
    return build(**chosen)


def _builder(suite: str) -> tuple[Callable[..., Suite], dict[str, str]]:
    """The function that loads a suite, and the data option if the suite is named by its file."""
    if suite in SUITES:
        build: Callable[..., Suite] = import_module(SUITES[suite]).load
        return build, {}
    from worldline.evaluation.suites import own

    if not own.is_file(suite):
        raise UsageError(f"a suite is one of {', '.join(SUITES)}, or a FILE.jsonl of your own, not {suite!r}")
    return own.load, {"data": suite}


def tables(suite: str, records: Iterable[Record]) -> tuple[Table, ...]:
    """Return the suite's own tables about the records of a run."""
    build = getattr(import_module(SUITES[suite]), "tables", None) if suite in SUITES else None
    return () if build is None else tuple(build(records))


def is_measured(suite: str) -> bool:
    """Return whether a suite has its own `SuiteMeter`, because it is more than one judged trace per program."""
    return suite in SUITES and hasattr(import_module(SUITES[suite]), "meter")


def meter(suite: str, **options: Any) -> SuiteMeter:
    """Return the meter of a measured suite. An option that is None means the default."""
    chosen = {name: value for name, value in options.items() if value is not None}
    build: Callable[..., SuiteMeter] = import_module(SUITES[suite]).meter
    if unknown := sorted(chosen.keys() - inspect.signature(build).parameters.keys()):
        raise UsageError(f"the suite {suite} does not take {', '.join(unknown)}")
    return build(**chosen)
