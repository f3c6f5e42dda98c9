"""Cards of the Hub: a README.md whose front matter machines read. Knows nothing of what it describes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

CARD = "README.md"
_PACKAGE = Path(__file__).resolve().parents[1]
# In a clone, and in a wheel.
_ROOTS = (_PACKAGE.parents[1], _PACKAGE)


def write_card(front: Mapping[str, Any], body: str) -> bytes:
    """Return the text of a card. Values are written as JSON, which is YAML too."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in front.items()]
    return f"---\n{''.join(lines)}---\n\n{body}".encode()


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def find_project_file(name: str) -> Path | None:
    """Return a file of the project outside its package, such as `recipes/quarry.txt`; None if it is not installed."""
    return next((path for root in _ROOTS if (path := root / name).is_file()), None)
