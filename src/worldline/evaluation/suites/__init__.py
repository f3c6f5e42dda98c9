"""Benchmarks: suites of programs whose traces are predicted (`run`), judged as values (`score`) and counted."""

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
    "humaneval-x": "worldline.evaluation.suites.languages.humaneval_x",
    "crux-x": "worldline.evaluation.suites.languages.crux_x",
    "repair": "worldline.evaluation.suites.repair",
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
    from worldline.evaluation.own import own

    if not own.is_file(suite):
        raise UsageError(f"a suite is one of {', '.join(SUITES)}, or a FILE.jsonl of your own, not {suite!r}")
    return own.load, {"data": suite}


def tables(suite: str, records: Iterable[Record]) -> tuple[Table, ...]:
    """What a suite finds in the records of a run beyond the rates of every report; for some, nothing."""
    found = getattr(import_module(SUITES[suite]), "tables", None) if suite in SUITES else None
    return () if found is None else tuple(found(records))


def is_measured(suite: str) -> bool:
    """Whether a suite is more than one judged trace per program: its own `SuiteMeter` measures it."""
    return suite in SUITES and hasattr(import_module(SUITES[suite]), "meter")


def meter(suite: str, **options: Any) -> SuiteMeter:
    """Return how a suite that `is_measured` is measured; options that are None count as not given."""
    given = {name: value for name, value in options.items() if value is not None}
    build: Callable[..., SuiteMeter] = import_module(SUITES[suite]).meter
    if strange := sorted(given.keys() - inspect.signature(build).parameters.keys()):
        raise UsageError(f"the suite {suite} is measured without {', '.join(strange)}")
    return build(**given)
