"""Mutated wires: whatever bytes there are, the native decoder stays inside them and says what the readable one does.

`WORLDLINE_WIRES=N` asks for N of them (`make sanitize` at full length: 100,000). Each is given as a buffer of just its
own size, so that the sanitizers see a read of one byte too many.
"""

from __future__ import annotations

import os
import random
from array import array
from pathlib import Path

import pytest
from strategies import Script

from worldline.recording import wire

COUNT = int(os.environ.get("WORLDLINE_WIRES", "1500"))
WORDS = ("a", "b", "xs", "self", "é", "", "'😀'", "[1, 2]", "x" * 300)
LARGE = ("[" + "0, " * 300 + "0]", "'" + "é😀" * 140 + "'", "y" * 256)
FORMATS = sorted((Path(__file__).parents[1] / "formats" / "wire-v1").glob("*.wire"))


def add_record(draw: random.Random, script: Script) -> None:
    """One more record, valid where it stands."""
    word, frame = draw.choice(WORDS), draw.randrange(len(script.frames))
    acts = (
        lambda: script.call(frame, word, "p.py", draw.randrange(1 << 32)),
        lambda: script.line(draw.randrange(300)),
        lambda: script.event(draw.choice(["return", "yield", "raise", "output", "input"]), 3, word),
        lambda: script.change(draw.choice(WORDS), draw.choice([None, word])),
        lambda: script.same(draw.choice(WORDS), draw.choice([None, word])),
        lambda: script.resume(frame, 5),
        lambda: script.switch(frame),
        lambda: script.note(word),
        lambda: script.hide("input", word),
        lambda: script.change("xs", draw.choice(LARGE)),
        lambda: script.splice("xs", draw.randrange(1, 4), draw.randrange(300), draw.randrange(300), word),
        lambda: script.splice("xs", 1, 255, 1, word),
    )
    draw.choice(acts)()


def written(draw: random.Random) -> bytes:
    """A valid wire of some records."""
    script = Script()
    script.call(-1, "main", "p.py", 1)
    for _ in range(draw.randrange(60)):
        add_record(draw, script)
    if draw.random() < 0.5:
        script.finish("returned", "1")
    return script.wire()


def mutated(draw: random.Random, data: bytes) -> bytes:
    """Some bytes changed, put in, taken out or doubled; the header mostly made to fit again."""
    made = bytearray(data)
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(64 if draw.random() < 0.9 else 0, len(made) + 1)
        to = min(len(made), at + draw.randrange(1, 9))
        made[at:to] = draw.choice([
            draw.randbytes(to - at), draw.randbytes(draw.randrange(4)), b"", made[at:to] * 2, b"\x80" * (to - at),
            bytes([draw.choice([0x01, 0x02, 0x05, 0x10, 0x11, 0x12, 0x13, 0x20, 0x21, 0x22, 0x23, 0x3F])]),
        ])  # fmt: skip
    if draw.random() < 0.3:
        del made[draw.randrange(len(made)) :]
    if len(made) >= 64 and draw.random() < 0.9:
        made[8:16] = len(made).to_bytes(8, "little")
    return bytes(made)


@pytest.mark.skipif(wire._native is None, reason="the native decoder was not built")
def test_mutated_wires_decode_alike() -> None:
    draw = random.Random(13)
    valid = [*(path.read_bytes() for path in FORMATS), *(written(draw) for _ in range(200))]
    whole = 0
    for number in range(COUNT):
        data = mutated(draw, draw.choice(valid))
        limits = (wire.UNBOUNDED, wire.UNBOUNDED) if number % 2 else (draw.randrange(20), draw.randrange(4000))
        with memoryview(array("B", data)[:]) as exact:  # a slice has no room to spare
            native = wire._by_native(*wire._committed(exact), *limits)
            assert native == wire._by_python(*wire._committed(exact), *limits), (number, data)
        whole += native.damage is None
    assert 0 < whole < COUNT
