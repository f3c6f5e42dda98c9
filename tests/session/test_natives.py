"""What canonical values are called in each language: the table, where its words stand in a value, the legend."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import VALUE_TEXTS

from worldline.core.language import LANGUAGES
from worldline.core.value import kind, scan
from worldline.ui.session.marks.natives import legend, native_names, notes

pytestmark = pytest.mark.unit

FOREIGN = [name for name in LANGUAGES if name != "python"]


def said(text: str, language: str) -> list[tuple[str, str]]:
    """Each noted word of a value, and what it is called."""
    return [(text[one.start : one.end], one.name) for one in notes(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("js", "[None, <undefined>, <hole>]", ["null", "undefined", "a hole of the array"]),
        ("js", "{'None': True, 'a': BigInt(-5)}", ["true", "-5n"]),
        ("c", "Node#1(v=<uninit>, next=None)", ["memory that was never written", "NULL"]),
        ("cpp", "None", ["nullptr, or an empty optional"]),
        ("rust", "None", ["Option::None, or a null pointer"]),
        ("java", "(None, False)", ["null", "false"]),
        ("go", "[None, inf]", ["nil", "+Inf"]),
        ("js", "[inf, -inf, nan]", ["Infinity", "Infinity", "NaN"]),
    ],
)
def test_words_of_a_value_have_their_names(language: str, text: str, wanted: list[str]) -> None:
    assert [name for _, name in said(text, language)] == wanted


def test_what_is_in_a_string_or_a_longer_word_is_no_word() -> None:
    assert said("""['None', "it's None", b'True', NoneLike#1(None_=1), Nones(2)]""", "js") == []


def test_a_number_goes_into_the_name() -> None:
    assert said("[BigInt(12), BigInt(7)]", "js") == [("BigInt(12)", "12n"), ("BigInt(7)", "7n")]


def test_pointers_have_a_name() -> None:
    text = "Ptr#3([1, 2], at=1)"
    assert said(text, "c") == [("Ptr", "a pointer into a block of memory; `at` is how far into it")]
    assert said(text, "java") == []
    assert said("chan#1([Ptr#2(5)], cap=1)", "go") == [
        ("chan", "a channel with the values that it holds; `cap` is how many fit"),
        ("Ptr", "a pointer to the value in brackets"),
    ]


def test_a_legend_explains_each_word_once_in_the_order_of_the_table() -> None:
    texts = ["[True, None]", "None", "<undefined>", "(1, 2)"]
    assert legend(texts, "js") == ["None is null", "True is true", "<undefined> is undefined"]
    assert legend(["[1]", "'a'"], "js") == ["[..] is an array"]
    assert legend(["BigInt(5)", "BigInt(6)"], "js") == ["BigInt(5) is 5n"]
    assert legend(texts, "python") == []


@pytest.mark.parametrize("language", FOREIGN)
def test_every_word_of_the_table_is_a_canonical_value(language: str) -> None:
    names = native_names(language)
    assert {"None", "True", "False"} <= names.words.keys()
    for word in names.words:
        text = word.replace("*", "5")
        assert scan(text) == len(text)
    for each in names.kinds:
        examples = {"list": "[]", "dict": "{}", "set": "set()", "tuple": "()", "str": "''", "bytes": "b''", "int": "1"}
        examples |= {"float": "1.5", "bool": "True", "None": "None", "object": "A#1()", "exception": "A()"}
        examples |= {"enum": "A.b"}
        assert kind(examples[each]) == each


@pytest.mark.parametrize("language", ["js", "c"])
@given(text=VALUE_TEXTS)
def test_notes_stand_in_order_inside_any_value(language: str, text: str) -> None:
    at = 0
    for one in notes(text, language):
        assert at <= one.start < one.end <= len(text)
        at = one.end
