"""Whether a repr shows a canonical value, and texts into which a decoder put spaces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LITERALS, VALUE_TEXTS

from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm.equality import ReprEquality
from worldline.codec.cwm.external import reading
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import unspaced
from worldline.core.value import canonical, equal

pytestmark = pytest.mark.unit

SOURCE = """
class P:
    def __init__(self, x):
        self.x = x

class Own:
    def __repr__(self):
        return "?"

class Child(Own):
    pass

class Bad(Exception):
    pass
"""

SHOWN = [
    ("[#1[0, 0], #1]", "[[0, 0], [0, 0]]"),
    ("#1[1, #1]", "[1, [...]]"),
    ("#1{'me': #1}", "{'me': {...}}"),
    ("P#1(x=1)", "<__main__.P object at 0x7f>"),
    ("[P#1(x=1), P#1]", "[<__main__.P object at 0x7f>, <__main__.P object at 0x7f>]"),
    ("P#1(x=1, y=[2])", "P(x=1, y=[2])"),
    ("P#1(x=1, y=[2])", "f.<locals>.P(x=1)"),
    ("T#3((1, 'b'))", "T(a=1, b='b')"),
    ("Counter#1({'h': 1, 'l': 2})", "Counter({'l': 2, 'h': 1})"),
    ("OrderedDict#1({'a': 1})", "OrderedDict([('a', 1)])"),
    ("defaultdict#1({'a': [1]})", "defaultdict(<class 'list'>, {'a': [1]})"),
    ("I#4(5)", "5"),
    ("Fraction#4(_denominator=3, _numerator=1)", "Fraction(1, 3)"),
    ("Bad('no', code=1, __context__=KeyError('k'))", "Bad('no')"),
    ("date(2020, 1, 2)", "datetime.date(2020, 1, 2)"),
    ("<dict_keys>", "dict_keys(['a'])"),
    ("<str_ascii_iterator>", "<str_iterator object at 0x7f>"),
    ("<str_ascii_iterator>", "<str_ascii_iterator object at 0x7f>"),
    ("Own#1()", "anything at all"),
    ("[Own#1(), 2, Child#2()]", "[<3 of ♠>, 2, !!]"),
    ("{'a': Own#1(), 'b': \"it's\"}", "{'a': <3 of ♠>, 'b': \"it's\"}"),
    ("{1, P#1()}", "{1, <__main__.P object at 0x7f>}"),
    ("<Task>", "<Task pending name='Task-1' coro=<g() running at x.py:3>>"),
    ("...<list 3>", "[1, 2, 3]"),
]
OTHERS = [
    ("[#1[0, 0], #1]", "[[0, 0], [0, 1]]"),
    ("[#1[0, 0], #1]", "[[0, 0]]"),
    ("#1[1, #1]", "[1, [1]]"),
    ("P#1(x=1)", "<__main__.Q object at 0x7f>"),
    ("P#1(x=1)", "P#1(x=2)"),
    ("P#1(x=1)", "P(x=2)"),
    ("P#1(x=1)", "P(z=1)"),
    ("P#1(x=1)", "1"),
    ("P#1(x=1)", "<something else>"),
    ("T#3((1, 'b'))", "T(a=1, b='c')"),
    ("Counter#1({'h': 1, 'l': 2})", "Counter({'l': 3, 'h': 1})"),
    ("OrderedDict#1({'a': 1})", "OrderedDict([('a', 2)])"),
    ("I#4(5)", "6"),
    ("Fraction#4(_denominator=3, _numerator=1)", "Fraction(2, 3)"),
    ("Bad('no', code=1)", "Bad('yes')"),
    ("Bad('no', code=1)", "Worse('no')"),
    ("<list_iterator>", "<tuple_iterator object at 0x7f>"),
    ("<list_iterator>", "no value"),
    ("<str_iterator>", "<str_ascii_iterator object at 0x7f>"),
    ("<function f>", "<function g at 0x7f>"),
    ("<dict_keys>", "dict_values(['a'])"),
    ("[Own#1(), 2]", "[<3 of ♠>, 3]"),
    ("{1, P#1()}", "{2, <__main__.P object at 0x7f>}"),
    ("...<list 3>", "[1, 2]"),
    ("1", "2"),
    ("[1]", "[1"),
]


@pytest.mark.parametrize(("wanted", "got"), SHOWN)
def test_a_repr_shows_a_value(wanted: str, got: str) -> None:
    assert ReprEquality(SOURCE).holds(wanted, respelled(got))


@pytest.mark.parametrize(("wanted", "got"), OTHERS)
def test_a_repr_shows_another_value(wanted: str, got: str) -> None:
    assert not ReprEquality(SOURCE).holds(wanted, respelled(got))


@given(VALUE_TEXTS)
def test_canonical_text_is_respelled_as_itself_and_shows_itself(value: str) -> None:
    assert respelled(value) == value
    assert ReprEquality(SOURCE).holds(value, value)


@given(LITERALS, LITERALS)
def test_the_repr_of_a_literal_shows_only_its_value(value: object, other: object) -> None:
    wanted = canonical(repr(value))
    assert isinstance(wanted, str)
    assert ReprEquality(SOURCE).holds(wanted, respelled(repr(value)))
    assert ReprEquality(SOURCE).holds(wanted, respelled(repr(other))) == equal(wanted, repr(other))


@given(st.text() | VALUE_TEXTS, VALUE_TEXTS)
def test_any_text_gets_an_answer(text: str, value: str) -> None:
    assert ReprEquality(SOURCE).holds(value, respelled(text)) in (True, False)


SPACED_SOURCE = "def f(s):\n    t = s + ' '\n    return t\n"
TAGGED = (
    '<|call_sep|>{"s": "\' a\'"}<|action_sep|>def f(s):\n<|frame_sep|>'
    '<|line_sep|>{"s": ".."}<|action_sep|>    t = s + \' \'\n<|frame_sep|>'
    '<|line_sep|>{"s": "..", "t": "\' a \'"}<|action_sep|>    return t\n<|frame_sep|>'
    "<|return_sep|><|action_sep|>    return t\n<|arg_sep|>\"' a '\"<|frame_sep|><|end_of_text|>"
)


def _spaced(text: str) -> str:
    """As `tokenizer.decode` joins special tokens and what stands between them."""
    return " ".join(piece for piece in re.split(r"(<\|\w+\|>)", text) if piece)


def test_a_space_around_every_special_token_is_removed() -> None:
    spaced = _spaced(TAGGED)
    assert spaced != TAGGED
    assert unspaced(spaced) == TAGGED
    assert unspaced(TAGGED) == TAGGED
    assert cwm_parse.parse(spaced, SPACED_SOURCE) == cwm_parse.parse(TAGGED, SPACED_SOURCE)
    assert reading.parse(spaced, SPACED_SOURCE).text == TAGGED


def test_spaces_around_some_special_tokens_are_malformed_and_say_why() -> None:
    mixed = TAGGED.replace("<|frame_sep|><|line_sep|>", "<|frame_sep|> <|line_sep|>", 1)
    for prediction in (cwm_parse.parse(mixed, SPACED_SOURCE), reading.parse(mixed, SPACED_SOURCE)):
        assert prediction.malformed is not None
        assert "spaces_between_special_tokens=False" in prediction.malformed.expected


@pytest.mark.parametrize("cut", range(1, len(TAGGED), 7))
def test_a_spaced_text_may_be_cut(cut: int) -> None:
    whole = _spaced(TAGGED)
    frames = reading.parse(whole[:cut], SPACED_SOURCE).prediction.frames
    assert frames == reading.parse(TAGGED, SPACED_SOURCE).prediction.frames[: len(frames)]
