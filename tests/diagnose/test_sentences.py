"""Sentences about a divergence name what differs, and never show the same text on both sides."""

from __future__ import annotations

from recorded import sample
from scripted_model import Mistaken

from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sentences import place, sentences

SAME = Program(source="def f(n):\n    acc = 2\n    acc = acc * 1\n    return acc\n", call="f(1)")
CALLS = Program(
    source="def g(n):\n    return n\n\ndef h(n):\n    return n\n\ndef f(n):\n    return g(n)\n", call="f(1)"
)
LONG = Program(source="def f(n):\n    s = 'x' * 300\n    return s\n", call="f(1)")


def _said(program: Program, *changes: tuple[str, str]) -> tuple[str, str]:
    """The place of the first divergence, and the evidence."""
    diagnosis = Diagnosis(sample(program, *changes))
    return place(diagnosis), diagnosis.cause.evidence


def test_an_unchanged_value_predicted_as_a_change() -> None:
    where, why = _said(SAME, ("2 acc=2\n3\n", "2 acc=2\n3 acc=2\n"))
    assert where == "2, line 3: acc does not change, predicted acc=2"
    assert why.startswith("acc is 2 before and after, predicted as a change")


def test_a_missed_change() -> None:
    where, why = _said(SAME, ("2 acc=2\n", "2\n"))
    assert where == "1, line 2: acc becomes 2, predicted no change"
    assert why.startswith("acc becomes 2")


def test_calls_are_named_by_their_functions() -> None:
    where, why = _said(CALLS, ("(1 n=1\n2\n", "(4 n=1\n5\n"))
    assert where.startswith("2, line 1: g is called (line 1), predicted h is called (line 4)")
    assert "g is called (line 1)" in why
    assert "h is called (line 4)" in why


def test_long_values_are_shown_around_the_difference() -> None:
    true = "'" + "x" * 300 + "'"
    where, _ = _said(LONG, (true, true[:-3] + "yx'"))
    assert where.startswith("1, line 2: s is ..."), where
    wanted, got = where.partition("s is ")[2].partition(" (at ")[0].split(", predicted ")
    assert wanted != got


def test_debug_has_the_first_divergence() -> None:
    model = Mistaken(lambda ask, truth: truth.replace(b"2 acc=2\n3\n", b"2 acc=2\n3 acc=2\n"))
    shown = {name: text for name, text, _ in sentences(debug(SAME, model, interventions=False))}
    assert shown["first divergence"].startswith("at step 2, line 3: acc does not change")


def test_a_right_answer_of_an_unfinished_text() -> None:
    program = Program(source="def f(a):\n    return a\n", call="f(1)")
    result = debug(program, Mistaken(lambda ask, truth: truth.removesuffix(b".\n")))
    shown = {name: text for name, text, _ in sentences(result)}
    assert shown["answer"] == "right although the trace is not: return 1"
    assert shown["cause"].endswith("only the end is missing")


def test_a_text_that_is_not_a_step() -> None:
    program = Program(source="def f(a):\n    return a\n", call="f(1)")
    result = debug(program, Mistaken(lambda ask, truth: b"garbage"))
    shown = {name: text for name, text, _ in sentences(result)}
    assert shown["cause"].startswith("malformed (")
    assert "stops before the end" not in shown["cause"]
    assert "garbage" in shown["cause"]
