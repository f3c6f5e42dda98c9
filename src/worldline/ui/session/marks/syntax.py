"""Syntax highlighting: which characters of a source are keywords, strings, numbers, comments and defined names.

Python is read by its own tokenizer, other languages by the lexers of pygments. After a fault in a broken source reading
resumes on the next line; a text of an unknown language has no spans. Colours are up to the front ends.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import time
import tokenize
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from worldline.analyze.flow.definitions import defined_name
from worldline.core.language import LANGUAGES, all_lines

KINDS = ("keyword", "string", "number", "comment", "defined", "builtin", "directive")
"""The kinds of spans. Directives are instructions to a compiler: preprocessor lines, attributes, annotations."""
LEXER_SECONDS = 2.0
"""CPU time for one source. Some lexers are slow on texts that nobody writes, such as 100,000 blank lines."""
_MAX_RESTARTS = 50  # after faults
_MAX_SOURCE_CHARS = 1 << 20
_STRINGS = ("STRING", "FSTRING", "TSTRING")
_SOFT = ("match", "case", "type")
_DEFINING = {
    "function",
    "class",
    "interface",
    "enum",
    "struct",
    "union",
    "fn",
    "func",
    "trait",
    "mod",
    "record",
    "type",
}
_CONSTANTS = {"nullptr", "NULL", "true", "false"}
# Prefixes of the names of pygments' tokens, such as `Literal.String.Escape`; the first that matches counts.
_TOKEN_KINDS = {
    "Comment.PreprocFile": "string",
    "Comment.Preproc": "directive",
    "Comment": "comment",
    "Literal.String": "string",
    "Literal.Number": "number",
    "Keyword.Type": "builtin",
    "Keyword.Pseudo": "",
    "Keyword": "keyword",
    "Operator.Word": "keyword",
    "Name.Function.Magic": "builtin",
    "Name.Builtin": "builtin",
    "Name.Decorator": "directive",
    "Name.Function": "defined",
    "Name.Class": "defined",
}
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


class SyntaxSpan(NamedTuple):
    """Characters of a line, from `start` to `end`, of one of KINDS."""

    start: int
    end: int
    kind: str


@lru_cache(maxsize=64)
def spans(source: str, language: str = "python") -> tuple[tuple[SyntaxSpan, ...], ...]:
    """Return the spans of each line; the language decides where a line ends."""
    lines = all_lines(source, language)
    result: list[list[SyntaxSpan]] = [[] for _ in lines]
    lang = LANGUAGES.get(language) if len(source) <= _MAX_SOURCE_CHARS else None
    if lang is not None and lang.has_syntax_tree:
        _python(lines, result)
    elif lang is not None:
        _lexed(lines, language, result)
    return tuple(tuple(line) for line in result)


@lru_cache(maxsize=64)
def code_lines(source: str, language: str) -> tuple[int, ...]:
    """Return the lines with code: more than comments, directives, braces and other signs.

    It is an estimate from the text: only the toolchain of a language knows which lines can execute.
    """
    numbers = []
    for number, (line, line_spans) in enumerate(
        zip(all_lines(source, language), spans(source, language), strict=True), 1
    ):
        left = "" if LANGUAGES[language].has_preprocessor and line.lstrip().startswith("#") else line
        for start, end, kind in reversed(line_spans):
            if kind in ("comment", "directive"):
                left = left[:start] + " " + left[end:]
        if any(map(str.isalnum, left)):
            numbers.append(number)
    return tuple(numbers)


def _python(lines: list[str], result: list[list[SyntaxSpan]]) -> None:
    start, tries = 0, 0
    while start < len(lines) and tries < _MAX_RESTARTS:
        start = _read(lines, start, result)
        tries += 1


def _lexed(lines: list[str], language: str, result: list[list[SyntaxSpan]]) -> None:
    """Add the spans of another language; adjacent pieces of one kind become one span."""
    row, begins = 0, 0  # the line of a piece, and its offset
    for at, text, kind in _pieces("\n".join(lines), language):
        while at > begins + len(lines[row]):
            begins += len(lines[row]) + 1
            row += 1
        left = at - begins
        for down, part in enumerate(text.split("\n")):
            line_spans = result[row + down]
            if part and line_spans and line_spans[-1].kind == kind and line_spans[-1].end == left:
                line_spans[-1] = line_spans[-1]._replace(end=left + len(part))
            elif part.strip() and (not line_spans or line_spans[-1].end <= left):
                line_spans.append(SyntaxSpan(left, left + len(part), kind))
            left = 0
    for row, line in enumerate(lines):
        below = next((text for text in lines[row + 1 : row + 3] if text.strip()), "")
        if (line.rstrip().endswith("{") and "=>" not in line) or below.strip() == "{":
            _define(line, defined_name(line, language), result[row])


def _define(line: str, name: str, line_spans: list[SyntaxSpan]) -> None:
    """Add the name that a line defines, if the lexer has not recognised it."""
    match = re.search(rf"(?<![\w$]){re.escape(name)}(?=\s*[(<])", line) if name else None
    if match is None or any(span.start < match.end() and match.start() < span.end for span in line_spans):
        return
    line_spans.append(SyntaxSpan(*match.span(), "defined"))
    line_spans.sort()


def _read(lines: list[str], start: int, result: list[list[SyntaxSpan]]) -> int:
    """Add the spans from a line up to the end or a fault; return the line to resume from."""
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
                    if not result[at] or result[at][-1].end <= span.start:  # positions of tokens may overlap
                        result[at].append(span)
            if token.string.strip() and token.type != tokenize.COMMENT:
                before = token.string if token.type == tokenize.NAME else ""
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        return max(row, start) + 1
    return len(lines)


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    name = tokenize.tok_name[token.type]
    if name.startswith(_STRINGS):
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
    """Whether a soft keyword starts a statement here."""
    first, rest = token.line[: token.start[1]], token.line[token.end[1] :].rstrip()
    follows = rest.endswith(":") if token.string != "type" else "=" in rest and rest[1:2].isidentifier()
    return not first.strip() and rest[:1] == " " and follows


def _lines(token: tokenize.TokenInfo, kind: str, lines: list[str], start: int) -> Iterator[tuple[int, SyntaxSpan]]:
    """Split a token by lines."""
    (first, left), (last, right) = token.start, token.end
    for row in range(first, last + 1):
        at = start + row - 1
        if at >= len(lines):
            return
        begin = left if row == first else 0
        end = min(right, len(lines[at])) if row == last else len(lines[at])
        if begin < end:
            yield at, SyntaxSpan(begin, end, kind)


def _pieces(source: str, language: str) -> Iterator[tuple[int, str, str]]:
    """The offset, text and kind of the pieces that have a kind, within LEXER_SECONDS."""
    started, before = time.thread_time(), ""
    for at, token, text in _lexer(language).get_tokens_unprocessed(source):
        kind = _token_kind(str(token), text, before, language)
        if kind:
            yield at, text, kind
        if text.strip() and kind != "comment":
            before = text
        if time.thread_time() - started > LEXER_SECONDS:
            return


@cache
def _lexer(language: str) -> Any:
    # Slow to import, and most programs are Python.
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    return get_lexer_by_name(LANGUAGES[language].lexer)


def _token_kind(token: str, text: str, before: str, language: str) -> str:
    if token.startswith("Token.Name"):
        if text in _CONSTANTS:
            return "keyword"
        if before in _DEFINING and text not in _DEFINING:
            return "defined"
        if token == "Token.Name.Attribute":  # a lifetime in Rust, an attribute in `[[ ]]` elsewhere
            return "directive" if LANGUAGES[language].has_preprocessor else ""
    if token.startswith("Token.Keyword") and text.startswith("@"):
        return "directive"
    return next((kind for name, kind in _TOKEN_KINDS.items() if token.startswith(f"Token.{name}")), "")
