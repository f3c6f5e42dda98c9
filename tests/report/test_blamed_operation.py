"""The blamed operation is stored with a run, and every report of the run reads the stored one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_run import Changed

from worldline.core.program import Program
from worldline.diagnose.diagnosis import Diagnosis
from worldline.evaluation.run.record import Record, line, parse
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.ui.report.failures import failure
from worldline.ui.report.samples import judged_sample

pytestmark = pytest.mark.usefixtures("sandbox")

#: Only a recording shows what `g` returns to the line, so a report alone could not tell `upper` from `+`.
SOURCE = """\
def g(x):
    return x

def f(s):
    t = '<' + (g(s).upper() + '>')
    n = s.count('a') + len(t)
    return t, n
"""


def _record(folder: Path, change: tuple[bytes, bytes]) -> Record:
    tasks = [Task(program=Program(source=SOURCE, call="f('abc')"), name="one")]
    run(Suite(name="generated", tasks=tasks), Changed(change), out=folder)
    (text,) = (folder / "records.jsonl").read_bytes().splitlines()
    return parse(text)


def test_the_card_and_the_tables_name_the_stored_operation(tmp_path: Path) -> None:
    record = _record(tmp_path / "run", (b"t='<ABC>'", b"t='<ABc>'"))
    assert record.operation == "upper"
    assert "<dt>about</dt><dd>upper, str</dd>" in failure(record)
    assert judged_sample(record, None).operation == "upper"
    other = parse(line(record).replace(b'"operation": "upper"', b'"operation": "title"'))
    assert "<dt>about</dt><dd>title, str</dd>" in failure(other)
    assert judged_sample(other, None).operation == "title"
    assert judged_sample(other, None).executed["title"] == 1


def test_an_ambiguous_operation_keeps_its_candidates(tmp_path: Path) -> None:
    record = _record(tmp_path / "run", (b"n=6", b"n=7"))
    assert (record.operation, record.candidates) == ("ambiguous", ("count", "len", "arithmetic"))
    again = parse(line(record))
    assert again.verdict().candidates == record.candidates
    assert "<dt>about</dt><dd>ambiguous: count or len or arithmetic, int</dd>" in failure(again)
    assert "ambiguous" not in record.executed
    assert all(record.executed[name] for name in record.candidates)


def test_an_older_record_is_diagnosed_again(tmp_path: Path) -> None:
    """Without a stored operation the report finds what it can without a recording."""
    record = _record(tmp_path / "run", (b"n=6", b"n=7"))
    row = json.loads(line(record))
    for key in ("operation", "failed_type", "candidates"):
        row.pop(key)
    older = parse(json.dumps(row).encode())
    assert older.about() == ("ambiguous", "int")
    assert Diagnosis(older.sample()).cause.candidates == ("count", "len", "arithmetic")
