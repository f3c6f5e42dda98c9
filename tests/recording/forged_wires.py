"""Wires that no guest writes, made to cost the host as much as they can: each shape as a stream of records."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterator

from strategies import varint, wire_text

_LETTERS = (string.ascii_letters + string.digits + "_ ").encode()
START = b"\x01" + wire_text("f") + b"\x02\x00\x00\x00\x00\x01"


def words() -> Iterator[bytes]:
    """Distinct texts of four letters, with their length: 16 million."""
    return (b"\x04" + bytes(letters) for letters in itertools.product(_LETTERS, repeat=4))


def _wide(size: int) -> Iterator[bytes]:
    """Distinct values of so many letters and one character that makes each letter take four bytes."""
    letters = b"x" * size
    return (b"\x10\x00" + varint(size + 12) + "😀".encode() + b"%08d" % i + letters for i in itertools.count())


def _calls() -> Iterator[bytes]:
    """Frames, each the caller of the next."""
    return (b"\x02" + varint(i) + varint(i) + b"\x00\x00\x01" for i in itertools.count(1))


def _splices(size: int, middle: int) -> Iterator[bytes]:
    """Changes of one value of so many letters, each with a middle of its own."""
    yield b"\x10\x00" + varint(size) + b"x" * size
    for back, word in enumerate(words(), 1):
        yield b"\x13\x00" + varint(back) + varint(size) + b"\x00" + varint(middle) + word[1 : 1 + middle]


SHAPES: dict[str, Callable[[], Iterator[bytes]]] = {
    "values": lambda: (b"\x10\x00" + word for word in words()),
    "names": lambda: (b"\x01" + word for word in words()),
    "wide values": lambda: _wide(60_000),
    "huge wide values": lambda: _wide(15 << 20),
    "names gone": lambda: itertools.repeat(b"\x11\x00" * 1000),
    "splices": lambda: _splices(512, 4),
    "splices of a huge value": lambda: _splices(8 << 20, 4),
    "empty splices": lambda: _splices(512, 0),
    "shared names": lambda: itertools.repeat(b"\x12\x00\x01" * 1000),
    "lines": lambda: itertools.repeat(b"\x05\x01" * 1000),
    "calls": _calls,
    "notes": lambda: (b"\x20" + word for word in words()),
    "hidden inputs": lambda: (b"\x21" + word + word for word in words()),
    "facts": lambda: (b"\x22" + word + word for word in words()),
}


def forged(shape: str, weight: int) -> bytes:
    """The records of one shape, of so much weight or more."""
    made, spent = bytearray(START), 0
    for record in SHAPES[shape]():
        made += record
        spent += len(record) + 8
        if spent >= weight:
            break
    return bytes(made)
