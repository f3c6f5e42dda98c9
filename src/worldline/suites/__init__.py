"""Benchmarks: suites of programs whose traces are predicted (`run`), judged as values (`score`) and counted."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldline.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from worldline.predict.predictor import Predictor
    from worldline.suites.run.record import Record
    from worldline.suites.suite import Suite
    from worldline.suites.table import Measured, Table

SUITES = {
    "permutation": "worldline.suites.permutation",
    "composition": "worldline.suites.composition",
    "horizon": "worldline.suites.horizon",
    "budget": "worldline.suites.budget",
    "states": "worldline.suites.states",
    "branches": "worldline.suites.branches",
    "generated": "worldline.suites.generated",
    "stochastic": "worldline.suites.stochastic",
    "humaneval": "worldline.suites.humaneval",
    "crux": "worldline.suites.crux",
    "crux-input": "worldline.suites.crux_input",
    "humaneval-x": "worldline.suites.languages.humaneval_x",
    "crux-x": "worldline.suites.languages.crux_x",
    "repair": "worldline.suites.repair",
}
ASKED = (  # whose programs another suite asks otherwise: `states` and `budget`
    "generated", "humaneval", "crux", "permutation", "composition", "horizon", "humaneval-x", "crux-x",
)  # fmt: skip
FILES = {  # benchmarks of others: their own files, and where they are
    "humaneval": "data/HumanEval.jsonl.gz of https://github.com/openai/human-eval",
    "crux": "data/cruxeval.jsonl of https://github.com/facebookresearch/cruxeval",
    "crux-input": "data/cruxeval.jsonl of https://github.com/facebookresearch/cruxeval",
    "humaneval-x": "a folder of the files of https://huggingface.co/datasets/THUDM/humaneval-x",
    "crux-x": "datasets/cruxeval_preprocessed of https://github.com/CRUXEVAL-X/cruxeval-x",
    "repair": "a clone of https://github.com/jkoppel/QuixBugs",
}


def load(suite: str, **options: Any) -> Suite:
    """A suite by its name, or that of a FILE.jsonl of one's own programs.

    Options that are None count as not given; one that the suite does not have is refused.
    """
    made, own = _made(suite)
    given = {name: value for name, value in options.items() if value is not None} | own
    known = inspect.signature(made).parameters
    passes_on = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values())
    strange = [] if passes_on else sorted(given.keys() - known.keys())
    if strange:
        raise UsageError(f"the suite {suite} has no {', '.join(strange)}; it has {', '.join(known)}")
    if "data" in known and known["data"].default is inspect.Parameter.empty and "data" not in given:
        raise UsageError(f"the suite {suite} is a file of others': give it as data, {FILES[suite]}")
    return made(**given)


def _made(suite: str) -> tuple[Callable[..., Suite], dict[str, str]]:
    """What makes a suite, and what it is made of where that is a file."""
    if suite in SUITES:
        made: Callable[..., Suite] = import_module(SUITES[suite]).load
        return made, {}
    from worldline.suites.own import own

    if not own.is_file(suite):
        raise UsageError(f"a suite is one of {', '.join(SUITES)}, or a FILE.jsonl of your own, not {suite!r}")
    return own.load, {"data": suite}


def tables(suite: str, records: Iterable[Record]) -> tuple[Table, ...]:
    """What a suite finds in the records of a run beyond the rates of every report; for some, nothing."""
    found = getattr(import_module(SUITES[suite]), "tables", None) if suite in SUITES else None
    return () if found is None else tuple(found(records))


def is_measured(suite: str) -> bool:
    """Whether a suite is not a trace asked once for each task: its `measure` asks, instead of `run`."""
    return suite in SUITES and hasattr(import_module(SUITES[suite]), "measure")


def measure(suite: str, tasks: Suite, predictor: Predictor, **options: Any) -> Measured:
    """What comes of a suite that `is_measured`; options that are None count as not given."""
    given = {name: value for name, value in options.items() if value is not None}
    measured: Callable[..., Measured] = import_module(SUITES[suite]).measure
    if strange := sorted(given.keys() - inspect.signature(measured).parameters.keys()):
        raise UsageError(f"the suite {suite} is measured without {', '.join(strange)}")
    return measured(tasks, predictor, **given)
