"""The guide on hidden inputs: every true one may come, and none that could not have been."""

from __future__ import annotations

import random

import pytest
from drawing_programs import drawing_programs

from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import HIDDEN_MODES, Compact, prompt
from worldline.codec.compact.writer import encode_steps
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.recording.recorder import record

SOURCE = """\
import random

def f(n):
    x = n
    x = random.randrange(6)
    return x
"""
PROGRAM = Program(source=SOURCE, call="f(1)")
THREADED = Program(source=SOURCE.replace("import", "import threading,"), call="f(1)")
BEGUN = b"(3 n=1\n4 x=1\n"


def accepts(
    text: bytes, *, program: Program = PROGRAM, options: Compact | None = None, given: tuple[Hidden, ...] = ()
) -> bool:
    """Whether every byte of a beginning may come."""
    guide = Guide(program, options, guard=True, hidden=given)
    try:
        for byte in text:
            assert guide.bits  # there is always a way on
            guide.feed(byte)
    except ImpossibleByte:
        return False
    return True


def drawn(kind: str, value: str) -> bool:
    spelled = kind if kind.isidentifier() else f"'{kind}'"
    program = THREADED if kind.startswith("thread") else PROGRAM
    then = "" if kind.startswith("thread") else "5 x=0\n"  # another thread has no frame yet
    return accepts(BEGUN + f"%{spelled}={value}\n{then}".encode(), program=program)


@pytest.mark.parametrize("most", [1, 2, 6, 9, 10, 11, 52, 99, 100, 101, 1000, 1 << 64])
def test_below(most: int) -> None:
    kind, rng = f"below {most}", random.Random(most)
    near = {0, 1, 5, 9, 10, 11, 99, 100, most // 2, most - 1, most, most + 1, 10 * most, rng.randrange(most)}
    for value in near:
        assert drawn(kind, str(value)) == (value < most), (kind, value)
    for wrong in ("-1", "00", "1.0", "'a'", "None"):
        assert not drawn(kind, wrong)


def test_bits() -> None:
    assert drawn("bits 8", "255")
    assert not drawn("bits 8", "256")
    assert drawn("bits 32", str((1 << 32) - 1))
    assert drawn("bits 2000", hex(1 << 1999))


def test_floats_from_zero_up_to_one() -> None:
    rng = random.Random(7)
    some = [rng.random() for _ in range(300)] + [rng.random() * 10.0**-n for n in range(18) for _ in range(20)]
    some += [0.0, 2.0**-53, 1 - 2.0**-53, 0.5, 0.001, 1e-05, 1e-16, 1.25e-07]
    for value in some:
        assert drawn("float", repr(value)), value
    for wrong in ("1.0", "1.5", "-0.5", "1", "0", "2.0", "1e-04", "1e+16", "nan", "inf", "0.50"):
        assert not drawn("float", wrong), wrong


def test_bytes_of_one_length() -> None:
    rng = random.Random(3)
    for size in (0, 1, 2, 4, 16):
        for _ in range(100):
            value = bytes(rng.choice([*range(256), 39, 34, 92]) for _ in range(size))
            assert drawn(f"urandom {size}", repr(value)), value
            assert not drawn(f"urandom {size + 1}", repr(value)), value
            assert not size or not drawn(f"urandom {size - 1}", repr(value)), value


@pytest.mark.parametrize(("kind", "right", "wrong"), [
    ("clock", "1700000000000000000", "1.5"), ("id", "140735", "'a'"), ("stat", "(1, 2)", "$"),
    ("thread 0 2", "2", "1"), ("thread 1", "1", "0"),
])  # fmt: skip
def test_other_kinds(kind: str, right: str, wrong: str) -> None:
    assert drawn(kind, right)
    assert not drawn(kind, wrong)


@pytest.mark.parametrize("kind", ["dice", "below", "'below '", "'below 06'", "'below 6 7'", "'float 6'", "'thread'"])
def test_an_unknown_kind_is_refused(kind: str) -> None:
    assert not accepts(BEGUN + f"%{kind}=".encode())


def test_no_draw_where_no_line_draws() -> None:
    assert not accepts(b"(3 n=1\n%'")  # line 4 comes next
    assert accepts(b"(3 n=1\n4 x=1\n%'below 6'=2\n5 x=2\n")
    assert not accepts(b"(3 n=1\n4 x=1\n%'below 6'=2\n5 x=2\n6\n%'")
    without = Program(source="def f(n):\n    return g(n)\n", call="f(1)")
    assert not accepts(b"(1 n=1\n%'", program=without)
    assert accepts(b"(1 n=1\n2\n%input='a'\n", program=without)


def test_hidden_inputs_come_first() -> None:
    source = "import random\n\ndef g():\n    return 1\n\ndef f():\n    x = g() + random.random()\n    return x\n"
    program = Program(source=source, call="f()")
    begun = b"(6\n7\n(3\n4\n)1\n"
    assert accepts(begun + b"%float=0.5\n x=1.5\n8\n)1.5\n.\n", program=program)
    assert not accepts(begun + b" x=1.5\n%", program=program)


def test_draws_before_the_first_step_and_behind_the_last() -> None:
    assert accepts(b"%'below 6'=2\n(3 n=1\n")
    assert accepts(BEGUN + b"%'below 6'=2\n5 x=2\n6\n)2\n%float=0.5\n.\n")


def test_only_the_next_given_one_may_come() -> None:
    given = (Hidden(0, "below 6", "4"), Hidden(0, "?", "not a value"))
    options = Compact(hidden="given")
    guide = Guide(PROGRAM, options, guard=True, hidden=given)
    guide.feed_all(BEGUN + b"%")
    assert guide.forced() == b"'below 6'=4\n"
    guide.feed_all(b"'below 6'=4\n")
    guide.feed_all(b"%")
    assert guide.forced() == b"'?':'not a value'\n"
    guide.feed_all(b"'?':'not a value'\n5")
    assert not accepts(BEGUN + b"%'below 6'=4\n%", options=options, given=given[:1])
    assert not accepts(BEGUN + b"%", options=options)


def test_a_blind_text_tells_who_runs_and_nothing_else() -> None:
    options = Compact(hidden="blind")
    assert accepts(BEGUN + b"%'thread 0 1'=1\n", program=THREADED, options=options)
    assert not accepts(BEGUN + b"%'b", options=options)
    assert not accepts(BEGUN + b"%i", options=options)


@pytest.mark.sampled(24)
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("mode", HIDDEN_MODES)
@pytest.mark.parametrize("reveal", [1, 3])
@pytest.mark.parametrize("name", drawing_programs())
def test_every_true_text_is_accepted(name: str, reveal: int, mode: str) -> None:
    program, options = drawing_programs()[name], Compact(hidden=mode, reveal=reveal)
    for seed in range(2 if reveal == 1 else 1):
        trace = record(program, control=Control(seed=seed))
        assert trace.outcome.kind == "returned", trace.stderr
        assert trace.hidden
        text = encode_steps(trace, options)
        assert parse(text, prompt(program, options, trace.hidden)).malformed is None
        guide = Guide(program, options, guard=True, hidden=trace.hidden)
        for at, byte in enumerate(text):
            assert guide.bits >> byte & 1, (text[:at].splitlines()[-3:], text[at : at + 20])
            guide.feed(byte)
        assert guide.ended
