"""The README stays short enough to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

README = Path(__file__).parents[2] / "README.md"
MAX_README_LINES = 121


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(README.read_text("utf-8").splitlines()) < MAX_README_LINES
