"""The cwm parser accepts anything: it never raises, and its result always has the promised shape."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cwm_parse import BRANCHES, START, call, left, line

from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm.text import TOKENS, listing, shield, unshield

SOURCE = """\
def f(xs):
    total = 0
    for x in xs:
        try:
            total += g(x)
        except ValueError:
            total += 1
        total += 1
    return [t for t in h(total)]

def g(x):
    if x:
        raise ValueError(x)
    return x

def h(n):
    while n:
        yield n
        n -= 1
"""
VALID = (
    call('{"xs": "[1]"}', "def f(xs):") + line('{"xs": ".."}', "    total = 0")
    + line('{"xs": "..", "total": "0"}', "    for x in xs:")
    + line('{"xs": "..", "total": "..", "x": "1"}', "        try:")
    + line('{"xs": "..", "total": "..", "x": ".."}', "            total += g(x)") + call('{"x": "1"}', "def g(x):")
    + line('{"x": ".."}', "    if x:") + line('{"x": ".."}', "        raise ValueError(x)")
    + left("        raise ValueError(x)", "ValueError(1)", "exception") + left("        raise ValueError(x)", "None")
    + left("            total += g(x)", "ValueError(1)", "exception")
    + line('{"xs": "..", "total": "..", "x": ".."}', "        except ValueError:")
    + line('{"xs": "..", "total": "..", "x": ".."}', "            total += 1") + "<|end_of_text|>"
)  # fmt: skip
BITS = st.sampled_from([
    *(f"<|{name}|>" for name in TOKENS), "{}", '{"x": "1"}', '{"x": ".."}', '"None"', "[[[", '{"', "\\", "\ud800", "\0",
    *(text + "\n" for text in SOURCE.splitlines()),
])  # fmt: skip


def _check(read: cwm_parse.CwmPrediction, length: int) -> None:
    lines = len(listing(SOURCE).lines)
    for frame in read.frames:
        assert frame.event in ("call", "line", "return", "raise")
        assert frame.line is None or 0 <= frame.line < lines
        assert not (frame.line is not None and frame.candidates)
        assert len(frame.candidates) != 1
    if read.malformed is not None:
        assert not read.ended
        assert 0 <= read.malformed.offset <= length
        assert read.malformed.expected


def test_the_valid_text_is_valid() -> None:
    read = cwm_parse.parse(VALID, SOURCE)
    assert [frame.line for frame in read.frames] == [1, 2, 3, 4, 5, 11, 12, 13, 13, 13, 5, 6, 7]
    assert all(frame.allowed for frame in read.frames)


@given(st.text())
def test_any_text(text: str) -> None:
    _check(cwm_parse.parse(text, SOURCE), len(text))


@given(st.lists(BITS))
def test_any_order_of_its_own_parts(parts: list[str]) -> None:
    text = "".join(parts)
    _check(cwm_parse.parse(text, SOURCE), len(text))


@given(st.lists(st.integers(-1, 300) | st.sampled_from(sorted(TOKENS.values()))))
def test_any_token_ids(ids: list[int]) -> None:
    _check(cwm_parse.parse(ids, SOURCE, decode=lambda n: bytes([n]) if 0 <= n < 256 else None), len(ids))


@given(st.integers(0, len(VALID)), st.integers(0, 20), st.text(max_size=5) | BITS)
def test_valid_text_with_a_part_replaced(at: int, length: int, put: str) -> None:
    text = VALID[:at] + put + VALID[at + length :]
    _check(cwm_parse.parse(text, SOURCE), len(text))


def test_valid_text_cut_anywhere() -> None:
    whole = cwm_parse.parse(VALID, SOURCE).frames
    for end in range(len(VALID)):
        read = cwm_parse.parse(VALID[:end], SOURCE)
        _check(read, end)
        assert not read.ended
        assert read.frames == whole[: len(read.frames)]
        assert read.malformed is None or read.malformed.offset <= end


def test_frames_in_any_order() -> None:
    frames = [part + "<|frame_sep|>" for part in VALID.removesuffix("<|end_of_text|>").split("<|frame_sep|>")[:-1]]
    chance = random.Random(5)
    for _ in range(50):
        text = frames[0] + "".join(chance.choices(frames, k=60))
        read = cwm_parse.parse(text, SOURCE)
        _check(read, len(text))
        assert read.malformed is None or read.malformed.expected == "<|call_sep|>"


@given(st.text(alphabet="def fx():\n returntrywhil=1[]{}'\"#\\"), st.lists(BITS))
def test_any_source(source: str, parts: list[str]) -> None:
    text = START + "".join(parts)
    read = cwm_parse.parse(text, source)
    assert read.malformed is None or read.malformed.offset <= len(text)


@pytest.mark.long(reason="fuzzing: texts of megabytes")
def test_endless_repetition_deep_nesting_and_huge_values() -> None:
    calls = call('{"xs": "[]"}', "def f(xs):") * 20_000
    assert [frame.scope for frame in cwm_parse.parse(calls, SOURCE).frames] == list(range(20_000))
    rounds = START + (line("{}", "    if a:") + line("{}", "        b = 1")) * 5_000
    assert len(cwm_parse.parse(rounds, BRANCHES).frames) == 10_001
    resumed = (
        call('{"n": "1"}', "def h(n):") + (left("        yield n", "1") + call('{"n": "1"}', "        yield n")) * 5_000
    )
    assert {frame.scope for frame in cwm_parse.parse(resumed, SOURCE).frames} == {0}
    nested = call('{"xs": "' + "[" * 1_000_000 + '"}', "def f(xs):")
    assert len(cwm_parse.parse(nested, SOURCE).frames[0].locals["xs"]) == 1_000_000
    for text in (
        "<|call_sep|>" + "[" * 1_000_000,
        '<|call_sep|>{"' + "\\" * 1_000_001,
        "<|" * 1_000_000,
        "<" + "\\" * 10**6,
    ):
        assert cwm_parse.parse(text, SOURCE).malformed is not None


@given(st.lists(st.sampled_from(["<", "\\", "|", "frame_sep", "arg_sep", "|>", "a"])).map("".join))
def test_shielding_source_text_is_undone(text: str) -> None:
    assert unshield(shield(text)) == text
    assert not any(f"<|{name}|>" in shield(text) for name in TOKENS)
