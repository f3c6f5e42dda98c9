"""The compact parser on hostile bytes: a result for anything, and nothing accepted that is not canonical."""

from __future__ import annotations

from random import Random

import pytest
from compact_traces import Machine, make_trace
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import RecordedSteps, encode, write
from worldline.core.malformed import Malformed
from worldline.core.program import Program

PROMPT = b"1|def f():\n2|    pass\n>f()\n"
OPTIONS = [
    Compact(delta=delta, reveal=n, same=same)
    for delta in ("whole", "element")
    for n in (1, 0, 3)
    for same in (False, True)
]
MARKS = st.sampled_from([*"0123456789()!*~:<$/@#%?=-+.&|[]{}' \n'\"abx,\\", "=1", "\n)", "[0]", "é"])


def check(data: bytes) -> None:
    """Any bytes have a result, and an accepted text is the one that its steps are written as."""
    parsed = parse(data)
    if parsed.malformed is not None:
        assert 0 <= parsed.malformed.offset <= len(data)
        assert not parsed.ended
    if parsed.ended:
        assert parsed.program is not None
        run = RecordedSteps(parsed.program, parsed.steps, parsed.frames, parsed.hidden, True)
        assert data.endswith(write(run, parsed.options, parsed.queries))
        assert parsed.end == len(data)


@given(st.binary(max_size=60), st.booleans())
@settings(max_examples=examples(40, 300), deadline=None)
def test_random_bytes(data: bytes, after_a_prompt: bool) -> None:
    check(PROMPT + data if after_a_prompt else data)


@given(st.lists(MARKS, max_size=60).map("".join), st.sampled_from(["", "# element\n", "# reveal=2\n"]))
@settings(max_examples=examples(40, 600), deadline=None)
def test_random_marks(text: str, header: str) -> None:
    check(header.encode() + PROMPT + text.encode())
    check(header.encode() + PROMPT + b"(1 x=[1, 2] s='ab' d={'k': 1}\n" + text.encode() + b"\n.\n")


@given(st.integers(0, 10**6), st.sampled_from(OPTIONS), st.data())
@settings(max_examples=examples(40, 400), deadline=None)
def test_texts_with_a_few_wrong_bytes(seed: int, options: Compact, data: st.DataObject) -> None:
    text = bytearray(encode(Machine(Random(seed)).run(25), options))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        act = data.draw(st.integers(0, 3))
        if act == 0:
            text[at : at + 1] = bytes([data.draw(st.integers(0, 255))])
        elif act == 1:
            del text[at : at + data.draw(st.integers(1, 5))]
        elif act == 2:
            text[at:at] = data.draw(MARKS).encode()
        else:
            start = data.draw(st.integers(0, len(text)))
            text[at:at] = text[start : start + 20]
    check(bytes(text))


@pytest.mark.parametrize(
    ("steps", "offset", "expected"),
    [
        ("2\n", 0, "a call"),
        (")1\n", 0, "a call"),
        ("(1\n02\n", 4, "a step"),
        ("(01\n", 2, "the end of the line"),
        ("(1\n4294967295\n", 3, "a line number"),
        ("(1\n99999999999\n", 13, "a step"),
        ("(1 n=\n", 5, "a value"),
        ("(1 n=1 n=2\n", 7, "another name"),
        ("(1 -n m=2\n", 6, "a deleted name"),
        ("(1 n=1  m=2\n", 7, "a name"),
        ("(1 n=01\n", 5, "a value"),
        ("(1 'n'=1\n", 3, "a name"),
        ("(1\n)1\n2\n", 6, "a call"),
        ("(1\n1)1\n", 3, "a line only if it is another one"),
        ("(1@0\n", 2, "a file only if it is another one"),
        ("(1@7\n", 3, "a file of the program"),
        ("(1\n~\n", 4, "a frame"),
        ("(1\n*1\n~#0\n", 7, "a frame"),
        ("(1\n)\n", 4, "a value"),
        ("(1\n:'a' x=1\n", 7, "the end of the line"),
        ("(1\n x=1\n", 3, "a step"),
        ("(1\n!1\n/\n", 6, "a step"),
        ("(1\n/\n%r=1\n", 5, "hidden inputs first, before moves and late changes"),
        ("(1\n(1\n2\n)1\n x=1\n%r=1\n", 16, "hidden inputs first, before moves and late changes"),
        ("(1\n)1\n%r=1\n?\n", 11, "a step"),
        ("(1\n%r=1\n?n\n", 8, "a step"),
        ("(1\n?\n", 3, "a step"),
        ("(1\n?n\n1\n", 6, "an answer: = and a value, or -"),
        ("(1\n)1\n.\n2\n", 8, "nothing after the end"),
        ("(1\n!1\n.\n", 3, "the canonical form of these steps"),
        ("(1\n(1\n@#0\n2\n)1\n.\n", 6, "the canonical form of these steps"),
        ("(1\n)!1\n.\n\n", 9, "nothing after the end"),
        ("(1 n='\xff'\n", 6, "UTF-8"),
        ("(1 b&a\n", 4, "="),
    ],
)  # fmt: skip
def test_malformed_texts_are_located(steps: str, offset: int, expected: str) -> None:
    assert parse(steps.encode("latin-1"), PROMPT).malformed == Malformed(offset, expected)
    assert parse(PROMPT + steps.encode("latin-1")).malformed == Malformed(len(PROMPT) + offset, expected)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("xs=[1, 2, 3, 4]", "the canonical form of the change"),
        ("xs[2]=4", "the end of the line"),
        ("xs[9]=4", "an edit that fits the value"),
        ("xs['a']=4", "an edit that fits the value"),
        ("xs+='a'", "an edit that fits the value"),
        ("xs.y=1", "an edit that fits the value"),
        ("ys+=[4]", "a name that has a value, once"),
        ("xs[1:0]=[]", "an edit that fits the value"),
        ("xs[-1]=1", "an edit that fits the value"),
        ("-xs[0] -xs[0]", "the canonical form of the change"),
    ],
)
def test_edits_that_do_not_fit_are_malformed(steps: str, expected: str) -> None:
    text = f"(1 xs=[1, 2, 3]\n2 {steps}\n)1\n.\n"
    malformed = parse(text.encode(), b"# element\n" + PROMPT).malformed
    if steps == "xs[2]=4":
        assert malformed is None
    else:
        assert malformed is not None
        assert malformed.expected == expected


@pytest.mark.parametrize(
    "header", ["#\n", "# \n", "# reveal=1\n", "# same element\n", "# reveal=01\n", "# x\n", "#element\n"]
)
def test_headers_have_one_spelling(header: str) -> None:
    malformed = parse(header.encode() + PROMPT).malformed
    assert malformed is not None
    assert malformed.offset == 0


@pytest.mark.parametrize(
    "data", [b"", b"1|x", b"1|x\n", b"2|x\n>\n", b"1|x\n3|y\n>\n", b"*a\n>\n", b"<''\n>\n", b">>'f()'\n", b">\xff\n"]
)
def test_prompts_have_one_spelling(data: bytes) -> None:
    assert parse(data).malformed is not None
    assert parse(b"", data).malformed == Malformed(0, parse(b"", data).malformed.expected)  # type: ignore[union-attr]


def test_deep_and_long_texts_are_read_in_one_pass() -> None:
    deep = b"(1 x=" + b"[" * 5_000 + b"]" * 5_000 + b"\n"
    assert len(parse(deep, PROMPT).steps) == 1
    calls = parse(b"(1\n" * 10_000 + b")1\n" * 10_000 + b".\n", PROMPT)
    assert (len(calls.steps), calls.ended) == (20_000, True)
    assert calls.steps[9_999].depth == 9_999
    suspended = parse(b"(1\n*1\n" * 3000 + b"~63\n*1\n" * 3000, PROMPT)
    assert (len(suspended.steps), suspended.malformed) == (12_000, None)


def test_a_hidden_value_that_ends_the_outermost_frame_is_missed_at_the_end() -> None:
    malformed = parse(b"(1\n2\n!\n.\n", b"# reveal=2\n" + PROMPT).malformed
    assert malformed == Malformed(7, "the canonical form of these steps")


def test_what_edits_unfold_to_is_bounded() -> None:
    text = b"(1 x='" + b"a" * 10_000 + b"'\n" + b"2 x+='a'\n" * 1000
    parsed = parse(text, b"# element\n" + PROMPT, budget=1_000_000)
    assert parsed.malformed is not None
    assert parsed.malformed.expected == "values within the budget"
    assert 20 < len(parsed.steps) < 50


def test_a_call_that_looks_like_a_script_is_kept_apart() -> None:
    for call in (None, "", "x", ">"):
        trace = make_trace([], [], program=Program(source="", call=call))
        program = parse(encode(trace)).program
        assert program is not None
        assert program.call == call
