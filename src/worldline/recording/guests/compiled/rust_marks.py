"""Mark the ends of Rust's blocks for which rustc has no code: after a last `let`, before a tail that is only a name.

Without an instruction in it, the scope of a block's last variable is not in the debug information, and a tail
expression such as `total` has no line. A mark is a call to an empty function: `assembly` makes its place a site and
takes the call away. Marks change neither the number of a line nor the column of anything that can panic. Macros stay
as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = "__wl_end"
CALL = f"crate::{NAME}();"
FUNCTION = f'\n#[no_mangle]\npub const extern "C" fn {NAME}() {{}}\n'
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*)|(?P<comment>/\*)|(?P<text>b?r(?P<hash>#*)\".*?\"(?P=hash)|[bc]?\"(?:[^\"\\]|\\.)*\""
    r"|b?'(?:\\[^\n]*?|[^'\\\n])')|(?P<name>(?:r#|')?\w+)|(?P<other>.)",
    re.S,
)
_COMMENT = re.compile(r"/\*|\*/")
_MODIFIERS = frozenset({"pub", "unsafe", "default", "auto"})
_ITEMS = frozenset({"mod", "impl", "trait", "struct", "enum", "union", "extern"})
_JUMPS = frozenset({"return", "break", "continue", "yield"})
_TAIL = re.compile(r"&?(?:mut )?\w+(?:(?:\.|::)\w+)*")
_CANNOT_PANIC = re.compile(r"[\w\s.,;&})\]]*(?://.*)?")

Token = tuple[str, int, int]  # its kind, where it begins and ends


@dataclass
class _Group:
    """What stands between two brackets."""

    begin: int  # the place of the bracket
    last: int  # the index of the token that ended its newest statement, or of the bracket
    is_code: bool  # a block, as far as it can be seen, or the fields or arms in its place
    is_macro: bool
    is_body: bool = False  # of a function
    binds: bool = False  # it has variables of its own
    in_let: bool = False
    was_let: bool = False  # its newest statement was one
    words: list[str] = field(default_factory=list)  # the names since then


def marked(source: str) -> str:
    """Return a Rust source with marks; the source itself if there is nothing to mark."""
    if "include" in source or NAME in source:  # it may read itself
        return source
    places = sorted(_scanned(source, _tokens(source))[0])
    out, at = [], 0
    for place in places:
        out += [source[at:place], CALL]
        at = place
    return "".join([*out, source[at:], FUNCTION]) if places else source


def one_line_tails(source: str) -> dict[int, list[tuple[int, int]]]:
    """Return the tails of blocks on one line that have variables and no mark: by line, the columns of each.

    A mark would move the column that a panic in the tail tells. It needs none: the tail has code of its own.
    """
    tails: dict[int, list[tuple[int, int]]] = {}
    for start, end in sorted(_scanned(source, _tokens(source))[1]):
        row = source.rfind("\n", 0, start) + 1
        tails.setdefault(source.count("\n", 0, start) + 1, []).append((start - row + 1, end - row + 1))
    return tails


def _tokens(source: str) -> list[Token]:
    """All tokens but spaces and comments."""
    tokens: list[Token] = []
    at = 0
    while match := _TOKEN.match(source, at):
        at = match.end()
        if match["comment"]:
            depth = 1
            while depth and (edge := _COMMENT.search(source, at)):
                depth += 1 if edge[0] == "/*" else -1
                at = edge.end()
            at = at if not depth else len(source)
        elif match["space"] is None:
            tokens.append((match.lastgroup or "", match.start(), at))
    return tokens


def _scanned(source: str, tokens: list[Token]) -> tuple[set[int], set[tuple[int, int]]]:
    """Where marks belong, and the tails of blocks on one line that have none."""
    groups = [_Group(0, 0, False, False)]
    places: set[int] = set()
    tails: set[tuple[int, int]] = set()
    before = ""
    for at, (kind, start, end) in enumerate(tokens):
        text, group = source[start:end], groups[-1]
        if text in ("{", "(", "["):
            groups.append(_group(source, tokens, at, group))
        elif text in ("}", ")", "]"):
            if text == "}" and group.is_code and not group.is_macro:
                ends = _ends(source, tokens, at, group)
                places |= ends
                tails |= _unmarked_tail(source, tokens, at, group) if not ends else set()
            if len(groups) > 1:
                groups.pop()
            if text == "}":
                groups[-1].words, groups[-1].last = [], at
        elif text in (";", ","):
            group.words, group.last = [], at
            group.was_let, group.in_let = group.in_let and text == ";", group.in_let and text == ","
        elif kind == "name":
            group.words.append(text)
            if text == "let" and before in (";", "{", "}", "]"):
                group.in_let = group.binds = True
        before = text
    return places, tails


def _group(source: str, tokens: list[Token], at: int, around: _Group) -> _Group:
    """The group that begins with the token at an index."""
    before = [source[start:end] for _, start, end in tokens[max(at - 3, 0) : at]]
    is_macro = before[-1:] in (["!"], ["#"]) or before[-3:-1] == ["macro_rules", "!"]
    words = [word for word in around.words if word not in _MODIFIERS]
    is_item = words[:1] != [] and words[0] in _ITEMS and "fn" not in words
    is_code = source[tokens[at][1]] == "{" and not is_item
    binds = before[-2:] == ["=", ">"] or "for" in words or "let" in words
    is_body = is_code and "fn" in words
    return _Group(tokens[at][1], at, is_code, is_macro or around.is_macro, is_body, binds)


def _ends(source: str, tokens: list[Token], at: int, group: _Group) -> set[int]:
    """Where a block that ends with the token at an index has a mark, if it has one."""
    behind, last = tokens[group.last][2], source[tokens[group.last][1]]
    if tail := tokens[group.last + 1 : at]:
        start, text = tail[0][1], source[tail[0][1] : tail[-1][2]]
        if not _TAIL.fullmatch(text) or text in _JUMPS:
            return set()
        if "\n" in source[behind:start]:
            is_tail = last in ";}" or (last == "{" and group.is_body)
            return {start} if is_tail and _fits(source, start) else set()
    one_line = group.binds and "\n" not in source[group.begin : tokens[at][1]]
    return {behind} if last == ";" and (one_line or group.was_let) and _fits(source, behind) else set()


def _unmarked_tail(source: str, tokens: list[Token], at: int, group: _Group) -> set[tuple[int, int]]:
    """The tail of a block on one line that has variables and ends with the token at an index."""
    tail, last = tokens[group.last + 1 : at], source[tokens[group.last][1]]
    if not tail or not group.binds or last not in ";}" or "\n" in source[group.begin : tokens[at][1]]:
        return set()
    return {(tail[0][1], tail[-1][2])}


def _fits(source: str, at: int) -> bool:
    """Whether nothing that follows in the line can tell its column in a panic."""
    end = source.find("\n", at)
    return _CANNOT_PANIC.fullmatch(source, at, end if end >= 0 else len(source)) is not None
