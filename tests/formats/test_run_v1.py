"""A run written by version 1, before its records said what a failure is about, is read by every later release.

`run-v1` is never made again: a small suite by a predictor that is wrong on purpose. `run-v1.json` has what each failure
is about, as the release that wrote the run found it by diagnosing.
"""

from __future__ import annotations

import json
from pathlib import Path

from worldline.evaluation.run.directory import RECORDS, newest, verify
from worldline.evaluation.run.record import line, parse
from worldline.ui.report.data import gather
from worldline.ui.web.index.index import build

KEPT = Path(__file__).parent / "run-v1"
WANTED = json.loads((KEPT.parent / "run-v1.json").read_text())


def test_its_records_are_written_again_to_the_letter() -> None:
    verify(KEPT)
    data = (KEPT / RECORDS).read_bytes()
    assert b"".join(line(parse(text)) for text in data.splitlines(keepends=True)) == data


def test_its_failures_are_diagnosed_where_the_record_does_not_say() -> None:
    records = newest(KEPT)
    assert all(one.operation is None and one.failed_type is None for one in records.values())
    found = {str(at): list(one.about()) for at, one in records.items() if one.judged["cause"]}
    assert found == WANTED["about"]
    assert {one.about() for one in records.values() if not one.judged["cause"]} == {("", "")}


def test_a_report_and_a_page_of_it_say_the_same_as_then() -> None:
    found = gather(KEPT, limit=10)
    assert {name: found.counted(name) for name in ("operation", "type")} == {
        name: WANTED[name] for name in ("operation", "type")
    }
    index = build(KEPT)
    assert index.operations
    assert {str(one["at"]): one["operation"] for one in index.table.to_pylist() if one["operation"] is not None} == {
        at: operation or "none" for at, (operation, _) in WANTED["about"].items()
    }
