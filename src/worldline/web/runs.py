"""What the list of runs says of each: its names, counts, settings, and what is not as a finished run leaves it."""

from __future__ import annotations

import json
import math
from typing import Any

import pyarrow.compute as pc  # type: ignore[import-untyped]

from worldline.web.index.index import Index
from worldline.web.index.row import clean

SETTINGS = 1 << 16  # bytes of settings that are shown
DEEPEST = 20  # levels of them


def describe(index: Index) -> dict[str, Any]:
    """One run of `/api/runs`, but for its id. `samples` were asked; `judged` of them have a verdict."""
    judged = len(index) - index.table["answer"].null_count
    faults = pc.sum(pc.equal(index.table["cause"].cast("string"), "tool fault")).as_py() or 0
    return {
        "name": index.name,
        "suite": index.suite,
        "model": index.model,
        "samples": len(index),
        "judged": judged,
        "faults": faults,
        **index.left_out,
        "live": False,
        "operations": index.operations,
        "notes": list(index.notes),
        "config": _settings(index.config),
    }


def _settings(config: Any) -> Any:
    """The settings, where they are of a size that one can look at."""
    found = _plain(config, DEEPEST)
    size = len(json.dumps(found))
    return found if size <= SETTINGS else {"note": f"{size:,} bytes of settings are not shown"}


def _plain(value: Any, levels: int) -> Any:
    """A value as JSON has it: no lone surrogate, no number that is none, nothing too deep."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {clean(key): _plain(one, levels - 1) for key, one in value.items()} if levels else "..."
    if isinstance(value, list):
        return [_plain(one, levels - 1) for one in value] if levels else "..."
    return value
