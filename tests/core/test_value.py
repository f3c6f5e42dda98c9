"""Canonical values: accepted text re-encodes to itself, nothing raises, other spellings are the same values."""

from __future__ import annotations

import ast
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LITERALS, OBJECTS, TEXTS, VALUE_TEXTS

from worldline.core.value import DEPTH, Malformed, Value, canonical, equal, kind, parse, quote, scan, text, unquote
from worldline.recording.guests.atoms import text_of_str
from worldline.recording.guests.canonical import Renderer

pytestmark = pytest.mark.unit

GRAMMAR = [
    "[", "]", "(", ")", "{", "}", ",", ":", "#", "=", ".", "...", "<", ">", "-", "0", "1", "12", "1.5", "1e+16", "0x",
    "'a'", "\"'\"", "'", '"', "\\", "b", "a", "P", "None", "True", "set()", "frozenset({", "})", "deque([", "])",
    "slice(", "range(", "complex(", "bytearray(", ",)", "#1", "P#1", "P#2(", "E(", "x=", "C.D", "nan", "inf",
    "<function f>", "...<list 3>",
]  # fmt: skip
SOUP = st.lists(st.sampled_from([*GRAMMAR, ", ", ": ", " "]), max_size=14).map("".join)


def render(value: Any) -> str:
    """The readable recorder's text of a Python object."""
    return str(Renderer(1 << 30, 1000).render(value))


def accepted(source: str) -> Value:
    value = parse(source)
    assert isinstance(value, Value), (source, value)
    return value


def check_total(source: str) -> None:
    """No exception; what is accepted is its own text; the parsers agree."""
    value, end = parse(source), scan(source)
    if isinstance(value, Value):
        assert text(value) == source
        assert end == len(source)
        assert kind(source) == value.kind
        assert canonical(source) == source
        assert equal(source, source)
    else:
        assert 0 <= value.offset <= len(source)
        assert end == value or isinstance(end, int)
    loose = canonical(source)
    if isinstance(loose, str):
        assert text(accepted(loose)) == loose
        assert equal(source, loose)
    else:
        assert 0 <= loose.offset <= len(source)


@given(VALUE_TEXTS)
def test_every_production_is_its_own_text(source: str) -> None:
    check_total(source)
    accepted(source)


@given(VALUE_TEXTS, st.sampled_from(["", " x=1", "\n2", ", 1", ")", "]", ": "]))
def test_scan_stops_where_the_value_ends(source: str, rest: str) -> None:
    assert scan(f"n={source}{rest}", 2) == len(source) + 2


@given(VALUE_TEXTS, st.integers(0), st.integers(0, 3), st.sampled_from([*GRAMMAR, "\x00", "é", "\ud800", ""]))
def test_damaged_values_never_raise(source: str, at: int, gone: int, new: str) -> None:
    at %= len(source) + 1
    check_total(source[:at] + new + source[at + gone :])


@given(SOUP | st.text(max_size=20))
def test_any_text_never_raises(source: str) -> None:
    check_total(source)


@given(OBJECTS)
def test_what_the_recorder_writes_is_canonical(value: Any) -> None:
    check_total(render(value))
    accepted(render(value))


@given(LITERALS)
def test_plain_literals_mean_what_python_means(value: Any) -> None:
    written = render(value)
    assert same(ast.literal_eval(written), value)
    assert canonical(repr(value)) == written


@given(OBJECTS)
def test_reprs_are_another_spelling(value: Any) -> None:
    if "nan" not in repr(value) and "j" not in repr(value):  # a repr shows neither a nan's bits nor a lone -0.0
        assert canonical(repr(value)) == render(value)
        assert equal(repr(value), render(value))


@given(st.complex_numbers(allow_nan=False))
def test_complex_reprs(value: complex) -> None:
    assert canonical(repr(value)) == f"complex({value.real!r}, {value.imag!r})"


@given(TEXTS)
def test_strings_quote_and_unquote(value: str) -> None:
    assert quote(value) == text_of_str(value)
    assert unquote(quote(value)) == value
    assert accepted(quote(value)).kind == "str"
    assert canonical(ascii(value)) == quote(value)
    assert quote(value).encode("utf-8").isascii() or not value.isascii()


@given(st.integers(0, (1 << 64) - 1))
def test_floats_are_exact_to_the_bit(bits: int) -> None:
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    assert accepted(render(value)).kind == "float"
    if not math.isnan(value):
        assert float(render(value)) == value


def same(a: Any, b: Any) -> bool:
    """Equality that keeps kinds, the order of dicts and the sign of zero."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, set):
        return a == b and sorted(map(render, a)) == sorted(map(render, b))
    return bool(a == b) and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))


SPELLINGS = [
    ("1e3", "1000.0"), ("1_000", "1000"), ("0x1F", "31"), ("0o17", "15"), ("0b11", "3"), ("+5", "5"), ("-0", "0"),
    (".5", "0.5"), ("5.", "5.0"), ("1E5", "100000.0"), ("-nan", "nan"), ("float('inf')", "inf"),
    ("'\\u0421'", "'С'"),  # noqa: RUF001
    ('"a"', "'a'"), ("'it\\'s'", '"it\'s"'), ("'''x\ny'''", "'x\\ny'"), ("r'\\d'", "'\\\\d'"),
    ("'\\d'", "'\\\\d'"), ("'\\N{BULLET}'", "'•'"), ("'\\101\\0'", "'A\\x00'"), ("u'x'", "'x'"), ("'\xad'", "'\\xad'"),
    ('b"a"', "b'a'"), ("b'\\101'", "b'A'"), ("rb'\\x'", "b'\\\\x'"), ("b'\\u'", "b'\\\\u'"),
    ("[1,2,\n 3,]", "[1, 2, 3]"), ("( 1 , )", "(1,)"), ("(1)", "1"), ("((1, 2))", "(1, 2)"), ("{ }", "{}"),
    ("{3, 1, 2, 1}", "{1, 2, 3}"), ("{'b', None, 2, 1.5, True}", "{None, True, 2, 1.5, 'b'}"),
    ("frozenset([2, 1])", "frozenset({1, 2})"), ("set([])", "set()"), ("set({1})", "{1}"),
    ("frozenset( )", "frozenset()"), ("{'b':1,'a':2}", "{'b': 1, 'a': 2}"), ("(1+2j)", "complex(1.0, 2.0)"),
    ("-1j", "complex(0.0, -1.0)"), ("range(5)", "range(0, 5)"), ("range(1, 5, 1)", "range(1, 5)"),
    ("...", "Ellipsis"), ("[...]", "[Ellipsis]"), ("<function f at 0x7f12>", "<function f>"),
    ("Point#2( x = 1,y=(2) )", "Point#2(x=1, y=2)"), ("deque([1,2],maxlen = 3)", "deque([1, 2], maxlen=3)"),
    ("bytearray( b\"a\" )", "bytearray(b'a')"), ("  5\n", "5"), (hex(1 << 1023), str(1 << 1023)),
    ("1" * 400, hex(int("1" * 400))),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), SPELLINGS)
def test_other_spellings(source: str, expected: str) -> None:
    assert isinstance(parse(source), Malformed)
    assert canonical(source) == expected
    assert equal(source, expected)


NOT_CANONICAL = [
    ("-0", 0), ("01", 0), ("0x10", 0), (str(1 << 1024), 0), (hex((1 << 1024) - 1), 0), ("1e16", 0), ("1.50", 0),
    ("0.1000000000000000055", 0), ("nan(7ff8000000000000)", 0), ("nan(7ff0000000000000)", 0), ("1e999", 0),
    ('"a"', 2), ("'\\''", 3), ("'\\x41'", 1), ("'\\xAD'", 1), ("'\\u00ad'", 1), ("'a\nb'", 2), ("'\u2028'", 1),
    ("b'\\x41'", 2), ("b'é'", 3), ("[1,2]", 2), ("[1, 2,]", 5), ("[1, 2", 5), ("(1)", 2), ("(1, 2,)", 5),
    ("{2, 1}", 4), ("{1, 1}", 4), ("{'b', 'a'}", 6), ("{1, 2: 3}", 5), ("{1: 2, 3}", 8), ("range(0, 5, 1)", 0),
    ("slice(1, 2)", 10), ("P#0()", 0), ("P#1(x=1, 2)", 9), ("P#1(1, 2)", 7), ("range('a')", 0), ("x", 0), ("", 0),
    ("1 ", 1), ("#01", 0), ("...<list>", 0), ("<a b c>", 0), ("Nonesuch", 0), ("deque([1], maxlen=-1)", 8),
]  # fmt: skip


@pytest.mark.parametrize(("source", "offset"), NOT_CANONICAL)
def test_what_is_not_canonical_is_named_with_its_offset(source: str, offset: int) -> None:
    malformed = parse(source)
    assert isinstance(malformed, Malformed)
    assert malformed.offset == offset
    assert scan(source) in (malformed, 1)  # `scan` stops before what `parse` finds behind a value


EQUAL = [
    ("{'a': 1, 'b': [2]}", "{'b': [2], 'a': 1}", True), ("{1: {2: 3, 4: 5}}", "{1: {4: 5, 2: 3}}", True),
    ("P#1(x=1, y=2)", "P#1(y=2, x=1)", True), ("[1, 2]", "[2, 1]", False), ("1", "1.0", False),
    ("1", "True", False), ("0.0", "-0.0", False), ("nan", "nan", True), ("P#1(x=1)", "P#2(x=1)", False),
    ("{1: 2}", "{1: 3}", False), ("{1: 2, 3: 4}", "{1: 4, 3: 2}", False), ("E(1, 2)", "E(2, 1)", False),
    ("43 or True", "42", False), ("[", "[", False), ("#1[]", "[]", False), ("()", "[]", False),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "expected"), EQUAL)
def test_values_compare_as_values(a: str, b: str, expected: bool) -> None:
    assert equal(a, b) is expected
    assert equal(b, a) is expected


def test_nodes_show_the_structure() -> None:
    point = accepted("Point#2((1, 2), x=[#1{}, #1], 'a b'='s')")
    assert (point.kind, point.atom, point.number) == ("object", "Point", 2)
    assert [item.kind for item in point.items] == ["tuple"]
    assert [name for name, _ in point.fields] == ["x", "'a b'"]
    assert point.fields[0][1].items[0].label == 1
    pairs = accepted("{'k': 1, 2: 3}").items
    assert [item.atom for item in pairs] == ["'k'", "1", "2", "3"]
    assert accepted("[1]") == accepted("[1]") != accepted("[2]")
    with pytest.raises(AttributeError):
        point.kind = "list"  # type: ignore[misc]


HUGE = {
    "brackets": "[" * 10**6, "braces": "{1: " * 10**6, "calls": "E(" * 10**6, "objects": "P#1(x=" * 10**6,
    "digits": "9" * 10**6, "hex digits": "0x" + "f" * 10**7, "string": "'" + "a" * 10**6,
    "backslashes": "'" + "\\" * 10**6, "parentheses": "(" * 10**6 + ")" * 10**6, "spaces": "[" + " " * 10**6,
    "signs": "-" * 10**6, "underscores": "1_" * 10**5, "hashes": "#1" * 10**6, "quotes": "'''" * 10**5,
}  # fmt: skip


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", sorted(HUGE))
def test_hostile_sizes_end(name: str) -> None:
    source = HUGE[name]
    if name != "hex digits":
        assert isinstance(parse(source), Malformed)
        assert isinstance(canonical(source), Malformed)
    else:
        assert canonical(source) == source


def test_deep_values_need_no_recursion() -> None:
    deep = "[" * DEPTH + "]" * DEPTH
    assert scan(deep) == len(deep)
    assert text(accepted(deep)) == deep
    sets = "frozenset({" * 5000 + "1" + "})" * 5000
    assert text(accepted(sets)) == sets
    assert isinstance(canonical(sets + " "), Malformed)  # loosely written, so deep a nest of sets is refused
    assert canonical("[" * 3000 + "1," + "]" * 3000) == "[" * 3000 + "1" + "]" * 3000
