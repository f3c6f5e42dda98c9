"""The line of a failing test's message that says most."""

from __future__ import annotations

import pytest

from worldline.core.repository.recorded_test import failure_line

SYNTAX = """\
E     File "/box/tests/test_bad.py", line 1
E       def test_z(:
E                  ^
E   SyntaxError: invalid syntax
"""
ASSERTION = """\
    def test_a():
>       assert f(1) == 3
E       assert 2 == 3
E        +  where 2 = f(1)

tests/test_a.py:4: AssertionError
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (SYNTAX, "SyntaxError: invalid syntax"),
        (ASSERTION, "assert 2 == 3"),
        ("E       fixture 'nofix' not found\n>       available fixtures: cache", "fixture 'nofix' not found"),
        ("Traceback\n\n  ValueError: no\n\n", "ValueError: no"),
        ("", ""),
    ],
)
def test_the_error_is_chosen(message: str, line: str) -> None:
    assert failure_line(message) == line
