"""Texts of several sections, `=== name` above each: what the rows of these tests are written in."""

from __future__ import annotations

import re
from pathlib import Path


def sections(path: Path) -> dict[str, str]:
    """The sections of a file by their names."""
    parts = re.split(r"^=== (\w+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
