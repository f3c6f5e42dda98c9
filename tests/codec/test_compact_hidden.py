"""Hidden inputs in compact texts: where they stand, and the three modes of showing them."""

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


def test_a_query_of_late_changes_stands_after_the_hidden_inputs() -> None:
    text = encode_steps(dice(), queries=[(1, "x")])
    assert b"%'below 6'=0\n x=4\n?x\n=4\n8\n" in text
    assert parse(text, prompt(dice().program)).malformed is None


def test_late_changes_may_follow_hidden_inputs_when_actions_are_forced() -> None:
    lines = forced_lines(prompt(dice().program), Compact(), STEPS)
    hidden = [line for line in lines if line.action.startswith(b"%")]
    assert [(line.action, line.state, line.open) for line in hidden] == [
        (b"%'below 6'", b"=%d\n" % n, False) for n in (3, 1, 0)
    ]
    late = next(at for at, line in enumerate(lines) if line.late)
    assert lines[late - 1].action == b"%'below 6'"


def test_a_hidden_input_belongs_to_the_turn_of_its_step() -> None:
    texts = [STEPS[turn.start : turn.end] for turn in turns(STEPS)]
    assert texts[1] == b"%'below 6'=3\n7\n"
    assert texts[5] == b"%'below 6'=0\n x=4\n8\n"


def test_mode_given_shows_hidden_inputs_in_the_prompt() -> None:
    trace, options = dice(), Compact(hidden="given")
    first = prompt(trace.program, options, trace.hidden)
    assert first.startswith(b"# given\n1|import random\n")
    assert first.endswith(b"%'below 6'=3\n%'below 6'=1\n%'below 6'=0\n>f()\n")
    assert encode(trace, options) == first + STEPS
    restored = parse_prompt(encode(trace, options))
    assert isinstance(restored, Prompt)
    assert [(hidden.kind, hidden.value) for hidden in restored.hidden] == [
        (hidden.kind, hidden.value) for hidden in trace.hidden
    ]
    assert (restored.options, restored.program.call) == (options, "f()")
    assert prompt(restored.program, restored.options, restored.hidden) == first
    assert parse(encode(trace, options)).hidden == trace.hidden


def test_prompts_of_other_modes_have_no_hidden_inputs() -> None:
    trace = dice()
    assert prompt(trace.program, Compact(), trace.hidden) == prompt(trace.program)
    restored = parse_prompt(b"1|x\n%'below 6'=3\n>f()\n")
    assert restored == Malformed(4, "a source line, or the line > that ends the prompt")


@pytest.mark.parametrize("line", [b"%\n", b"%below=\n", b"%input:'1'\n", b"%input='a' x\n", b"%input=\xff\n"])
def test_a_malformed_hidden_input_is_located(line: bytes) -> None:
    malformed = parse_prompt(b"# given\n1|x\n" + line + b">f()\n")
    assert isinstance(malformed, Malformed)
    assert malformed.offset == 12


def test_mode_blind_shows_only_threads() -> None:
    trace = dice()
    trace = replace(trace, hidden=(*trace.hidden[:2], Hidden(5, "thread 0", "0"), trace.hidden[2]))
    options = Compact(hidden="blind")
    text = encode_steps(trace, options)
    assert [line for line in text.splitlines() if line.startswith(b"%")] == [b"%'thread 0'=0"]
    parsed = parse(encode(trace, options))
    assert (parsed.malformed, parsed.hidden) == (None, (Hidden(5, "thread 0", "0"),))
    malformed = parse(STEPS, prompt(trace.program, options)).malformed
    assert malformed == Malformed(3, "a step: this mode has no hidden inputs")


@pytest.mark.parametrize("mode", HIDDEN_MODES)
def test_every_mode_has_its_header(mode: str) -> None:
    options = Compact(delta="element", reveal=4, same=True, bare=True, hidden=mode)
    restored = parse_prompt(prompt(Program(source="x = 1\n"), options))
    assert isinstance(restored, Prompt)
    assert restored.options == options


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="predicted, given, blind"):
        Compact(hidden="none")
