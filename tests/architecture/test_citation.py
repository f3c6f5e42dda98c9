"""What people cite and install names one version, in every file that says it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
STANDARD_GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?$", re.M)


def text(name: str) -> str:
    """A file of the repository."""
    return (ROOT / name).read_text("utf-8")


def test_every_file_names_the_same_version() -> None:
    citation = yaml.safe_load(text("CITATION.cff"))
    said = {
        "pyproject.toml": tomllib.loads(text("pyproject.toml"))["project"]["version"],
        "CITATION.cff": citation["version"],
        "README.md": re.findall(r"version = \{(\S+?)\}", text("README.md"))[0],
        "CHANGELOG.md": HEADING.findall(text("CHANGELOG.md"))[0][0],
        "editors/vscode/package.json": json.loads(text("editors/vscode/package.json"))["version"],
    }
    assert said == dict.fromkeys(said, worldline.__version__)
    assert HEADING.findall(text("CHANGELOG.md"))[0][1] == citation["date-released"]
    assert f"year = {{{citation['date-released'][:4]}}}" in text("README.md")


def test_the_changelog_has_the_standard_groups() -> None:
    assert len(HEADING.findall(text("CHANGELOG.md"))) == len(
        re.findall(r"^## (?!\[Unreleased\]$)", text("CHANGELOG.md"), re.M)
    )
    assert set(re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.M)) <= STANDARD_GROUPS
