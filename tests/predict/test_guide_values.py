"""The automaton of values against `core.value`: the same language, but for what its docstring names."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import VALUE_TEXTS

from worldline.codec.compact.guide.nodes import BARE, DONE, Node
from worldline.codec.compact.guide.values import values
from worldline.core.value import quote, scan

pytestmark = pytest.mark.unit


def ends(data: bytes, node: Node | None = None) -> list[int]:
    """The offsets at which a value that begins `data` may end."""
    node, levels, found = node or values().value, None, []
    for at, byte in enumerate(data):
        while byte not in node.edges:
            if not node.final or levels is None:
                return found
            node, levels = levels
        node, push, drop = node.edges[byte]
        levels = levels[1] if drop and levels else levels
        levels = (push, levels) if push is not None else levels
        while node is DONE and levels is not None:
            node, levels = levels
        below, deeper = node, levels
        while below.final and deeper is not None:
            below, deeper = deeper
        if below.final and deeper is None:
            found.append(at + 1)
    return found


@given(VALUE_TEXTS)
def test_every_canonical_value_is_read(text: str) -> None:
    assert len(text.encode()) in ends(text.encode())


@given(VALUE_TEXTS, st.integers(0, 10**6))
def test_what_is_read_is_a_value(text: str, seed: int) -> None:
    """A text with one other byte: what the automaton takes, the parser takes, unless it is one of the known gaps."""
    random, data = Random(seed), bytearray(text.encode())
    data[random.randrange(len(data))] = random.choice(b"0123456789abx'\"\\,.:#()[]{}<>= |e-")
    if len(data) not in ends(bytes(data)):
        return
    changed = data.decode()
    stop = scan(changed, 0)
    known = ("a canonical float", "a canonical complex", "the elements of a set in canonical order")
    assert stop == len(changed) or (not isinstance(stop, int) and stop.expected in known), changed


@pytest.mark.parametrize(
    "text",
    [
        "01", "1.", ".5", "1.50", "1e5", "1.0e+16", "00.5", "1e+015", "-", "+1", "0.00001", "-0", "0x1f", "1_0",
        "'a", "'it\\'s'", '"a"', "'\\a'", "'\\x41'", "'\\u0041'", "b'\\u0041'", "b'é'", "'\u00ad'", "'\n'",
        "(1)", "(1, 2,)", "[1,2]", "[1, ]", "{1: 2, 3}", "{1, 2: 3}", "{,}", "set", "set(1)", "frozenset(1)",
        "range(1)", "range(0, 1, 1)", "range(0, 1, 0)", "slice(1, 2)", "complex(1, 2)", "deque(1)", "float(1)",
        "#0", "#01", "P#0()", "P#1(x)=", "P#1(x=1, 2)", "E(x=1, 2)", "Foo", "<", "<f", "...", "...<list>", "None(1)",
        "nan(0000000000000000)", "True.x", "inf#1",
    ],
)  # fmt: skip
def test_other_spellings_are_not_read(text: str) -> None:
    assert len(text.encode()) not in ends(text.encode())


def test_ints_go_over_to_hexadecimal_where_format_says() -> None:
    largest = (1 << 1024) - 1
    for number in (largest, -largest, 10**308 - 1):
        assert len(str(number)) in ends(str(number).encode())
        assert len(hex(number)) not in ends(hex(number).encode())
    for number in (largest + 1, -largest - 1, largest * 16):
        assert len(hex(number)) in ends(hex(number).encode())
        assert len(str(number)) not in ends(str(number).encode())


def test_every_bare_character_and_no_other_stands_in_a_string() -> None:
    bare = {point for low, high in BARE for point in range(low, high + 1)}
    edges = {edge for low, high in BARE for edge in (low - 1, low, high, high + 1)}
    for point in sorted({*edges, *Random(0).sample(sorted(bare), 500)}):
        if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            continue
        stands = quote(chr(point)) == f"'{chr(point)}'"
        assert stands == (point in bare or 0x20 <= point < 0x7F)
        data = f"'{chr(point)}'".encode()
        assert (ends(data) == [len(data)]) == stands, hex(point)
