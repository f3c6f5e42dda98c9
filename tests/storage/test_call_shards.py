"""Datasets of recorded calls: what is stored is read, a test with its calls or not at all, again after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from recorded_calls import (
    FINGERPRINT,
    INSTANCE,
    LICENCE,
    add_test,
    any_calls,
    any_tests,
    call_facts,
    contents,
    recorded_call,
    recorded_test,
    store_tests,
)
from stored_traces import facts, trace

import worldline
from worldline.cli import cli
from worldline.core.errors import BusyError, DigestError, FingerprintError, FormatError, UsageError
from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedCall, RecordedTest
from worldline.data import manifest, rows, shards
from worldline.data.repository import dataset
from worldline.data.repository.dataset import CallWriter, read_calls, read_instances, read_test_traces, read_tests
from worldline.data.repository.stored import InstanceRow, LeftOutFunction
from worldline.evaluation.verify import verify
from worldline.storage import files, remote
from worldline.storage.remote import StorePath


def test_calls_and_tests_come_back_in_order(tmp_path: Path) -> None:
    store_tests(tmp_path, 5)
    wanted = [recorded_call(n, part) for n in range(5) for part in range(2)]
    assert [call_facts(call) for call in read_calls(tmp_path)] == [call_facts(call) for call in wanted]
    tests = list(read_tests(tmp_path))
    assert [test.test_id for test in tests] == [f"tests/test_a.py::test_{n}" for n in range(5)]
    first = tests[0]
    assert (first.instance_id, first.outcome, first.plain) == ("owner/name@0123456789ab", "passed", "passed")
    assert (first.seconds, first.plain_seconds, first.steps, first.calls) == (0.5, 0.25, 3, 3)
    assert first.affected == ("lib/m.py:f", "lib/m.py:g")
    for n, (row, stored) in enumerate(read_test_traces(tmp_path)):
        wanted_trace = recorded_test(n).trace
        assert row == tests[n]
        assert stored is not None
        assert wanted_trace is not None
        assert facts(stored) == facts(wanted_trace)
    assert verify(tmp_path) == []
    assert sorted(os.listdir(tmp_path))[0] == ".manifest.json"


def test_the_licence_lies_beside_the_calls_once(tmp_path: Path) -> None:
    store_tests(tmp_path, 5)
    (row,) = read_instances(tmp_path)
    assert (row.instance.licence, row.instance.licence_text) == ("MIT", LICENCE)
    assert row.instance == INSTANCE


def test_the_columns_are_those_that_are_promised(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    store_tests(tmp_path / "plain", 1)
    store_tests(tmp_path / "both", 1, notations=("cwm", "compact"))
    names = ["instance_id", "test_id", "function", "call", "outcome", "trace"]
    assert pq.read_schema(tmp_path / "plain" / "calls-00000.parquet").names == names
    table = pq.read_table(tmp_path / "both" / "calls-00000.parquet")
    assert table.column_names == [*names, "compact", "cwm"]
    assert list(table.schema.field("trace").type) == list(rows.SCHEMA)
    row = table.to_pylist()[0]
    assert (row["call"], row["outcome"], row["function"]) == ("f(0)", "returned 0", "lib/m.py:f")
    assert row["compact"] == worldline.encode(trace(0), "compact").decode()
    assert row["cwm"] == worldline.encode(trace(0), "cwm").decode()


def test_a_text_that_a_notation_cannot_write_is_null(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from worldline.data.repository import tables

    odd = trace(1, program=Program(source="x = '\udc80'", call="f(1)"))
    calls = [recorded_call(0), recorded_call(0, trace=odd), recorded_call(0, trace=trace(2, length=40_000))]
    with CallWriter(tmp_path, fingerprint={}, notations=("compact", "cwm"), fsync=False) as writer:
        for call in calls:
            writer.add(call)
        writer.add_test(recorded_test(0))
    table = pq.read_table(tmp_path / "calls-00000.parquet", columns=["compact", "cwm"]).to_pylist()
    assert table[0]["compact"]
    assert table[1] == {"compact": None, "cwm": None}
    assert len(table[2]["compact"]) <= tables.MAX_NOTATION_BYTES
    assert table[2]["cwm"] is None
    assert [call_facts(call) for call in read_calls(tmp_path)] == [call_facts(call) for call in calls]


@given(st.lists(any_tests(), max_size=3, unique_by=lambda test: rows.encodable(test.id)), st.data())
def test_storing_and_reading_is_identity(tests: list[RecordedTest], data: Any) -> None:
    calls = data.draw(st.lists(any_calls(st.sampled_from([test.id for test in tests])), max_size=3)) if tests else []
    with tempfile.TemporaryDirectory() as folder:
        with CallWriter(folder, fingerprint={}, notations=("compact", "cwm"), rows_per_shard=2, fsync=False) as writer:
            assert all(writer.add(call) for call in calls)
            assert all(writer.add_test(test) for test in tests)
        ordered = [call for test in tests for call in calls if call.test_id == test.id]
        assert [facts(call.trace) for call in read_calls(folder)] == [facts(call.trace) for call in ordered]
        assert [call.test_id for call in read_calls(folder)] == [rows.encodable(call.test_id) for call in ordered]
        for test, (row, stored) in zip(tests, read_test_traces(folder), strict=True):
            assert (row.test_id, row.outcome, row.message) == (
                rows.encodable(test.id), test.outcome, rows.encodable(test.message),
            )  # fmt: skip
            assert (row.seconds, row.plain_seconds) == (test.seconds, test.plain_seconds)
            assert (stored is None) == (test.trace is None)
            assert stored is None or (test.trace is not None and facts(stored) == facts(test.trace))
        assert dataset.verify(folder) == []


def test_a_test_without_its_end_is_not_stored(tmp_path: Path) -> None:
    with CallWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        add_test(writer, 0)
        writer.add(recorded_call(1))
    assert [call.test_id for call in read_calls(tmp_path)] == [recorded_test(0).id] * 2
    with CallWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        assert [writer.holds_test(INSTANCE.id, recorded_test(n).id) for n in (0, 1)] == [True, False]
        assert not writer.add(recorded_call(0))
        assert not writer.add_test(recorded_test(0))
        add_test(writer, 1)
        with pytest.raises(UsageError, match="before the test itself"):
            writer.add(recorded_call(1))
    assert [test.test_id for test in read_tests(tmp_path)] == [recorded_test(n).id for n in (0, 1)]
    assert dataset.verify(tmp_path) == []


def test_a_call_that_cannot_be_stored_does_not_break_the_writer(tmp_path: Path) -> None:
    with CallWriter(tmp_path, fingerprint=FINGERPRINT) as writer:
        with pytest.raises(FormatError):
            writer.add(recorded_call(0, trace=trace(1, frames=[])))
        add_test(writer, 0)
    assert len(list(read_calls(tmp_path))) == 2


def test_a_directory_of_calls_is_read_like_any_directory_of_traces(tmp_path: Path) -> None:
    store_tests(tmp_path, 2)
    assert [facts(found) for found in worldline.load_all(tmp_path)] == [
        facts(trace(100 * n + part)) for n in range(2) for part in range(2)
    ]
    shown = CliRunner().invoke(cli, ["show", str(tmp_path), "--number", "2", "--json"])
    assert json.loads(shown.output)["program"]["call"] == "f(100)"
    encoded = CliRunner().invoke(cli, ["encode", str(tmp_path), "--number", "3"])
    assert encoded.output == worldline.encode(trace(101)).decode()
    assert CliRunner().invoke(cli, ["verify", str(tmp_path)]).output == f"fine: {tmp_path}\n"


def test_other_settings_and_other_directories_are_refused(tmp_path: Path) -> None:
    store_tests(tmp_path / "calls", 1)
    with pytest.raises(FingerprintError, match="recipe: stored 'test', now 'other'"):
        CallWriter(tmp_path / "calls", fingerprint={"recipe": "other"})
    with pytest.raises(FingerprintError, match="notations"):
        CallWriter(tmp_path / "calls", fingerprint=FINGERPRINT, notations=("cwm",))
    with pytest.raises(UsageError, match="unknown notation 'other'"):
        CallWriter(tmp_path / "calls", fingerprint=FINGERPRINT, notations=("other",))
    with pytest.raises(FormatError, match="worldline-calls"):
        shards.ShardWriter(tmp_path / "calls", fingerprint=FINGERPRINT)
    with shards.ShardWriter(tmp_path / "traces", fingerprint=FINGERPRINT) as writer:
        writer.add(trace(0))
    with pytest.raises(FormatError, match="worldline-shards"):
        CallWriter(tmp_path / "traces", fingerprint=FINGERPRINT)
    with pytest.raises(FormatError, match="worldline-shards"):
        list(read_calls(tmp_path / "traces"))
    with CallWriter(tmp_path / "calls", fingerprint=FINGERPRINT), pytest.raises(BusyError):
        CallWriter(tmp_path / "calls", fingerprint=FINGERPRINT)


_KILLED = """
import os, sys
sys.path[:0] = {path!r}
from recorded_calls import FINGERPRINT, INSTANCE, add_test, recorded_call, recorded_test
from worldline.data.repository.dataset import CallWriter
writer = CallWriter({out!r}, fingerprint=FINGERPRINT, rows_per_shard=2, fsync=False)
for n in range(100):
    if not writer.holds_test(INSTANCE.id, recorded_test(n).id):
        add_test(writer, n)
    print(n, flush=True)
    if n >= {last}:
        writer.add(recorded_call(n + 1))
        sys.stdin.read()
"""


def _kill_writer(out: str, last: int) -> None:
    """Let a process store tests up to this one, start the next, and kill it."""
    code = _KILLED.format(path=sys.path, out=out, last=last)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert [int(process.stdout.readline()) for _ in range(last + 1)] == list(range(last + 1))
        with pytest.raises(BusyError, match=f"process {process.pid}"):
            CallWriter(out, fingerprint=FINGERPRINT)
        process.send_signal(signal.SIGKILL)


def test_a_killed_writer_is_resumed(tmp_path: Path) -> None:
    store_tests(tmp_path / "whole", 9)
    killed = tmp_path / "killed"
    for last in (2, 5):
        _kill_writer(str(killed), last)
        assert {problem.kind for problem in dataset.verify(killed)} == {"leftover"}
        stored = [test.test_id for test in read_tests(killed)]
        assert stored == [recorded_test(n).id for n in range(len(stored))]
        # Each test has two calls, and a shard two rows.
        assert len(stored) == last + 1
        assert len(list(read_calls(killed))) == 2 * len(stored)
    store_tests(killed, 9)
    assert contents(killed) == contents(tmp_path / "whole")
    assert dataset.verify(killed) == []


def test_a_kill_between_shards_and_manifest_costs_only_what_was_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_tests(tmp_path / "whole", 4)
    store_tests(tmp_path / "cut", 2)
    with monkeypatch.context() as patch:

        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        writer = CallWriter(tmp_path / "cut", fingerprint=FINGERPRINT, rows_per_shard=2, fsync=False)
        patch.setattr(manifest, "store", die)
        with pytest.raises(KeyboardInterrupt):
            add_test(writer, 2)
        writer.close()
    assert {(problem.kind, problem.path) for problem in dataset.verify(tmp_path / "cut")} == {
        ("leftover", "calls-00002.parquet"), ("leftover", "tests-00002.parquet"),
    }  # fmt: skip
    store_tests(tmp_path / "cut", 4)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


@pytest.mark.parametrize("stem", manifest.STEMS[manifest.CALLS])
def test_a_changed_byte_is_found_and_not_read(tmp_path: Path, stem: str) -> None:
    store_tests(tmp_path, 3)
    path = tmp_path / f"{stem}-00000.parquet"
    whole = path.read_bytes()
    readers = {"calls": read_calls, "tests": read_test_traces, "instances": read_instances}
    for at in range(0, len(whole), len(whole) // 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert [problem.kind for problem in dataset.verify(tmp_path)] == ["damaged"]
        with pytest.raises(DigestError):
            list(readers[stem](tmp_path))
    found = CliRunner().invoke(cli, ["verify", str(tmp_path)])
    assert (found.exit_code, found.output.split(": ")[:3]) == (1, ["finding", path.name, "damaged"])
    path.unlink()
    assert [problem.kind for problem in dataset.verify(tmp_path)] == ["missing"]


def test_a_damaged_manifest_and_strange_files_are_found(tmp_path: Path) -> None:
    store_tests(tmp_path, 3)
    (tmp_path / "calls-00009.parquet").write_bytes(b"x")
    (tmp_path / manifest.REPORT).write_bytes(b"{}")
    assert [(problem.path, problem.kind) for problem in dataset.verify(tmp_path)] == [("calls-00009.parquet", "extra")]
    path = tmp_path / ".manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"rows": 2', b'"rows": 3', 1))
    assert len(verify(tmp_path)) == 1
    assert "does not match its own sha256" in verify(tmp_path)[0]


def _relist(directory: Path, *names: str) -> None:
    """Keep only these shards in the manifest, with its digest made good."""
    import msgspec

    listed = manifest.load(directory, manifest.CALLS)
    chosen = tuple(entry for entry in listed.shards if entry.name in names)
    manifest.store(directory, msgspec.structs.replace(listed, shards=chosen))


def test_calls_without_their_test_and_a_test_stored_twice_are_found(tmp_path: Path) -> None:
    import msgspec

    store_tests(tmp_path, 1)
    listed = manifest.load(tmp_path, manifest.CALLS)
    (tests,) = [entry for entry in listed.shards if entry.name.startswith("tests")]
    (tmp_path / "tests-00001.parquet").write_bytes((tmp_path / tests.name).read_bytes())
    again = msgspec.structs.replace(tests, name="tests-00001.parquet")
    manifest.store(tmp_path, msgspec.structs.replace(listed, shards=(*listed.shards, again)))
    assert [problem.kind for problem in dataset.verify(tmp_path)] == ["twice"]
    for name in ("tests-00000.parquet", "tests-00001.parquet"):
        (tmp_path / name).unlink()
    _relist(tmp_path, "calls-00000.parquet", "instances-00000.parquet")
    (problem,) = dataset.verify(tmp_path)
    assert (problem.kind, "not among the tests" in problem.detail) == ("content", True)


def test_shards_out_of_order_are_refused(tmp_path: Path) -> None:
    store_tests(tmp_path, 3)
    _relist(tmp_path, "calls-00001.parquet", "tests-00000.parquet")
    with pytest.raises(FormatError, match="shard 1 has an invalid name"):
        list(read_calls(tmp_path))


def test_a_dataset_adopts_another(tmp_path: Path) -> None:
    other = Instance(name="other")
    left_out = (LeftOutFunction(function="m.py:f", other="has_close_elements", share=0.75, why="same", calls=2),)
    row = InstanceRow(instance=other, unit="u1", notes=("processes",), seconds=2.0, left_out=left_out)
    with CallWriter(tmp_path / "part", fingerprint={}, rows_per_shard=1) as part:
        part.add_instance(row)
        for n in range(3):
            part.add(RecordedCall(instance_id="other", test_id=f"t{n}", function="m.py:f", trace=trace(n)))
            part.add_test(RecordedTest(instance=other, id=f"t{n}", outcome="failed", message="boom"))
    store_tests(tmp_path / "main", 1)
    with CallWriter(tmp_path / "main", fingerprint=FINGERPRINT, fsync=False) as writer:
        assert not writer.holds_unit("u1")
        asked: list[tuple[str, bytes]] = []
        writer.adopt(tmp_path / "part", lambda *call: asked.append(call) or len(asked) != 2)
        assert [function for function, _ in asked] == ["m.py:f"] * 3
        assert writer.holds_unit("u1")
        assert writer.holds_test("other", "t2")
        writer.flush()
        # Its tests are here already: only the instance is listed again.
        writer.adopt(tmp_path / "part")
    assert [call.test_id for call in read_calls(tmp_path / "main")][2:] == ["t0", "t2"]
    assert [test.test_id for test in read_tests(tmp_path / "main")][1:] == ["t0", "t1", "t2"]
    assert list(read_instances(tmp_path / "main"))[1:] == [row, row]
    assert [entry.steps for entry in manifest.load(tmp_path / "main", manifest.CALLS).shards] == [6, 3, 0, 6, 0, 0, 0]
    assert dataset.verify(tmp_path / "main") == []
    with CallWriter(tmp_path / "main", fingerprint=FINGERPRINT, fsync=False) as writer:
        assert writer.holds_unit("u1")
    with (
        CallWriter(tmp_path / "texts", fingerprint={}, notations=("cwm",)) as writer,
        pytest.raises(UsageError, match="other notations"),
    ):
        writer.adopt(tmp_path / "part")


def test_tests_can_be_stored_without_their_traces(tmp_path: Path) -> None:
    store_tests(tmp_path, 2, keep_traces=False)
    assert [(row.steps, stored) for row, stored in read_test_traces(tmp_path)] == [(3, None)] * 2
    assert len(list(read_calls(tmp_path))) == 4


def test_a_store_has_the_same_bytes_as_a_disk_and_resumes_after_a_kill(shelf: StorePath, tmp_path: Path) -> None:
    store_tests(tmp_path, 6)
    _kill_writer(str(shelf), 3)
    assert files.LOCK_NAME in remote.names(shelf)
    assert len(list(read_tests(shelf))) == 4
    store_tests(shelf, 6)
    assert {name: (shelf / name).read_bytes() for name in remote.names(shelf)} == contents(tmp_path)
    assert [call_facts(call) for call in read_calls(shelf)] == [call_facts(call) for call in read_calls(tmp_path)]
    assert [facts(found) for found in worldline.load_all(shelf)] == [facts(c.trace) for c in read_calls(tmp_path)]
    found = CliRunner().invoke(cli, ["verify", str(shelf)])
    assert (found.exit_code, found.output) == (0, f"fine: {shelf}\n")
    whole = (shelf / "calls-00000.parquet").read_bytes()
    remote.write(shelf / "calls-00000.parquet", whole[:-9] + b"!" + whole[-8:])
    assert [problem.kind for problem in dataset.verify(shelf)] == ["damaged"]
    with pytest.raises(DigestError):
        list(read_calls(shelf))
