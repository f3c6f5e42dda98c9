"""Many repositories become one dataset: in the order of the list, resumed after a kill, each failing by itself."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from made_recordings import made_id, record_made
from small_repositories import write_repository

import worldline
from worldline.cli import cli
from worldline.core.errors import FingerprintError, NoSandbox, UsageError
from worldline.data.repository import record as recording
from worldline.data.repository.dataset import (
    CallWriter,
    read_calls,
    read_instances,
    read_path_digests,
    read_test_traces,
    read_tests,
)
from worldline.data.repository.export import export_rows
from worldline.data.repository.record import list_repositories, record_repositories
from worldline.data.repository.report import RepositoriesReport
from worldline.data.repository.unit import RESEMBLES_NOTE
from worldline.evaluation.verify import verify
from worldline.recording.repository.budget import TestBudget

PROJECT = Path(__file__).parent / "project"
VENV = sys.prefix  # has pytest


# ---- a real repository


@dataclass(frozen=True)
class Recorded:
    """The dataset of the small project, and the report on it."""

    folder: Path
    report: RepositoriesReport


def name_of(instance_id: str) -> str:
    """The name of an instance without its revision: folders without version control have a digest there."""
    return instance_id.partition("@")[0]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The project, recorded once in the sandbox by one worker."""
    place = tmp_path_factory.mktemp("recorded")
    project = shutil.copytree(PROJECT, place / "pantry")
    benchmark = place / "benchmark.jsonl"
    source = (PROJECT / "src/pantry/amounts.py").read_text()
    divisor = source[source.index("def greatest_divisor") :].partition("\n\n\n")[0]
    benchmark.write_text(json.dumps({"code": divisor.replace("greatest_divisor", "gcd")}) + "\n")
    report = record_repositories(
        [str(project)], place / "out", venv=VENV, max_calls=2, notations=("compact", "cwm"), leave_out=[str(benchmark)]
    )
    return Recorded(place / "out", report)


@pytest.mark.usefixtures("sandbox")
def test_a_repository_becomes_a_dataset_with_its_report(recorded: Recorded) -> None:
    (report,) = recorded.report.repositories
    tests, calls = list(read_tests(recorded.folder)), list(read_calls(recorded.folder))
    assert verify(recorded.folder) == []
    assert report.tests == Counter(test.outcome for test in tests)
    assert {outcome: count for outcome, count in report.tests.items() if outcome != "passed"} == {
        "failed": 1, "skipped": 1, "xfailed": 1,
    }  # fmt: skip
    assert (name_of(report.instance_id), report.licence, report.error, report.noticing) == ("pantry", "MIT", "", ())
    assert report.calls == len(calls) > 20
    assert report.functions == len({call.function for call in calls})
    assert report.steps == sum(test.steps for test in tests) > 500
    assert json.loads((recorded.folder / "report.json").read_text()) == json.loads(
        json.dumps(recorded.report.as_json())
    )
    assert any("1 failed" in line for line in recorded.report.lines())


@pytest.mark.usefixtures("sandbox")
def test_functions_of_the_repository_are_kept_and_those_of_its_tests_are_not(recorded: Recorded) -> None:
    calls = list(read_calls(recorded.folder))
    assert {call.function.partition(":")[0] for call in calls} <= {
        str(path.relative_to(PROJECT)) for path in (PROJECT / "src").rglob("*.py")
    }
    affected = {test.test_id: test.affected for test in read_tests(recorded.folder)}
    for call in calls:
        assert call.function in affected[call.test_id]
        assert call.trace.program.source == (PROJECT / call.function.partition(":")[0]).read_text()
    paths = list(read_path_digests(recorded.folder, recorded.report.repositories[0].instance_id))
    assert len(set(paths)) == len(paths) == len(calls)
    assert max(Counter(function for function, _ in paths).values()) == 2


@pytest.mark.usefixtures("sandbox")
def test_the_licence_is_kept(recorded: Recorded) -> None:
    (row,) = read_instances(recorded.folder)
    assert row.instance.licence_text == (PROJECT / "LICENSE").read_text()


@pytest.mark.usefixtures("sandbox")
def test_what_resembles_a_benchmark_is_left_out_and_reported(recorded: Recorded) -> None:
    (report,) = recorded.report.repositories
    (left_out,) = report.left_out
    assert (left_out.function, left_out.other, left_out.why) == (
        "src/pantry/amounts.py:greatest_divisor",
        "gcd",
        "same",
    )
    assert left_out.calls >= 1
    # Neither its own calls nor those that step into it.
    assert not [
        call.function
        for call in read_calls(recorded.folder)
        if any(frame.name == "greatest_divisor" for frame in call.trace.frames)
    ]
    for test, trace in read_test_traces(recorded.folder):
        resembles = left_out.function in test.affected
        assert (RESEMBLES_NOTE in test.notes) == resembles
        assert not resembles or trace is None
        assert not resembles or test.steps > 0
    assert any("greatest_divisor (same, gcd)" in line for line in recorded.report.lines())
    assert recorded.report.benchmark["functions"] == 1


@pytest.mark.usefixtures("sandbox")
def test_datasets_loads_the_exported_rows(recorded: Recorded, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    wanted = [
        {"instance_id": test.instance_id, "test_id": test.test_id, "affected": list(test.affected),
         "text": worldline.encode(trace, "cwm").decode()}
        for test, trace in read_test_traces(recorded.folder) if trace is not None
    ]  # fmt: skip
    assert len(wanted) > 10
    for name, kind in (("rows.parquet", "parquet"), ("rows.jsonl", "json")):
        done = export_rows(recorded.folder, tmp_path / name, notation="cwm")
        assert (done.rows, done.without_text) == (len(wanted), len(list(read_tests(recorded.folder))) - len(wanted))
        loaded = datasets.load_dataset(
            kind, data_files=str(tmp_path / name), split="train", cache_dir=str(tmp_path / "cache")
        )
        assert loaded.column_names == ["instance_id", "test_id", "affected", "text"]
        assert list(loaded) == wanted
    # The shards themselves load too.
    calls = datasets.load_dataset(
        "parquet", data_files=f"{recorded.folder}/calls-*.parquet", split="train", cache_dir=str(tmp_path / "cache")
    )
    assert [row["cwm"] for row in calls] == [
        worldline.encode(call.trace, "cwm").decode() for call in read_calls(recorded.folder)
    ]


@pytest.mark.usefixtures("sandbox")
def test_the_command_exports_rows(recorded: Recorded, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    done = CliRunner().invoke(cli, ["export", str(recorded.folder), "-o", str(out)])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert done.output.startswith(f"{len(rows)} tests in {out}, ")
    assert rows[0]["text"].startswith("1|")
    for words, message in (
        ([], "-o FILE.parquet"), (["-o", "rows.csv"], "ends with"), (["-o", "x.jsonl", "--bits", "5"], "only --out"),
    ):  # fmt: skip
        failed = CliRunner().invoke(cli, ["export", str(recorded.folder), *words])
        assert isinstance(failed.exception, UsageError)
        assert message in str(failed.exception)


@pytest.mark.long(reason="records the project twice; the made repositories are split in make test")
@pytest.mark.usefixtures("sandbox")
def test_several_workers_store_what_one_stores(tmp_path: Path) -> None:
    for workers in (1, 2):
        report = record_repositories(
            [str(PROJECT)], tmp_path / str(workers), venv=VENV, workers=workers, max_calls=2, check=False
        )
        assert not report.failed
    first, second = (_facts(tmp_path / str(workers)) for workers in (1, 2))
    assert first == second


def _facts(folder: Path) -> tuple[list[Any], list[Any]]:
    """Everything that does not depend on the clock."""
    tests = [(test.test_id, test.outcome, test.steps, test.affected, test.notes) for test in read_tests(folder)]
    return tests, [(call.test_id, call.function, call.call, call.trace.columns) for call in read_calls(folder)]


HOSTILE = {
    "sleeps": "import time\ndef test_a():\n    time.sleep(600)\ndef test_b():\n    assert True\n",
    "exits": "import os\ndef test_a():\n    os._exit(3)\ndef test_b():\n    assert True\n",
    "deletes": (
        "import shutil, os\ndef test_a():\n    shutil.rmtree(os.getcwd(), True)\ndef test_b():\n    assert True\n"
    ),
    "fills": (
        "def test_a():\n    with open('big', 'wb') as file:\n"
        "        while True:\n            file.write(bytes(1 << 20))\n"
        "def test_b():\n    assert True\n"
    ),
    "forks": "import os\ndef test_a():\n    while True:\n        os.fork()\ndef test_b():\n    assert True\n",
    "breaks": "import nothing_like_this\n",
    "fine": "def test_a():\n    assert True\n",
}


@pytest.mark.long(reason="hostile repositories take seconds each; made ones fail in make test")
@pytest.mark.usefixtures("sandbox")
def test_a_hostile_repository_costs_only_itself(tmp_path: Path) -> None:
    for name, source in HOSTILE.items():
        write_repository(tmp_path / "repositories" / name, {"tests/test_x.py": source})
    listing = tmp_path / "list.txt"
    listing.write_text("# all of them\n" + "".join(f"repositories/{name}\n" for name in (*HOSTILE, "absent")))
    budget = TestBudget(seconds=5.0, total_seconds=60.0, disk=64 << 20, processes=64)
    report = record_repositories([str(listing)], tmp_path / "out", venv=VENV, workers=2, budget=budget, check=False)
    tests = {name_of(report.instance_id): dict(report.tests) for report in report.repositories}
    assert tests["fine"] == {"passed": 1}
    assert tests["sleeps"] == {"timeout": 1, "passed": 1}
    assert tests["exits"] == {"crashed": 1, "passed": 1}
    for name in ("deletes", "fills", "forks"):
        assert sum(tests[name].values()) == 2, (name, tests[name])
    assert tests["fills"].get("passed", 0) == 0
    assert [Path(failed.repository).name for failed in report.failed][-1] == "absent"
    for name, source in HOSTILE.items():
        assert (tmp_path / "repositories" / name / "tests" / "test_x.py").read_text() == source
    assert verify(tmp_path / "out") == []


# ---- made repositories: the logic alone


def made(folder: Path, **behaviours: str) -> list[str]:
    """Repositories that do what is said, in this order."""
    for name, behaviour in behaviours.items():
        write_repository(folder / name, {"behaviour": behaviour, "LICENSE": f"of {name}"})
    return [str(folder / name) for name in behaviours]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_order_is_that_of_the_list_whatever_the_workers(tmp_path: Path) -> None:
    paths = made(tmp_path, big="tests 40", small="tests 3", other="tests 9")
    reports = [
        record_repositories(paths, tmp_path / f"out{workers}", workers=workers, record=record_made)
        for workers in (1, 3)
    ]
    assert reports[0] == reports[1]
    assert contents(tmp_path / "out1") == contents(tmp_path / "out3")
    assert [(name_of(report.instance_id), dict(report.tests), report.calls) for report in reports[0].repositories] == [
        ("big", {"passed": 40}, 5), ("small", {"passed": 3}, 3), ("other", {"passed": 9}, 5),
    ]  # fmt: skip
    assert reports[0].repositories[1].noticing == (made_id(2),)
    assert (reports[0].total.functions, reports[0].total.calls) == (3, 13)
    assert [row.instance.licence_text for row in read_instances(tmp_path / "out1")] == [
        "of big\n",
        "of small\n",
        "of other\n",
    ]


@pytest.mark.parametrize(
    "max_calls", [2, *(pytest.param(most, marks=pytest.mark.long(reason="2 is in make test")) for most in (1, 5))]
)
def test_a_repository_alone_is_split_and_keeps_the_same_calls(tmp_path: Path, max_calls: int) -> None:
    (path,) = made(tmp_path, alone="tests 23")
    options: dict[str, Any] = {"record": record_made, "max_calls": max_calls}
    for workers in (1, 2):
        record_repositories([path], tmp_path / f"out{workers}", workers=workers, **options)
    one, two = (tmp_path / f"out{workers}" for workers in (1, 2))
    assert [call.test_id for call in read_calls(one)] == [call.test_id for call in read_calls(two)]
    assert [call.trace for call in read_calls(one)] == [call.trace for call in read_calls(two)]
    assert {test.test_id for test in read_tests(one)} == {test.test_id for test in read_tests(two)}
    assert len([row for row in read_instances(two) if row.unit]) > 2
    before = contents(two)
    # Nothing is recorded again, by any number of workers.
    for workers in (1, 2):
        record_repositories([path], two, workers=workers, **options)
    assert contents(two) == before


def test_tests_that_are_stored_are_not_stored_again(tmp_path: Path) -> None:
    """As after a run that stored some groups of a repository and was killed."""
    (path,) = made(tmp_path, alone="tests 23")
    record_repositories([path], tmp_path / "whole", record=record_made)
    for workers in (1, 2):
        out = tmp_path / f"part{workers}"
        record_repositories([path], out, workers=2, record=_only_the_first)
        assert len(list(read_tests(out))) == 8
        record_repositories([path], out, workers=workers, record=record_made)
        assert sorted(test.test_id for test in read_tests(out)) == sorted(
            test.test_id for test in read_tests(tmp_path / "whole")
        )
        assert len(list(read_calls(out))) == len(list(read_calls(tmp_path / "whole")))
        assert verify(out) == []


def _only_the_first(*args: Any, **options: Any) -> Any:
    if options["tests"] is not None and made_id(0) not in options["tests"]:
        raise UsageError("not now")
    return record_made(*args, **options)


def test_a_repository_that_fails_costs_only_itself_and_is_tried_again(tmp_path: Path) -> None:
    paths = made(tmp_path, a="tests 3", b="error", c="kill", d="fault", e="tests 4", f="kill", g="tests 2")
    report = record_repositories([*paths, str(tmp_path / "absent")], tmp_path / "out", workers=2, record=record_made)
    errors = {Path(failed.repository).name: failed.error for failed in report.failed}
    assert list(errors) == ["b", "c", "d", "f", "absent"]
    assert "no module named 'nothing'" in errors["b"]
    assert "its worker was killed" in errors["c"]
    assert errors["d"] == "ZeroDivisionError: by the tool"
    assert errors["absent"].endswith("is not a folder")
    assert [dict(found.tests) for found in report.repositories if not found.error] == [
        {"passed": 3}, {"passed": 4}, {"passed": 2},
    ]  # fmt: skip
    assert verify(tmp_path / "out") == []
    assert any(line.startswith("3 of 8 repositories") for line in report.lines())
    made(tmp_path, c="tests 6")
    again = record_repositories(paths, tmp_path / "out", workers=2, record=record_made)
    assert [Path(failed.repository).name for failed in again.failed] == ["b", "d", "f"]
    assert dict(again.repositories[2].tests) == {"passed": 6}


def test_a_killed_run_resumes(tmp_path: Path) -> None:
    paths = made(tmp_path, a="tests 3", b="tests 5", c="wait 4", d="tests 2")
    code = (
        f"import sys\nsys.path[:0] = {sys.path!r}\nfrom made_recordings import record_made\n"
        "from worldline.data.repository.record import record_repositories\n"
        f"record_repositories({paths!r}, {str(tmp_path / 'out')!r}, record=record_made)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        process.send_signal(signal.SIGKILL)
    assert Counter(name_of(test.instance_id) for test in read_tests(tmp_path / "out")) == {"a": 3, "b": 5}
    (tmp_path / "c" / "go").touch()
    report = record_repositories(paths, tmp_path / "out", record=record_made)
    whole = record_repositories(paths, tmp_path / "whole", record=record_made)
    assert report == whole
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_other_settings_are_refused_and_a_missing_sandbox_is_said(tmp_path: Path) -> None:
    paths = made(tmp_path, a="tests 3", b="tests 2")
    record_repositories(paths, tmp_path / "out", record=record_made)
    with pytest.raises(FingerprintError, match="max_calls: stored 8, now 3"):
        record_repositories(paths, tmp_path / "out", record=record_made, max_calls=3)
    with pytest.raises(UsageError, match="at least 1"):
        record_repositories(paths, tmp_path / "other", record=record_made, max_calls=0)
    with pytest.raises(NoSandbox):
        record_repositories(paths, tmp_path / "other", record=_no_sandbox)


def _no_sandbox(*_: Any, **__: Any) -> Any:
    raise NoSandbox("there is none")


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = [*made(tmp_path / "x", lib="tests 1"), *made(tmp_path / "y", lib="tests 2")]
    report = record_repositories([*paths, paths[0]], tmp_path / "out", record=record_made)
    passed = [(name_of(found.instance_id), found.tests["passed"]) for found in report.repositories]
    assert passed == [("x/lib", 1), ("y/lib", 2)]
    linked = tmp_path / "x" / "again"
    linked.symlink_to(paths[0])
    report = record_repositories([*paths, str(linked)], tmp_path / "other", record=record_made)
    (failed,) = report.failed
    assert failed.error.startswith("x/lib@+")
    assert failed.error.endswith(" is in the list twice")


def test_a_list_names_repositories(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("a  # first\n\n# nothing\n/abs/b\na\n")
    (tmp_path / "other").write_text("c\n")
    assert list_repositories(["x", str(tmp_path / "list.txt"), f"@{tmp_path / 'other'}", "x"]) == [
        "x", str(tmp_path / "a"), "/abs/b", str(tmp_path / "c"),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="cannot be read as a list of repositories: No such file"):
        list_repositories([f"@{tmp_path / 'absent'}"])
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not a list of repositories"):
        list_repositories([f"@{tmp_path / 'bytes'}"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="cannot be read as a list of repositories: not a regular file"):
        list_repositories([f"@{tmp_path / 'pipe'}"])


@given(st.lists(st.lists(st.text(max_size=2), min_size=1, max_size=9), max_size=20), st.integers(1, 9))
def test_groups_hold_whole_files_in_order(files: list[list[str]], count: int) -> None:
    groups = list(recording._groups(files, count))
    assert len(groups) <= count
    assert [test for group in groups for test in group] == [test for tests in files for test in tests]
    ends = {sum(map(len, files[:n])) for n in range(len(files) + 1)}
    done = 0
    for group in groups:
        done += len(group)
        assert done in ends


def test_a_report_survives_pickling(tmp_path: Path) -> None:
    report = record_repositories(made(tmp_path, a="tests 3"), tmp_path / "out", record=record_made)
    assert pickle.loads(pickle.dumps(report)) == report


def test_rows_without_traces_are_refused(tmp_path: Path) -> None:
    record_repositories(made(tmp_path, a="tests 3"), tmp_path / "out", record=record_made, keep_traces=False)
    with pytest.raises(UsageError, match="holds no traces"):
        export_rows(tmp_path / "out", tmp_path / "rows.parquet")
    assert not (tmp_path / "rows.parquet").exists()
    with pytest.raises(UsageError, match="unknown notation"):
        export_rows(tmp_path / "out", tmp_path / "rows.parquet", notation="other")


@pytest.fixture(autouse=True)
def _no_draft_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    assert not list(tmp_path.rglob("*.tmp"))


def test_the_writer_is_free_after_a_run(tmp_path: Path) -> None:
    record_repositories(made(tmp_path, a="tests 3"), tmp_path / "out", record=record_made)
    fingerprint = json.loads((tmp_path / "out" / ".manifest.json").read_text())["fingerprint"]
    CallWriter(tmp_path / "out", fingerprint=fingerprint).close()
