"""Where the lines of a source end, by its language: their numbers are those that its own tools count."""

from __future__ import annotations

import re

_THREE = r"\r\n|\r|\n"
_ENDS = {
    "python": re.compile(_THREE),
    "java": re.compile(_THREE),
    "js": re.compile(_THREE + "|[\u2028\u2029]"),
    "ts": re.compile(_THREE + "|[\u2028\u2029]"),
}
_FEED = re.compile(r"\r*\n")  # C, C++ and Rust: a carriage return alone is a blank


def all_lines(source: str, language: str = "python") -> list[str]:
    """The lines of a source without their ends; what stands behind the last end is a line too, often an empty one."""
    lines = _ENDS.get(language, _FEED).split(source)
    if language not in _ENDS:
        lines[-1] = lines[-1].rstrip("\r")
    return lines


def source_lines(source: str, language: str = "python") -> list[str]:
    """The lines of a source without their ends, and none behind the last end."""
    lines = all_lines(source, language)
    return lines[:-1] if lines[-1] == "" else lines
