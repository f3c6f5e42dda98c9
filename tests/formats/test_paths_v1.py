"""Paths written by version 1 are read by every later release. `paths-v1` is never made again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worldline.data import shards
from worldline.plan.paths.store import find_problems, load_paths

HERE = Path(__file__).parent
KEPT = HERE / "paths-v1"
EXPECTED = json.loads((HERE / "paths-v1.json").read_text())


def test_version_1_is_read() -> None:
    assert shards.verify(KEPT) == []
    assert find_problems(KEPT) == []
    rows = list(load_paths(KEPT))
    assert json.loads(json.dumps([_as_version_1(asdict(row)) for row, _ in rows])) == EXPECTED
    assert [trace.program.digest for _, trace in rows] == [row["digest"] for row in EXPECTED]


def _as_version_1(row: dict[str, Any]) -> dict[str, Any]:
    """Version 1 called decisions `conditions`, and they and the arcs had no columns: now -1."""
    row["conditions"] = row.pop("decisions")
    for part in (*row["conditions"], *row["uncovered"]):
        assert [part.pop(name) for name in ("column", "end_line", "end_column")] == [-1, -1, -1]
    return row


def test_version_1_has_every_kind_of_thing() -> None:
    """What the kept files must go on proving: no column is empty in all rows, and every finder is there but one."""
    assert all(any(row[column] for row in EXPECTED) for column in EXPECTED[0])
    assert {row["found_by"] for row in EXPECTED} == {"random", "crosshair"}
    assert max(len(row["solved"]) for row in EXPECTED) > 1
