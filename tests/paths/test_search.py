"""Classes of inputs are found, confirmed and told apart; CrossHair is the real one, in the real box."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from worldline.analyze.flow.conditions.jumps import decision_outcomes
from worldline.core.errors import NoSandbox, UsageError
from worldline.core.program import Program
from worldline.plan.paths import symbolic
from worldline.plan.paths.completeness import PathCompleteness
from worldline.plan.paths.path_class import PathReport, key_of
from worldline.plan.paths.search import CALL_LIMITS, paths
from worldline.recording.exchange import WIRE_HEADER
from worldline.recording.recorder import record

SECONDS = 60.0  # a bound that nothing here comes near: every solver run below ends because it is through

solved = pytest.mark.skipif(not symbolic.is_installed(), reason="the extra `paths` is not installed")


def found(source: str, call: str = "f", **options: object) -> PathReport:
    return paths(Program(source=source), call, seconds=SECONDS, **options)  # type: ignore[arg-type]


NEEDLE = """\
def f(x: int) -> str:
    if x * 7 + 3 == 700010:
        return "needle"
    return "hay"
"""


@solved
def test_solver_finds_what_random_inputs_miss() -> None:
    report = found(NEEDLE)
    by_end = {each.trace.outcome.detail: each for each in report.classes}
    assert by_end["'needle'"].call == "f(100001)"
    assert by_end["'needle'"].found_by == "crosshair"
    assert by_end["'needle'"].solved == (((2, "x == 100001"),),)
    assert by_end["'hay'"].found_by == "random"
    assert ((2, "x != 100001"),) in by_end["'hay'"].solved
    assert (report.solver, report.uncovered, report.unconfirmed) == ("exhausted", (), 0)


def test_every_class_is_what_a_recording_of_its_input_takes() -> None:
    source = """\
def f(xs: list[int]) -> int:
    n = 0
    for x in xs:
        if x > 3:
            n += x
    return n
"""
    report = found(source, solver="never")
    assert len({each.key for each in report.classes}) == len(report.classes) > 4
    for each in report.classes:
        again = record(each.trace.program, jumps=True)
        assert key_of(again, decision_outcomes(again)) == each.key
        assert again.outcome == each.trace.outcome
    assert report.solver == "not asked"


def test_without_the_solver_the_needle_is_an_uncovered_arc() -> None:
    report = found(NEEDLE, solver="never")
    assert [(arc.line, arc.taken, arc.function) for arc in report.uncovered] == [(2, True, "f")]


def test_solver_is_not_used_if_no_arc_is_missing() -> None:
    report = found("def f(x: int) -> int:\n    if x > 5:\n        return 1\n    return 0\n")
    assert (report.solver, len(report.classes)) == ("not asked", 2)


@solved
def test_inputs_that_raise_are_classes_of_their_own() -> None:
    source = "def f(x: int) -> int:\n    if x > 3:\n        return 10 // (x - 77777)\n    return 0\n"
    report = found(source, solver="always")
    assert [each.call for each in report.raising] == ["f(77777)"]
    assert report.raising[0].trace.outcome.detail.startswith("ZeroDivisionError")
    assert len(report.classes) == 3


def test_missing_crosshair_is_reported_and_random_inputs_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "is_installed", lambda: False)
    report = found(NEEDLE)
    assert report.solver == "not installed"
    assert any("worldline[paths]" in notes for notes in report.notes)
    assert len(report.classes) == 1


def test_crosshair_outside_the_sandbox_is_no_fault_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NoSandbox("the sandbox does not start: ModuleNotFoundError: No module named 'crosshair'")

    monkeypatch.setattr(symbolic, "open_sandbox", refuse)
    exploration = symbolic.explore(Program(source=NEEDLE), "f", seconds=1.0)
    assert (exploration.end, exploration.why) == ("failed", "the sandbox cannot import it: install it beside worldline")


@solved
def test_guessed_types_are_reported() -> None:
    report = found("def f(s, n):\n    if s.startswith('zq') and n % 1013 == 7:\n        return 1\n    return 0\n")
    assert report.uncovered == ()
    assert any("s as str, n as int" in notes for notes in report.notes)


def test_examples_in_the_source_come_first() -> None:
    source = '''\
def f(code: str) -> int:
    """
    >>> f("a1b2c3d4e5f6")
    1
    """
    if len(code) == 12 and code[5] == "3":
        return 1
    return 0
'''
    report = found(source, solver="never")
    assert {each.call: each.found_by for each in report.classes}["f('a1b2c3d4e5f6')"] == "example"
    assert report.uncovered == ()


@solved
def test_instances_of_source_classes_are_drawn() -> None:
    source = """\
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    name: str

def f(p: Point) -> int:
    if p.x * 3 == 123456:
        return 1
    return 0
"""
    report = found(source)
    assert next(each.call for each in report.classes if each.trace.outcome.detail == "1").startswith("f(Point(")
    assert report.uncovered == ()


@solved
def test_a_generator_is_run_through() -> None:
    report = found("def f(n: int):\n    if n == 424242:\n        yield 1\n    yield 2\n")
    assert {each.trace.outcome.detail for each in report.classes} == {"[1, 2]", "[2]"}


@solved
def test_a_program_that_writes_nonsense_into_the_answer_makes_no_class_of_it() -> None:
    source = """\
import os
for fd in range(3, 4096):
    try:
        os.pwrite(fd, b"WLW1" + bytes(4) + (100).to_bytes(8, "little") + bytes(48) + b'{"call": "f(5)"}\\n' * 2, 0)
    except OSError:
        pass

def f(x: int) -> int:
    if x * 7 == 700007:
        return 1
    return 0
"""
    report = found(source)
    for each in report.classes:
        assert each.trace.outcome.kind in ("returned", "raised")


def test_a_program_that_never_ends_has_no_paths_and_is_not_waited_for() -> None:
    source = "while True:\n    pass\n\n\ndef f(x: int) -> int:\n    return x\n"
    report = paths(Program(source=source), "f", seconds=2.0)
    assert (report.classes, report.completeness.classes) == ((), 0)
    assert report.unended == report.tried > 0


@solved
def test_solver_claims_are_compared_with_recordings() -> None:
    report = found("def f(x: int) -> int:\n    return 10 // (x - 77777)\n", solver="always")
    rightly, told = report.agreed
    assert rightly == told > 1


def test_the_same_seed_draws_the_same() -> None:
    source = "def f(s: str, n: int) -> int:\n    if len(s) > n:\n        return 1\n    return 0\n"
    one, other = (found(source, solver="never", seed=3) for _ in range(2))
    assert [each.call for each in one.classes] == [each.call for each in other.classes]


@pytest.mark.parametrize(
    ("source", "call", "words"),
    [
        ("def g(): pass\n", "f", "no function 'f'"),
        ("async def f(x): pass\n", "f", "asynchronous"),
        ("def f(:\n", "f", "Python"),
        ("def f(): pass\n", "f()()", "is not a top-level function, or a call"),
    ],
)
def test_invalid_target_is_refused(source: str, call: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        found(source, call)


@solved
def test_solver_runs_in_the_sandbox(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    tmp_path.chmod(0o777)
    source = f"""\
def f(x: int) -> int:
    try:
        open({str(mark)!r}, "w").write("out")
    except OSError:
        pass
    if x * 7 == 700007:
        return 1
    return 0
"""
    told = symbolic.explore(Program(source=source), "f", seconds=SECONDS, names=["x"])
    assert (told.end, {path.call for path in told.paths} >= {"f(100001)"}) == ("exhausted", True)
    assert not mark.exists()


@solved
def test_the_solver_serves_without_a_box_too() -> None:
    report = found(NEEDLE, trust=True)
    assert report.uncovered == ()
    assert all("trusted" in each.trace.notes for each in report.classes)


@solved
def test_a_program_that_ends_the_process_leaves_the_paths_found_before() -> None:
    source = "import os\n\ndef f(x: int) -> int:\n    if x == 123456:\n        os._exit(3)\n    return 0\n"
    told = symbolic.explore(Program(source=source), "f", seconds=SECONDS, names=["x"])
    assert told.end == "failed"
    assert len(told.paths) <= 1


LOOP = "def f(n: int) -> int:\n    t = 0\n    while n > 0:\n        t += n\n        n -= 1\n    return t\n"


def test_call_over_its_limit_is_not_a_path() -> None:
    report = found(LOOP, "f(60)", solver="never", limits=replace(CALL_LIMITS, steps=100))
    assert report.unconfirmed == 0
    assert report.unended > 0
    assert report.completeness.classes == len(report.classes)


def test_a_call_that_the_time_did_not_reach_was_not_tried() -> None:
    report = paths(Program(source=LOOP), "f", seconds=1e-6, solver="never")
    assert (report.tried, report.unended) == (0, 0)


@solved
def test_a_needle_on_one_line_is_an_arc() -> None:
    one_line = "def f(x: int) -> int:\n    if x * 7 + 3 == 700010: return 1\n    return 0\n"
    report = found(one_line)
    assert {each.trace.outcome.detail: each.found_by for each in report.classes} == {"0": "random", "1": "crosshair"}
    assert (report.uncovered, report.notes) == ((), ())


CHOICE = "def f(x: int) -> int:\n    return 1 if x > 3 and x < 7 else 0\n"


def test_nothing_is_called_complete_that_no_solver_has_proved() -> None:
    """Both ways of both conditions were executed; still, an input that raises could be missing."""
    told = str(found(CHOICE, solver="never").completeness)
    assert told == (
        "3 classes found; every branch was tried both ways, but inputs that raise may be missing; "
        "CrossHair was not asked (`--solver always` asks it)"
    )


def test_branches_that_were_not_tried_are_counted() -> None:
    source = "from typing import Literal\ndef f(n: Literal[0, 1]):\n    while n > 0 and n < 9: n -= 1\n    return n\n"
    report = found(source, solver="never")
    assert report.completeness.open_branches == 2
    assert str(report.completeness).startswith("2 classes found; 2 branches not tried; CrossHair was not asked")
    assert not report.as_json()["complete"]["proved"]


@solved
def test_what_the_solver_has_proved_is_called_complete() -> None:
    report = found(CHOICE, solver="always")
    assert report.completeness.is_proved
    assert str(report.completeness) == (
        "3 classes found, complete: CrossHair proved that there is no other, as far as it models Python"
    )
    needle = found("def f(x: int) -> int:\n    if x * x == -1: return 1\n    return 0\n")
    assert [str(arc) for arc in needle.uncovered] == ["2:7 x * x == -1 → true"]
    assert "complete: CrossHair proved the 1 branch not tried infeasible" in str(needle.completeness)


@pytest.mark.parametrize(
    ("solver", "doubts", "words"),
    [
        ("time", (), "CrossHair ran out of time"),
        ("not installed", (), "CrossHair is not installed"),
        ("failed: TypeError: x", (), "CrossHair failed: TypeError: x"),
        ("exhausted", ("it missed 2 of the executed classes",), "it missed 2 of the executed classes"),
    ],
)
def test_the_headline_says_why_nothing_is_proved(solver: str, doubts: tuple[str, ...], words: str) -> None:
    told = str(PathCompleteness(16, 12, 3, solver, doubts))
    assert told.startswith("16 classes found (12 kept); 3 branches not tried; ")
    assert told.endswith(words)


def test_a_class_that_the_solver_missed_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = symbolic.Exploration((symbolic.SymbolicPath("f(9)", ()),), "exhausted")
    monkeypatch.setattr(symbolic, "explore", lambda *_, **__: claimed)
    monkeypatch.setattr(symbolic, "is_installed", lambda: True)
    known = found(CHOICE, solver="always").completeness
    assert (known.is_proved, known.doubts) == (False, ("it missed 2 of the executed classes",))
    assert "CrossHair explored every path that it models; it missed 2" in str(known)


def test_a_path_without_an_input_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"call": "f(9)"}, {"call": "f(5)"}, {"call": "f(0)"}, {"call": "f(<object>)"}, {"end": "exhausted"}]
    wire = bytes(WIRE_HEADER) + "\n".join(map(json.dumps, rows)).encode()
    run = SimpleNamespace(hit="", fault="", report="", wire=wire)
    claimed = symbolic._read(run, "f", ["x"])  # type: ignore[arg-type]
    assert (len(claimed.paths), claimed.unspelled, claimed.end) == (3, 1, "exhausted")
    monkeypatch.setattr(symbolic, "explore", lambda *_, **__: claimed)
    monkeypatch.setattr(symbolic, "is_installed", lambda: True)
    known = found(CHOICE, solver="always").completeness
    assert known.doubts == ("1 of its paths have no input that can be executed",)


@solved
def test_solver_always_finds_an_inline_needle() -> None:
    one_line = "def f(x: int) -> int:\n    if x * 7 + 3 == 700010: return 1\n    return 0\n"
    report = found(one_line, solver="always")
    assert {each.trace.outcome.detail for each in report.classes} == {"0", "1"}
    assert report.notes == ()
