"""The static files of the page, read once. A client names an entry of a table, never a path on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from worldline.ui.session import look

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class StaticFile:
    """A file of the page."""

    data: bytes
    type: str


def static_files() -> Mapping[str, StaticFile]:
    """Return every file of `static` and the shared style sheet, by request path. `/` is the index."""
    table: dict[str, StaticFile] = {}
    for entry in sorted((files("worldline.ui.web") / "static").iterdir(), key=lambda entry: entry.name):
        suffix = "." + entry.name.rpartition(".")[2]
        if suffix in TYPES:
            table["/" + entry.name] = StaticFile(entry.read_bytes(), TYPES[suffix])
    table["/" + look.SHEET] = StaticFile(look.style().encode(), TYPES[".css"])
    return table | {"/": table["/index.html"]}
