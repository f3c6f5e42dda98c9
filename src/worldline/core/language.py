"""The languages that programs are written in: which one a file's name says, and what each is called."""

from __future__ import annotations

import re

#: Each language's one name, as headers and options spell it, and what people call it.
LANGUAGES = {
    "python": "Python", "js": "JavaScript", "ts": "TypeScript", "java": "Java", "c": "C", "cpp": "C++", "rust": "Rust",
}  # fmt: skip
SUFFIXES = {
    ".py": "python", ".js": "js", ".mjs": "js", ".cjs": "js", ".ts": "ts", ".mts": "ts", ".java": "java", ".c": "c",
    ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".rs": "rust",
}  # fmt: skip


def language_of(name: str) -> str:
    """The language that a file's name says, by its suffix alone; Python where it says none."""
    return SUFFIXES.get(name[name.rfind(".") :], "python")


def usual_name(language: str) -> str:
    """What a program of a language is called that has no name of its own: `program.rs`."""
    return "program" + next(suffix for suffix, named in SUFFIXES.items() if named == language)


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
