"""What people cite names the version that they use, in the file and in the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("document", "pattern"), [("CITATION.cff", r"^version: (\S+)$"), ("README.md", r"version = \{(\S+?)\}")]
)
def test_the_cited_version_is_the_package_s(document: str, pattern: str) -> None:
    assert re.findall(pattern, (ROOT / document).read_text("utf-8"), re.M) == [worldline.__version__]
