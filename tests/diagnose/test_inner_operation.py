"""The blamed sub-expression: its true value contradicts the prediction."""

from __future__ import annotations

import pytest
from recorded import sample

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.cause import Cause
from worldline.diagnose.diagnosis import Diagnosis
from worldline.recording.recorder import record


def _why(body: str, call: str, *changes: tuple[str, str], codec: str = "compact", head: str = "s") -> Cause:
    program = Program(source=f"def f({head}):\n{body}", call=call)
    return Diagnosis(sample(program, *changes, codec=codec), record).cause


@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_a_value_that_the_true_list_does_not_hold_came_of_a_wrong_list(codec: str) -> None:
    """An index gives an element: `d` is none of the true pieces, sorted or not, so the pieces were wrong.

    `c` is one: the wrong one was taken, or the pieces were left unsorted.
    """
    body, call = "    return sorted(s.split(','))[0]\n", "f('c,bd')"
    old, new = (")'bd'", ")'d'") if codec == "compact" else ("\"'bd'\"", "\"'d'\"")
    why = _why(body, call, (old, new), codec=codec)
    assert (why.name, why.operation) == ("wrong value", "split")
    assert why.evidence.endswith(": `s.split(',')` is ['c', 'bd'], the prediction implies a value that contains 'd'")
    old, new = (")'bd'", ")'c'") if codec == "compact" else ("\"'bd'\"", "\"'c'\"")
    assert _why(body, call, (old, new), codec=codec).candidates == ("sorted", "index")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "call", "true", "said", "operation"),
    [
        ("s[1:].upper() + '!'", "f('abc')", "'BC!'", "'AB!'", "slice"),
        ("s[1:].upper() + '!'", "f('abc')", "'BC!'", "'BC'", "concatenation"),
        ("s.upper() + str(len(s) * 2)", "f('abc')", "'ABC6'", "'ABC5'", "arithmetic"),
        ("s.upper() + str(len(s))", "f('abc')", "'ABC3'", "'ABB3'", "upper"),
        ("f'<{s[::-1]}|{s.count(\"a\")}>'", "f('abca')", "'<acba|2>'", "'<abca|2>'", "slice"),
        ("f'<{s[::-1]}|{s.count(\"a\")}>'", "f('abca')", "'<acba|2>'", "'<acba|3>'", "count"),
        ("'-'.join(s.split(','))", "f('a,b')", "'a-b'", "'a-,b'", "split"),
        ("'-'.join(s.split(','))", "f('a,b')", "'a-b'", "'ab'", "join"),
        ("[len(s), s.find('c') + 1]", "f('abc')", "[3, 3]", "[2, 3]", "len"),
        ("[len(s), s.find('c') + 1]", "f('abc')", "[3, 3]", "[3, 13]", "arithmetic"),
        ("list(reversed(s.replace('a', 'x')))[1:]", "f('abc')", "['b', 'x']", "['b', 'y']", "replace"),
        ("len(s.split(','))", "f('a,b')", "2", "3", "len"),
        ("{'n': s.strip().title()}", "f(' ab ')", "{'n': 'Ab'}", "{'n': 'AB'}", "title"),
        ("-s.count('a')", "f('aba')", "-2", "-3", "count"),
        ("(s.strip() + ' ') * 2", "f(' ab ')", "'ab ab '", "' ab   ab  '", "strip"),
    ],
)
def test_the_first_sub_expression_that_contradicts_is_named(
    line: str, call: str, true: str, said: str, operation: str
) -> None:
    """What the model wrote says something of the operands; the true one that it contradicts is to blame."""
    assert _why(f"    return {line}\n", call, (f"){true}", f"){said}")).operation == operation
    named = _why(f"    y = {line}\n    return 0\n", call, (f"y={true}", f"y={said}"))
    assert named.operation == operation


def test_of_a_loop_the_very_round_is_looked_at() -> None:
    """The third time round, the state is another one."""
    body = "    out = ''\n    for w in s.split():\n        out += w[1:].upper()\n    return out\n"
    assert _why(body, "f('abc def ghi')", ("out='BCEFHI'", "out='BCEFGHI'")).operation == "slice"
    assert _why(body, "f('abc def ghi')", ("out='BCEFHI'", "out='BCEFHi'")).operation == "upper"
    assert _why(body, "f('abc def ghi')", ("out='BCEFHI'", "out='BCEFH'")).operation == "slice"
    assert _why(body, "f('abc def ghi')", ("out='BCEFHI'", "out='BCXHI'")).operation == "concatenation"


def test_an_argument_is_looked_into_and_what_a_call_gave_back_is_not() -> None:
    """What a function returned stands in the text: it was known."""
    source = "def g(x):\n    return x + x\n\ndef f(s):\n    return g(s.split(',')[0])[0]\n"
    program = Program(source=source, call="f('ab,c')")
    wrong = sample(program, ("x='ab'", "x='a'"))
    assert Diagnosis(wrong, record).cause.operation == "split"
    wrong = sample(program, (")'a'", ")'z'"))
    assert Diagnosis(wrong, record).cause.operation == "index"


def test_operations_that_the_value_does_not_tell_apart_are_candidates() -> None:
    """The value is named ambiguous, with what each candidate would have to give."""
    why = _why("    return '-'.join(s.split(','))\n", "f('a,b')", (")'a-b'", ")'a,b'"))
    assert (why.operation, why.candidates) == ("ambiguous", ("split", "join"))
    assert "ambiguous: `s.split(',')` is ['a', 'b'], the prediction implies ['a,b'] or `'-'.join(s.split(','))`" in (
        why.evidence
    )
    why = _why("    return [len(s), s.find('c') + 1]\n", "f('abc')", (")[3, 3]", ")[3, 4]"))
    assert (why.operation, why.candidates) == ("ambiguous", ("find", "arithmetic"))


def test_evidence_states_no_tautology_and_no_placeholder() -> None:
    """An operation that computes the whole value is named once; others are quoted from the source."""
    why = _why("    return len(s), 1\n", "f('abc')", (")(3, 1)", ")(4, 1)"))
    assert (why.operation, why.evidence) == ("len", "return is (3, 1), predicted (4, 1), computed by `len(s)`")
    body = "    xs = sorted(list(map(str.upper, s)) + [c  for c in s])\n    return xs\n"
    why = _why(body, "f('ba')", ("xs=['A', 'B', 'a', 'b']", "xs=['A', 'b', 'a', 'b']"))
    assert "_ for _" not in why.evidence


def test_without_a_recording_only_built_in_operations_are_told_apart() -> None:
    """Their values follow from the names; those of other calls, from a recording. Otherwise the outermost is blamed."""
    program = Program(source="def f(s):\n    return sorted(s.split(','))[0]\n", call="f('c,bd')")
    wrong = sample(program, (")'bd'", ")'d'"))
    assert Diagnosis(wrong).cause.operation == "split"
    source = "def g(x):\n    return x\n\ndef f(s):\n    return '<' + (g(s).upper() + '>')\n"
    program = Program(source=source, call="f('ab')")
    wrong = sample(program, (")'<AB>'", ")'<Ab>'"))
    assert Diagnosis(wrong, record).cause.operation == "upper"
    assert Diagnosis(wrong).cause.operation == "concatenation"
    other = record(Program(source="def f(s):\n    return 1\n", call="f('')"))

    def elsewhere(asked: Program) -> Trace:
        return other

    assert Diagnosis(wrong, elsewhere).cause.operation == "concatenation"
