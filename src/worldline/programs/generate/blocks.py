"""Compound statements over the variables at hand: while loops that end, try with a fallback, loops under a branch,
functions inside. What they change outlives them, so that later statements can use it.
"""

from __future__ import annotations

from random import Random

from worldline.programs.generate import names, statements
from worldline.programs.generate.expressions import chain, condition, derive, literal, needed
from worldline.programs.generate.loops import loop
from worldline.programs.generate.scope import Scope, Var
from worldline.programs.generate.statements import bare


def _changeable(scope: Scope, *kinds: str) -> Var | None:
    found = [var for var in scope.vars if bare(var.kind) in kinds and not var.fixed]
    return scope.rng.choice(found) if found else None


def _touch(var: Var) -> None:
    var.kind, var.used, var.changed = bare(var.kind), 0, True


def shrink(scope: Scope) -> bool:
    """A while loop that takes a text, a list or a number down."""
    var = _changeable(scope, "str", "ints", "strs", "int", "cnt")
    if var is None:
        return False
    kind = bare(var.kind)
    test, body = _SHRINKS["int" if kind == "cnt" else kind](scope.rng, var.name)
    counts = scope.rng.random() < 0.3
    if counts:
        counter = scope.new("int")
        scope.emit(f"{counter.name} = 0")
    with scope.block(f"while {test}:"):
        scope.emit(body)
        if counts:
            scope.emit(f"{counter.name} += {scope.rng.choice((1, 1, 1, 2))}")
    _touch(var)
    if kind == "cnt":
        var.kind = "int"
    return True


def _shrink_text(rng: Random, s: str) -> tuple[str, str]:
    c = literal(rng, "char", odd=0)
    n = rng.randint(2, 8)
    return rng.choice(
        (
            (f"{s} and {s}[0] != {c}", f"{s} = {s}[1:]"),
            (f"{s} and not {s}[0].isalpha()", f"{s} = {s}[1:]"),
            (f"{s} and {s}[-1].islower()", f"{s} = {s}[:-1]"),
            (f"len({s}) > {n}", f"{s} = {s}[{rng.choice((1, 2, 3))}:]"),
            (f"len({s}) > {n}", f"{s} = {s}[1:-1]"),
            (f"len({s}) < {n + 4}", f"{s} += {c}"),
            (f"len({s}) < {n}", f"{s} = {c} + {s}"),
            (f"{s}.startswith({c})", f"{s} = {s}.removeprefix({c})"),
            (f"{c} in {s}", f"{s} = {s}.replace({c}, '', 1)"),
            (f"'  ' in {s}", f"{s} = {s}.replace('  ', ' ')"),
            (f"{s}[:1].isupper()", f"{s} = {s}[1:]"),
        )
    )


def _shrink_list(rng: Random, xs: str) -> tuple[str, str]:
    n = rng.randint(1, 4)
    return rng.choice(
        (
            (f"len({xs}) > {n}", f"{xs}.pop({rng.choice(('', '0', '-1', '1'))})"),
            (f"{xs} and {xs}[0] != {xs}[-1]", f"{xs}.pop({rng.choice(('', '0'))})"),
            (f"len({xs}) > {n} and {xs}[0] <= {xs}[1]", f"{xs} = {xs}[1:]"),
            (f"{xs} and len({xs}) < {n + 2}", f"{xs} += {xs}[:1]"),
            (f"len({xs}) > {n}", f"del {xs}[{rng.choice(('0', '-1', ':2', '1'))}]"),
            (f"len({xs}) > {n}", f"{xs} = {xs}[::{rng.choice((2, 2, 3))}]"),
        )
    )


def _shrink_number(rng: Random, n: str) -> tuple[str, str]:
    bound = rng.choice((0, 1, 5, 10, 20))
    return rng.choice(
        (
            (f"{n} > {bound}", f"{n} //= {rng.choice((2, 2, 3, 10))}"),
            (f"{n} > {bound} and {n} % 2 == 0", f"{n} //= 2"),
            (f"{n} >= 10", f"{n} = sum(int(d) for d in str({n}))"),
            (f"0 < {n} < 100", f"{n} *= {rng.choice((2, 3, 5))}"),
            (f"{n} > {bound}", f"{n} = {n} // 2 - 1"),
            (f"0 <= {n} < 12", f"{n} += {rng.choice((2, 3, 4))}"),
        )
    )


_SHRINKS = {"str": _shrink_text, "ints": _shrink_list, "strs": _shrink_list, "int": _shrink_number}


def walk(scope: Scope) -> bool:
    """A while loop with an index over a text or list."""
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
    element = Var(f"{seq}[{i}]", "char" if out.kind == "str" else "int")
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


def attempt(scope: Scope) -> bool:
    """try, a step that may fail, and what to do then."""
    rng = scope.rng
    text, error, kind = risk(scope)
    if not text:
        return False
    var = scope.new(kind)
    caught = rng.choice((error, error, error, f"({error}, TypeError)", "Exception"))
    with scope.block("try:"):
        scope.emit(f"{var.name} = {text}")
    with scope.block(f"except {caught}:"):
        scope.emit(
            f"{var.name} = {literal(rng, kind)}" if rng.random() < 0.75 else f"return {literal(rng, 'str')}"
        )
    roll = rng.random()
    if roll < 0.15:
        with scope.block("else:"):
            scope.emit(f"print({var.name})")
    elif roll < 0.27:
        with scope.block("finally:"):
            scope.emit(f"print({literal(rng, 'str')})")
    return True


def risk(scope: Scope) -> tuple[str, str, str]:
    """An expression that may fail, the exception then, and its type otherwise; empty where nothing fits."""
    rng = scope.rng
    scope.busy = []
    var = scope.weigh(scope.vars)
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
                (f"{name}.index({literal(rng, 'char')})", "ValueError", "int"),
                (f"{name}.split({literal(rng, 'sep')})[{rng.randint(1, 2)}]", "IndexError", "str"),
                (f"float({name})", "ValueError", "float"),
            )
        )
    if kind == "counts":
        return f"{name}[{needed(scope, 'str', 0)[0]}]", "KeyError", "int"
    if kind in ("int", "cnt", "pos"):
        return f"{rng.choice((10, 60, 100))} // ({name} - {rng.randint(0, 9)})", "ZeroDivisionError", "int"
    return "", "", ""


def either(scope: Scope) -> bool:
    """A loop under an if, and its accumulator set otherwise."""
    rng = scope.rng
    sized = [var for var in scope.vars if bare(var.kind) in statements.ELEMENTS]
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


def inner(scope: Scope) -> bool:
    """A function inside the function, or a lambda, and its use."""
    rng = scope.rng
    var = scope.weigh(
        [item for item in scope.vars if bare(item.kind) in ("int", "str", "ints", "strs")] or scope.vars
    )
    x = names.fresh(rng, var.kind, scope.taken)
    made = None
    param = Var(x, var.kind)
    outer, scope.vars = scope.vars, [param, *scope.vars]
    scope.busy = []
    made = derive(scope, rng.choice(("int", "str", "ints", "strs")), 1, start=param)
    scope.vars = outer
    if made is None:
        return False
    name = names.function(rng, scope.taken, helper=True)
    if rng.random() < 0.4:
        scope.emit(f"{name} = lambda {x}: {made[0]}")
    else:
        with scope.block(f"def {name}({x}):"):
            scope.emit(f"return {made[0]}")
        scope.emit("")
    result = scope.new(made[1])
    argument = chain(scope, var, 0)[0]
    scope.emit(f"{result.name} = {name}({argument})")
    return True
