"""What CI executes exists, and a workflow may do no more than it needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAX_LINES = 60


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_small_and_calls_what_exists(path: Path) -> None:
    text = path.read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert len(text.splitlines()) <= MAX_LINES
    assert set(re.findall(r"run: make ([a-z-]+)", text)) <= targets
    assert all((ROOT / name).exists() for name in re.findall(r"run: (\.ci/\S+)", text))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_reads_only_and_holds_no_secret(path: Path) -> None:
    """Only the job that publishes may ask for a token, and it publishes without a password."""
    workflow: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text("utf-8")
    asking = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert asking <= {"publish", "deploy"}
