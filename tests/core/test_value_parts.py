"""A value is split alike with and without the shortcut for plain items, and joined to the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import VALUE_TEXTS

from worldline.core import value_parts
from worldline.core.value_parts import join, split


@given(VALUE_TEXTS | st.text(alphabet="[](), '\"a1=:{}.-", max_size=14))
def test_the_shortcut_for_plain_items_changes_nothing(text: str) -> None:
    shortcut = split(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_parts, "is_flat", lambda *_: False)
        assert split(text) == shortcut


@pytest.mark.parametrize(
    "text", [str([*range(900)]), str((*range(900),)), str([[1], *range(900)]), "[1]", "(1,)", "[]"]
)
def test_a_large_value_is_joined_to_its_text(text: str) -> None:
    parts = split(text)
    assert parts is not None
    assert join(parts) == text
    assert split(text) == parts
