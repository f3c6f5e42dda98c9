"""The mode `conditions` of the compact notation: a decision stands before the step that follows from it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, parse_prompt, prompt
from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import encode, encode_steps
from worldline.core.program import Program
from worldline.programs.generate import program as drawn
from worldline.recording.recorder import record, record_many

TOLD = Compact(conditions=True)
LOOP = Program(
    source="def f(n):\n    while n > 3:\n        n -= 1\n    return g(n)\n\ndef g(n):\n    if n: return 5\n",
    call="f(4)",
)

pytestmark = pytest.mark.usefixtures("sandbox")


def test_a_decision_stands_before_the_step_that_follows() -> None:
    trace = record(LOOP)
    assert encode_steps(trace, TOLD) == b"(1 n=4\n2\n^\n3 n=3\n2\n^!\n4\n(6 n=3\n7\n^\n)5\n)5\n.\n"
    assert encode_steps(trace) == b"(1 n=4\n2\n3 n=3\n2\n4\n(6 n=3\n7\n)5\n)5\n.\n"
    assert prompt(LOOP, TOLD).startswith(b"# conditions\n1|def f(n):\n")
    mixed = Compact(delta="element", reveal=3, bare=True, hidden="blind", conditions=True)
    assert prompt(LOOP, mixed).startswith(b"# element reveal=3 bare blind conditions\n")
    for options in (TOLD, mixed):
        restored = parse_prompt(prompt(LOOP, options))
        assert (restored.program, restored.options) == (LOOP, options)  # type: ignore[union-attr]


def test_texts_round_trip_and_the_guide_accepts_them() -> None:
    rng = Random(3)
    traces = list(record_many([drawn(rng) for _ in range(120)]))
    decision_count = 0
    for trace in traces:
        for options in (TOLD, Compact(conditions=True, delta="element", reveal=4)):
            text = encode(trace, options)
            parsed = parse(text)
            assert parsed.malformed is None, (text.decode(), parsed.malformed)
            plain = parse(encode(trace, replace(options, conditions=False)))
            assert (parsed.steps, parsed.ended) == (plain.steps, plain.ended)
            decision_count += len(parsed.decisions)
            steps = encode_steps(trace, options)
            assert b"".join(line for line in steps.splitlines(True) if line[:1] != b"^") == encode_steps(
                trace, replace(options, conditions=False)
            )
            assert len(turns(steps)) == len(turns(encode_steps(trace)))
            if parsed.ended:
                Guide(trace.program, options, guard=True).feed_all(steps)
    assert decision_count > 500


@pytest.mark.parametrize(
    "text",
    [b"(1 n=4\n^\n", b"(1 n=4\n2\n^?\n", b"^\n", b"(1 n=4\n2\n^\n%input='x'\n"],
    ids=["after a call", "another mark", "nothing", "hidden inputs behind it"],
)
def test_malformed_decisions(text: bytes) -> None:
    assert parse(text, prompt(LOOP, TOLD)).malformed is not None
    with pytest.raises(ImpossibleByte):
        Guide(LOOP, TOLD, guard=True).feed_all(text)


def test_the_mode_must_be_on_and_only_the_step_that_follows_may_come() -> None:
    assert parse(b"(1 n=4\n2\n^\n", prompt(LOOP)).malformed is not None
    guide = Guide(LOOP, TOLD, guard=True)
    guide.feed_all(b"(1 n=4\n2\n")
    assert guide.allowed()[ord("^")]
    guide.feed_all(b"^!\n")
    assert {chr(byte) for byte in range(256) if guide.allowed()[byte]} == set("34)")
    other = Guide(LOOP, guard=True)
    other.feed_all(b"(1 n=4\n2\n")
    assert not other.allowed()[ord("^")]


def test_a_wrong_decision_is_read_as_written() -> None:
    text = encode_steps(record(LOOP), TOLD).replace(b"^!\n", b"^\n")
    parsed = parse(text, prompt(LOOP, TOLD))
    assert parsed.ended
    assert [taken for _, taken in parsed.decisions] == [True, True, True]
