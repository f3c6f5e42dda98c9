"""What seeded programs, notations and verbs give is what it was: a change of it is a decision, made in `pins.json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pins import GROUPS

PINNED = json.loads((Path(__file__).parent / "pins.json").read_text("utf-8"))


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_pinned_has_not_changed(group: str, sandbox: None) -> None:
    found = dict(GROUPS[group]())
    assert found == PINNED[group]
