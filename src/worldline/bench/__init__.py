"""Benchmarks: suites of programs whose traces are predicted (`run`), judged as values (`score`) and counted."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.suite import Suite

SUITES = {
    "permutation": "worldline.bench.permutation",
    "generated": "worldline.bench.generated",
    "humaneval": "worldline.bench.humaneval",
    "crux": "worldline.bench.crux",
}


def load(suite: str, **options: Any) -> Suite:
    """A suite by its name. Options that are None count as not given; one that the suite does not have is refused."""
    if suite not in SUITES:
        raise UsageError(f"a suite is one of {', '.join(SUITES)}, not {suite!r}")
    made = import_module(SUITES[suite]).load
    given = {name: value for name, value in options.items() if value is not None}
    known = inspect.signature(made).parameters
    strange = sorted(given.keys() - known.keys())
    if strange:
        raise UsageError(f"the suite {suite} has no {', '.join(strange)}; it has {', '.join(known)}")
    if "data" in known and "data" not in given:
        raise UsageError(f"the suite {suite} is a file of others': give it as data")
    found: Suite = made(**given)
    return found
