"""Expands templates: fills every hole of the pieces and returns a text or a program.

A `Construction` holds what the program has decided; values come from `values`, expressions from
`typed.expressions`, macros from `templates/macros`. Layout is not decided here.
"""

from __future__ import annotations

from functools import cache
from random import Random

from worldline.core.program import Program
from worldline.programs.generate import values
from worldline.programs.generate.language import library, vocabulary
from worldline.programs.generate.language.construction import SPANS, Construction, Variable
from worldline.programs.generate.language.template import (
    Alternatives,
    MakerCall,
    NameHole,
    Piece,
    Pieces,
    Template,
    TypedHole,
    parse,
    template,
)
from worldline.programs.generate.typed.expressions import derive
from worldline.programs.generate.values.literals import literal
from worldline.programs.generate.values.spelling import spell

_MACRO_FILES = ("chars", "words", "texts", "numbers")
_OPERAND = 11  # the precedence that a derived expression has, or gets by parentheses


@cache
def _macros() -> dict[str, Pieces]:
    macros = {}
    for name in _MACRO_FILES:
        for block in library.blocks(f"macros/{name}"):
            head, _, body = block.partition("\n")
            macros[head.removeprefix(":macro ")] = parse(body)
    return macros


@cache
def templates(name: str) -> tuple[Template, ...]:
    """Return the program templates of a file."""
    return tuple(map(template, library.blocks(name)))


def expand(pieces: Pieces, scope: Construction, arguments: tuple[str, ...] = ()) -> str:
    """Return the text of the pieces with their holes filled.

    Args:
        pieces: The parsed template.
        scope: The program under construction.
        arguments: Arguments of the macro that the pieces belong to.
    """
    out: list[str] = []
    names = scope.names
    for piece in pieces:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, NameHole) and piece.role in names:
            out.append(names[piece.role])
        else:
            out.append(_fill(piece, scope, arguments))
    return "".join(out)


def _fill(piece: Piece, scope: Construction, arguments: tuple[str, ...]) -> str:
    if isinstance(piece, NameHole):
        role = piece.role
        return arguments[int(role) - 1] if role.isdigit() else scope.name(role)
    if isinstance(piece, Alternatives):
        return expand(_chosen(piece, scope), scope, arguments)
    if isinstance(piece, MakerCall):
        return _made(piece, scope, arguments)
    if isinstance(piece, TypedHole):
        return _typed(piece, scope)
    assert not isinstance(piece, str)
    return expand(piece.pieces, scope, arguments) if scope.annotated else ""


def _chosen(piece: Alternatives, scope: Construction) -> Pieces:
    place = int(scope.rng.random() * len(piece.options))
    return piece.options[scope.places.setdefault(piece.key, place) if piece.key else place]


def _made(piece: MakerCall, scope: Construction, arguments: tuple[str, ...]) -> str:
    """Return the spelled value of a maker, or the text of a macro."""
    makers = piece.makers
    maker = makers[0] if len(makers) == 1 else scope.rng.choice(makers)
    text = expand(piece.arguments, scope, arguments) if piece.arguments else ""
    macro = _macros().get(maker)
    if macro is not None:
        return expand(macro, scope, tuple(part.strip() for part in text.split(" ; ")))
    value = values.make(scope, maker, text.split())
    if scope.passing:
        scope.passed_values.append(value)
    if type(value) is int and (text or maker == "num"):
        return str(value)  # it may stand inside a text
    return spell(scope.rng, value, odd=scope.odd)


def _typed(piece: TypedHole, scope: Construction) -> str:
    """Return a variable of the type, a literal, or an expression over the variables that the hole names."""
    if piece.variables:
        return _derived(piece, scope)
    if piece.flag != "#" and scope.variables and scope.rng.random() < 0.85:
        variable = scope.pick(piece.kind, again=True)
        if variable is not None:
            return scope.read(variable)
    return literal(scope, piece.kind, odd=scope.odd)


def _derived(piece: TypedHole, scope: Construction) -> str:
    inner = Construction(scope.rng, lean=True)
    inner.variables = [Variable(scope.name(role), kind) for role, kind in piece.variables]
    expression = derive(inner, piece.kind, 1, start=inner.variables[0]) or derive(inner, piece.kind, 1)
    if expression is None:
        # A fault of the template, met by tests.
        raise ValueError(f"cannot derive a {piece.kind} from {piece.variables}")
    return expression[0] if expression[2] >= _OPERAND or piece.kind == "bool" else f"({expression[0]})"


def begin(rng: Random, reserved: frozenset[str] = frozenset(), names: tuple[str, ...] = ()) -> Construction:
    """Start a construction and name its function: `f` half of the time, else a name that suits."""
    scope = Construction(
        rng, taken={*reserved, "f"}, strange=0.015, annotated=rng.random() < 0.3, span=rng.choice(SPANS)
    )
    name = "f" if rng.random() < 0.5 else rng.choice(names or vocabulary.pool("function"))
    scope.names["f"] = "f" if name in reserved else name
    scope.taken.add(name)
    return scope


def fill(template: Template, rng: Random, *, odd: float | None = None) -> Program:
    """Expand a template into a program.

    The bound roles come first, then the call, then the source, which may use the call's values.

    Args:
        template: The template.
        rng: Source of randomness.
        odd: How often a value has a less common spelling; by default the construction's own rate.
    """
    scope = begin(rng, template.reserved, template.names)
    scope.odd = scope.odd if odd is None else odd
    for roles, options in template.bound:
        for role, pieces in zip(roles, rng.choice(options), strict=True):
            scope.names[role] = expand(pieces, scope)
    scope.passing = True
    call = expand(rng.choice(template.calls), scope) if template.calls else None
    scope.passing = False
    return Program(source=expand(template.body, scope), call=call, stdin=expand(template.stdin, scope))
