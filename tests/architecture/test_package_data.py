"""Every text, style sheet and weight that stands beside the code travels in the wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import worldline

pytestmark = pytest.mark.unit

PACKAGE = Path(worldline.__file__).parent
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
MADE = (".py", ".pyc", ".so", ".tmp")


def test_what_is_no_python_is_package_data() -> None:
    patterns = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["setuptools"]["package-data"]["worldline"]
    carried = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    there = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in MADE}
    assert there - carried == set()
    assert all(any(PACKAGE.glob(pattern)) for pattern in patterns), "a pattern that nothing matches"
