"""HumanEval-X in every language it has: recorded tests return the values that their text expects.

Every sixth problem by default; all with WORLDLINE_HUMANEVAL_X_EVERY=1, as `studies/languages/returns.py` does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.trace import Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker, prepare

STUDY = Path(__file__).resolve().parents[2] / "studies" / "languages"
sys.path.insert(0, str(STUDY))

from expected import Expected, expected_values  # noqa: E402
from problems import problems  # noqa: E402
from returned_values import is_expected  # noqa: E402
from returns import (  # noqa: E402
    DATA,
    FAILED_ASSERTIONS,
    LIMITS,
    SUITE_LANGUAGES,
    Agreement,
    Problem,
    agreement,
    call_agreement,
    compare,
    suite_problems,
)

sys.path.remove(str(STUDY))  # its other modules have names that tests have too

FOLDER = Path(os.environ.get("WORLDLINE_HUMANEVAL_X", DATA))
EVERY = int(os.environ.get("WORLDLINE_HUMANEVAL_X_EVERY", "6"))
LEAST_COMPARED = 0.94  # of the calls in the tests; Rust's need crates in four problems
LEAST_CALLED = 0.75  # of the problems: calls need literals, and parameters that they fit
WITH_DATA = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"HumanEval-X is not here: {FOLDER}")
ASSERTIONS = [
    ("js", "console.assert(JSON.stringify(f(1)) === JSON.stringify([2, 'a']))", Expected([2, "a"])),
    ("js", "console.assert(true === f({a: 1}))", Expected(True)),
    ("js", "console.assert(f(1) == 6.00)", Expected(6, is_loose=True)),
    ("js", "console.assert(Math.abs(f(1) - 0.5) < 1e-6)", Expected(0.5, 1e-6)),
    ("java", "Arrays.asList((int) s.f(1).get() == 2)", Expected(2)),
    ("java", "Arrays.asList(s.f(List.of(1)).isEmpty())", Expected(None)),
    ("java", "Arrays.asList(s.g(1) == 2, !s.f(List.of(1)))", Expected(False)),
    ("java", "Arrays.asList(s.f(1).equals(Arrays.asList(3.9, 4.0)))", Expected([3.9, 4.0])),
    ("java", 'Arrays.asList(Objects.equals((String) s.f("a, b"), ")"))', Expected(")")),
    ("cpp", "assert (issame(f({1, 2}), {2, 3}));", Expected([2, 3])),
    ("cpp", "assert (not (f({1})));", Expected(False)),
    ("cpp", "assert (abs(f(1) +1)<0.01);", Expected(-1, 0.01)),
    ("rust", 'assert_eq!(f(vec![1]), ("a".to_string(), true));', Expected(("a", True))),
    ("rust", "assert!(f(&[1]) == Some(3));", Expected(3)),
]


@pytest.mark.unit
@pytest.mark.parametrize(("language", "text", "expected"), ASSERTIONS)
def test_what_an_assertion_expects_is_read(language: str, text: str, expected: Expected) -> None:
    assert expected_values(text, "f", language) == [expected]


@pytest.mark.unit
@pytest.mark.parametrize("text", ["assert (f(1) == g(2));", "assert (f(1) + 1 == 2);", "assert (f(1) == 1 + 1);"])
def test_what_is_no_literal_has_a_reason(text: str) -> None:
    assert expected_values(text, "f", "cpp") == ["the expected value is no literal"]


@pytest.mark.unit
def test_calls_in_a_loop_have_a_reason() -> None:
    text = "int main(){ assert (f(1) == 2); for (int i = 0; i < 3; i++) assert (f(i) == 2); }"
    assert expected_values(text, "f", "cpp") == [Expected(2), "the call is in or after a loop of the test"]


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "value", "is_same"),
    [
        ("ArrayList#2([1, 2])", [1, 2], True), ("[1, 2]", [2, 1], False), ("[1]", [1, 2], False), ("1", True, False),
        ("True", 1, False), ("1.0", 1, True), ("'1'", 1, False), ("Some('x')", "x", True), ("Optional()", None, True),
        ("HashMap#1({'a': 1})", {"a": 1}, True), ("{'a': 1}", {"a": 2}, False), ("0.10000000149011612", 0.1, True),
        ("0.11", 0.1, False), ("None", 0, False), ("<SubList>", [1], False), ("(1, 'a')", (1, "a"), True),
    ],
)  # fmt: skip
def test_values_compare_as_values(text: str, value: object, is_same: bool) -> None:
    assert is_expected(text, Expected(value), "rust") == is_same


@pytest.mark.unit
@pytest.mark.parametrize(("language", "is_same"), [("go", True), ("rust", False)])
def test_characters_of_go_are_numbers(language: str, is_same: bool) -> None:
    assert is_expected("{97: 2}", Expected({"a": 2}), language) == is_same
    assert is_expected("[97, 'b']", Expected(["a", "b"]), language) == is_same
    assert not is_expected("[98, 'b']", Expected(["a", "b"]), language)


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    found = SandboxWorker(prepare(limits=LIMITS, python=None, core="auto", trust=False))
    yield found
    found.close()


@WITH_DATA
@pytest.mark.long(reason="each program is compiled")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("language", SUITE_LANGUAGES)
def test_recorded_tests_return_what_they_expect(language: str, worker: SandboxWorker) -> None:
    if isinstance(why := toolchain.find(language), str):
        pytest.skip(why)
    found = agreement(language, FOLDER, worker, EVERY)
    print(f"{language}: {found.equal} of {found.compared} returned values, every {EVERY}. problem; {found.left_out}")
    assert found.differences == []
    assert found.compared_share >= LEAST_COMPARED, found.left_out


@WITH_DATA
@pytest.mark.long(reason="each program is compiled")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("language", SUITE_LANGUAGES)
def test_recorded_calls_return_what_the_tests_expect(language: str, worker: SandboxWorker) -> None:
    if isinstance(why := toolchain.find(language), str):
        pytest.skip(why)
    found = call_agreement(language, FOLDER, worker, 3 * EVERY)
    print(f"{language}: {found.equal} of {found.compared} calls; {found.left_out}")
    assert found.differences == []
    assert found.compared_share >= LEAST_CALLED, found.left_out


@pytest.fixture(scope="module")
def recorded(worker: SandboxWorker) -> tuple[Problem, Trace]:
    problem = next(suite_problems(FOLDER, "js"))
    return problem, worker.record(problem.program)


@WITH_DATA
@pytest.mark.usefixtures("sandbox")
def test_a_wrong_or_lost_value_is_a_difference(recorded: tuple[Problem, Trace]) -> None:
    problem, trace = recorded
    assert compare(problem, trace) == Agreement(problems=1, compared=7, equal=7)
    wrong = [{"True": "False", "False": "True"}.get(text, text) for text in trace.columns.texts]
    assert len(compare(problem, replace(trace, columns=replace(trace.columns, texts=wrong))).differences) == 7
    renamed = [replace(frame, name="other") for frame in trace.frames]
    assert compare(problem, replace(trace, frames=renamed)).equal == 0


@WITH_DATA
@pytest.mark.parametrize("name", FAILED_ASSERTIONS)
def test_a_solution_that_is_said_to_fail_its_test_does(name: str, tmp_path: Path) -> None:
    if isinstance(why := toolchain.find("js"), str):
        pytest.skip(why)
    program = problems(FOLDER, "js")[name.replace("JavaScript", "JS")]
    (tmp_path / "program.js").write_text(program.source)
    command = ["node", "program.js"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr.count("Assertion failed") == FAILED_ASSERTIONS[name]
