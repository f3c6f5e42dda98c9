"""The wire: what valid ones hold, that no bytes raise, and that the readable and the native decoder are twins."""

from __future__ import annotations

import itertools
import json
import struct
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Script, damaged, facts_of, scripts, varint, wire_of, wire_text

from worldline.core.texts.spliced import SplicedTexts
from worldline.core.trace import Columns
from worldline.recording import wire
from worldline.recording.wire import UNBOUNDED, Decoded, decode

ZERO = array("I", [0])
native = pytest.mark.skipif(wire._native is None, reason="the native decoder was not built")


def readable(data: bytes, steps: int = UNBOUNDED, weight: int = UNBOUNDED) -> Decoded:
    return wire._by_python(*wire._committed(memoryview(data)), steps, weight)


def check_twins(data: bytes, steps: int = UNBOUNDED, weight: int = UNBOUNDED) -> None:
    """Column for column, text for text, the same."""
    if wire._native is not None:
        native = wire._by_native(*wire._committed(memoryview(data)), steps, weight)
        assert native == readable(data, steps, weight)


def is_spliced(texts: Sequence[str], number: int) -> bool:
    return isinstance(texts, SplicedTexts) and texts.splice_of(number) >= 0


def check_sound(decoded: Decoded) -> None:
    """Columns that belong together, ids that exist, every literal text once."""
    columns, texts = decoded.columns, decoded.columns.texts
    steps = len(columns)
    literal = [text for number, text in enumerate(texts) if not is_spliced(texts, number)]
    assert len(literal) == len(set(literal))
    assert len(columns.frame) == len(columns.line) == len(columns.arg) == steps
    assert len(columns.change_at) == len(columns.same_at) == steps + 1
    assert columns.change_at[-1] == len(columns.change_name) == len(columns.change_value)
    assert columns.same_at[-1] == len(columns.same_name) == len(columns.same_value)
    facts_of(decoded)


@given(scripts())
def test_valid_wires_say_what_was_written(script: Script) -> None:
    decoded = readable(script.wire())
    assert facts_of(decoded) == script.facts()
    assert [list(row["changes"]) for row in facts_of(decoded)["steps"]] == [list(s["changes"]) for s in script.steps]
    check_sound(decoded)
    check_twins(script.wire())


@given(scripts(), st.data())
def test_a_wire_cut_at_any_byte_keeps_the_whole_records(script: Script, data: st.DataObject) -> None:
    whole = script.wire()
    at = data.draw(st.integers(64, len(whole)))
    cut = wire_of(whole[64:at])
    decoded = readable(cut)
    starts = [*script.starts, len(whole)]
    assert decoded.damage == (None if at in starts else max(start for start in starts if start < at))
    check_sound(decoded)
    check_twins(cut)


@given(scripts(), st.data())
def test_what_is_not_committed_is_not_read(script: Script, data: st.DataObject) -> None:
    records, garbage = bytes(script.records), data.draw(st.binary(max_size=9))
    decoded = readable(wire_of(records + garbage, committed=64 + len(records)))
    assert facts_of(decoded) == script.facts()


@given(damaged() | st.binary(max_size=80) | st.binary(max_size=30).map(wire_of))
def test_any_bytes_decode(data: bytes) -> None:
    decoded = readable(data)
    assert decoded.damage is None or 0 <= decoded.damage <= len(data)
    check_sound(decoded)
    check_twins(data)


def call(frame: int = 0, parent: int = 0, name: int = 0, file: int = 0, line: int = 1) -> bytes:
    return b"\x02" + b"".join(map(varint, (frame, parent, name, file, line)))


START = b"\x01" + wire_text("f") + call()
LARGE = START + b"\x10\x00" + wire_text("x" * 256)


def splice(back: int, prefix: int, suffix: int, middle: str) -> bytes:
    return b"\x13\x00" + b"".join(map(varint, (back, prefix, suffix))) + wire_text(middle)


DAMAGED = {
    "splice without a base": START + splice(1, 0, 0, "x" * 99), "splice of itself": LARGE + splice(0, 1, 1, ""),
    "splice of a small value": START + b"\x10\x00" + wire_text("x" * 255) + splice(1, 200, 1, "y"),
    "splice of none": LARGE + splice(2, 200, 56, ""), "ends longer than the base": LARGE + splice(1, 200, 57, ""),
    "end beyond a column": LARGE + splice(1, 1 << 32, 0, ""), "an end alone too long": LARGE + splice(1, 257, 0, ""),
    "chain longer than its text": LARGE + splice(1, 40, 0, "y" * 9), "torn splice": LARGE + splice(1, 200, 1, "y")[:-1],
    "chain grown too long": LARGE + splice(1, 256, 0, "") * 6,
    "unknown tag": b"\x00", "tag of none": b"\x14", "line without a frame": b"\x05\x01",
    "delta without a frame": b"\x01" + wire_text("x") + b"\x10\x00" + wire_text("1"),
    "name of none": START + b"\x11\x01", "same of none": START + b"\x12\x00\x02",
    "frame out of turn": START + call(2), "frame again": START + call(0), "its own parent": START + call(1, 2),
    "resume of none": START + b"\x03\x01\x01", "switch to none": START + b"\x04\x01",
    "overlong varint": START + b"\x05\x81\x00", "long varint": START + b"\x05" + b"\x80" * 9 + b"\x01",
    "varint of 63 bits": START + b"\x05" + b"\xff" * 8 + b"\x7f",
    "line beyond a column": START + b"\x05" + varint(1 << 32), "torn varint": START + b"\x05\x80",
    "torn text": START + b"\x20\x05abcd", "huge text": START + b"\x20" + varint((1 << 63) - 1),
    "no UTF-8": START + b"\x20\x02\xc3\x28", "a surrogate": START + b"\x06\x01\x03\xed\xa0\x80",
    "a draw of no step": b"\x23" + 2 * wire_text("1"),
    "a draw of a step before": START + b"\x21" + 2 * wire_text("1") + b"\x23" + 2 * wire_text("1"),
    "unknown outcome": START + b"\x3f" + wire_text("won") + wire_text(""),
    "behind the end": START + b"\x3f" + wire_text("returned") + wire_text("1") + b"\x05\x01",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_damage_is_where_its_record_begins(name: str) -> None:
    records = DAMAGED[name]
    whole = wire_of(LARGE if records.startswith(LARGE) else START if records.startswith(START) else b"")
    decoded = readable(wire_of(records))
    assert decoded.damage is not None
    assert decoded.damage >= len(whole)
    assert len(decoded.columns) == (1 if records.startswith(START) else 0)
    check_twins(wire_of(records))


HEADERS: list[tuple[bytes, int | None]] = [
    (b"", 0), (b"WLW1", 0), (wire_of(START)[:63], 0), (wire_of(START), None), (b"WLW2" + wire_of(START)[4:], 0),
    (wire_of(START, committed=0), 8), (wire_of(START, committed=1 << 63), 8), (wire_of(START, committed=63), 8),
    (b"WLW1\x01" + wire_of(START)[5:], 4), (wire_of(START)[:63] + b"\x01" + START, 16),
]  # fmt: skip


@pytest.mark.parametrize(("data", "damage"), HEADERS)
def test_a_damaged_header_is_named_and_loses_no_step(data: bytes, damage: int | None) -> None:
    decoded = readable(data)
    assert decoded.damage == damage
    assert len(decoded.columns) == (1 if len(data) >= 64 else 0)
    check_twins(data)


@given(scripts(), st.integers(0, 8), st.integers(0, 2000))
def test_steps_and_weight_beyond_the_limits_are_damage(script: Script, steps: int, weight: int) -> None:
    """The readable decoder against the weights added up here, and the native one against the readable."""
    whole = script.wire()
    decoded = readable(whole, steps, weight)
    damage = first_beyond(script, steps, weight)
    assert decoded.damage == damage
    kept = [start for start in script.starts if damage is None or start < damage]
    assert len(decoded.columns) == sum(whole[start] in STEP_TAGS for start in kept)
    check_sound(decoded)
    check_twins(whole, steps, weight)


STEP_TAGS = (2, 3, 5, 6, 7, 8, 9, 10, 11)
TEXTS = {0x01: 1, 0x10: 1, 0x13: 1, 0x20: 1, 0x21: 2, 0x22: 2, 0x23: 2, 0x3F: 2, **dict.fromkeys(range(6, 12), 1)}


def first_beyond(script: Script, steps: int, weight: int) -> int | None:
    """Where the first record begins that is a step too many, or whose texts make all too heavy; None: all is within."""
    data, left = script.wire(), weight - 64
    for start, end in itertools.pairwise([*script.starts, len(data)]):
        tag = data[start]
        steps -= tag in STEP_TAGS
        texts = TEXTS.get(tag, 0)
        own = 8 + 32 * texts
        if steps < 0 or left < own or (texts and left < own + end - start):
            return start
        left -= own + end - start
    return None


@given(damaged(), st.integers(0, 8), st.integers(0, 2000))
def test_any_bytes_decode_within_limits(data: bytes, steps: int, weight: int) -> None:
    decoded = readable(data, steps, weight)
    assert len(decoded.columns) <= steps
    check_sound(decoded)
    check_twins(data, steps, weight)


def test_changes_go_to_the_pending_step_of_their_frame() -> None:
    script = Script()
    script.call(-1, "main", "p.py", 1)
    script.line(2)
    script.call(0, "f", "p.py", 5)
    script.change("n", "1")
    script.event("return", 6, "2")
    script.switch(0)
    script.event("output", 2, "'x'")
    script.change("r", "2")
    script.change("s", "0")
    script.change("r", None)
    script.line(3)
    steps = facts_of(decode(script.wire()))["steps"]
    assert [step["changes"] for step in steps] == [{}, {"r": None, "s": "0"}, {"n": "1"}, {}, {}, {}]
    assert list(steps[1]["changes"]) == ["r", "s"]


def test_frames_are_made_on_demand() -> None:
    script = Script()
    script.call(-1, "main", "p.py", 1)
    script.call(0, "f", "p.py", 5)
    frames = decode(script.wire()).frames
    assert [frame.name for frame in frames] == ["main", "f"]
    assert (frames[-1].serial, frames[-1].parent, frames[-1].depth) == (1, 0, 1)
    assert frames[:1] == [frames[0]]
    with pytest.raises(IndexError):
        frames[2]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_read_and_none_is_held(kind: Any) -> None:
    buffer = bytearray(wire_of(START))
    decoded = decode(kind(buffer))
    buffer[:] = b"?" * len(buffer)  # would raise if it were still exported
    buffer.clear() if kind is not memoryview else None
    assert decoded.columns.texts == ["f"]


@native
def test_many_texts_and_changes_agree() -> None:
    script = Script()
    script.call(-1, "main", "p.py", 1)
    for i in range(5000):
        script.line(i)
        script.change(f"n{i % 700}", f"'{i % 3000}'")
    script.switch(0)
    for i in range(3000):
        script.change(f"n{i % 1000}", f"{i}")
    check_twins(script.wire())
    assert facts_of(decode(script.wire())) == script.facts()


@native
def test_the_native_decoder_refuses_other_arguments() -> None:
    for arguments in [
        (),
        (b"",),
        (b"", 0, (), ZERO),
        ("text", 0, (), ZERO, 9, 9),
        (b"", "0", (), ZERO, 9, 9),
        (b"", 0, (), None, 9, 9),
        (b"", 0, (), ZERO, None, 9),
        (b"", 0, (), ZERO, 9, 1.5),
    ]:
        with pytest.raises(TypeError):
            wire._native.decode(*arguments)
    for start, damage in ((99, None), (-5, 0)):
        assert wire._native.decode(b"\x05", start, (), ZERO, 9, 99)["damage"] == damage
    with pytest.raises(SystemError):
        wire._native.decode(b"", 0, (), array("Q", [0]), 9, 99)
    with pytest.raises(OverflowError):
        wire._native.decode(b"", 0, (), ZERO, 1 << 63, 99)


def test_an_empty_wire_is_an_empty_trace() -> None:
    decoded = decode(struct.pack("<4sIQ48x", b"WLW1", 0, 64))
    assert (decoded.columns, list(decoded.frames), decoded.damage, decoded.end) == (Columns(), [], None, None)


GOLDEN = sorted((Path(__file__).parent.parent / "formats" / "wire-v1").glob("*.wire"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_wires_of_version_1_read_as_they_always_did(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    decoded = decode(path.read_bytes())
    assert {**facts_of(decoded), "texts": decoded.columns.texts} == expected
    check_twins(path.read_bytes())


def test_there_are_wires_of_version_1() -> None:
    assert {path.stem for path in GOLDEN} >= {"every-record", "damaged", "torn"}
