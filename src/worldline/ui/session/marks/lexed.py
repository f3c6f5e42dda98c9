"""Which characters of a source in another language than Python are what, by the lexers of pygments.

A lexer reads any text; what it takes too long over stays plain: some are slow on text that nobody writes (a hundred
thousand blank lines), and whoever sent it must not hold up whoever shows it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from worldline.core.language import LANGUAGES

PATIENCE = 2.0  # seconds of the processor for one source
_DEFINES = {
    "function",
    "class",
    "interface",
    "enum",
    "struct",
    "union",
    "fn",
    "trait",
    "mod",
    "record",
    "type",
}
_CONSTANTS = {"nullptr", "NULL", "true", "false"}
# Parts of pygments' names of tokens, the first that fits: `Token.Literal.String.Escape`.
_KINDS = (
    ("Comment.PreprocFile", "string"), ("Comment.Preproc", "directive"), ("Comment", "comment"),
    ("Literal.String", "string"), ("Literal.Number", "number"), ("Keyword.Type", "builtin"), ("Keyword.Pseudo", ""),
    ("Keyword", "keyword"), ("Operator.Word", "keyword"), ("Name.Function.Magic", "builtin"),
    ("Name.Builtin", "builtin"), ("Name.Decorator", "directive"), ("Name.Function", "defined"),
    ("Name.Class", "defined"),
)  # fmt: skip


def pieces(source: str, language: str) -> Iterator[tuple[int, str, str]]:
    """Where a piece of a source begins, its text, and which of `syntax.KINDS` it is; others are left out."""
    began, before = time.thread_time(), ""
    for at, token, text in _lexer(language).get_tokens_unprocessed(source):
        kind = _kind(str(token), text, before, language)
        if kind:
            yield at, text, kind
        if text.strip() and kind != "comment":
            before = text
        if time.thread_time() - began > PATIENCE:
            return


@cache
def _lexer(language: str) -> Any:
    # Takes its time to start, and most programs are Python.
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    return get_lexer_by_name(LANGUAGES[language].lexer)


def _kind(token: str, text: str, before: str, language: str) -> str:
    if token.startswith("Token.Name"):
        if text in _CONSTANTS:
            return "keyword"
        if before in _DEFINES and text not in _DEFINES:
            return "defined"
        if token == "Token.Name.Attribute":  # of Rust it is a lifetime, else what stands in `[[ ]]`
            return "directive" if LANGUAGES[language].has_preprocessor else ""
    if token.startswith("Token.Keyword") and text.startswith("@"):
        return "directive"
    found = (kind for name, kind in _KINDS if token.startswith(f"Token.{name}"))
    return next(found, "")
