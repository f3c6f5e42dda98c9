"""The JSON of `record --json`: it equals `as_json` and round-trips; nothing else is accepted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.codec.json_text import encode, parse
from worldline.core.errors import FormatError

sys.path.append(str(Path(__file__).parents[1] / "terminal"))
from specimen import document, specimen

pytestmark = pytest.mark.unit


def test_the_text_is_as_json_with_one_step_per_line() -> None:
    trace = specimen()
    text = "".join(encode(trace))
    assert json.loads(text) == trace.as_json() == document()
    assert text.isascii()
    assert sum(line.startswith('{"i": ') for line in text.splitlines()) == len(trace)


def test_traces_round_trip() -> None:
    trace = specimen()
    again = parse("".join(encode(trace)))
    assert list(again.steps) == list(trace.steps)
    assert (again.program, again.limits, again.outcome) == (trace.program, trace.limits, trace.outcome)
    assert "".join(encode(again)) == "".join(encode(trace))


def test_an_empty_trace_round_trips() -> None:
    assert len(parse("".join(encode(specimen(steps=[], frames=[]))))) == 0


def without(*path: Any) -> dict[str, Any]:
    """The document with one key taken out."""
    whole = document()
    inner: Any = whole
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return whole


def altered(value: Any, *path: Any) -> dict[str, Any]:
    """The document with one value put in."""
    whole = document()
    inner: Any = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return whole


@pytest.mark.parametrize(
    "damaged",
    [
        without("program"),
        without("program", "source"),
        without("steps", 3),
        without("steps", 0, "delta"),
        altered("x", "more"),
        altered("x = 2\n", "program", "source"),
        altered("vanished", "outcome", "kind"),
        altered("jump", "steps", 2, "event"),
        altered(7, "steps", 2, "frame"),
        altered(-1, "steps", 2, "frame"),
        altered(-1, "steps", 2, "line"),
        altered(2**32, "steps", 2, "line"),
        altered(5, "steps", 2, "depth"),
        altered(0, "steps", 2, "i"),
        altered(3, "steps", 2, "arg"),
        altered({"x": 1}, "steps", 2, "delta"),
        altered(1, "frames", 1, "parent"),
        altered(9, "frames", 1, "serial"),
        altered(0, "limits", "steps"),
        altered(True, "steps", 2, "line"),
    ],
)
def test_a_damaged_document_is_refused(damaged: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        parse(json.dumps(damaged))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "[" * 100_000, '{"a":' * 100_000, b"\xff\xfe\x00", "1e999"])
def test_other_texts_are_refused(text: str | bytes) -> None:
    with pytest.raises(FormatError):
        parse(text)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_gives_a_trace(at: int, byte: int) -> None:
    data = bytearray("".join(encode(specimen())).encode())
    data[at % len(data)] = byte
    try:
        trace = parse(bytes(data))
    except FormatError:
        return
    assert parse("".join(encode(trace))).as_json() == trace.as_json()
