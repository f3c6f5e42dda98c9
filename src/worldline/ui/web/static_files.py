"""The files of the page, read once when the server starts: a client names an entry of a table, never a path on disk.

The style sheet that other front ends share is among them (`look`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from worldline.ui.session import look

TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".json": "application/json",
}  # fmt: skip
INDEX = "index.html"


@dataclass(frozen=True)
class StaticFile:
    """A file of the page."""

    data: bytes
    type: str


def static_files() -> Mapping[str, StaticFile]:
    """Every file of `static`, by the path that asks for it; `/` is the index."""
    table = {
        "/" + name: StaticFile(data, TYPES[suffix])
        for name, suffix, data in _walk(files("worldline.ui.web") / "static", "")
    }
    table["/" + look.SHEET] = StaticFile(look.style().encode(), TYPES[".css"])
    return table | ({"/": table["/" + INDEX]} if "/" + INDEX in table else {})


def _walk(folder: Traversable, before: str) -> Iterator[tuple[str, str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        suffix = "." + entry.name.rpartition(".")[2]
        if entry.is_dir():
            yield from _walk(entry, before + entry.name + "/")
        elif suffix in TYPES:
            yield before + entry.name, suffix, entry.read_bytes()
