"""What the words of a source that is not Python tell of it: lines with code, and functions by the line they begin on."""

from __future__ import annotations

import pytest
from foreign_scenes import LIST_SOURCE, MIXED_SOURCE
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.language import LANGUAGES
from worldline.explore.marks.outline import code_lines, function_name


def test_lines_with_code() -> None:
    assert code_lines(LIST_SOURCE, "c") == (3, 6, 7, 8, 9, 10, 12, 15, 16, 17, 18, 19, 20)
    assert code_lines(MIXED_SOURCE, "js") == (2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15)
    assert code_lines("", "c") == ()


@pytest.mark.parametrize(
    ("language", "source", "line", "wanted"),
    [
        ("c", LIST_SOURCE, 6, "total"),
        ("c", LIST_SOURCE, 15, "main"),
        ("c", "static int\nf(int a)\n{\n  return a;\n}", 2, "f"),
        ("c", "static int\nf(int a,\n  int b)\n{\n  return a;\n}", 4, "f"),
        ("c", LIST_SOURCE, 9, "?"),
        ("js", MIXED_SOURCE, 3, "constructor"),
        ("js", MIXED_SOURCE, 8, "mixed"),
        ("js", "const twice = (x) => 2 * x;", 1, "twice"),
        ("js", "const o = {\n  *items() {\n    yield 1;\n  }\n}", 2, "items"),
        ("js", "xs.map((x) => {\n  return x;\n});", 2, "?"),
        ("ts", "function f<T>(a: T): T {\n  return a;\n}", 1, "f"),
        ("java", "class Main { static int twice(int x) {\n    return 2 * x;\n}}", 1, "twice"),
        ("rust", "pub fn total<'a>(xs: &'a [i32]) -> i32 {\n    0\n}", 1, "total"),
        ("cpp", "template <typename T>\nT twice(T x) {\n    return x + x;\n}", 2, "twice"),
        ("cpp", "int f(int a) { return a; }", 99, "?"),
    ],
)
def test_functions_by_their_line(language: str, source: str, line: int, wanted: str) -> None:
    assert function_name(source, language, line) == wanted


@given(
    language=st.sampled_from([name for name in LANGUAGES if name != "python"]),
    text=st.text(alphabet=st.sampled_from("ab(){}=>:;\n\"'`/*# "), max_size=80),
)
def test_any_text_has_an_outline(language: str, text: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= line <= lines for line in code_lines(text, language))
    assert all(function_name(text, language, line) for line in range(1, lines + 1))
