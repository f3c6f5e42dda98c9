"""Go programs on a newer Go than the system's, which `make harness` installs: what ends alike, and new loops."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import go_runs
import pytest
import test_call_go
import test_hostile_go

from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.recording.languages import toolchain

HERE = Path(__file__).parent
NEWER = Path(os.environ.get("WORLDLINE_NEWER_GO") or Path(sys.prefix, "newer-go", "go", "bin", "go"))
ALIKE = sorted(path for folder in ("ordinary", "oracle", "newer") for path in (HERE / folder).glob("*.go"))
HOSTILE = [path for path in test_hostile_go.PROGRAMS if path.stem != "panic_nil"]
STDIN = {"words": "a b A\nc b\na"}
pytestmark = [
    pytest.mark.long(reason="every program on a second toolchain, whose library is compiled first"),
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(not NEWER.exists(), reason=f"there is no Go at {NEWER}"),
]


@pytest.fixture(scope="module")
def go() -> Iterator[go_runs.GoRecorder]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{NEWER.parent}:{os.environ['PATH']}")
        toolchain.find.cache_clear()
        with go_runs.recorder() as opened:
            yield opened
    toolchain.find.cache_clear()


@pytest.mark.parametrize("path", ALIKE, ids=lambda path: path.stem)
def test_a_program_ends_as_in_a_plain_run(path: Path, go: go_runs.GoRecorder) -> None:
    source, stdin = path.read_text(), STDIN.get(path.stem, "")
    trace = go.record(source, stdin=stdin)
    go_runs.check(trace, go.flow(trace))
    alone = go_runs.plain(source, stdin)
    assert (trace.output, go_runs.status_of(trace)) == (alone.stdout, alone.status), trace.stderr
    assert "order" in trace.notes


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_a_hostile_program(path: Path, go: go_runs.GoRecorder, record_property: Callable[[str, object], None]) -> None:
    test_hostile_go.test_a_hostile_program(path, go, record_property)


def test_calls(go: go_runs.GoRecorder) -> None:
    for call, value in (("join('ab', 'x')", "'2 [x]'"), ("largest([1, 3])", "3"), ("move((1, 2), {'X': 5})", None)):
        trace = go.record(test_call_go.SOURCE, call=call)
        assert trace.outcome.kind == "returned", trace.stderr
        assert value is None or trace.outcome.detail == value


def test_each_round_has_a_variable_of_its_own(go: go_runs.GoRecorder) -> None:
    trace = go.record((HERE / "newer" / "loops.go").read_text())
    captured = [step.delta["fs"] for step in trace.steps if "fs" in step.delta][3]
    assert [f"i={number}" in captured for number in range(3)] == [True, True, True]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("panic(nil)", "raised runtime.Error('panic called with nil argument"),
        (
            "for i := range func(yield func(int) bool) { yield(1) } { println(i) }",
            "unsupported source: line 4: range over",
        ),
    ],
)
def test_what_is_new(go: go_runs.GoRecorder, body: str, outcome: str) -> None:
    trace = go.record(f"package main\n\nfunc main() {{\n\t{body}\n}}\n")
    assert f"{trace.outcome.kind} {trace.outcome.detail}".startswith(outcome), trace.outcome


def test_controls_are_refused(go: go_runs.GoRecorder) -> None:
    trace = go.worker.record(Program(source="package main\n\nfunc main() {}\n", name="p.go"), control=Control(seed=1))
    assert (trace.outcome.kind, trace.outcome.detail.partition(":")[0]) == ("unsupported", "control")
