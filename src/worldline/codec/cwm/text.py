"""The spelling of Meta's trace format: its special tokens, its start marker, and the lines of a source.

frames.py computes the frames of a trace; parse.py reads a prediction.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass

from worldline.analyze.flow.control import syntax
from worldline.core.language import LANGUAGES, all_lines

TOKENS = {
    "begin_of_text": 128000,
    "end_of_text": 128001,
    "frame_sep": 128100,
    "action_sep": 128101,
    "return_sep": 128102,
    "call_sep": 128103,
    "line_sep": 128104,
    "exception_sep": 128105,
    "arg_sep": 128106,
    "trace_context_start": 128107,
}
EVENT_TOKENS = {"call": "call_sep", "line": "line_sep", "return": "return_sep", "raise": "exception_sep"}
# The events whose frames carry locals, and those whose frames carry a value.
WITH_LOCALS, WITH_VALUE = ("call", "line"), ("return", "raise")
MARKER = "# << START_OF_TRACE"
UNCHANGED = ".."

_ANY = "|".join(TOKENS)
SPECIAL = re.compile(rf"<\|({_ANY})\|>")
_SHIELDED = re.compile(rf"<(\\*)\|({_ANY})\|>")
_SPACED = re.compile(rf" ?(<\|(?:{_ANY})\|>)(?: (?!<\|(?:{_ANY})\|>))?")
_BETWEEN = re.compile(rf"<\|(?:{_ANY})\|>( )<\|(?:{_ANY})\|>")
UNSPACED = "a special token without a space before it (decode with spaces_between_special_tokens=False)"


def token(name: str) -> str:
    """Return a special token as text."""
    return f"<|{name}|>"


def shield(text: str) -> str:
    """Escape a source text so that nothing in it reads as a special token."""
    return _SHIELDED.sub(lambda match: f"<{match[1]}\\|{match[2]}|>", text)


def unshield(text: str) -> str:
    """Undo `shield`."""
    return _SHIELDED.sub(lambda match: f"<{match[1][1:]}|{match[2]}|>", text)


def unspaced(text: str) -> str:
    """Remove the space that a decoder put around every special token; other texts stay as they are."""
    tokens = list(SPECIAL.finditer(text))
    if not any(match[1] in EVENT_TOKENS.values() for match in tokens):
        return text
    if not all(_has_space(text, match.start() - 1) and _has_space(text, match.end()) for match in tokens):
        return text
    return _SPACED.sub(lambda match: match[1], text)


def _has_space(text: str, at: int) -> bool:
    return not 0 <= at < len(text) or text[at] == " "


def first_space(text: str) -> int:
    """Return the offset of the first space between two special tokens, or -1."""
    match = _BETWEEN.search(text)
    return -1 if match is None else match.start(1)


def first_event(text: str) -> int:
    """Return the offset of the first event token, or the end: a prompt after it is another problem's."""
    events = EVENT_TOKENS.values()
    return next((match.start() for match in SPECIAL.finditer(text) if match[1] in events), len(text))


def quoted(text: str) -> str:
    """Write a JSON string in ASCII in which nothing reads as a special token."""
    return json.dumps(text).replace("<|", "\\u003c|")


@dataclass(frozen=True)
class SourceListing:
    """A source as the format shows it: lines by number (line 0 is empty, for a module), and the marked line."""

    lines: tuple[str, ...]
    entry: int | None

    def text(self, line: int) -> str:
        """Return a line without its end; empty if there is no such line."""
        return self.lines[line] if 0 <= line < len(self.lines) else ""


def listing(source: str, language: str = "python") -> SourceListing:
    """Return the lines of a source, without the marker at the end of a line."""
    lines, entry = [""], None
    for text in all_lines(source, language):
        bare = without_marker(text)
        if bare is not None and entry is None:
            entry = len(lines)
        lines.append(text if bare is None else bare)
    return SourceListing(tuple(lines), entry)


def without_marker(line: str) -> str | None:
    """Return the line before its marker, or None for a line without one."""
    bare = line.rstrip(" ")
    return bare.removesuffix(MARKER).rstrip(" ") if bare.endswith(MARKER) else None


def bare_line(line: str) -> str:
    """Return a line without the marker, which a model may repeat."""
    bare = without_marker(line)
    return line if bare is None else bare


def marked(source: str, entry: int, language: str = "python") -> str:
    """Put the marker on a line, or above it if a comment would change the meaning of the line."""
    lines = list(listing(source, language).lines)
    if entry == 0:
        lines[0] = MARKER
    elif _takes_comment(source if LANGUAGES[language].has_syntax_tree else "", entry, lines):
        lines[entry] += "  " + MARKER
    elif entry < len(lines):
        indent = lines[entry][: len(lines[entry]) - len(lines[entry].lstrip())]
        lines[entry] = f"{indent}{MARKER}\n{lines[entry]}"
    return "\n".join(lines if entry == 0 else lines[1:])


def _takes_comment(source: str, entry: int, lines: list[str]) -> bool:
    if entry >= len(lines) or lines[entry].endswith("\\"):
        return False
    tree = syntax(source)
    return tree is None or not any(
        isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno <= entry < (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
    )
