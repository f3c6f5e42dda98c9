"""Wrong branches: the true condition in words, and the input for which the model would have been right."""

from __future__ import annotations

import json

import pytest
from scripted_model import Mistaken

from worldline.core.program import Program
from worldline.diagnose.branch import OtherInput
from worldline.diagnose.debug import Debugged, debug
from worldline.diagnose.sentences import sentences

pytestmark = pytest.mark.usefixtures("sandbox")

IF = "def f(n):\n    a = n + 1\n    if n % 2 == 0:\n        return 1\n    return a\n"
LOOP = "def f(xs):\n    s = 0\n    for x in xs:\n        s += x\n    return s\n"
MATCH = "def f(p):\n    match p:\n        case [x, y] if x > y:\n            return x\n    return 0\n"


def debugged(source: str, call: str, text: bytes, **options: object) -> Debugged:
    return debug(Program(source=source, call=call), Mistaken(lambda ask, truth: text), interventions=False, **options)  # type: ignore[arg-type]


def said(found: Debugged) -> list[str]:
    shown = [(name, text) for name, text, _ in sentences(found)]
    at = next((i for i, (name, _) in enumerate(shown) if name == "wrong branch"), None)
    return [] if at is None else [text for name, text in shown[at : at + 2] if name in ("wrong branch", "")]


def test_the_true_condition_is_reported() -> None:
    result = debugged(IF, "f(5)", b"(1 n=5\n2 a=6\n3\n4\n)1\n.\n")
    assert said(result) == ["line 3: `n % 2 == 0` is false (n is 5); the model continues as if it were true"]
    branch = json.loads(json.dumps(result.as_json()))["branch"]
    assert branch == {
        "step": 2, "line": 3, "text": "n % 2 == 0", "taken": False, "kind": "if", "values": {"n": "5"}, "first": True,
        "nearest": None,
    }  # fmt: skip


def test_a_loop_that_ends_too_late_or_too_early() -> None:
    over = debugged(LOOP, "f([2])", b"(1 xs=[2]\n2 s=0\n3 x=2\n4 s=2\n3\n4 s=4\n3\n5\n)4\n.\n")
    expected = "line 3: `for x in xs` is over (xs is [2]); the model continues as if it had a next"
    assert said(over) == [expected]
    soon = debugged(LOOP, "f([2, 3])", b"(1 xs=[2, 3]\n2 s=0\n3 x=2\n4 s=2\n3\n5\n)2\n.\n")
    assert said(soon)[0].startswith("line 3: `for x in xs` has a next")


def test_a_case_that_does_not_match() -> None:
    result = debugged(MATCH, "f([1, 2])", b"(1 p=[1, 2]\n2\n3 x=1 y=2\n4\n)1\n.\n")
    assert said(result)[0].startswith("line 3: `case [x, y] if x > y` does not match")
    assert said(result)[0].endswith("the model continues as if it matched")


def test_a_wrong_value_that_leads_to_a_wrong_branch_reports_both() -> None:
    assert said(debugged(IF, "f(5)", b"(1 n=5\n2 a=7\n3\n5\n)7\n.\n")) == []
    source = "def f(n):\n    a = n + 1\n    if a > 5:\n        return 1\n    return 2\n"
    result = debugged(source, "f(5)", b"(1 n=5\n2 a=3\n3\n5\n)2\n.\n")
    assert result.cause.name == "wrong value"
    assert result.branch is not None
    assert not result.branch.first
    assert said(result) == ["line 3: `a > 5` is true (a is 6); the model continues as if it were false"]


def test_another_line_without_a_condition_is_not_a_wrong_branch() -> None:
    assert said(debugged(IF, "f(5)", b"(1 n=5\n2 a=6\n2\n3\n5\n)6\n.\n")) == []


def test_the_nearest_input_is_searched_only_for_a_wrong_branch() -> None:
    requests: list[tuple[str | None, int]] = []

    def nearest(program: Program, step: int) -> OtherInput:
        requests.append((program.call, step))
        return OtherInput(call="f(4)")

    result = debugged(IF, "f(5)", b"(1 n=5\n2 a=6\n3\n4\n)1\n.\n", nearest=nearest)
    assert requests == [("f(5)", 2)]
    assert said(result)[1:] == ["for f(4) the model's branch is right"]
    assert result.as_json()["branch"]["nearest"] == {"call": "f(4)", "exact": True}
    debugged(IF, "f(5)", b"(1 n=5\n2 a=7\n3\n5\n)7\n.\n", nearest=nearest)
    assert len(requests) == 1
