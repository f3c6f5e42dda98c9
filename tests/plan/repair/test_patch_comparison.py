"""Patches that pass the same tests: grouped by their results, told apart by an input, chosen by a preference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.core.program import Program
from worldline.plan.repair import comparison
from worldline.plan.repair.candidate import Defect, PassingPatch, RepairCandidate
from worldline.plan.repair.comparison import PatchComparison, combine_sources, compare_patches
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.rows import checks_from_rows, read_checks, with_preferences
from worldline.plan.repair.search import RECORDING_LIMITS, Repair, RepairPlan, repair
from worldline.recording.calls import CallBatch, Caller, caller
from worldline.recording.recorder import record

RECORD = partial(record, limits=RECORDING_LIMITS)
SOURCE = (
    "def biggest(xs):\n    best = 0\n    for x in xs:\n        if x < best:\n            best = x\n    return best\n"
)
PROGRAM = Program(source=SOURCE, name="biggest.py")
ROWS = [[[[1, 2]], 2], [[[3, 1]], 3], [[[]], 0]]


@pytest.fixture(scope="module")
def runs() -> Iterator[Caller]:
    with caller() as opened:
        yield opened


def passing(source: str, prior: float = 0.1) -> PassingPatch:
    return PassingPatch(
        source=source, patch="", kind="name", by="test", size=(1, len(source)), after=1, tried=1, prior=prior
    )


def compared(sources: Sequence[str], runs: Caller, priors: Sequence[float] = ()) -> PatchComparison:
    patches = [passing(source, prior) for source, prior in zip(sources, priors or [0.1] * len(sources), strict=True)]
    tests = checks_from_rows(PROGRAM, ROWS, "biggest")
    return compare_patches(PROGRAM, tests, patches, runs, RECORD, seconds=1.0)


def repaired(source: str, rows: list[list[object]], function: str, runs: Caller, **plan: object) -> Repair:
    program = Program(source=source, name=f"{function}.py")
    tests = checks_from_rows(program, rows, function)
    return repair(program, tests, runs, RECORD, proposers=[EditProposer()], plan=RepairPlan(**plan))  # type: ignore[arg-type]


def test_patches_with_the_same_results_are_one_group_and_the_likeliest_group_is_first(runs: Caller) -> None:
    greater, same = SOURCE.replace("x < best", "x > best"), SOURCE.replace("x < best", "best < x")
    last = SOURCE.replace("if x < best", "if x")
    done = compared([last, greater, same], runs, priors=(0.15, 0.1, 0.1))
    assert [[patch.source for patch in group.patches] for group in done.groups] == [[greater, same], [last]]
    assert 50 < done.inputs <= 200
    (deciding,) = done.deciding
    results = [runs.run(one_call(source, deciding.call))[0].value for source in (greater, last)]
    assert tuple(results) == deciding.results
    assert results[0] != results[1]


def one_call(source: str, call: str) -> CallBatch:
    return CallBatch(source=source, calls=(call,))


def test_changed_counts_the_inputs_on_which_the_original_differs(runs: Caller) -> None:
    (group,) = compared([SOURCE], runs).groups
    assert group.changed == 0
    (group,) = compared([SOURCE.replace("return best", "return [best]")], runs).groups
    assert group.changed == compared([SOURCE], runs).inputs


def test_an_input_search_tells_apart_what_drawn_inputs_do_not(runs: Caller) -> None:
    rare = "def f(n: int) -> int:\n    if n == 7_654_321:\n        return 1\n    return 0\n"
    never = "def f(n: int) -> int:\n    if n == 1_234_567_890:\n        return 0\n    return 0\n"
    program = Program(source=rare, name="f.py")
    combined = combine_sources(program, rare, never, "f")
    assert combined is not None
    assert runs.run(one_call(rare, "f(7654321)"))[0].value == "1"
    tests = checks_from_rows(program, [[[1], 0]], "f")
    done = compare_patches(program, tests, [passing(rare), passing(never)], runs, RECORD, seconds=1.0)
    assert len(done.groups) == 2
    assert done.deciding[0].call == "f(7654321)"


def test_functions_under_test_are_those_that_the_tests_call(tmp_path: Path) -> None:
    program = Program(source="def a(x):\n    return b(x)\n\ndef b(x):\n    return x\n", name="ab.py")
    tests = tmp_path / "test_ab.py"
    tests.write_text("import ab\n\ndef test_a():\n    assert ab.a(1) == 1\n")
    assert comparison.tested_functions(program, read_checks(program, tests)) == ["a"]


def test_a_preference_is_a_test_of_the_program(runs: Caller) -> None:
    tests = with_preferences(checks_from_rows(PROGRAM, ROWS[:2], "biggest"), ["biggest([5, 1]) == 5"])
    done = repair(PROGRAM, tests, runs, RECORD, proposers=[EditProposer()], plan=RepairPlan(patches=5))
    assert done.tests == 3
    for item in done.patches:
        assert runs.run(one_call(item.source, "biggest([5, 1])"))[0].value == "5"


def test_a_preference_beside_a_file_of_tests_and_one_that_is_no_expression(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "biggest.py").write_text(SOURCE)
    (tmp_path / "test_biggest.py").write_text(
        "from biggest import biggest as f\n\ndef test_two():\n    assert f([1, 2]) == 2\n"
    )
    words = ["plan", "repair", str(tmp_path / "biggest.py"), "--tests", str(tmp_path / "test_biggest.py"), "--json"]
    assert main([*words, "--patches", "2", "--prefer", "biggest([9, 4]) == 9"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tests"] == 2
    assert report["patches"]
    assert main([*words, "--prefer", "biggest("]) == 2
    assert "--prefer takes a Python expression such as 'f(2) == 4', not 'biggest('" in capsys.readouterr().err


def test_the_report_shows_each_result_once_and_how_to_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "biggest.py").write_text(SOURCE)
    (tmp_path / "tests.json").write_text(json.dumps(ROWS[:1]))
    words = ["plan", "repair", str(tmp_path / "biggest.py"), "--tests", str(tmp_path / "tests.json")]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "patch 1: passes the 1 test (" in out
    assert "the patches differ where the tests do not look:" in out
    assert 'to choose patch 1, add --prefer "biggest(' in out
    assert "drawn inputs" in out


@pytest.mark.parametrize(
    ("wrong", "right", "kind"),
    [
        ("best = 0", "best = xs[0]", "first value"),
        ("return 0", "return len(xs)", "expression"),
        ("return True", "return k in xs", "expression"),
    ],
)
def test_values_that_the_source_does_not_have_are_built(wrong: str, right: str, kind: str) -> None:
    source = f"def f(xs, k):\n    {wrong}\n    return best + k\n"
    known = {"xs": frozenset({"list"}), "k": frozenset({"int"})}
    proposed = EditProposer().propose(Defect(source=source, name="f.py", kinds=known))
    assert kind in {item.kind for item in proposed if item.source == source.replace(wrong, right)}


def test_a_missing_last_statement_and_a_missing_guard_are_found(runs: Caller) -> None:
    runs_of = (
        "def runs_of(xs):\n    out = []\n    run = []\n    for x in xs:\n        if run and run[-1] != x:\n"
        "            out.append(run)\n            run = []\n        run = [*run, x]\n    return out\n"
    )
    rows: list[list[object]] = [[[[1, 1, 2]], [[1, 1], [2]]], [[[]], []], [[[3]], [[3]]]]
    done = repaired(runs_of, rows, "runs_of", runs)
    assert "+    if run:\n+        out.append(run)\n" in done.patches[0].patch
    mean = "def mean(xs):\n    return sum(xs) / len(xs)\n"
    done = repaired(mean, [[[[1, 2]], 1.5], [[[]], None]], "mean", runs)
    assert any("+    if not xs:\n+        return None\n" in item.patch for item in done.patches)


def test_two_edits_are_tried_where_one_does_not_suffice(runs: Caller) -> None:
    source = "def span(xs):\n    low = 0\n    for x in xs:\n        low = min(low, x)\n    return max(xs) + low\n"
    rows: list[list[object]] = [[[[1, 2]], 1], [[[3, 9, 4]], 6], [[[-1, 5]], 6], [[[5]], 0]]
    done = repaired(source, rows, "span", runs, patches=1)
    assert done.patches
    assert " and " in done.patches[0].kind
    tests = checks_from_rows(Program(source=source, name="span.py"), rows, "span")
    (end,) = runs.run(tests.batch(done.patches[0].source, tests.checks[1:2], 1.0))
    assert end.value == "6"


class Nothing:
    """Proposes nothing."""

    name = "nothing"

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        yield from ()


def test_nothing_proposed_is_no_patch(runs: Caller) -> None:
    tests = checks_from_rows(PROGRAM, ROWS, "biggest")
    done = repair(PROGRAM, tests, runs, RECORD, proposers=[Nothing()], plan=RepairPlan())
    assert (done.patches, done.tried, done.comparison.groups) == ((), 0, ())
