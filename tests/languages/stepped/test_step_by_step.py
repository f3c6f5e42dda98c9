"""Ordinary programs step by step: debuggers, which know nothing of worldline, see the lines and scalars of the trace.

The programs are those of `programs.txt`. `studies/languages/oracles.py` counts the lines and scalars that are
compared.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from comparison import RULES, Comparison, Stop, compare, once
from witnesses import PROGRAMS, WITNESSES, program_of

from worldline.core.language import LANGUAGES, language_of
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker, prepare

LEAST_PROGRAMS = 40
NOT_STEPPED = ("python", "ts")  # Python has oracles of its own; node 20 runs no TypeScript
SOURCE = "let a = 1;\nfor (;;) {\n  a++;\n}\n"


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    found = SandboxWorker(prepare(limits=Limits(wall=300), python=None, core="auto", trust=False))
    yield found
    found.close()


def recorded(path: Path, worker: SandboxWorker) -> Trace:
    """The trace of a program; the test is skipped where its language or debugger is not on this machine."""
    witness = WITNESSES[language_of(path.name)]
    if isinstance(why := toolchain.find(language_of(path.name)), str):
        pytest.skip(why)
    if witness.missing:
        pytest.skip(f"there is no {witness.missing} on this machine")
    trace = worker.record(program_of(path))
    assert trace.outcome.kind in ("returned", "raised"), (trace.outcome, trace.stderr)
    return trace


@pytest.mark.usefixtures("sandbox")
@pytest.mark.sampled(8)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_debugger_sees_what_the_trace_says(path: Path, worker: SandboxWorker) -> None:
    trace = recorded(path, worker)
    found = WITNESSES[trace.program.language].compare(trace)
    assert found.differences == []
    assert found.equal_lines == found.lines >= 15
    assert found.equal_values == found.values >= 2


@pytest.mark.unit
def test_every_language_has_a_debugger_and_ordinary_programs() -> None:
    languages = [language_of(path.name) for path in PROGRAMS]
    assert len(set(PROGRAMS)) == len(PROGRAMS) >= LEAST_PROGRAMS
    stepped = set(LANGUAGES) - set(NOT_STEPPED)
    assert stepped <= set(WITNESSES)
    assert min(map(languages.count, stepped)) >= 4


def found_of(theirs: list[Stop], ours: list[Stop], name: str = "main.js") -> Comparison:
    """How stops on the lines of SOURCE compare."""
    found = Comparison()
    compare(found, theirs, ours, Program(source=SOURCE, name=name))
    return found


@pytest.mark.unit
def test_equal_lines_and_scalars_are_counted() -> None:
    stops = [Stop(1, {}), Stop(3, {"a": "1"})]
    assert found_of(stops, stops) == Comparison(lines=2, equal_lines=2, values=1, equal_values=1)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("theirs", "ours", "difference"),
    [
        ([Stop(1, {}), Stop(3, {})], [Stop(1, {})], "only the debugger has line 3"),
        ([Stop(1, {})], [Stop(1, {}), Stop(3, {})], "only the trace has line 3"),
        ([Stop(1, {}), Stop(2, {})], [Stop(1, {})], "only the debugger has line 2"),
        ([Stop(3, {"a": "1"})], [Stop(3, {"a": "2"})], "line 3: a is 1 for the debugger, 2 in the trace"),
        ([Stop(3, {"a": "0.5"})], [Stop(3, {"a": "0.51"})], "line 3: a is 0.5 for the debugger, 0.51 in the trace"),
        ([Stop(3, {"a": "1"})], [Stop(3, {})], "a is never compared"),
    ],
)
def test_what_no_rule_explains_is_a_difference(theirs: list[Stop], ours: list[Stop], difference: str) -> None:
    assert found_of(theirs, ours).differences == [difference]


@pytest.mark.unit
def test_a_rule_belongs_to_its_language() -> None:
    theirs, ours = [Stop(1, {}), Stop(2, {}), Stop(3, {})], [Stop(1, {}), Stop(3, {})]
    assert found_of(theirs, ours, "main.rs") == Comparison(lines=2, equal_lines=2, rules={"loop head": 1})  # type: ignore[arg-type]
    assert found_of(theirs, ours, "main.js").differences == ["only the debugger has line 2"]


@pytest.mark.unit
def test_a_rule_has_a_name_and_a_reason() -> None:
    with pytest.raises(KeyError):
        Comparison().leave_out("whatever")
    assert all(len(reason.split()) > 6 for reason in RULES.values())


@pytest.mark.unit
def test_stops_on_one_line_of_one_frame_are_one() -> None:
    found = Comparison()
    stops = [Stop(1, {}, "f"), Stop(1, {}, "f"), Stop(1, {}, "g"), Stop(1, {}, "f")]
    assert [stop.frame for stop in once(stops, found)] == ["f", "g", "f"]
    assert found.rules == {"same line": 1}


@pytest.mark.usefixtures("sandbox")
def test_a_wrong_trace_is_noticed(worker: SandboxWorker) -> None:
    trace = recorded(next(path for path in PROGRAMS if path.name == "branches.js"), worker)
    witness = WITNESSES["js"]
    lines = array("I", [line + (line == 16) for line in trace.columns.line])
    assert witness.compare(replace(trace, columns=replace(trace.columns, line=lines))).differences != []
    texts = ["8" if text == "7" else "7" if text == "1" else text for text in trace.columns.texts]
    assert witness.compare(replace(trace, columns=replace(trace.columns, texts=texts))).differences != []
