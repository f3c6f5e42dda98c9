"""Typed expressions: chains of operations from a variable, values of a required type, conditions, literals.

Text is built directly; tracked precedence avoids needless parentheses. Statements are written elsewhere.
"""

from __future__ import annotations

import re
from functools import cache

from worldline.programs.generate.kinds import ASIDE, USES
from worldline.programs.generate.language import library
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.typed.catalogue import PRIMARY, Production, ProductionIndex, entries
from worldline.programs.generate.values.literals import literal

_TABLES = ("text", "pieces", "bytes", "formats", "lists", "strs", "nested", "people", "dicts", "sets", "numbers")


@cache
def index() -> ProductionIndex:
    """Return all operations that make a value, indexed by operand and result type."""
    productions = [entry for table in _TABLES for entry in entries(library.text(f"operations/{table}"))]
    return ProductionIndex([*productions, *entries(library.text("operations/characters"), chars=True)])


# Two of one family in a row say nothing: `.upper().lower()`, `sorted(sorted(...))`.
_FAMILIES = (
    (".upper(", ".lower(", ".title(", ".capitalize(", ".swapcase(", ".casefold("),
    ("sorted(", "reversed(", "[::-1]", "list("),
    ("strip(",),
    ("just(", "center(", "zfill("),
    ("set(",),
    ("abs(",),
    ("str(", "repr(", "format", "f'", "%"),
    ("tuple(",),
    (".copy()",),
    ("bool(", "not "),
    ("int(", "round("),
    (" for ",),
)
# What the order of its argument does not matter to.
_ORDERLESS = ("max(", "min(", "sum(", "len(", "set(", "all(", "any(", " in ", " not in ")
# Nobody writes `x in {12: 'brown'}` or `ok and True`.
_NEVER_LITERAL = frozenset(("people", "lists", "groups", "counts", "names", "table", "pairs", "bool", "bytes"))

TypedExpression = tuple[str, str, int]  # text, type, precedence


def wrap(text: str, level: int, need: int) -> str:
    """Return the text, in parentheses if its precedence is lower than needed."""
    return text if level >= need else f"({text})"


def argument(scope: Construction, kind: str, need: int, depth: int) -> str | None:
    """Draw a value for a slot other than the main one: a variable, a literal, or rarely a deeper expression."""
    rng = scope.rng
    roll = rng.random()
    if kind not in USES:
        return literal(scope, kind)
    bulky = kind.rstrip("!") in _NEVER_LITERAL
    if roll < 0.6 or bulky:
        var = scope.pick(kind)
        if var is not None:
            return scope.read(var)
    if depth > 0 and (roll > 0.78 or bulky):
        expression = derive(scope, kind, depth - 1)
        if expression is not None:
            return wrap(expression[0], expression[2], need)
    if bulky:
        return None
    text = literal(scope, kind)
    if text == "0" and need != 6:
        text = "1"  # nobody adds 0, or multiplies by 1
    if text == "1" and need == 11 and kind == "small":
        text = "2"
    return f"({text})" if text[0] == "-" and need > 12 else text


def apply(scope: Construction, entry: Production, first: TypedExpression, depth: int) -> TypedExpression | None:
    """Apply a production with `first` in its main slot; None if a slot that needs a variable has none."""
    text, _, level = first
    main = entry.slots[entry.main]
    if main.only == "$" and not text.isidentifier():
        return None
    variants = entry.variants
    pieces, bound = variants[0] if len(variants) == 1 else scope.rng.choice(variants)
    if bound and (bound & scope.hidden or bound.intersection(scope.busy)):
        return None
    outer = scope.hidden
    scope.hidden = outer | bound
    parts = [pieces[0]]
    for slot, after in zip(entry.slots, pieces[1:], strict=True):
        operand: str | None
        if slot is main:
            operand = wrap(text, level, main.need)
        elif slot.only == "=":
            operand = text
        elif slot.only == "#":
            operand = literal(scope, slot.kind)
        elif slot.only == "$":
            operand = _variable(scope, slot.kind, inside=pieces[0])
        else:
            operand = argument(scope, slot.kind, slot.need, depth)
        if operand is None:
            scope.hidden = outer
            return None
        parts += [operand, after]
    scope.hidden = outer
    return "".join(parts), entry.result, entry.level


def _variable(scope: Construction, kind: str, *, inside: str) -> str | None:
    """Choose a variable for a slot; inside an f-string, `p['age']` uses the other quote."""
    var = scope.pick(kind)
    if var is None:
        return None
    name = scope.read(var)
    return name.replace("'", '"') if inside.startswith("f'") else name


@cache
def _relatives(own: str) -> tuple[str, ...]:
    """Return the marks of texts made by an operation of the same family."""
    return tuple(mark for family in _FAMILIES if any(sign in own for sign in family) for mark in family)


def _silly(entry: Production, text: str) -> bool:
    own = entry.own
    ordered = text.startswith(("sorted(", "list(")) or text.endswith("[::-1]")
    if ordered and own.startswith(_ORDERLESS):
        return True
    return any(mark in text for mark in _relatives(own))


def step(
    scope: Construction, first: TypedExpression, depth: int, *, to: str | None = None, more: bool = False
) -> TypedExpression | None:
    """Apply one operation to an expression.

    Args:
        scope: The program under construction.
        first: The operand.
        depth: How deep arguments may nest.
        to: The required result type; any by default.
        more: Whether another operation must be able to follow.

    Returns:
        The new expression, or None if no operation fits.
    """
    productions, weights = index().by_first(first[1]) if to is None else index().links(first[1], to)
    if not productions:
        return None
    for _ in range(4):
        entry = scope.rng.choices(productions, cum_weights=weights)[0]
        if _silly(entry, first[0]) or (scope.lean and entry.grows) or (more and entry.last):
            continue
        if to is None and entry.result == "bool" and scope.rng.random() < 0.75:
            continue  # a truth value is where a chain ends
        expression = apply(scope, entry, first, depth)
        if expression is not None and len(expression[0]) < 90:
            return expression
    return None


def of(scope: Construction, var: Variable) -> TypedExpression:
    """Return the variable as an expression."""
    return scope.read(var), var.kind, PRIMARY


def chain(scope: Construction, var: Variable, steps: int, depth: int = 1) -> TypedExpression:
    """Apply `steps` operations in a row, starting from the variable."""
    scope.busy = []
    expression = of(scope, var)
    for i in range(steps):
        further = step(scope, expression, depth, more=i < steps - 1)
        if further is None:
            break
        expression = further
    return expression


def derive(scope: Construction, to: str, depth: int = 1, *, start: Variable | None = None) -> TypedExpression | None:
    """Make a value of type `to` from a variable (`start`, or any) by one or two operations; None if that fails."""
    rng = scope.rng
    shut = scope.hidden.union(scope.busy)
    free = [var for var in scope.variables if shut.isdisjoint(var.words)]
    for _ in range(4):
        if start is None and not free:
            return None
        var = start or scope.weigh([item for item in free if item.kind not in ASIDE] or free)
        busy_before = list(scope.busy)
        expression: TypedExpression | None = of(scope, var)
        if depth > 0 and rng.random() < 0.3 and expression is not None:
            expression = step(scope, expression, depth - 1, more=True) or expression
        expression = step(scope, expression, depth - 1, to=to) if expression else None
        if expression is not None:
            return expression
        var.used -= 1
        scope.busy = busy_before
    return None


def alike(test: str) -> str:
    """Return the test without the names bound inside it, so that equivalent tests compare equal."""
    for name in re.findall(r" for (\w+) in", test):
        test = re.sub(rf"\b{name}\b", "_", test)
    return test


def condition(scope: Construction, *, start: Variable | None = None, depth: int = 1) -> str:
    """Make a boolean expression from a variable."""
    scope.busy = []
    test = derive(scope, "bool", depth, start=start)
    if test is None:
        var = start or scope.weigh(scope.variables)
        return scope.read(var)
    if scope.rng.random() < 0.12:
        second = derive(scope, "bool", 0)
        if second is not None:
            word = scope.rng.choice(("and", "or"))
            return f"{wrap(test[0], test[2], 4)} {word} {wrap(second[0], second[2], 4)}"
    return test[0]


def needed(scope: Construction, kind: str, depth: int = 1) -> TypedExpression:
    """Make a value of the type: an operation on a variable, a variable, or a literal."""
    scope.busy = []
    if scope.rng.random() < 0.75:
        expression = derive(scope, kind, depth)
        if expression is not None:
            return expression
    var = scope.pick(kind)
    if var is not None:
        return of(scope, var)
    return literal(scope, kind), kind, PRIMARY
