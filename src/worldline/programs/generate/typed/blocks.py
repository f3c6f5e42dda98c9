"""Compound statements over the variables in scope: while loops that end, try, loops in branches, nested functions.

Later statements can use the variables that they change.
"""

from __future__ import annotations

from functools import cache

from worldline.programs.generate.kinds import ELEMENTS, bare
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.language.expansion import expand
from worldline.programs.generate.language.library import lines
from worldline.programs.generate.language.template import Pieces, parse
from worldline.programs.generate.language.vocabulary import PARAMETER, role_of
from worldline.programs.generate.typed.expressions import chain, condition, derive, needed
from worldline.programs.generate.typed.loops import loop
from worldline.programs.generate.values.literals import literal

_SHRINKS = {"str": "text", "ints": "list", "strs": "list", "int": "number", "cnt": "number"}


def _changeable(scope: Construction, *kinds: str) -> Variable | None:
    variables = [var for var in scope.variables if bare(var.kind) in kinds and not var.fixed]
    return scope.rng.choice(variables) if variables else None


def _touch(var: Variable) -> None:
    var.kind, var.used, var.changed = bare(var.kind), 0, True


def shrink(scope: Construction) -> bool:
    """Write a while loop that shrinks a text, a list or a number."""
    var = _changeable(scope, "str", "ints", "strs", "int", "cnt")
    if var is None:
        return False
    kind = bare(var.kind)
    test, step = scope.rng.choice(_shrinks(_SHRINKS[kind]))
    scope.names["it"] = var.name
    scope.places.clear()
    counts = scope.rng.random() < 0.3
    if counts:
        counter = scope.new("int")
        scope.emit(f"{counter.name} = 0")
    with scope.block(f"while {expand(test, scope)}:"):
        scope.emit(expand(step, scope))
        if counts:
            scope.emit(f"{counter.name} += {scope.rng.choice((1, 1, 1, 2))}")
    _touch(var)
    if kind == "cnt":
        var.kind = "int"
    return True


@cache
def _shrinks(kind: str) -> tuple[tuple[Pieces, Pieces], ...]:
    """Return the tests and steps of terminating loops over a variable of the type."""
    pairs = (line.split("  ->  ") for line in lines(f"statements/shrinking_{kind}"))
    return tuple((parse(test), parse(step)) for test, step in pairs)


def walk(scope: Construction) -> bool:
    """Write a while loop with an index over a text or list."""
    rng = scope.rng
    over = scope.pick("str", again=True) or scope.pick("ints", again=True)
    if over is None:
        return False
    seq = scope.read(over)
    out = scope.new("str" if bare(over.kind) in ("str", "char", "sub", "sep") else "ints")
    scope.emit(f"{out.name} = {'[]' if out.kind == 'ints' else repr('')}")
    i = rng.choice([name for name in ("i", "j", "pos", "idx", "at") if name not in scope.taken] or ["index_"])
    scope.taken.add(i)
    scope.emit(f"{i} = {rng.choice(('0', '0', '0', '1'))}")
    element = Variable(f"{seq}[{i}]", "char" if out.kind == "str" else "int")
    add = f"{out.name} += {element.name}" if out.kind == "str" else f"{out.name}.append({element.name})"
    with scope.block(f"while {i} < len({seq}):"):
        shape = rng.random()
        if shape < 0.4:
            with scope.block(f"if {condition(scope, start=element, depth=0)}:"):
                scope.emit(add)
            scope.emit(f"{i} += {rng.choice((1, 1, 2))}")
        elif shape < 0.7:
            with scope.block(f"if {condition(scope, start=element, depth=0)}:"):
                scope.emit(f"{i} += {rng.choice((2, 2, 3))}")
                scope.emit("continue")
            scope.emit(add)
            scope.emit(f"{i} += 1")
        else:
            scope.emit(add)
            scope.emit(f"{i} += {rng.choice((1, 2, 2, 3))}")
    out.used = 0
    return True


def attempt(scope: Construction) -> bool:
    """Write a try statement: a step that may fail, and its fallback."""
    rng = scope.rng
    text, error, kind = risk(scope)
    if not text:
        return False
    var = scope.new(kind)
    caught = rng.choice((error, error, error, f"({error}, TypeError)", "Exception"))
    with scope.block("try:"):
        scope.emit(f"{var.name} = {text}")
    with scope.block(f"except {caught}:"):
        scope.emit(f"{var.name} = {literal(scope, kind)}" if rng.random() < 0.75 else f"return {literal(scope, 'str')}")
    roll = rng.random()
    if roll < 0.15:
        with scope.block("else:"):
            scope.emit(f"print({var.name})")
    elif roll < 0.27:
        with scope.block("finally:"):
            scope.emit(f"print({literal(scope, 'str')})")
    return True


def risk(scope: Construction) -> tuple[str, str, str]:
    """Return an expression that may fail, the exception it raises, and its type; empty if nothing fits."""
    rng = scope.rng
    scope.busy = []
    var = scope.weigh(scope.variables)
    name, kind = scope.read(var), bare(var.kind)
    if kind in ("ints", "tup"):
        return rng.choice(
            (
                (f"{name}[{rng.randint(0, 6)}]", "IndexError", "int"),
                (f"{name}.index({needed(scope, 'int', 0)[0]})", "ValueError", "int"),
            )
        )
    if kind == "strs":
        return f"{name}[{rng.randint(0, 5)}]", "IndexError", "str"
    if kind == "str":
        return rng.choice(
            (
                (f"int({name})", "ValueError", "int"),
                (f"{name}[{rng.randint(0, 12)}]", "IndexError", "str"),
                (f"{name}.index({literal(scope, 'char')})", "ValueError", "int"),
                (f"{name}.split({literal(scope, 'sep')})[{rng.randint(1, 2)}]", "IndexError", "str"),
                (f"float({name})", "ValueError", "float"),
            )
        )
    if kind == "counts":
        return f"{name}[{needed(scope, 'str', 0)[0]}]", "KeyError", "int"
    if kind in ("int", "cnt", "pos"):
        return f"{rng.choice((10, 60, 100))} // ({name} - {rng.randint(0, 9)})", "ZeroDivisionError", "int"
    return "", "", ""


def either(scope: Construction) -> bool:
    """Write a loop inside an if."""
    rng = scope.rng
    sized = [var for var in scope.variables if bare(var.kind) in ELEMENTS]
    if not sized:
        return False
    with scope.block(f"if {condition(scope)}:"):
        acc = loop(scope, nested=False)
        if acc is None:
            scope.emit("return None")
            return True
        if rng.random() < 0.6:
            scope.emit(f"return {acc.name}")
    return True


def inner(scope: Construction) -> bool:
    """Write a nested function or a lambda, and use it."""
    rng = scope.rng
    var = scope.weigh(
        [item for item in scope.variables if bare(item.kind) in ("int", "str", "ints", "strs")] or scope.variables
    )
    x = scope.fresh(role_of(var.kind, use=PARAMETER))
    expression = None
    param = Variable(x, var.kind)
    outer, scope.variables = scope.variables, [param, *scope.variables]
    scope.busy = []
    expression = derive(scope, rng.choice(("int", "str", "ints", "strs")), 1, start=param)
    scope.variables = outer
    if expression is None:
        return False
    name = scope.function(helper=True)
    if rng.random() < 0.4:
        scope.emit(f"{name} = lambda {x}: {expression[0]}")
    else:
        with scope.block(f"def {name}({x}):"):
            scope.emit(f"return {expression[0]}")
        scope.emit("")
    result = scope.new(expression[1])
    argument = chain(scope, var, 0)[0]
    scope.emit(f"{result.name} = {name}({argument})")
    return True
