"""Which characters of a source are keywords, strings, numbers, comments and names that are defined: for who colours it.

Python by its own tokenizer, other languages by pygments' lexers (`lexed`). A source that is broken is coloured as far
as it can be read, line by line behind a fault; a text of no language comes out plain. It renders nothing and knows no
colour.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from worldline.analyze.flow.definitions import defined_name
from worldline.core.language import LANGUAGES, all_lines
from worldline.ui.session.marks.lexed import pieces

KINDS = ("keyword", "string", "number", "comment", "defined", "builtin", "directive")
"""What a span can be; directives are what is said to a compiler: lines of a preprocessor, attributes, annotations."""
_AGAIN = 50  # times that reading begins anew behind a fault
_LONGEST = 1 << 20  # characters of a source that is coloured
_STRINGS = {
    "STRING",
    "FSTRING_START",
    "FSTRING_MIDDLE",
    "FSTRING_END",
    "TSTRING_START",
    "TSTRING_MIDDLE",
    "TSTRING_END",
}
_SOFT = ("match", "case", "type")
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


class SyntaxSpan(NamedTuple):
    """Some characters of a line, from `start` up to `end`, that are of one of KINDS."""

    start: int
    end: int
    kind: str


@lru_cache(maxsize=64)
def spans(source: str, language: str = "python") -> tuple[tuple[SyntaxSpan, ...], ...]:
    """The spans of each line, in order; where a line ends is its language's own."""
    lines = all_lines(source, language)
    found: list[list[SyntaxSpan]] = [[] for _ in lines]
    lang = LANGUAGES.get(language) if len(source) <= _LONGEST else None
    if lang is not None and lang.has_syntax_tree:
        _python(lines, found)
    elif lang is not None:
        _foreign(lines, language, found)
    return tuple(tuple(line) for line in found)


@lru_cache(maxsize=64)
def code_lines(source: str, language: str) -> tuple[int, ...]:
    """The lines that have code, as far as their words tell: more than comments, directives, braces and other signs.

    Which lines of a source that is not Python can run its guest knows, and no text says; here nothing is prepared.
    """
    found = []
    for number, (line, some) in enumerate(
        zip(all_lines(source, language), spans(source, language), strict=True), 1
    ):
        left = "" if LANGUAGES[language].has_preprocessor and line.lstrip().startswith("#") else line
        for start, end, kind in reversed(some):
            if kind in ("comment", "directive"):
                left = left[:start] + " " + left[end:]
        if any(map(str.isalnum, left)):
            found.append(number)
    return tuple(found)


def _python(lines: list[str], found: list[list[SyntaxSpan]]) -> None:
    start, tries = 0, 0
    while start < len(lines) and tries < _AGAIN:
        start = _read(lines, start, found)
        tries += 1


def _foreign(lines: list[str], language: str, found: list[list[SyntaxSpan]]) -> None:
    """Colour by a lexer; pieces of one kind that touch are one span."""
    row, begins = 0, 0  # the line that a piece begins on, and where that line does
    for at, text, kind in pieces("\n".join(lines), language):
        while at > begins + len(lines[row]):
            begins += len(lines[row]) + 1
            row += 1
        left = at - begins
        for down, part in enumerate(text.split("\n")):
            there = found[row + down]
            if part and there and there[-1].kind == kind and there[-1].end == left:
                there[-1] = there[-1]._replace(end=left + len(part))
            elif part.strip() and (not there or there[-1].end <= left):
                there.append(SyntaxSpan(left, left + len(part), kind))
            left = 0
    for row, line in enumerate(lines):
        below = next((text for text in lines[row + 1 : row + 3] if text.strip()), "")
        if (line.rstrip().endswith("{") and "=>" not in line) or below.strip() == "{":
            _define(line, defined_name(line, language), found[row])


def _define(line: str, name: str, there: list[SyntaxSpan]) -> None:
    """The name that a line defines, where the lexer did not see that it does."""
    match = re.search(rf"(?<![\w$]){re.escape(name)}(?=\s*[(<])", line) if name else None
    if match is None or any(one.start < match.end() and match.start() < one.end for one in there):
        return
    there.append(SyntaxSpan(*match.span(), "defined"))
    there.sort()


def _read(lines: list[str], start: int, found: list[list[SyntaxSpan]]) -> int:
    """Colour from a line on, up to the end or a fault; the line to go on from."""
    text = "\n".join(lines[start:])
    row = start
    before = ""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="\n").readline)
    try:
        for token in tokens:
            row = max(row, start + token.end[0] - 1)
            kind = _kind(token, before)
            if kind:
                for at, span in _lines(token, kind, lines, start):
                    if not found[at] or found[at][-1].end <= span.start:  # a tokenizer's places may overlap
                        found[at].append(span)
            if token.string.strip() and token.type != tokenize.COMMENT:
                before = token.string if token.type == tokenize.NAME else ""
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        return max(row, start) + 1
    return len(lines)


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    name = tokenize.tok_name[token.type]
    if name in _STRINGS:
        return "string"
    if name in ("NUMBER", "COMMENT"):
        return name.lower()
    if name != "NAME":
        return ""
    if keyword.iskeyword(token.string) or (token.string in _SOFT and _is_soft(token)):
        return "keyword"
    if before in ("def", "class"):
        return "defined"
    is_field = token.line[: token.start[1]].rstrip().endswith(".")
    return "builtin" if token.string in _BUILTINS and not is_field else ""


def _is_soft(token: tokenize.TokenInfo) -> bool:
    """Whether a word that is a keyword only in places begins a statement here."""
    first, rest = token.line[: token.start[1]], token.line[token.end[1] :].rstrip()
    follows = rest.endswith(":") if token.string != "type" else "=" in rest and rest[1:2].isidentifier()
    return not first.strip() and rest[:1] == " " and follows


def _lines(
    token: tokenize.TokenInfo, kind: str, lines: list[str], start: int
) -> Iterator[tuple[int, SyntaxSpan]]:
    """A token by the lines that it is on."""
    (first, left), (last, right) = token.start, token.end
    for row in range(first, last + 1):
        at = start + row - 1
        if at >= len(lines):
            return
        begin = left if row == first else 0
        end = min(right, len(lines[at])) if row == last else len(lines[at])
        if begin < end:
            yield at, SyntaxSpan(begin, end, kind)
