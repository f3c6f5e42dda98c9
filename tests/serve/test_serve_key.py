"""The key of a server is asked for, and shown, in one way alone; a server without a token has none to show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from worldline.ui.http.gate import shows_key, shows_token
from worldline.ui.http.policy import TOKEN_HEADER, policy

pytestmark = pytest.mark.unit

RULES = policy("127.0.0.1", 8000, "")
TOKEN = TOKEN_HEADER.encode()


@pytest.mark.parametrize(
    ("shown", "is_right"),
    [
        ([b"Bearer right"], True),
        ([b"Bearer wrong"], False),
        ([b"right"], False),
        ([b""], False),
        ([b"Bearer "], False),
        ([], False),
        ([b"Bearer right", b"Bearer right"], False),
    ],
)
def test_a_key_is_shown_once_as_it_is(shown: list[bytes], is_right: bool) -> None:
    headers = [(b"authorization", each) for each in shown]
    assert shows_key(headers, replace(RULES, key="right")) == is_right
    assert not shows_key(headers, RULES)


@pytest.mark.parametrize("shown", [b"", b"any"])
def test_where_there_is_no_token_none_is_right(shown: bytes) -> None:
    assert not shows_token([(TOKEN, shown)], RULES)


def test_neither_is_told_with_the_policy() -> None:
    assert "secret" not in repr(replace(RULES, key="secret key", token="secret token"))
