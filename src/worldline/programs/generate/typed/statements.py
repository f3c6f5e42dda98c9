"""Simple statements and branches over them: assignments, in-place changes, if, assert, del.

Each function writes into the scope and returns whether it could. Loops are in `loops`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from worldline.programs.generate.kinds import ANNOTATIONS, ASIDE, ELEMENTS, bare
from worldline.programs.generate.language import library
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.language.vocabulary import LOCAL, role_of
from worldline.programs.generate.typed.catalogue import ProductionIndex, entries
from worldline.programs.generate.typed.expressions import alike, apply, chain, condition, derive, needed, of, wrap
from worldline.programs.generate.values.literals import literal

StatementMaker = Callable[[Construction], bool]


@cache
def _changes() -> ProductionIndex:
    return ProductionIndex(entries(library.text("operations/changes")))


def source(scope: Construction) -> Variable:
    """Choose a variable to continue from, preferring unread ones."""
    main = [var for var in scope.variables if var.kind not in ASIDE] or scope.variables
    waiting = [var for var in main if not var.used]
    if waiting and scope.rng.random() < 0.85:
        return scope.rng.choice(waiting)
    return scope.weigh(main)


def assign(scope: Construction) -> bool:
    """Write `new = operations on a variable`."""
    rng = scope.rng
    expression = chain(scope, source(scope), rng.choice((1, 1, 1, 1, 2, 2, 3)))
    if expression[0].isidentifier():
        return False
    var = scope.new(expression[1])
    kind = ANNOTATIONS.get(bare(expression[1]))
    note = f": {kind}" if kind and rng.random() < 0.03 else ""
    scope.emit(f"{var.name}{note} = {expression[0]}")
    return True


def change(scope: Construction, *, var: Variable | None = None) -> bool:
    """Write a method or operator that changes a variable in place."""
    rng = scope.rng
    variables = [item for item in scope.variables if not item.fixed and _changes().by_first(item.kind)[0]]
    if var is None and not variables:
        return False
    var = var or rng.choice(variables)
    choices, weights = _changes().by_first(var.kind)
    for _ in range(4):
        entry = rng.choices(choices, cum_weights=weights)[0]
        if scope.lean and (entry.grows or "*= " in entry.own):
            continue
        scope.busy = []
        statement = apply(scope, entry, of(scope, var), 1)
        if statement is None:
            continue
        scope.emit(statement[0])
        if bare(var.kind) in ELEMENTS and statement[1] != "same":
            var.kind = bare(var.kind) + ("!" if statement[1] == "more" and scope.depth == 1 else "")
        elif var.kind in ("cnt", "small", "pos", "idx"):
            var.kind = "int"
        elif var.kind in ("char", "sub", "sep"):
            var.kind = "str"
        var.used, var.changed = 0, True
        return True
    return False


def remove(scope: Construction) -> bool:
    """Write `if x in xs: xs.remove(x)`."""
    rng = scope.rng
    variables = [var for var in scope.variables if bare(var.kind) in ("ints", "strs", "iset") and not var.fixed]
    if not variables:
        return False
    var = rng.choice(variables)
    kind = ELEMENTS[bare(var.kind)]
    scope.busy = [var.name]
    other = scope.pick(kind)
    item = scope.read(other) if other else literal(scope, kind)
    word = rng.choice(("if", "if", "while")) if bare(var.kind) != "iset" else "if"
    with scope.block(f"{word} {item} in {scope.read(var)}:"):
        scope.emit(f"{var.name}.remove({item})")
    var.kind, var.used, var.changed = bare(var.kind), 0, True
    return True


def pair(scope: Construction) -> bool:
    """Write several targets: two values at once, a partition, or starred targets."""
    rng = scope.rng
    roll = rng.random()
    if roll < 0.35:
        first, second = chain(scope, source(scope), 1), chain(scope, source(scope), 1)
        if first[0].isidentifier() or second[0].isidentifier():
            return False
        a, b = scope.new(first[1]), scope.new(second[1])
        scope.emit(f"{a.name}, {b.name} = {first[0]}, {second[0]}")
        return True
    if roll < 0.55:
        var = scope.pick("str", again=True)
        if var is None:
            return False
        scope.busy = []
        a, middle, b = scope.new("str"), rng.choice(("_", "sep_", "mid")), scope.new("str")
        scope.emit(
            f"{a.name}, {middle}, {b.name} = {scope.read(var)}.{rng.choice(('partition', 'rpartition'))}"
            f"({literal(scope, 'sep')})"
        )
        return True
    return _starred(scope)


def _starred(scope: Construction) -> bool:
    rng = scope.rng
    variables = [var for var in scope.variables if var.kind in ("ints!", "strs!", "str!", "tup!")]
    if not variables:
        return False
    var = rng.choice(variables)
    kind = ELEMENTS[bare(var.kind)]
    rest = {"int": "ints", "str": "strs", "char": "strs"}[kind]
    name = scope.read(var)
    first = scope.new(kind)
    many = scope.new(rest, name=scope.fresh(role_of(rest, use=LOCAL)))
    roll = rng.random()
    if roll < 0.5:
        scope.emit(f"{first.name}, *{many.name} = {name}")
    elif roll < 0.9:
        scope.emit(f"*{many.name}, {first.name} = {name}")
    else:
        scope.emit(f"[{first.name}, *{many.name}] = {name}")
    return True


def swap(scope: Construction) -> bool:
    """Write `a, b = b, a`."""
    rng = scope.rng
    kinds = [var.kind for var in scope.variables if not var.fixed]
    twice = [kind for kind in set(kinds) if kinds.count(kind) > 1]
    if not twice:
        return False
    a, b = rng.sample([var for var in scope.variables if var.kind == sorted(twice)[0] and not var.fixed], 2)
    scope.emit(f"{a.name}, {b.name} = {b.name}, {a.name}")
    return True


def walrus(scope: Construction) -> bool:
    """Write `if (n := len(s)) > 3:`."""
    rng = scope.rng
    scope.busy = []
    expression = derive(scope, "int", 0)
    if expression is None:
        return False
    name = scope.fresh(role_of("int", use=LOCAL))
    test = f"({name} := {expression[0]}) {rng.choice(('>', '<', '>=', '!=', '=='))} {literal(scope, 'int')}"
    var = scope.new("int", name=name)
    with scope.block(f"if {test}:"):
        simple(scope)
    if rng.random() < 0.3:
        with scope.block("else:"):
            simple(scope)
    del var
    return True


def choose(scope: Construction) -> bool:
    """Write `new = a if test else b`."""
    rng = scope.rng
    test = condition(scope)
    kind = rng.choice(("int", "str", "str", "int", "ints", "strs"))
    first, second = needed(scope, kind), needed(scope, kind)
    if first[0] == second[0]:
        return False
    var = scope.new(kind)
    scope.emit(f"{var.name} = {wrap(first[0], first[2], 2)} if {test} else {wrap(second[0], second[2], 1)}")
    return True


def default(scope: Construction) -> bool:
    """Write `new = a or b`."""
    rng = scope.rng
    kind = rng.choice(("str", "int", "strs", "ints"))
    scope.busy = []
    expression = derive(scope, kind, 1)
    if expression is None:
        return False
    other = literal(scope, kind) if rng.random() < 0.7 else needed(scope, kind)[0]
    var = scope.new(kind)
    scope.emit(
        f"{var.name} = {wrap(expression[0], expression[2], 2)} or {other}"
        if other[0] != "-"
        else f"{var.name} = {expression[0]}"
    )
    return True


def branch(scope: Construction) -> bool:
    """Write if, elif and else over simple statements."""
    rng = scope.rng
    test = condition(scope)
    with scope.block(f"if {test}:"):
        if not simple(scope):
            scope.emit("pass")
    tested = {alike(test)}
    while rng.random() < 0.2 and not test.replace("not ", "").isidentifier():
        test = condition(scope)
        if alike(test) in tested:
            break
        tested.add(alike(test))
        with scope.block(f"elif {test}:"):
            if not simple(scope):
                scope.emit("pass")
    if rng.random() < 0.45:
        with scope.block("else:"):
            if not simple(scope):
                scope.emit("pass")
    return True


def simple(scope: Construction) -> bool:
    """Write a statement for a branch: change a variable or return."""
    rng = scope.rng
    roll = rng.random()
    if roll < 0.72:
        return change(scope) or leave(scope)
    if roll < 0.82:
        return change(scope) and (change(scope) or True)
    return leave(scope)


def leave(scope: Construction) -> bool:
    """Write an early return."""
    var = source(scope)
    expression = chain(scope, var, scope.rng.choice((0, 1, 1)))
    scope.emit(f"return {expression[0]}")
    return True


def guard(scope: Construction) -> bool:
    """Write `if not xs: return ...` or `if test: return ...`."""
    rng = scope.rng
    sized = [var for var in scope.variables if bare(var.kind) in ELEMENTS]
    if sized and rng.random() < 0.4:
        var = rng.choice(sized)
        test = f"not {var.name}" if rng.random() < 0.6 else f"len({var.name}) < {rng.randint(1, 4)}"
        with scope.block(f"if {test}:"):
            scope.emit(
                rng.choice((f"return {var.name}", "return None", "return 0", "return ''", "return []", "return"))
            )
        return True
    with scope.block(f"if {condition(scope)}:"):
        leave(scope)
    return True


def check(scope: Construction) -> bool:
    """Write an assert that holds."""
    var = scope.weigh(scope.variables)
    kind = bare(var.kind)
    tests = {
        "str": "isinstance({0}, str)",
        "int": "isinstance({0}, int), 'not a number'",
        "ints": "len({0}) >= 0",
        "strs": "all(isinstance(w_, str) for w_ in {0})",
        "counts": "{0} is not None",
    }
    if kind not in tests:
        return False
    scope.emit("assert " + tests[kind].format(var.name))
    return True


def show(scope: Construction) -> bool:
    """Write a print of one value or several, with sep= or end=."""
    rng = scope.rng
    expression = chain(scope, source(scope), rng.choice((0, 0, 1)))
    if bare(expression[1]) in ("iset", "sset"):
        expression = (f"sorted({expression[0]})", "", 15)  # what a set prints depends on its hashes
    roll = rng.random()
    if roll < 0.6:
        scope.emit(f"print({expression[0]})")
    elif roll < 0.8:
        scope.emit(f"print({literal(scope, 'str')}, {expression[0]})")
    else:
        other = needed(scope, rng.choice(("int", "str")))[0]
        scope.emit(f"print({expression[0]}, {other}, {rng.choice(('sep=', 'end='))}{literal(scope, 'sep')})")
    return True


def forget(scope: Construction) -> bool:
    """Write `del name` for a local that was read."""
    variables = [var for var in scope.variables[1:] if var.used and not var.fixed]
    if not variables or scope.depth > 1:
        return False
    var = scope.rng.choice(variables)
    scope.variables.remove(var)
    scope.emit(f"del {var.name}")
    return True
