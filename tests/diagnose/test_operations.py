"""Which operation of a line is blamed, and which condition decides the next line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analyze.flow.operations import condition, mentions, of_argument, of_name, of_result
from worldline.codec.repetition import repetition

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("line", "name", "kind", "operation"),
    [
        ("x = s[1:3]", "x", "str", "slice"),
        ("x = s[1]", "x", "str", "index"),
        ("x = s.index('a')", "x", "int", "index()"),
        ("x = ','.join(s)", "x", "str", "join"),
        ("x = s.strip().replace('a', 'b')", "x", "str", "replace"),
        ("x = a + b", "x", "int", "arithmetic"),
        ("x = a + b", "x", "list", "concatenation"),
        ("x = a * 3", "x", "str", "repetition"),
        ("x = '%s' % a", "x", "str", "format"),
        ("x = f'{a}'", "x", "str", "format"),
        ("x = '{}'.format(a)", "x", "str", "format"),
        ("x = -a", "x", "int", "arithmetic"),
        ("x = a < b", "x", "bool", "comparison"),
        ("x = a and b", "x", "int", "boolean"),
        ("x = not a", "x", "bool", "boolean"),
        ("x = len(a)", "x", "int", "len"),
        ("x = g(a)", "x", "int", "call"),
        ("x = a.frobnicate()", "x", "int", "method"),
        ("x = [i for i in a]", "x", "list", "comprehension"),
        ("x = [i for i in a]", "i", "int", "iteration"),
        ("x = a if b else c", "x", "int", "conditional"),
        ("x = a.b", "x", "int", "attribute"),
        ("x = 5", "x", "int", "literal"),
        ("x = y", "x", "int", "copy"),
        ("x = [a, b]", "x", "list", "display"),
        ("x = lambda: 0", "x", "opaque", "function"),
        ("x, y = a[1:], b + 1", "y", "int", "arithmetic"),
        ("x, y = a", "y", "int", "unpacking"),
        ("x, *y = a, b, c", "y", "list", "unpacking"),
        ("x = y = a + b", "y", "int", "arithmetic"),
        ("x: int = a[0]", "x", "int", "index"),
        ("x += 'a'", "x", "str", "concatenation"),
        ("x[0] = 5", "x", "list", "item assignment"),
        ("x[0] += 5", "x", "list", "item assignment"),
        ("x.y = 5", "x", "object", "attribute assignment"),
        ("x.append(5)", "x", "list", "append"),
        ("x['k'].append(5)", "x", "dict", "append"),
        ("del x[0]", "x", "list", "deletion"),
        ("import x", "x", "opaque", "import"),
        ("def x(): pass", "x", "opaque", "definition"),
        ("for x in a: pass", "x", "int", "iteration"),
        ("with a as x: pass", "x", "object", "with"),
        ("a = 1; x = s[0]", "x", "str", "index"),
        ("if (x := s[0]): pass", "x", "str", "index"),
        ("g(a)", "x", "list", "call"),
        ("pass", "x", "list", "unknown"),
        ("x = (", "x", "list", "unknown"),
    ],
)
def test_the_operation_that_gives_a_name_its_value(line: str, name: str, kind: str, operation: str) -> None:
    assert of_name(line + "\n", 1, name, kind).name == operation


@pytest.mark.parametrize(
    ("source", "line", "event", "path", "operation"),
    [
        ("def f():\n    return a[1:]\n", 2, "return", "", "slice"),
        ("def f():\n    return a[1:], b + 1\n", 2, "return", "[1]", "arithmetic"),
        ("def f():\n    return {'k': a[1:]}\n", 2, "return", "['k']", "slice"),
        ("def f():\n    x = 1\n", 2, "return", "", "implicit return"),
        ("def f():\n    yield a.split()\n", 2, "yield", "", "split"),
        ("g = lambda a: a[0]\n", 1, "return", "", "index"),
        ("print(a + b)\n", 1, "output", "", "concatenation"),
        ("print(a, b)\n", 1, "output", "", "print"),
        ("def f():\n    return (\n        a[1:]\n    )\n", 3, "return", "", "slice"),
    ],
)
def test_the_operation_behind_a_result(source: str, line: int, event: str, path: str, operation: str) -> None:
    kind = "str" if event == "output" else "tuple"
    assert of_result(source, line, event, kind, (path, "int")).name == operation


def test_the_operation_behind_an_argument() -> None:
    source = "def g(a, b=1, *, c=2):\n    pass\ng(s[1:], b=x + 1, c=s[0])\ng(*s)\n"
    assert [of_argument(source, 3, 1, name).name for name in "abc"] == ["slice", "arithmetic", "index"]
    assert of_argument(source, 4, 1, "a").name == "argument"
    method = "class C:\n    def m(self, a): pass\nC().m(s[1:])\n"
    assert of_argument(method, 3, 2, "a").name == "slice"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("if a < b: pass", "a < b"),
        ("while a: pass", "a"),
        ("for x in  a: pass", "x in a"),
        ("assert a == 1", "a == 1"),
        ("x = 1 if a else 2", "a"),
        ("x = a", None),
        ("if (", None),
    ],
)
def test_what_decides(line: str, text: str | None) -> None:
    result = condition(line + "\n", 1)
    assert (result.text if result else None) == text


def test_an_elif_is_a_condition_of_its_own() -> None:
    source = "if a:\n    pass\nelif b > 2:\n    pass\n"
    result = condition(source, 3)
    assert result is not None
    assert result.text == "b > 2"


def test_a_line_mentions_what_it_changes() -> None:
    assert mentions("x.append(y)\n", 1, "x")
    assert not mentions("x.append(y)\n", 1, "y")


@given(source=st.text(max_size=40), line=st.integers(0, 5) | st.none(), name=st.sampled_from(["x", "", "é"]))
def test_any_text_has_an_answer(source: str, line: int | None, name: str) -> None:
    assert of_name(source, line, name).name
    assert of_result(source, line, "return").name
    assert of_argument(source, line, line, name).name
    condition(source, line)


@given(block=st.binary(min_size=1, max_size=9), head=st.binary(max_size=9), times=st.integers(64, 90))
def test_a_repetition_is_detected_whole(block: bytes, head: bytes, times: int) -> None:
    result = repetition(head + block * times)
    assert result is not None
    assert result.start <= len(head)
    assert result.period <= len(block)
    assert result.times >= times


@pytest.mark.parametrize("text", [b"", b"abc" * 3, b"ab" * 8, bytes(range(256)), b"x" * 100 + bytes(range(200))])
def test_texts_without_repetition(text: bytes) -> None:
    assert repetition(text) is None


def test_a_long_repetition_is_followed_beyond_the_window() -> None:
    result = repetition(b"start " + b"abcdefg" * 10_000)
    assert result is not None
    assert (result.start, result.period, result.times) == (6, 7, 10_000)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("top[1] = 9", "item assignment"), ("top.n = 9", "attribute assignment"), ("del top[0]", "deletion")],
)
def test_a_change_under_another_name_is_named_by_what_the_line_does(line: str, wanted: str) -> None:
    assert of_name(f"top = grid\n{line}\n", 2, "grid", "list").name == wanted
