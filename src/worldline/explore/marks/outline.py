"""What a source that is not Python defines and where it has code, as far as its words tell: no language is parsed.

Python is read by its syntax tree (`flow`); of other languages a guest knows the exact control flow, which no text
holds. Here a line has code when a word of it is no comment, and a function's name is the defined one on its line.
"""

from __future__ import annotations

import re
from functools import lru_cache

from worldline.explore.marks.syntax import spans

UNKNOWN = "?"
_ABOVE = 3  # lines that a function's head may take before the line that its frame begins on
_WORD = re.compile(r"[^\W\d]|\d")
# `name = (a) =>`, `name: function`, `name(a) {`: what no lexer calls a definition.
_ASSIGNED = re.compile(r"(?<![\w$.#])([#\w$]++)\s*+[:=]\s*+(?:async\b\s*+)?(?:function\b|\(|[\w$]++\s*+=>)")
_METHOD = re.compile(r"(?<![\w$.#])([#\w$]++)\s*+\([^;{]*+(?:\{|$)")
_NO_NAME = {"if", "for", "while", "switch", "catch", "return", "function", "match", "loop", "else", "do", "synchronized"}


@lru_cache(maxsize=64)
def code_lines(source: str, language: str) -> tuple[int, ...]:
    """The lines that have code: something besides comments, directives, braces and other signs."""
    found = []
    for number, (line, some) in enumerate(zip(_lines(source), spans(source, language), strict=True), 1):
        left = "" if language in ("c", "cpp") and line.lstrip().startswith("#") else line
        for start, end, kind in reversed(some):
            if kind in ("comment", "directive"):
                left = left[:start] + " " + left[end:]
        if _WORD.search(left):
            found.append(number)
    return tuple(found)


@lru_cache(maxsize=4096)
def function_name(source: str, language: str, line: int) -> str:
    """The function that begins on a line, or whose head ends there; `?` where none does."""
    lines, coloured = _lines(source), spans(source, language)
    for at in range(line, max(0, line - 1 - _ABOVE), -1):
        if at > len(lines):
            return UNKNOWN
        text = lines[at - 1]
        names = [text[one.start : one.end] for one in coloured[at - 1] if one.kind == "defined" and _is_called(text, one.end)]
        if names:
            return names[-1]
        if found := _assigned(text):
            return found
        if at < line and ("}" in text or ";" in text):
            return UNKNOWN  # what stands above belongs to somebody else
    return UNKNOWN


def _lines(source: str) -> list[str]:
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_called(text: str, end: int) -> bool:
    """Whether a parameter list, or the types before it, stands behind a name."""
    return text[end:].lstrip()[:1] in ("(", "<")


def _assigned(text: str) -> str:
    match = _ASSIGNED.search(text) or _METHOD.search(text)
    return match[1] if match and match[1] not in _NO_NAME and not match[1].isdigit() else ""
