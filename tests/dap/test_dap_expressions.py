"""The little language: it says what Python would say, or that it has no value; it refuses the rest, runs nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import UsageError
from worldline.core.value import equal
from worldline.ui.dap.expressions import MAX_EXPRESSION_CHARS, UnknownValue, parse

pytestmark = pytest.mark.unit

VALUES = {
    "n": 7,
    "x": 2.5,
    "s": "berry",
    "b": b"ab",
    "xs": [3, 1, 2],
    "t": (1, "a"),
    "d": {"k": [1], 2: "two"},
    "e": None,
}
NAMES = {name: repr(value) for name, value in VALUES.items()} | {
    "p": "Point#1(x=1, y='up')",
    "g": "<generator f>",
    "big": hex(1 << 2000),
}


@pytest.mark.parametrize(
    "source",
    [
        "n", "n + 1", "n - 10 * 2", "n / 2", "n // 2", "-n % 3", "2 ** n", "n > 3", "0 < n <= 7", "n == 7.0", "n != 8",
        "s == 'berry'", "s[1]", "s[-1]", "s[1:3]", "s[::-1]", "'rr' in s", "'x' not in s", "len(s)", "s < 'c'",
        "s + 'x'",
        "xs[0]", "xs[-1]", "xs[1:]", "3 in xs", "9 in xs", "len(xs)", "xs == [3, 1, 2]", "xs != [3]", "t == (1, 'a')",
        "t[1]", "d['k']", "d[2]", "'k' in d", "len(d)", "d['k'][0] == 1", "e is None", "e is not None", "not e",
        "n and s", "e or n", "n > 3 and s == 'x' or x", "1 if n else 2", "abs(-n)", "b[0]", "b'a' in b", "True",
        "x * 2",
        "n == 7 and len(xs) == 3", "(n, s)", "[n, [x]]", "not xs", "x // 0.5", "-x", "+n", "1_000", "'\\n'",
    ],
)  # fmt: skip
def test_expressions_agree_with_python(source: str) -> None:
    wanted = eval(source, {}, dict(VALUES))  # the literals of a test, by the language itself
    assert equal(parse(source).value(NAMES), repr(wanted))
    assert parse(source).holds(NAMES) is bool(wanted)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("p.x", "1"),
        ("p.y", "'up'"),
        ("p.x + 1 == 2", "True"),
        ("p", NAMES["p"]),
        ("g", NAMES["g"]),
        ("big", NAMES["big"]),
    ],
)
def test_objects_have_fields_and_what_is_opaque_stays_itself(source: str, wanted: str) -> None:
    assert parse(source).value(NAMES) == wanted


@pytest.mark.parametrize(
    "source",
    [
        "missing", "n + s", "s[9]", "xs['a']", "d['zz']", "n[0]", "len(n)", "p.z", "n.real", "1 / 0", "n < s", "1 in n",
        "g + 1", "xs + xs", "not g", "10 ** 10000", "2.0 ** 99999", "(-8) ** 0.5", "xs[::0]", "xs['a':]", "s * 3",
        "big * big * big", "-s", "abs(s)", "0.0 ** -1",
    ],
)  # fmt: skip
def test_an_expression_without_a_value_gives_the_reason(source: str) -> None:
    with pytest.raises(UnknownValue, match=r"\w"):
        parse(source).value(NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "", "n +", "print(n)", "__import__('os')", "open('/etc/passwd')", "len(s, s)", "len(*xs)", "len()", "s.upper()",
        "lambda: 1", "[x for x in xs]", "{1: 2}", "{1}", "f'{n}'", "n := 3", "n = 3", "import os", "yield", "await n",
        "*xs", "1j", "...", "n if", "n\nm", "x" * (MAX_EXPRESSION_CHARS + 1),
        "-" * 200 + "1", "(" * 400, "n & 1", "n << 99",
        "~n", "n @ n",
        "\x00", "\ud800",
    ],
)  # fmt: skip
def test_unsupported_syntax_is_refused(source: str) -> None:
    with pytest.raises(UsageError):
        parse(source)


@given(st.text(st.sampled_from("nxsd0129+-*/%<>=!()[]'\".,: andortilekhf"), max_size=60))
def test_any_text_is_a_value_or_a_refusal(source: str) -> None:
    try:
        value = parse(source).value(NAMES)
    except (UsageError, UnknownValue):
        return
    assert equal(value, value) or "nan" in value
