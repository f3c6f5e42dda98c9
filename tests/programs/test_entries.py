"""Which functions of a file can be called, and a call to try."""

from __future__ import annotations

import pytest

from worldline.analyze.flow.entries import entries, in_words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("source", "example"),
    [
        ("def f(): ...", "f()"),
        ("def f(n): ...", "f(3)"),
        ("def f(text, n=2): ...", "f('ab')"),
        ("def f(xs: list[int], /, d, *rest, key, other=1, **more): ...", "f([1, 2, 3], {'a': 1}, key=3)"),
        ("async def f(s: str): ...", "f('ab')"),
        ("def f(values: typing.Sequence[int], flag: bool): ...", "f([1, 2, 3], True)"),
        ('"""Doc."""\nimport os\nX: int = 3\nclass C:\n    a = 1\n    def m(self): ...\ndef f(x): ...', "f(3)"),
    ],
)  # fmt: skip
def test_an_example_fits_the_parameters(source: str, example: str) -> None:
    assert entries(source)[0].example == example


@pytest.mark.parametrize(
    "source", ["", "x = 1\n", "def f(): ...\nf()\n", "def f(): ...\nx = f()\n", "def f(: ...", "class C: ...\n"]
)
def test_what_does_more_or_defines_no_function_has_none(source: str) -> None:
    assert entries(source) == ()


def test_many_are_told_shortly() -> None:
    found = entries("".join(f"def f{i}(): ...\n" for i in range(12)))
    assert in_words(found).endswith("f7() and 4 more")
