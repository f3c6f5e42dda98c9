"""Answers are compared as values, without identity; states of traces are compared with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.codec.answer import same_answer
from worldline.core.value import equal

pytestmark = pytest.mark.unit

SAME = [
    # aliases
    ("[#1[1], #1]", "[[1], [1]]"),
    ("{'a': #1[], 'b': #1}", "{'b': [], 'a': []}"),
    ("(#1{1}, #1)", "({1}, {1})"),
    ("(#1deque([1], maxlen=2), #1)", "(deque([1], maxlen=2), deque([1], maxlen=2))"),
    ("[#1[#2[], #2], #1, #2]", "[[[], []], [[], []], []]"),
    ("[#2[], #2]", "[#1[], #1]"),
    # instances
    ("P#1(x=1)", "P#3(x=1)"),
    ("P#1(x=1, y=2)", "P(y=2, x=1)"),
    ("(P#1(x=1), P#1)", "(P(x=1), P(x=1))"),
    ("Counter#1({'a': 2})", "Counter({'a': 2})"),
    ("{P#1(x=1), P#2(x=2)}", "{P#9(x=2), P#4(x=1)}"),
    # values that contain themselves
    ("#1[#1]", "#1[#2[#1]]"),
    ("N#1(next=N#2(next=N#1))", "N#1(next=N#1)"),
    ("#1{'a': #2[#1, #2]}", "#1{'a': #2[#3{'a': #2}, #2]}"),
    ("#1[#1]", "[[...]]"),
    ("#1[1, #1]", "[1, [...]]"),
    ("#1{'a': #1}", "{'a': {...}}"),
    # spelling
    ("nan", "float('nan')"),
    ("[-inf]", "[float('-inf')]"),
    ("{1, 2}", "set([2, 1])"),
    ("b'\\x00'", 'b"\\0"'),
    ("('a', 1)", '("a",1)'),
    ("<a broken repr", "<a broken repr"),
    # a value of Rust or Java
    ("Some(#1[1])", "Some([1])"),
    ("Node#2(next=null#1(), value='a')", "Node#7(value='a', next=null#3())"),
]
OTHER = [
    ("0.0", "-0.0"),
    ("1", "1.0"),
    ("1", "True"),
    ("[1]", "(1,)"),
    ("'1'", "1"),
    ("b'a'", "'a'"),
    ("{1}", "frozenset({1})"),
    ("nan", "inf"),
    ("[#1[1], #1]", "[[1], [2]]"),
    ("[#1[1], #1]", "[[1]]"),
    ("P#1(x=1)", "Q#1(x=1)"),
    ("P#1(x=1)", "P#1(x=1, y=2)"),
    ("{P#1(x=1), P#2(x=1)}", "{P#1(x=1)}"),
    ("#1[#1]", "#1[#1, 1]"),
    ("#1[#1]", "[[[...]]]"),
    ("#1[#1]", "[]"),
    ("N#1(v=1, next=N#2(v=2, next=N#1))", "N#1(v=1, next=N#2(v=3, next=N#1))"),
    ("[1", "[1, 2]"),
    ("", "1"),
    ("#1", "#2"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_value(first: str, second: str) -> None:
    assert same_answer(first, second)
    assert same_answer(second, first)


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_another_value(first: str, second: str) -> None:
    assert not same_answer(first, second)
    assert not same_answer(second, first)


def test_states_are_compared_with_their_sharing() -> None:
    assert not equal("[#1[1], #1]", "[[1], [1]]")
    assert not equal("P#1(x=1)", "P#2(x=1)")


def test_much_sharing_is_not_unfolded() -> None:
    shared, other = "#1[1]", "#1[1]"
    for n in range(2, 60):
        shared, other = f"#{n}[{shared}, #{n - 1}]", f"#{n}[{other}, #{n - 1}]"
    assert same_answer(shared, other.replace("#1[", "#99[").replace(" #1]", " #99]"))
    assert not same_answer(shared, other.replace("#1[1]", "#1[2]"))


def test_a_long_ring() -> None:
    def ring(first: int, odd: int = -1) -> str:
        nodes = "".join(f"N#{first + n}(v={'x' if n == odd else n}, n=".replace("=x", "=None") for n in range(500))
        return f"{nodes}N#{first}{')' * 500}"

    assert same_answer(ring(1), ring(7))
    assert not same_answer(ring(1), ring(7, odd=499))


VALUES = st.recursive(
    st.one_of(st.integers(-3, 3), st.booleans(), st.none(), st.sampled_from(["", "a"]), st.floats(-1, 1)),
    lambda part: st.one_of(
        st.lists(part, max_size=3),
        st.tuples(part, part),
        st.dictionaries(st.integers(0, 3), part, max_size=3),
        st.frozensets(st.integers(0, 5), max_size=3),
    ),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_plain_values_are_compared_like_their_texts(first: object, second: object) -> None:
    assert same_answer(repr(first), repr(first))
    assert same_answer(repr(first), repr(second)) == equal(repr(first), repr(second))


@given(VALUES)
def test_a_value_twice_is_its_copy_twice(value: object) -> None:
    assert same_answer(f"[#1[{value!r}], #1]", repr([[value], [value]]))
    assert not same_answer(f"[#1[{value!r}], #1]", repr([[value], [value, value]]))
