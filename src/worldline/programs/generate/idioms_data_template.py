"""A small template language for natural functions: text with names, values and alternatives left open.

    :f running_totals accumulate      what the function may be called, when it is not just `f`
    :let op + ~ *                     `$op` is one of these, the same everywhere (`a,b 1;2 ~ 3;4` binds two at once)
    $nums                             a natural name for that role, the same everywhere, different from every other name
    #ints(2,6)                        a value or an expression made on the spot (`idioms_data_values`)
    <:a~b:>                           one of the alternatives; markers alone on their lines hold whole lines,
                                      and after `~` a line may go on below a backslash
    ^: List[int]^                     kept only where the program is annotated
    :call $f(#ints)                   the call; one of them is chosen

Templates are parsed once. What makes the values and the names lives elsewhere; nothing here knows Python.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worldline.programs.generate.idioms_data_names import SPANS, tied
from worldline.programs.generate.library import pools

_TOKEN = re.compile(r"<:|:>|~|\$[a-zA-Z]+\d*|#[a-z_]+(?:\([^()]*\))?|\^[^^\n]+\^")
_ALONE = re.compile(r"^[ ]*(<:|~|:>)[ ]*\n", re.MULTILINE)
_WRAPPED = re.compile(r"~\\\n *")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Name:
    """A role that is bound to one name in the whole program."""

    role: str


@dataclass(frozen=True)
class Value:
    """A call of a value maker, its arguments still unrendered."""

    maker: str
    arguments: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True)
class Note:
    """An annotation."""

    text: str


@dataclass(frozen=True)
class Choice:
    """Alternatives, of which one is rendered."""

    options: tuple[tuple[Part, ...], ...]


Part = str | Name | Value | Note | Choice


@dataclass(frozen=True, kw_only=True)
class Template:
    """A parsed template: one kind of program."""

    names: tuple[str, ...]
    lets: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...]
    body: tuple[Part, ...]
    calls: tuple[tuple[Part, ...], ...]
    reserved: frozenset[str]


@dataclass
class Scope:
    """What one rendering has decided so far."""

    rng: random.Random
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    last: object = None
    annotated: bool = False
    span: tuple[int, int] = (0, 9)

    def name(self, role: str) -> str:
        """The name bound to `role`, bound now if it is not yet."""
        found = self.names.get(role)
        if found is None:
            found = self.names[role] = self.fresh(role.rstrip("0123456789"))
        return found

    def fresh(self, role: str) -> str:
        """A name of the role's pool that nothing in this program has yet."""
        pool = pools("vocabulary/data_names")[role]
        for other, partners in tied().get(role, {}).items():
            pool = partners.get(self.names.get(other, ""), pool)
        name = self.rng.choice(pool)
        for _ in range(12):
            if name not in self.taken:
                break
            name = self.rng.choice(pools("vocabulary/data_names")[role])
        stem, count = name, 1
        while name in self.taken:
            count += 1
            name = f"{stem}{count}"
        self.taken.add(name)
        return name


Maker = Callable[[Scope, list[str]], str]


def parse(text: str) -> Template:
    """The template that `text` spells."""
    names: tuple[str, ...] = ()
    lets: list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = []
    calls: list[tuple[Part, ...]] = []
    lines: list[str] = []
    for line in _WRAPPED.sub("~", text).strip("\n").split("\n"):
        word, _, rest = line.partition(" ")
        if word == ":f":
            names = tuple(rest.split())
        elif word == ":let":
            roles, _, options = rest.partition(" ")
            values = tuple(tuple(o.split(";")) if "," in roles else (o,) for o in options.split(" ~ "))
            lets.append((tuple(roles.split(",")), values))
        elif word == ":call":
            calls.append(parts(rest))
        else:
            lines.append(line)
    body = "\n".join(lines) + "\n"
    reserved = frozenset(_WORD.findall(re.sub(r"\$\w+|#[a-z_]+", "", text)))
    names = tuple(name for name in names if not re.search(rf"\b{name}\b", body))
    return Template(names=names, lets=tuple(lets), body=parts(body), calls=tuple(calls), reserved=reserved)


def parts(text: str) -> tuple[Part, ...]:
    """Text cut into literal pieces and open ones."""
    text = _WRAPPED.sub("~", text)
    text = _ALONE.sub(lambda match: match[1], text)
    stack: list[list[list[Part]]] = [[[]]]
    at = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        here = stack[-1]
        if match.start() > at:
            here[-1].append(text[at : match.start()])
        at = match.end()
        if token == "<:":
            stack.append([[]])
        elif token == ":>":
            options = stack.pop()
            stack[-1][-1].append(Choice(tuple(tuple(option) for option in options)))
        elif token == "~" and len(stack) > 1:
            here.append([])
        else:
            here[-1].append(_piece(token))
    if at < len(text):
        stack[-1][-1].append(text[at:])
    if len(stack) != 1:
        raise ValueError(f"alternatives are not closed: {text!r}")
    return tuple(stack[0][0])


def _piece(token: str) -> Part:
    if token[0] == "$":
        return Name(token[1:])
    if token[0] == "#":
        maker, _, rest = token[1:].partition("(")
        inner = rest[:-1]
        return Value(maker, tuple(parts(piece) for piece in inner.split(",")) if inner else ())
    if token[0] == "^":
        return Note(token[1:-1])
    return token


def render(pieces: tuple[Part, ...], scope: Scope, makers: Mapping[str, Maker]) -> str:
    """The text of `pieces`, every open one decided."""
    out: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Name):
            out.append(scope.name(piece.role))
        elif isinstance(piece, Choice):
            out.append(render(scope.rng.choice(piece.options), scope, makers))
        elif isinstance(piece, Value):
            arguments = [render(argument, scope, makers).strip() for argument in piece.arguments]
            out.append(makers[piece.maker](scope, arguments))
        elif scope.annotated:
            out.append(piece.text)
    return "".join(out)


def fill(template: Template, rng: random.Random, makers: Mapping[str, Maker]) -> tuple[str, str]:
    """Source and call of one program of this template; its function is plainly `f` half of the time."""
    scope = Scope(
        rng, taken=set(template.reserved) | {"f"}, annotated=rng.random() < 0.3, span=rng.choice(SPANS)
    )
    scope.names["f"] = "f" if not template.names or rng.random() < 0.5 else rng.choice(template.names)
    scope.taken.add(scope.names["f"])
    for roles, options in template.lets:
        for role, text in zip(roles, rng.choice(options), strict=True):
            scope.names[role] = render(parts(text), scope, makers)
    source = render(template.body, scope, makers)
    return source, render(rng.choice(template.calls), scope, makers)
