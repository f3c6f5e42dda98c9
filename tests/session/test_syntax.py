"""Colours of a source: what each character is, of whole programs, of broken ones, of any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.ui.session.marks.syntax import KINDS, spans

pytestmark = pytest.mark.unit

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def told(source: str) -> list[list[tuple[str, str]]]:
    """Each line's spans as text and kind."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [
        [(line[one.start : one.end], one.kind) for one in some] for line, some in zip(lines, spans(source), strict=True)
    ]


def test_what_each_span_is() -> None:
    source = 'def f(x):  # why\n    return len("a" * 3) + x.len\n'
    assert told(source) == [
        [("def", "keyword"), ("f", "defined"), ("# why", "comment")],
        [("return", "keyword"), ("len", "builtin"), ('"a"', "string"), ("3", "number")],
        [],
    ]


def test_a_string_of_several_lines_is_coloured_on_each() -> None:
    assert told('s = """one\n  two\nthree"""\nx = 1')[:3] == [
        [('"""one', "string")],
        [("  two", "string")],
        [('three"""', "string")],
    ]


def test_soft_keywords_are_keywords_in_their_places_alone() -> None:
    assert told("match x:\n    case 1:\n        pass\nmatch = case = 2")[0] == [("match", "keyword")]
    assert told("match = case = 2")[0] == [("2", "number")]


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n    return 'x\nx = 1\n",
        "x = (1,\n",
        '"""never closed\nx = 1\n',
        "  x = 1\n y = 2\nif True:\n",
        "\tif x:\n  y = 1\nz = 'a'\n",
    ],
)
def test_a_broken_source_is_coloured_as_far_as_it_goes(source: str) -> None:
    assert len(spans(source)) == len(source.split("\n"))


def test_behind_a_fault_reading_goes_on() -> None:
    assert told("x = 'open\ny = 12\n")[1] == [("12", "number")]


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("\n\r\t\"'(#:\\ "), max_size=200))
def test_any_text_has_spans_inside_its_lines(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = spans(text)
    assert len(found) == len(lines)
    for line, some in zip(lines, found, strict=True):
        at = 0
        for one in some:
            assert at <= one.start < one.end <= len(line)
            assert one.kind in KINDS
            at = one.end


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_have_colours(path: Path) -> None:
    kinds = {one.kind for some in spans(path.read_text("utf-8")) for one in some}
    assert {"keyword"} <= kinds
