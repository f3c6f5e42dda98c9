"""Hidden inputs in compact texts: where they stand, and the three modes of telling them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compact_traces import make_trace

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import HIDDEN_MODES, Compact, Prompt, parse_prompt, prompt
from worldline.codec.compact.turns import forced_lines, turns
from worldline.codec.compact.writer import encode, encode_steps
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Frame, Hidden, Step, Trace

pytestmark = pytest.mark.unit

SOURCE = """\
import random

def roll():
    return random.randrange(6)

def f():
    x = random.randrange(6) + roll() + random.randrange(6)
    return x
"""
STEPS = b"""\
(6
%'below 6'=3
7
(3
%'below 6'=1
4
)1
%'below 6'=0
 x=4
8
)4
.
"""


def dice() -> Trace:
    """Three draws: one of the line itself, one inside its call, one behind it."""
    frames = [Frame(0, "f", "program.py", -1, 0), Frame(1, "roll", "program.py", 0, 1)]
    rows = [
        ("call", 0, 6, {}, None), ("line", 0, 7, {"x": "4"}, None), ("call", 1, 3, {}, None),
        ("line", 1, 4, {}, None), ("return", 1, 4, {}, "1"), ("line", 0, 8, {}, None), ("return", 0, 8, {}, "4"),
    ]  # fmt: skip
    steps = [
        Step(i, event, frame, frame, line, delta, (), {}, arg)
        for i, (event, frame, line, delta, arg) in enumerate(rows)
    ]
    hidden = [Hidden(1, "below 6", "3"), Hidden(3, "below 6", "1"), Hidden(5, "below 6", "0")]
    return make_trace(steps, frames, program=Program(source=SOURCE, call="f()"), hidden=hidden)


def test_hidden_inputs_stand_before_moves_and_late_changes() -> None:
    trace = dice()
    assert encode_steps(trace) == STEPS
    parsed = parse(encode(trace))
    assert (parsed.malformed, parsed.ended, parsed.hidden) == (None, True, trace.hidden)


def test_a_query_of_late_changes_stands_behind_the_hidden_inputs() -> None:
    text = encode_steps(dice(), queries=[(1, "x")])
    assert b"%'below 6'=0\n x=4\n?x\n=4\n8\n" in text
    assert parse(text, prompt(dice().program)).malformed is None


def test_late_changes_may_stand_behind_hidden_inputs_when_actions_are_forced() -> None:
    lines = forced_lines(prompt(dice().program), Compact(), STEPS)
    hidden = [line for line in lines if line.action.startswith(b"%")]
    assert [(line.action, line.state, line.open) for line in hidden] == [
        (b"%'below 6'", b"=%d\n" % n, False) for n in (3, 1, 0)
    ]
    late = next(at for at, line in enumerate(lines) if line.late)
    assert lines[late - 1].action == b"%'below 6'"


def test_a_hidden_input_is_of_the_turn_of_its_step() -> None:
    found = [STEPS[turn.start : turn.end] for turn in turns(STEPS)]
    assert found[1] == b"%'below 6'=3\n7\n"
    assert found[5] == b"%'below 6'=0\n x=4\n8\n"


def test_given_puts_them_into_the_prompt_too() -> None:
    trace, options = dice(), Compact(hidden="given")
    first = prompt(trace.program, options, trace.hidden)
    assert first.startswith(b"# given\n1|import random\n")
    assert first.endswith(b"%'below 6'=3\n%'below 6'=1\n%'below 6'=0\n>f()\n")
    assert encode(trace, options) == first + STEPS
    found = parse_prompt(encode(trace, options))
    assert isinstance(found, Prompt)
    assert [(one.kind, one.value) for one in found.hidden] == [(one.kind, one.value) for one in trace.hidden]
    assert (found.options, found.program.call) == (options, "f()")
    assert prompt(found.program, found.options, found.hidden) == first
    assert parse(encode(trace, options)).hidden == trace.hidden


def test_a_prompt_of_another_mode_has_none() -> None:
    trace = dice()
    assert prompt(trace.program, Compact(), trace.hidden) == prompt(trace.program)
    found = parse_prompt(b"1|x\n%'below 6'=3\n>f()\n")
    assert found == Malformed(4, "a source line, or the line > that ends the prompt")


@pytest.mark.parametrize("line", [b"%\n", b"%below=\n", b"%input:'1'\n", b"%input='a' x\n", b"%input=\xff\n"])
def test_a_given_line_that_is_none_is_said_where_it_is(line: bytes) -> None:
    found = parse_prompt(b"# given\n1|x\n" + line + b">f()\n")
    assert isinstance(found, Malformed)
    assert found.offset == 12


def test_blind_tells_of_threads_alone() -> None:
    trace = dice()
    trace = replace(trace, hidden=(*trace.hidden[:2], Hidden(5, "thread 0", "0"), trace.hidden[2]))
    options = Compact(hidden="blind")
    text = encode_steps(trace, options)
    assert [line for line in text.splitlines() if line.startswith(b"%")] == [b"%'thread 0'=0"]
    parsed = parse(encode(trace, options))
    assert (parsed.malformed, parsed.hidden) == (None, (Hidden(5, "thread 0", "0"),))
    found = parse(STEPS, prompt(trace.program, options)).malformed
    assert found == Malformed(3, "a step: this mode has no hidden inputs")


@pytest.mark.parametrize("mode", HIDDEN_MODES)
def test_every_mode_has_its_header(mode: str) -> None:
    options = Compact(delta="element", reveal=4, same=True, bare=True, hidden=mode)
    found = parse_prompt(prompt(Program(source="x = 1\n"), options))
    assert isinstance(found, Prompt)
    assert found.options == options


def test_a_mode_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="predicted, given, blind"):
        Compact(hidden="none")
