"""The tests of a real small repository, recorded in the sandbox: outcomes, traces, calls, and what must be survived."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from small_repositories import write_repository

from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.repository.recorded_test import RecordedTest
from worldline.core.trace import Columns, Trace
from worldline.core.value import parse
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.calls import CallPaths, calls_of
from worldline.recording.repository.record import TestRecording, record_tests

pytestmark = pytest.mark.usefixtures("sandbox")
PROJECT = Path(__file__).parent / "project"
OUTCOMES = {"passed": 35, "failed": 1, "skipped": 1, "xfailed": 1}
VENV = sys.prefix  # has pytest and xdist


@pytest.fixture(scope="module")
def recording() -> TestRecording:
    return record_tests(PROJECT, venv=VENV)


def test(recording: TestRecording, name: str) -> RecordedTest:
    found = recording.find(name)
    assert found is not None, name
    return found


test.__test__ = False  # type: ignore[attr-defined]


def test_every_test_ends_as_without_the_recorder(recording: TestRecording) -> None:
    with_recorder = {test.id: test.outcome for test in recording.ended.values()}
    without = {test.id: test.outcome for test in recording.plain.values()}
    assert with_recorder == without
    assert recording.differing == ()
    assert {outcome: count for outcome, count in Counter(with_recorder.values()).items() if outcome != "passed"} == {
        "failed": 1,
        "skipped": 1,
        "xfailed": 1,
    }
    assert Counter(with_recorder.values())["passed"] > 25


def test_a_trace_starts_with_the_fixtures_and_ends_with_the_test(recording: TestRecording) -> None:
    trace = test(recording, "tests/test_shelf.py::test_take").trace
    assert trace is not None
    names = [frame.name for frame in trace.frames]
    assert names[0] == "shelf"
    assert names[-1] != "shelf"
    assert {frame.file for frame in trace.frames} <= {"tests/conftest.py", "tests/test_shelf.py", *_sources()}
    assert trace.program.name == "tests/test_shelf.py"
    assert "def test_take" in trace.program.source
    assert dict(trace.program.files)["src/pantry/shelf.py"] == (PROJECT / "src/pantry/shelf.py").read_text()
    assert trace.outcome.kind == "returned"


def _sources() -> set[str]:
    return {str(path.relative_to(PROJECT)) for path in (PROJECT / "src").rglob("*.py")}


def test_a_failing_test_has_its_exception_and_its_message(recording: TestRecording) -> None:
    failed = test(recording, "tests/test_labels.py::test_words_are_counted_without_punctuation")
    assert failed.outcome == "failed"
    assert failed.has_failed
    assert "AssertionError" in failed.message or "assert" in failed.message
    assert failed.trace is not None
    assert failed.trace.outcome.kind == "raised"
    assert failed.trace.outcome.detail.startswith("AssertionError")


def test_names_of_rewritten_assertions_are_not_recorded(recording: TestRecording) -> None:
    names = {
        name
        for recorded in recording.tests()
        if recorded.trace is not None
        for step in recorded.trace.steps
        for name in step.delta
    }
    assert names
    assert [name for name in names if name.startswith("@")] == []


def test_parametrised_unittest_doctest_async_tests_and_their_notes(recording: TestRecording) -> None:
    assert test(recording, "tests/test_amounts.py::test_fraction[sign]").outcome == "passed"
    assert test(recording, "tests/test_labels.py::LabelTests::test_slug").outcome == "passed"
    cooked = test(recording, "tests/test_plan.py::test_dishes_cook_at_the_same_time")
    assert cooked.trace is not None
    assert {"yield", "resume"} <= {step.event for step in cooked.trace.steps}
    assert "processes" in test(recording, "tests/test_plan.py::test_minutes_of_another_process").notes
    assert "threads" in test(recording, "tests/test_plan.py::test_clocks_in_threads").notes


@pytest.mark.long(reason="records a repository several times")
def test_doctests_step_into_the_project() -> None:
    recording = record_tests(PROJECT, venv=VENV, args=["--doctest-modules", "src"], check=False)
    doctests = [recorded for recorded in recording.tests() if recorded.trace is not None]
    assert doctests
    assert {recorded.outcome for recorded in doctests} == {"passed"}
    assert {frame.file for recorded in doctests for frame in recorded.trace.frames} <= _sources()  # type: ignore[union-attr]


def test_calls_have_their_arguments_and_results(recording: TestRecording) -> None:
    paths = CallPaths(8)
    calls = [call for recorded in recording.tests() for call in calls_of(recorded, paths)]
    by_call = {(call.function, call.call): call.trace.outcome for call in calls}
    divisor = by_call["src/pantry/amounts.py:greatest_divisor", "greatest_divisor(48, 36)"]
    assert (divisor.kind, divisor.detail) == ("returned", "12")
    assert all(call.trace.frames[0].parent == -1 for call in calls)
    assert all(call.trace.steps[0].event == "call" for call in calls)
    assert all(call.trace.steps[-1].frame == 0 for call in calls)
    raised = [call for call in calls if call.trace.outcome.kind == "raised"]
    assert any(call.function.endswith(":reduce_fraction") for call in raised)


def test_the_body_of_a_class_is_no_call(tmp_path: Path) -> None:
    makes = (
        "def test_bad():\n    class Box:\n        size = 3\n        def grow(self):\n            return self.size + 1\n"
    )
    project = _small_project(tmp_path, makes + "    assert Box().grow() == 4\n")
    recording = record_tests(project, venv=VENV, check=False)
    trace = test(recording, "test_bad.py::test_bad").trace
    assert trace is not None
    assert any(frame.name.endswith("Box") for frame in trace.frames)
    calls = calls_of(test(recording, "test_bad.py::test_bad"), CallPaths(8))
    assert {call.function.rpartition(".")[2] for call in calls} == {"py:test_bad", "grow"}


def test_a_call_is_what_recording_it_alone_gives(recording: TestRecording) -> None:
    import worldline

    paths = CallPaths(8)
    calls = [call for recorded in recording.tests() for call in calls_of(recorded, paths)]
    alone = 0
    for call in calls:
        plain = not any(isinstance(parse(text), Malformed) for text in (call.trace.outcome.detail,))
        if call.trace.program.name != "src/pantry/amounts.py" or not plain or call.trace.outcome.kind != "returned":
            continue
        again = worldline.record(call.trace.program, limits=call.trace.limits)
        if again.outcome.kind != "returned":
            continue
        alone += 1
        assert again.outcome == call.trace.outcome
        assert [(step.event, step.line, step.delta, step.arg) for step in again.steps] == [
            (step.event, step.line, step.delta, step.arg) for step in call.trace.steps
        ]
    assert alone >= 4


def test_the_first_calls_with_distinct_paths_are_kept(recording: TestRecording) -> None:
    counts = []
    for most in (1, 2, 100):
        paths = CallPaths(most)
        calls = [call for recorded in recording.tests() for call in calls_of(recorded, paths)]
        counts.append(len(calls))
        assert max(Counter(call.function for call in calls).values()) <= most
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize("core", ["native", "python"])
def test_the_budget_of_a_test_ends_its_recording_and_not_the_test(core: str) -> None:
    names = ["tests/test_amounts.py::test_divisor", "tests/test_plan.py::test_order"]
    recording = record_tests(PROJECT, venv=VENV, tests=names, budget=TestBudget(steps=10), core=core)
    for name in names:
        recorded = test(recording, name)
        assert recorded.outcome == recorded.plain == "passed"
        assert recorded.trace is not None
        assert len(recorded.trace) <= 10
        assert recorded.trace.outcome.kind == "limit"
        assert recorded.notes == ("limit steps",)  # and not `settrace`: the recorder switched itself off


def test_both_cores_record_the_same() -> None:
    native, readable = (
        record_tests(PROJECT, venv=VENV, args=["tests/test_amounts.py", "tests/test_shelf.py"], core=core, check=False)
        for core in ("native", "python")
    )
    assert native.ended.keys() == readable.ended.keys()
    for name in native.ended:
        first, second = test(native, name).trace, test(readable, name).trace
        assert (first is None) == (second is None)
        if first is not None and second is not None:
            assert _without_addresses(first) == _without_addresses(second), name


def _without_addresses(trace: Trace) -> Columns:
    """The steps, without the addresses that pytest writes into messages."""
    texts = [re.sub(r"0x[0-9a-f]+", "0x", text) for text in trace.columns.texts]
    return replace(trace.columns, texts=texts)


@pytest.mark.long(reason="records a repository several times")
def test_workers_of_xdist_are_recorded() -> None:
    recording = record_tests(PROJECT, venv=VENV, args=["-n", "2"])
    assert recording.differing == ()
    assert len(recording) > 30
    assert sum(recorded.trace is not None for recorded in recording.tests()) > 25


@pytest.mark.long(reason="records a repository several times")
def test_without_a_sandbox_the_same_is_recorded() -> None:
    names = ["tests/test_amounts.py::test_divisor"]
    sandboxed = record_tests(PROJECT, venv=VENV, tests=names, check=False)
    trusted = record_tests(PROJECT, venv=VENV, tests=names, check=False, trust=True)
    first, second = test(sandboxed, names[0]).trace, test(trusted, names[0]).trace
    assert first is not None
    assert second is not None
    assert first.columns == second.columns


HOSTILE = {
    "hang": "import time\ndef test_bad():\n    while True:\n        time.sleep(1)\n",
    "spin": "def test_bad():\n    while True:\n        pass\n",
    "exit": "import os\ndef test_bad():\n    os._exit(0)\n",
    "abort": "import os\ndef test_bad():\n    os.abort()\n",
    "kill": "import os, signal\ndef test_bad():\n    os.kill(os.getpid(), signal.SIGKILL)\n",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_test_that_ends_its_process_costs_only_itself(name: str, tmp_path: Path) -> None:
    project = _small_project(tmp_path, HOSTILE[name])
    recording = record_tests(project, venv=VENV, check=False, budget=TestBudget(seconds=3))
    outcomes = {test.id: test.outcome for test in recording.ended.values()}
    bad = outcomes.pop("test_bad.py::test_bad")
    assert bad == ("timeout" if name in ("hang", "spin") else "crashed")
    assert outcomes == {"test_a.py::test_good": "passed", "test_z.py::test_good": "passed"}


DESTRUCTIVE = {
    "deletes itself": "import shutil\ndef test_bad():\n    shutil.rmtree('.', ignore_errors=True)\n",
    "fills the disk": (
        "def test_bad():\n    with open('big', 'wb') as file:\n"
        "        while True:\n            file.write(b'x' * 2**20)\n"
    ),
    "forks": (
        "import os, time\ndef test_bad():\n    for _ in range(2000):\n        try:\n            if not os.fork():\n"
        "                time.sleep(60)\n                os._exit(0)\n        except OSError:\n            break\n"
    ),
    "settrace": "import sys\ndef test_bad():\n    sys.settrace(None)\n    assert sys.gettrace() is None\n",
}


@pytest.mark.long(reason="records a repository several times")
@pytest.mark.parametrize("name", DESTRUCTIVE)
def test_a_destructive_test_leaves_the_repository_as_it_was(name: str, tmp_path: Path) -> None:
    project = _small_project(tmp_path, DESTRUCTIVE[name])
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    budget = TestBudget(seconds=20, disk=64 << 20, processes=64)
    recording = record_tests(project, venv=VENV, check=False, budget=budget)
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    outcomes = {test.id: test.outcome for test in recording.ended.values()}
    assert outcomes["test_a.py::test_good"] == "passed"
    assert "test_bad.py::test_bad" in outcomes


def _small_project(folder: Path, bad: str) -> Path:
    project = folder / "project"
    project.mkdir()
    good = "def test_good():\n    values = [1, 2]\n    assert sum(values) == 3\n"
    for name, text in {"test_a.py": good, "test_bad.py": bad, "test_z.py": good}.items():
        (project / name).write_text(text)
    return project


def test_a_test_that_looks_for_the_recorder_is_reported(tmp_path: Path) -> None:
    looks = (
        "import json, os\ndef test_bad():\n    with open(os.environ['WORLDLINE_TESTING']) as file:\n"
        "        assert not json.load(file)['record']\n"
    )
    project = _small_project(tmp_path, looks)
    recording = record_tests(project, venv=VENV)
    assert recording.differing == ("test_bad.py::test_bad",)
    assert test(recording, "test_bad.py::test_bad").notices_recorder


@pytest.mark.long(reason="records a repository several times")
def test_a_flaky_test_is_not_blamed_on_the_recorder(tmp_path: Path) -> None:
    flaky = "import random\nSEED = random.SystemRandom().random()\ndef test_bad():\n    assert SEED < 0.5\n"
    project = _small_project(tmp_path, flaky)
    for _ in range(12):
        recording = record_tests(project, venv=VENV)
        recorded = test(recording, "test_bad.py::test_bad")
        if recorded.outcome != recorded.plain and "flaky" in recorded.notes:
            assert recording.differing == ()
            assert not recorded.notices_recorder
            return
    pytest.fail("12 recordings of a test that fails half the time never differed")


def test_a_file_that_cannot_be_imported_is_an_error(tmp_path: Path) -> None:
    project = _small_project(tmp_path, "import missing_module\n")
    recording = record_tests(project, venv=VENV)
    outcomes = {test.id: test.outcome for test in recording.ended.values()}
    assert outcomes["test_bad.py"] == "error"
    assert "missing_module" in recording.ended["test_bad.py"].message


def test_tests_that_pytest_did_not_reach_say_why(tmp_path: Path) -> None:
    contents = {"test_a.py": "def test_a():\n    pass\n", "test_bad.py": "def test_z(:\n    pass\n"}
    recording = record_tests(write_repository(tmp_path / "half", contents), venv=sys.prefix, check=False)
    assert {test.id: test.outcome for test in recording.tests()} == {
        "test_bad.py": "error",
        "test_a.py::test_a": "missing",
    }
    assert any("--continue-on-collection-errors" in note for note in recording.notes)


def test_the_users_folder_is_not_written(tmp_path: Path) -> None:
    project = tmp_path / "copy"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(path.relative_to(project) for path in project.rglob("*"))
    record_tests(project, venv=VENV, tests=["tests/test_amounts.py::test_divisor"], check=False)
    assert sorted(path.relative_to(project) for path in project.rglob("*")) == before


@pytest.mark.long(reason="makes environments of other interpreters")
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_interpreters_record_the_same(version: str) -> None:
    kept = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    python = kept[-1] if kept else shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    names = ["tests/test_amounts.py::test_divisor", "tests/test_shelf.py::test_take"]
    try:
        recording = record_tests(PROJECT, python=python, tests=names)
    except UsageError as error:
        pytest.skip(f"no environment of Python {version}: {error}")
    here = record_tests(PROJECT, venv=VENV, tests=names, check=False)
    assert recording.differing == ()
    for name in names:
        first, second = test(recording, name).trace, test(here, name).trace
        assert first is not None
        assert second is not None
        assert first.interpreter.version.startswith(version)
        assert [(step.event, step.line, step.delta, step.arg) for step in first.steps] == [
            (step.event, step.line, step.delta, step.arg) for step in second.steps
        ]
