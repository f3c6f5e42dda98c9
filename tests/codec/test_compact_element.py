"""Element deltas: edits of canonical text, each with one spelling, and never longer than the whole value."""

from __future__ import annotations

from random import Random

import pytest
from compact_traces import VALUES, near
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.compact.element import ElementEdit, apply, change, read_edit
from worldline.core.malformed import Malformed
from worldline.core.value import canonical, scan
from worldline.core.value_parts import join, split

pytestmark = pytest.mark.unit

atoms = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=5))
keys = st.one_of(st.integers(0, 5), st.text(max_size=2), st.tuples(st.integers(0, 3)))
values = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.tuples(inner, inner),
        st.tuples(inner),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(st.one_of(st.integers(0, 9), st.text(max_size=2), st.floats()), max_size=5),
        st.frozensets(st.integers(0, 9), max_size=4),
    ),
    max_leaves=12,
)


def text_of(value: object) -> str:
    text = canonical(repr(value))
    assert isinstance(text, str)
    return text


def replayed(name: str, old: str, text: str) -> str | None:
    """The value that a change leads to, read as the parser reads it."""
    value: str | None = old
    at = 0
    while at <= len(text):
        minus = text[at] == "-"
        read = read_edit(text, at + minus + len(name), minus)
        assert not isinstance(read, Malformed)
        assert value is not None
        value, at = apply(value, read[0]), read[1] + 1
    return value


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("[10, 20, 30]", "[10, 20, 35]", "x[2]=35"),
        ("[10, 20, 30]", "[10, 20, 30, 40]", "x+=[40]"),
        ("[10, 20, 30]", "[10, 30]", "-x[1]"),
        ("[10, 20, 30, 40, 50, 60]", "[10, 50, 60]", "x[1:4]=[]"),
        ("[10, 20, 30, 40, 50, 60]", "[10, 7, 20, 30, 40, 50, 60]", "x[1:1]=[7]"),
        ("[30, 20, 10, 40, 50, 60]", "[10, 20, 30, 40, 50, 60]", "x[0]=10 x[2]=30"),
        ("[1]", "[2]", "x=[2]"),
        ("[]", "[1]", "x=[1]"),
        ("'abcdefgh'", "'abcdefghi'", "x+='i'"),
        ("'abcdefghijkl'", "'bcdefghijkl'", "-x[0]"),
        ("'abcdefghijkl'", "'abcdeXfghijkl'", "x[5:5]='X'"),
        ("'it is a text'", '"it is a text\'s"', 'x+="\'s"'),
        ("b'abcdefgh'", "b'abcdefgh\\x00'", "x+=b'\\x00'"),
        ("bytearray(b'abcdefgh')", "bytearray(b'abcdefghi')", "x+=b'i'"),
        ("{'key': 1, 'other': 2}", "{'key': 1, 'other': 3}", "x['other']=3"),
        ("{'key': 1, 'other': 2}", "{'key': 1, 'other': 2, 3: 4}", "x[3]=4"),
        ("{'key': 1, 'other': 2}", "{'other': 2}", "-x['key']"),
        ("{'key': 1, 'other': 2}", "{'other': 2, 'key': 1}", "x={'other': 2, 'key': 1}"),
        ("{'key': [10, 20, 30]}", "{'key': [10, 20, 30, 40]}", "x['key']+=[40]"),
        ("{(1, 2): {'a': 'text'}}", "{(1, 2): {'a': 'texts'}}", "x[(1, 2)]['a']+='s'"),
        ("{10, 20, 30, 40}", "{5, 10, 20, 30, 40}", "x+={5}"),
        ("{10, 20, 30, 40, 'a'}", "{10, 20, 35, 40, 'a'}", "x-={30} x+={35}"),
        ("frozenset({10, 20, 30})", "frozenset({10, 20})", "x-={30}"),
        ("deque([10, 20, 30], maxlen=5)", "deque([10, 20, 30, 40], maxlen=5)", "x+=[40]"),
        ("deque([10, 20, 30])", "deque([20, 30])", "-x[0]"),
        ("Point#1(x=1, y=2)", "Point#1(x=1, y=3)", "x.y=3"),
        ("Point#1(x=1, y=2)", "Point#1(x=1, y=2, z=3)", "x.z=3"),
        ("Point#1(x=1, y=2)", "Point#1(y=2)", "-x.x"),
        ("Point#1(x=1, y=2)", "Point#2(x=1, y=3)", "x=Point#2(x=1, y=3)"),
        ("Counter#1({'a': 1, 'b': 2})", "Counter#1({'a': 1, 'b': 3})", "x.['b']=3"),
        ("#1[100, 200, #1]", "#1[100, 200, #1, 5]", "x+=[5]"),
        ("(100, 200, [1, 2])", "(100, 200, [1, 2, 3])", "x[2]+=[3]"),
        ("<function function>", "<function functions>", "x=<function functions>"),
        ("123456789", "123456780", "x=123456780"),
    ],
)  # fmt: skip
def test_every_form_has_one_spelling(old: str, new: str, text: str) -> None:
    assert change("x", old, new) == text
    assert replayed("x", old, text) == new


@given(values, values)
@settings(max_examples=examples(40, 300), deadline=None)
def test_a_change_leads_from_the_old_value_to_the_new(old: object, new: object) -> None:
    before, after = text_of(old), text_of(new)
    text = change("x", before, after)
    assert replayed("x", before, text) == after
    assert len(text.encode()) <= len(f"x={after}".encode())


@given(st.integers(0, 2**32))
@settings(max_examples=examples(40, 300), deadline=None)
def test_small_changes_of_any_value(seed: int) -> None:
    random = Random(seed)
    value = random.choice(VALUES)
    for _ in range(6):
        new = near(random, value)
        assert replayed("x", value, change("x", value, new)) == new
        value = new


@given(values)
@settings(max_examples=examples(33, 200), deadline=None)
def test_split_and_join_round_trip(value: object) -> None:
    text = text_of(value)
    parts = split(text)
    assert parts is None or join(parts) == text


@pytest.mark.parametrize("text", VALUES)
def test_every_kind_of_value_is_split_or_left_alone(text: str) -> None:
    assert scan(text, 0) == len(text)
    parts = split(text)
    assert parts is None or join(parts) == text


@given(st.text(max_size=30), st.sampled_from(VALUES), st.booleans())
@settings(max_examples=examples(40, 300), deadline=None)
def test_any_text_is_an_edit_or_malformed(text: str, value: str, minus: bool) -> None:
    read = read_edit(text, 0, minus)
    if not isinstance(read, Malformed):
        result = apply(value, read[0])
        assert result is None or isinstance(result, str)
    split(text)
    change("x", text, value)
    change("x", value, text)


def test_paths_are_short() -> None:
    old, new = "1", "2"
    for _ in range(20):
        old, new = f"['{'p' * 20}', {old}]", f"['{'p' * 20}', {new}]"
    text = change("x", old, new)
    assert text.startswith("x" + "[1]" * 16 + "=['ppp")
    assert replayed("x", old, text) == new
    assert isinstance(read_edit("[0]" * 17 + "=1", 0), Malformed)
    assert apply("[1]", ElementEdit(("0", "0"), "=", None, "2")) is None
