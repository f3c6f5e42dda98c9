"""The constructs of code, as the reasons of `ask` name them."""

from __future__ import annotations

import ast

import pytest

from worldline.plan.constructs import constructs


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("[row] * n", {"* with a list", "list literal"}),
        ("a * n", {"*"}),
        ("'%s' % x", {"% with a str"}),
        ("x += 1", {"+="}),
        ("-x", {"unary -"}),
        ("-1", set()),
        ("s[-1]", {"index", "negative index"}),
        ("s[::2]", {"slice", "slice with a step"}),
        ("s[:-1]", {"slice", "slice with a negative bound"}),
        ("a < b <= c", {"<", "<=", "chained comparison"}),
        ("f'{x:>3}'", {"f-string", "format specification"}),
        ("sorted(x, key=g)", {"sorted()", "argument key="}),
        ("own(x)", set()),
        ("s.split(',')", {".split()"}),
        ("x if y else z", {"conditional expression", "truth of a value"}),
        ("x if y > 1 else z", {"conditional expression", ">"}),
        ("not (a and b == 1)", {"not", "and", "==", "truth of a value"}),
        ("'é'", {"text that is not ASCII"}),
        ("12345", {"large number"}),
        ("1.5", {"float literal"}),
        ("[[[1]]]", {"list literal", "nested literal", "deeply nested literal"}),
        ("[x for x in y if x > 0]", {"list comprehension", "condition of a comprehension", ">"}),
        ("while a > 1:\n    pass\nelse:\n    b", {"while", ">", "else of a loop"}),
        ("class A(B):\n    def __len__(self): return 1", {"class", "subclass", "__len__"}),
        ("@cache\ndef f(n):\n    return f(n)", {"@cache", "recursion"}),
        ("def f(n=1, *a, **k): pass", {"default argument", "*args", "**kwargs"}),
        ("def f():\n    def g(): pass", {"inner function"}),
    ],
)  # fmt: skip
def test_constructs(code: str, expected: set[str]) -> None:
    assert constructs([ast.parse(code)]) == expected
