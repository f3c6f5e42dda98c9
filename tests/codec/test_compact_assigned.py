"""The mode `assigned` of the compact notation: a step shows every name that its statement assigns."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from worldline.analyze.rewrite import rewrite_program
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, parse_prompt, prompt
from worldline.codec.compact.writer import encode, encode_steps
from worldline.core.program import Program
from worldline.programs.generate import hard
from worldline.programs.generate import program as drawn
from worldline.recording.recorder import record, record_many

ASSIGNED = Compact(assigned=True)
DECIDED = Compact(assigned=True, conditions=True)
LOOP = Program(
    source="""\
def f(xs):
    n = 0
    for x in xs:
        n = n * x
        if n:
            xs = sorted(xs)
    try:
        n = xs[9]
    except IndexError:
        n = g(n)
    return xs.pop()

def g(n):
    return n
""",
    call="f([2, 2])",
)

pytestmark = pytest.mark.usefixtures("sandbox")


def test_a_step_shows_every_name_that_it_assigns() -> None:
    trace = record(LOOP)
    assert encode_steps(trace, DECIDED).decode().splitlines() == [
        "(1 xs=[2, 2]",
        "2 n=0",
        "3 x=2",
        "^",
        "4 n=0",
        "5",
        "^!",
        "3 x=2",
        "^",
        "4 n=0",
        "5",
        "^!",
        "3",
        "^!",
        "7",
        "8",
        "!IndexError('list index out of range')",
        "9",
        "^",
        "10",
        "(13 n=0",
        "14",
        ")0",
        " n=0",
        "11 xs=[2]",
        ")2",
        ".",
    ]
    assert prompt(LOOP, DECIDED).startswith(b"# conditions assigned\n1|def f(xs):\n")
    restored = parse_prompt(prompt(LOOP, DECIDED))
    assert (restored.program, restored.options) == (LOOP, DECIDED)  # type: ignore[union-attr]


def test_names_that_stay_are_no_changes_when_read_back() -> None:
    trace = record(LOOP)
    assert parse(encode(trace, DECIDED)).steps == parse(encode(trace)).steps


def test_texts_round_trip_and_the_guide_accepts_them() -> None:
    rng = Random(11)
    programs = [draw(rng) for _, draw in product(range(40), (drawn, hard))]
    programs += [rewrite_program(program, flatten=True) for program in programs]
    modes = [
        ASSIGNED,
        DECIDED,
        replace(DECIDED, bare=True, same=True),
        replace(DECIDED, delta="element"),
        replace(DECIDED, reveal=4),
    ]
    restated = 0
    for trace in record_many(programs):
        for options in modes:
            parsed = parse(encode(trace, options))
            assert parsed.malformed is None, (encode(trace, options).decode(), parsed.malformed)
            other = parse(encode(trace, replace(options, assigned=False, conditions=False)))
            if options.reveal == 1:
                assert parsed.steps == other.steps
            if parsed.ended:
                Guide(trace.program, options, guard=True).feed_all(encode_steps(trace, options))
        restated += encode_steps(trace, ASSIGNED) != encode_steps(trace)
    assert restated > 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1 xs=[2]\n2 ", "n"),
        ("(1 xs=[2]\n2 n=0\n3\n^", "!"),
        ("(1 xs=[2]\n2 n=0\n3 x=2\n^", "\n"),
        ("(1 xs=[2]\n2 n=0\n3 x=2\n^\n", "4"),
        ("(1 xs=[2]\n2 n=0\n3 x=2\n^\n4 n=0\n5", "\n!)"),
    ],
)
def test_the_guide_writes_what_follows_from_the_source(text: str, expected: str) -> None:
    guide = Guide(LOOP, DECIDED, guard=True)
    guide.feed_all(text.encode())
    allowed = {chr(byte) for byte in range(256) if guide.allowed()[byte]}
    assert allowed == set(expected)


def test_a_statement_that_finished_must_have_shown_its_names() -> None:
    guide = Guide(LOOP, ASSIGNED, guard=True)
    guide.feed_all(b"(1 xs=[2]\n2\n")
    with pytest.raises(ImpossibleByte):
        guide.feed_all(b"3\n")


def test_late_names_are_due_before_the_next_line() -> None:
    called = Program(source="def f():\n    x = g()\n    return x\n\ndef g():\n    return 3\n", call="f()")
    guide = Guide(called, ASSIGNED, guard=True)
    guide.feed_all(b"(1\n2\n(5\n6\n)3\n")
    with pytest.raises(ImpossibleByte):
        guide.fork().feed_all(b"3\n")
    guide.feed_all(b" x=3\n3\n)3\n.\n")


def test_other_languages_have_no_assigned_names() -> None:
    trace = record(replace(LOOP, call="g(1)"))
    foreign = replace(trace.program, name="program.js", source="function f() {}\n", call=None)
    assert parse_prompt(prompt(foreign, ASSIGNED)).options == ASSIGNED  # type: ignore[union-attr]
