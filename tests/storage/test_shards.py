"""What is stored is what is read: any trace, any text, in order, once each, again after a stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_traces import FINGERPRINT, INTERPRETER, any_trace, facts, store, trace
from tiers import examples

from worldline.core.errors import DigestError, FingerprintError, FormatError, UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Columns, Hidden, InterpreterInfo, Trace
from worldline.data import manifest, rows, shards


def test_traces_come_back_in_order(tmp_path: Path) -> None:
    stored = [trace(n, length=3 + n % 5) for n in range(7)]
    store(tmp_path, stored, rows_per_shard=3, fsync=True)
    assert sorted(os.listdir(tmp_path)) == [".manifest.json", *(f"traces-0000{n}.parquet" for n in range(3))]
    assert [facts(t) for t in shards.read(tmp_path)] == [facts(t) for t in stored]
    assert shards.verify(tmp_path) == []


@settings(max_examples=examples(10, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_trace(), max_size=3, unique_by=lambda t: t.program.digest))
def test_storing_and_reading_is_identity(given_traces: list) -> None:
    with tempfile.TemporaryDirectory() as name:
        with shards.ShardWriter(name, fingerprint={}, rows_per_shard=2, fsync=False) as writer:
            assert all(writer.add(t) for t in given_traces)
        back = list(shards.read(name))
        assert [facts(t) for t in back] == [facts(t) for t in given_traces]
        assert shards.verify(name) == []
        # a trace that was read is stored as it was numbered: from here on even the columns are equal
        again = Path(name) / "again"
        with shards.ShardWriter(again, fingerprint={}, fsync=False) as writer:
            assert all(writer.add(t) for t in back)
        assert list(shards.read(again)) == back


def test_lone_surrogates_are_exact_and_the_row_stays_readable(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    odd = trace(1, program=Program(source="x = '\udc80'", argv=("\ud800",), stdin="\ud83d\ude00"), stderr="\udcff!")
    store(tmp_path, [odd])
    assert facts(next(shards.read(tmp_path))) == facts(odd)
    row = pq.read_table(tmp_path / "traces-00000.parquet").to_pylist()[0]
    assert row["program"]["source"] == "x = '\ufffd'"
    assert row["stderr"] == "\ufffd!"
    assert [pair["field"] for pair in row["exact"]] == ["program.source", "program.argv.0", "program.stdin", "stderr"]


def test_what_a_row_cannot_hold_is_refused_and_the_writer_goes_on(tmp_path: Path) -> None:
    bad = [
        trace(1, columns=replace(trace(1).columns, texts=["\ud800"] * 9)),
        trace(2, frames=[]),
        trace(3, hidden=(Hidden(1 << 70, "kind", "value"),)),
        trace(4, columns=replace(trace(4).columns, texts=[])),
    ]
    with shards.ShardWriter(tmp_path, fingerprint={}) as writer:
        for one in bad:
            with pytest.raises(FormatError):
                writer.add(one)
        writer.add(trace(5))
    assert [facts(t) for t in shards.read(tmp_path)] == [facts(trace(5))]


def test_a_trace_beyond_a_row_is_refused_before_it_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_TEXT", 10)
    with pytest.raises(FormatError, match="more than one row holds"):
        rows.encode(trace(1))
    monkeypatch.setattr(rows, "MAX_VALUES", 10)
    with pytest.raises(FormatError, match="steps are more than"):
        rows.encode(trace(1))


def test_a_program_is_stored_once(tmp_path: Path) -> None:
    with shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        assert [writer.add(trace(n)) for n in (1, 2, 1, 2, 3)] == [True, True, False, False, True]
        assert (writer.stored, writer.skipped) == (0, 2)
    with shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        assert writer.stored == 3
        assert [writer.add(trace(n)) for n in (3, 4)] == [False, True]
        writer.flush()
        assert writer.stored == 4
    assert [t.program.call for t in shards.read(tmp_path)] == ["f(1)", "f(2)", "f(3)", "f(4)"]


def test_no_traces_is_a_directory_that_verifies(tmp_path: Path) -> None:
    store(tmp_path / "a" / "b", [])
    assert list(shards.read(tmp_path / "a" / "b")) == []
    assert shards.verify(tmp_path / "a" / "b") == []
    store(tmp_path / "a" / "b", [trace(1, columns=Columns(), frames=())])
    assert [len(t) for t in shards.read(tmp_path / "a" / "b")] == [0]


def test_what_was_added_before_an_exception_is_stored(tmp_path: Path) -> None:
    def traces() -> Iterator[Trace]:
        yield trace(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(tmp_path, traces())
    assert len(list(shards.read(tmp_path))) == 1
    assert shards.verify(tmp_path) == []


def test_row_groups_bound_what_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(shards, "GROUP_ROWS", 2)
    monkeypatch.setattr(shards, "SHARD_BYTES", 8_000)
    store(tmp_path, (trace(n) for n in range(9)), rows_per_shard=1000)
    assert len(manifest.load(tmp_path).shards) > 1
    assert pq.ParquetFile(tmp_path / "traces-00000.parquet").metadata.row_group(0).num_rows == 2
    assert [t.program.call for t in shards.read(tmp_path)] == [f"f({n})" for n in range(9)]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"recipe": {"name": "other"}}, "recipe.name: stored 'test', now 'other'"),
        ({"limits": {"steps": 5}}, "limits.steps: stored 1000000, now 5"),
        ({"interpreter": {"version": "3.12.1"}}, "interpreter.version: stored '3.11.7', now '3.12.1'"),
        ({"code": "9"}, "code: stored "),
        ({"more": None}, "more: stored nothing, now None"),
    ],
)  # fmt: skip
def test_another_fingerprint_is_refused_with_the_difference(tmp_path: Path, changed: dict, line: str) -> None:
    store(tmp_path, [trace(1)])
    with pytest.raises(FingerprintError) as caught:
        shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT | changed)
    assert line in str(caught.value)
    store(tmp_path, [trace(2)])  # the refused writer kept no lock
    assert len(list(shards.read(tmp_path))) == 2


def test_a_trace_of_another_interpreter_or_other_limits_is_refused(tmp_path: Path) -> None:
    with shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        with pytest.raises(FingerprintError, match=r"interpreter\.version: stored '3\.11\.7', now '3\.13\.0'"):
            writer.add(trace(1, interpreter=InterpreterInfo("cpython", "3.13.0", "native")))
        with pytest.raises(FingerprintError, match=r"limits\.steps"):
            writer.add(trace(1, limits=Limits(steps=7)))
        writer.add(trace(1, interpreter=replace(INTERPRETER, core="python")))
        writer.add(trace(2, interpreter=InterpreterInfo("", "", "")))
        assert writer.skipped == 0


def test_directories_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="neither empty nor"):
        shards.ShardWriter(tmp_path, fingerprint={})
    assert os.listdir(tmp_path) == ["notes.txt"]
    store(tmp_path / "set", [trace(1)])
    (tmp_path / "set" / ".manifest.json").unlink()
    with pytest.raises(DigestError, match="missing, but there are shards"):
        shards.ShardWriter(tmp_path / "set", fingerprint=FINGERPRINT)
    with pytest.raises(DigestError, match="missing"):
        next(shards.read(tmp_path / "set"))
    with pytest.raises(UsageError, match="no such directory"):
        shards.verify(tmp_path / "nowhere")
    for bad in ({"a": object()}, {"a": "\ud800"}):
        with pytest.raises(UsageError, match="fingerprint"):
            shards.ShardWriter(tmp_path / "new", fingerprint=bad)
    with pytest.raises(UsageError, match="rows_per_shard"):
        shards.ShardWriter(tmp_path / "new", fingerprint={}, rows_per_shard=0)


def test_the_schema_has_every_limit() -> None:
    assert {*rows.LIMIT_FIELDS, "wall"} == {field.name for field in fields(Limits)}


def test_pyarrow_is_imported_late() -> None:
    code = "import sys, worldline.data.shards; print([m for m in ('pyarrow', 'numpy') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


LOAD = """
import json, sys
from datasets import load_dataset
named = load_dataset("parquet", data_files=sys.argv[1] + "/*.parquet", cache_dir=sys.argv[2], split="train")
rows = list(load_dataset("parquet", data_dir=sys.argv[1], cache_dir=sys.argv[2], split="train"))
streamed = list(load_dataset("parquet", data_dir=sys.argv[1], split="train", streaming=True))
assert rows == list(named) == streamed == list(load_dataset(sys.argv[1], cache_dir=sys.argv[2], split="train"))
print(json.dumps(rows))
"""


@pytest.mark.long(reason="`datasets` loads a folder four times, in a process of its own")
def test_datasets_loads_a_directory(tmp_path: Path) -> None:
    store(tmp_path / "set", [trace(n) for n in range(3)])
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, tmp_path / "set", tmp_path / "cache"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [row["program"]["call"] for row in found] == ["f(0)", "f(1)", "f(2)"]
    assert found[1]["steps"][1] == {
        "i": 1, "event": "line", "frame": 0, "depth": 0, "line": 3, "arg": None, "gone": [],
        "delta": [{"name": "a", "value": "[1, 1]"}], "same": [{"name": "b", "other": "a"}],
    }  # fmt: skip
