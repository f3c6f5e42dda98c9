"""The function that a line of another language defines, judged by its words alone.

For titles and for the line that a prompt marks, if there is no flow table. It reads one line at a time, so callers
that need certainty use the table.
"""

from __future__ import annotations

import re

from worldline.core.language import source_lines

_SCRIPT = (
    re.compile(r"\bfunction\s*\*?\s*([\w$]+)\s*[(<]"),
    re.compile(r"\b(?:const|let|var)\s+([\w$]+)[^=]*=\s*(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>)"),
    re.compile(r"^\s*+(?:(?:async|static|get|set|public|private|protected)\s++)*\*?\s*+(#?[\w$]+)\s*\([^;]*\{\s*$"),
)
_BRACED = (re.compile(r"([\w$~]+)\s*(?:<[^<>()]*>\s*)?\((?=[^;]*(?:\{|$))"),)
DEFINITIONS = {
    "js": _SCRIPT,
    "ts": _SCRIPT,
    "rust": (re.compile(r"\bfn\s+(\w+)"),),
    "go": (re.compile(r"\bfunc\s+(?:\([^()]*\)\s*)?(\w+)\s*[(\[]"), re.compile(r"\b(\w+)\s*:?=\s*func\s*\(")),
    "java": _BRACED,
    "c": _BRACED,
    "cpp": _BRACED,
}
_STATEMENTS = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "else", "sizeof", "new", "do", "synchronized", "match", "loop"}
)
_ASSIGNED = re.compile(r"=[^=]|\breturn\b|\bnew\b")


def defined_name(line: str, language: str) -> str:
    """Return the name of the function that a line defines; empty if it seems to define none."""
    for pattern in DEFINITIONS.get(language, ()):
        for match in pattern.finditer(line):
            is_braced = pattern in _BRACED
            if match[1] in _STATEMENTS:
                break  # what stands in its brackets is called
            if not (is_braced and _ASSIGNED.search(line, 0, match.start())):
                return match[1]
    return ""


def definition_line(source: str, language: str, name: str) -> int | None:
    """Return the line that defines a function of this name; None if there is not exactly one."""
    lines = enumerate(source_lines(source, language), 1)
    numbers = [number for number, text in lines if name in text and defined_name(text, language) == name]
    return numbers[0] if len(numbers) == 1 else None
