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
    """A role, which one name fills throughout a program; or the number of a macro's argument."""

    role: str


@dataclass(frozen=True)
class Alternatives:
    """One of several; those that share a key are chosen alike."""

    key: str
    options: tuple[Pieces, ...]


@dataclass(frozen=True)
class MakerCall:
    """A call of one of some makers or macros; its arguments are still a template."""

    makers: tuple[str, ...]
    arguments: Pieces


@dataclass(frozen=True)
class TypeHint:
    """What only annotated programs have."""

    pieces: Pieces


@dataclass(frozen=True)
class TypedHole:
    """A hole for an expression: its type, what may stand there, and the variables it is made of, where told."""

    kind: str
    flag: str
    variables: tuple[tuple[str, str], ...] = ()


Piece = str | NameHole | Alternatives | MakerCall | TypeHint | TypedHole
Pieces = tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True)
class Template:
    """One kind of program: names for it, what is bound first, its text, its calls, the words that it uses itself.

    Without a call it is a script. `stdin` is what it reads.
    """

    names: tuple[str, ...]
    bound: tuple[tuple[tuple[str, ...], tuple[tuple[Pieces, ...], ...]], ...]
    body: Pieces
    calls: tuple[Pieces, ...]
    reserved: frozenset[str]
    stdin: Pieces = ()


@dataclass
class _Group:
    """A group that is not closed yet."""

    opening: re.Match[str] | None
    options: list[list[Piece]] = field(default_factory=lambda: [[]])

    def piece(self) -> Piece:
        """The group, closed."""
        opening = self.opening
        assert opening is not None
        first = tuple(self.options[0])
        if opening[2]:
            return MakerCall(tuple(opening[2].split("/")), first)
        if opening[3]:
            return TypeHint(first)
        return Alternatives(opening[1] or "", tuple(tuple(option) for option in self.options))


def parse(text: str) -> Pieces:
    """The pieces of a text."""
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
                raise ValueError(f"a » too many: {text!r}")
            closed = stack.pop().piece()
            stack[-1].options[-1].append(closed)
        elif token[0] == "|" and len(stack) > 1:
            stack[-1].options.append([])
        else:
            here.append(_single(token))
    if len(stack) > 1:
        raise ValueError(f"alternatives are not closed: {text!r}")
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
    """The typed hole that is spelled so: `int`, `ints!$`, `bool $c:char`."""
    match = _HOLE.fullmatch(text)
    if match is None:
        raise ValueError(f"no hole is spelled ‹{text}›")
    variables = (part.lstrip("$").partition(":") for part in match[3].split())
    return TypedHole(match[1], match[2], tuple((role, kind) for role, _, kind in variables))


def template(text: str) -> Template:
    """The template of a whole program: head lines (`:names`, `:let`, `:call`, `:stdin`) and the source."""
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
    reserved = frozenset(
        _WORD.findall(" ".join(plain_texts((*body, *(piece for call in calls for piece in call)))))
    )
    names = tuple(name for name in names if name not in reserved)
    return Template(
        names=names, bound=tuple(bound), body=body, calls=tuple(calls), reserved=reserved, stdin=stdin
    )


def plain_texts(pieces: Pieces) -> Iterator[str]:
    """The literal texts of pieces, however deep."""
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
