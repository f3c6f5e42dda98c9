"""The notation of templates, read: text with holes becomes a tuple of pieces, parsed once.

    $word  $word2        a name for that role, the same throughout
    «a|b»  «K:a|b»       one of the alternatives; groups with one key take the same place
    «#ints 2 6»          a value, or a macro, made on the spot; arguments of a macro stand between ` ; `
    «^: int»             kept only where the program is annotated
    ‹int›  ‹char#›       an expression of that type; what a flag after it means stands in `typed.catalogue`

`«`, `|` and `»` alone on their lines hold whole lines; after `|` a line may go on below a backslash; `\\|` is a plain
bar. Nothing here knows Python, or draws anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"«(?:([A-Z]):|#([\w!/]+) ?|(\^)(?=:| ->))?|»|\\\||\||\$((?:new_|to_|each_)?[A-Za-z]+\d*|\d)|‹([^‹›\n]+)›"
)
_ALONE = re.compile(r"^ *(«(?:[A-Z]:)?|\||»)\n", re.MULTILINE)
_WRAPPED = re.compile(r"\|\\\n *")
_HOLE = re.compile(r"(\w+!?)([.*+<&$#=]?)((?: \$?\w+:\w+!?)*)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class NameHole:
    """A role that one name fills throughout a program, or the number of a macro argument."""

    role: str


@dataclass(frozen=True)
class Alternatives:
    """One of several options; alternatives with the same key choose the same index."""

    key: str
    options: tuple[Pieces, ...]


@dataclass(frozen=True)
class MakerCall:
    """A call of one of several makers or macros; its arguments are a template."""

    makers: tuple[str, ...]
    arguments: Pieces


@dataclass(frozen=True)
class TypeHint:
    """Text that only annotated programs have."""

    pieces: Pieces


@dataclass(frozen=True)
class TypedHole:
    """A hole for an expression: its type, its flag, and the variables to build it from, if named."""

    kind: str
    flag: str
    variables: tuple[tuple[str, str], ...] = ()


Piece = str | NameHole | Alternatives | MakerCall | TypeHint | TypedHole
Pieces = tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True)
class Template:
    """A kind of program: names for its function, bound roles, body, calls and reserved words.

    A template without calls is a script. `stdin` is its input.
    """

    names: tuple[str, ...]
    bound: tuple[tuple[tuple[str, ...], tuple[tuple[Pieces, ...], ...]], ...]
    body: Pieces
    calls: tuple[Pieces, ...]
    reserved: frozenset[str]
    stdin: Pieces = ()


@dataclass
class _Group:
    """A group that is still open."""

    opening: re.Match[str] | None
    options: list[list[Piece]] = field(default_factory=lambda: [[]])

    def piece(self) -> Piece:
        """Close the group and return it as a piece."""
        opening = self.opening
        assert opening is not None
        first = tuple(self.options[0])
        if opening[2]:
            return MakerCall(tuple(opening[2].split("/")), first)
        if opening[3]:
            return TypeHint(first)
        return Alternatives(opening[1] or "", tuple(tuple(option) for option in self.options))


def parse(text: str) -> Pieces:
    """Parse a template text into pieces.

    Raises:
        ValueError: A group is not closed, or closed twice.
    """
    text = _ALONE.sub(r"\1", _WRAPPED.sub("|", text))
    stack = [_Group(None)]
    at = 0
    for token in _TOKEN.finditer(text):
        here = stack[-1].options[-1]
        if token.start() > at:
            here.append(text[at : token.start()])
        at = token.end()
        mark = token[0][0]
        if mark == "«":
            stack.append(_Group(token))
        elif mark == "»":
            if len(stack) == 1:
                raise ValueError(f"unmatched » in template: {text!r}")
            closed = stack.pop().piece()
            stack[-1].options[-1].append(closed)
        elif token[0] == "|" and len(stack) > 1:
            stack[-1].options.append([])
        else:
            here.append(_single(token))
    if len(stack) > 1:
        raise ValueError(f"unclosed « in template: {text!r}")
    if at < len(text):
        stack[0].options[0].append(text[at:])
    return tuple(stack[0].options[0])


def _single(token: re.Match[str]) -> Piece:
    if token[4]:
        return NameHole(token[4])
    if token[5]:
        return hole(token[5])
    return "|"


def hole(text: str) -> TypedHole:
    """Parse a typed hole such as `int`, `ints!$` or `bool $c:char`.

    Raises:
        ValueError: The text is not a hole.
    """
    match = _HOLE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a typed hole: ‹{text}›")
    variables = (part.lstrip("$").partition(":") for part in match[3].split())
    return TypedHole(match[1], match[2], tuple((role, kind) for role, _, kind in variables))


def template(text: str) -> Template:
    """Parse the template of a whole program: head lines (`:names`, `:let`, `:call`, `:stdin`) and the source."""
    names: tuple[str, ...] = ()
    bound: list[tuple[tuple[str, ...], tuple[tuple[Pieces, ...], ...]]] = []
    calls: list[Pieces] = []
    stdin: Pieces = ()
    lines: list[str] = []
    for line in _WRAPPED.sub("|", text).strip("\n").split("\n"):
        word, _, rest = line.partition(" ")
        if word == ":names":
            names = tuple(rest.split())
        elif word == ":let":
            roles, _, options = rest.partition(" ")
            values = (option.split(",") if "," in roles else [option] for option in options.split(" | "))
            bound.append((tuple(roles.split(",")), tuple(tuple(map(parse, option)) for option in values)))
        elif word == ":call":
            calls.append(parse(rest))
        elif word == ":stdin":
            stdin = parse(rest.replace("\\n", "\n"))
        else:
            lines.append(line)
    body = parse("\n".join(lines) + "\n")
    reserved = frozenset(_WORD.findall(" ".join(plain_texts((*body, *(piece for call in calls for piece in call))))))
    names = tuple(name for name in names if name not in reserved)
    return Template(names=names, bound=tuple(bound), body=body, calls=tuple(calls), reserved=reserved, stdin=stdin)


def plain_texts(pieces: Pieces) -> Iterator[str]:
    """Yield the literal texts of pieces at any depth."""
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, Alternatives):
            for option in piece.options:
                yield from plain_texts(option)
        elif isinstance(piece, MakerCall):
            yield from plain_texts(piece.arguments)
        elif isinstance(piece, TypeHint):
            yield from plain_texts(piece.pieces)
