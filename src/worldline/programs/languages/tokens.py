"""The tokens of a source in a language of braces, and its normal form: the same for a program and its renamings.

Comments and layout are dropped; strings and numbers stay. Names are numbered by first use, but for words of the
languages and for what their libraries are called; a name behind a dot is one of a library unless the program has it
elsewhere, on its own or behind `this`. Two programs of one normal form may differ in the names of free functions of a
library alone: then they are counted as one, which errs on the safe side.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+(?:\"|(?=\n)|\\?\Z)|'(?:[^'\\\n]|\\.){0,400}'(?!\w)|`[^`]*`|[A-Za-z_$][\w$]*|\d[\w.]*|[<>=!&|+*/%-]=|&&|\|\||::|->|=>|[^\s\w]",
    re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_DOTS = (".", "::", "->")


@cache
def words() -> frozenset[str]:
    """Return keywords, types and library roots of all languages."""
    return frozenset(files("worldline.programs.languages").joinpath("words.txt").read_text("utf-8").split())


def tokens(source: str) -> list[str]:
    """Return the tokens of a source, without comments."""
    return [token for token in _TOKEN.findall(source) if not token.startswith(("//", "/*"))]


def normal(source: str, *, erased: bool = False) -> str:
    """Return the normal form of a source.

    Args:
        source: The source text.
        erased: Whether all of the program's own names become one mark, to compare near copies.
    """
    token_list = tokens(source)
    own = _own(token_list)
    numbers: dict[str, int] = {}
    out = []
    for token in token_list:
        if token in own:
            out.append("$" if erased else f"${numbers.setdefault(token, len(numbers))}")
        else:
            out.append(token)
    return " ".join(out)


def _own(token_list: list[str]) -> set[str]:
    """Return the names that the program itself chooses."""
    own = set()
    for at, token in enumerate(token_list):
        if not _NAME.fullmatch(token) or token in words():
            continue
        before = token_list[at - 1] if at else ""
        if before not in _DOTS or (at > 1 and token_list[at - 2] in ("this", "self")):
            own.add(token)
    return own


def definitions(source: str) -> list[tuple[str, str]]:
    """Return the name and text of each function: a name, parentheses, and a block."""
    functions = []
    for head in re.finditer(
        r"([A-Za-z_$][\w$]*)\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\([^;{}]*\)[^;{}()]*\{", source
    ):
        depth, at = 1, head.end()
        while depth and at < len(source):
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
        if head[1] not in words():
            functions.append((head[1], source[head.start() : at]))
    return functions
