"""The laws of `Notation`: each notation reads what it writes, and no text makes it raise."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import TraceContext, notation, recognized
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record

PROGRAM = Program(
    source="""\
def g(n):
    return n + 1
def f(xs):
    total = 0
    for x in xs:
        total += g(x)
    return total
""",
    call="f([1, 2])",
)
CONTEXT = TraceContext(program=PROGRAM)
ALL = pytest.mark.parametrize("name", NOTATIONS)
PIECES = st.sampled_from(
    [
        *(b"(3 xs=[1, 2]\n", b"4 total=0\n", b")3\n", b".\n", b" x=1\n", b"@1\n", b"~#1\n", b"?0 x\n", b"%a=1\n"),
        *(f"<|{token}|>".encode() for token in notation("cwm").special_tokens),
        *(b'{"x": "1"}', b'"3"', b"{", b"def f(xs):\n", b"    total = 0\n", b"<|", b"\xff", b"\n"),
    ]
)
TEXTS = st.one_of(st.binary(max_size=40), st.lists(PIECES, max_size=12).map(b"".join))


@cache
def trace() -> Trace:
    return record(PROGRAM)


@ALL
def test_a_notation_has_its_name(name: str) -> None:
    assert notation(name).name == name
    assert notation(name) is notation(name)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="compact, cwm"):
        notation("yaml")


@ALL
def test_texts_round_trip(name: str) -> None:
    written = notation(name)
    text = written.steps(trace(), Compact())
    assert text.endswith(written.end_mark)
    reading = written.read(CONTEXT, text, status="ended")
    assert (reading.ended, reading.malformed, reading.answer) == (True, None, ("return", "5"))
    assert written.count_steps(text) == len(reading.events)
    assert written.depth(text.decode()) == 2
    assert written.first_refused(CONTEXT, text) is None
    assert written.first_other_action(text, text) is None
    assert written.resumable(text).startswith(text[: len(text) // 2])


@ALL
def test_a_true_text_is_its_steps(name: str) -> None:
    written = notation(name)
    text = written.steps(trace())
    steps = written.split(text)
    assert b"".join(text[step.start : step.end] for step in steps) == text
    assert all(step.whole and step.start <= step.state_start <= step.end for step in steps)
    for step in steps:
        part = text[step.start : step.end]
        assert sorted(step.action(text) + step.state(text)) == sorted(part)


@ALL
def test_a_limited_text_is_a_prefix(name: str) -> None:
    written = notation(name)
    text = written.steps(trace())
    for most in (1, 3):
        part = written.steps(trace(), limit=most)
        assert text.startswith(part)
        assert part.count(written.unit_mark) == most


@ALL
def test_an_edit_keeps_what_is_before_it(name: str) -> None:
    written = notation(name)
    text = written.steps(trace())
    total = next(
        number
        for number, event in enumerate(written.read(CONTEXT, text, status="ended").events)
        if event.event == "line" and event.line == 4
    )
    edited = written.edit(CONTEXT, text, total, {"total": "77"})
    assert b"77" in edited
    same = next(i for i, (a, b) in enumerate(zip(edited, text, strict=False)) if a != b)
    assert b"77" not in edited[:same]
    with pytest.raises(UsageError, match="no step 99"):
        written.edit(CONTEXT, text, 99, {})


@ALL
def test_a_wrong_value_is_located_in_its_step(name: str) -> None:
    written = notation(name)
    text = written.steps(trace())
    steps = written.split(text)
    before, value, after = written.value_text(None, "5")
    other = text.replace((before + value + after).encode(), (before + "6" + after).encode())
    assert other != text
    last = next(n for n, step in enumerate(steps) if text[: step.end] != other[: step.end])
    assert written.differing_step(other, text, last) == last
    assert written.first_other_action(other, text) is None


@ALL
@given(text=TEXTS, other=TEXTS, count=st.integers(0, 6), status=st.sampled_from(["ended", "budget", "broken"]))
@settings(max_examples=examples(60, 1000), deadline=None)
def test_any_bytes_are_read(name: str, text: bytes, other: bytes, count: int, status: str) -> None:
    written = notation(name)
    reading = written.read(CONTEXT, text, status=status)
    assert reading.malformed is None or reading.malformed.offset >= 0
    steps = written.split(text)
    assert all(step.end <= after.start for step, after in pairwise(steps))
    assert written.count_steps(text) >= 0
    spans = written.locate(text, count)
    assert len(spans) <= count
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert text.startswith(written.resumable(text))
    assert text.endswith(written.own_text(text, 0))
    for at in (written.first_refused(CONTEXT, text), written.first_other_action(text, other)):
        assert at is None or 0 <= at <= len(text)
    assert written.differing_step(text, other, count) >= count
    assert isinstance(written.steps_alone(CONTEXT, text), bytes)
    depth = written.depth(text.decode("utf-8", "replace"))
    assert depth is None or depth >= 1


def test_external_texts_are_recognized() -> None:
    assert [recognized(notation(name).steps(trace()).decode()) for name in NOTATIONS] == list(NOTATIONS)
    assert recognized("") == DEFAULT_NOTATION
