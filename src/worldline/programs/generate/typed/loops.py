"""Loops with an accumulator, an iterable and a body that updates the accumulator; they always end.

Each iteration adds one element's worth, so that nothing outgrows its input.
"""

from __future__ import annotations

from random import Random

from worldline.programs.generate.kinds import ELEMENTS, bare
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.language.vocabulary import ELEMENT, role_of
from worldline.programs.generate.typed.expressions import alike, chain, condition, derive, wrap
from worldline.programs.generate.values.literals import literal

_STARTS = {
    "int": ("0",),
    "str": ("''", "''", '""'),
    "ints": ("[]", "[]", "list()"),
    "strs": ("[]",),
    "counts": ("{}", "{}", "dict()"),
    "groups": ("{}",),
    "iset": ("set()",),
    "sset": ("set()",),
}
_RESULTS = {
    "char": ("str", "str", "str", "str", "int", "int", "counts", "counts", "strs", "ints", "sset"),
    "str": ("strs", "strs", "str", "str", "int", "counts", "groups", "ints", "sset"),
    "int": ("int", "int", "int", "ints", "ints", "ints", "iset", "strs", "str"),
    "cnt": ("int", "int", "ints", "str"),
    "float": ("int", "strs"),
    "ints": ("int", "ints"),
    "rec": ("int", "strs", "counts", "str"),
}


def accumulator(scope: Construction, kind: str) -> Variable:
    """Create an accumulator and write its initial value."""
    rng = scope.rng
    start = rng.choice(_STARTS[kind])
    if kind == "int" and rng.random() < 0.15:
        start = rng.choice(("1", "10", "-1", "100"))
    if kind == "str" and rng.random() < 0.08:
        start = literal(scope, "char")
    var = scope.new(kind)
    scope.emit(f"{var.name} = {start}")
    return var


def pick_iterable(scope: Construction) -> Variable | None:
    """Choose a variable to iterate over; None if there is none."""
    iterables = [var for var in scope.variables if bare(var.kind) in ELEMENTS or var.kind in ("cnt", "small")]
    return scope.weigh(iterables) if iterables else None


def head(scope: Construction, var: Variable) -> tuple[str, list[tuple[str, str]]]:
    """Return the `for` line over the variable, and the names and types it binds."""
    rng = scope.rng
    kind = bare(var.kind)
    name = scope.read(var)
    if kind in ("cnt", "small"):
        i = _element(scope, "idx")
        bounds = rng.choice(("{0}", "{0}", "{0}", "1, {0} + 1", "{0}, 0, -1", "0, {0}, 2", "1, {0}"))
        return f"for {i} in range({bounds.format(name)}):", [(i, "cnt")]
    if kind in ("counts", "names", "groups", "table"):
        return _over_dict(scope, kind, name)
    if kind == "pairs":
        a, b = _element(scope, "str"), _element(scope, "int")
        return f"for {a}, {b} in {name}:", [(a, "str"), (b, "int")]
    if kind == "people":
        p = _element(scope, "rec", "rec")
        return f"for {p} in {name}:", [(f"{p}['name']", "str"), (f"{p}['age']", "int")]
    element = ELEMENTS[kind]
    if kind in ("iset", "sset"):
        x = _element(scope, element)
        return f"for {x} in sorted({name}):", [(x, element)]
    return _over_sequence(scope, kind, name, element)


def _over_dict(scope: Construction, kind: str, name: str) -> tuple[str, list[tuple[str, str]]]:
    rng = scope.rng
    inner = {"counts": "int", "names": "str", "groups": "ints", "table": "str"}[kind]
    key = _element(scope, ELEMENTS[kind], "key")
    if rng.random() < 0.25:
        return f"for {key} in {rng.choice((name, f'sorted({name})', f'list({name})'))}:", [(key, ELEMENTS[kind])]
    val = _element(scope, inner, "v")
    over = rng.choice((f"{name}.items()", f"{name}.items()", f"sorted({name}.items())"))
    if kind == "groups":
        over = f"{name}.items()"
    return f"for {key}, {val} in {over}:", [(key, ELEMENTS[kind]), (val, inner)]


def _over_sequence(scope: Construction, kind: str, name: str, element: str) -> tuple[str, list[tuple[str, str]]]:
    rng = scope.rng
    x = _element(scope, element)
    roll = rng.random()
    if roll < 0.5:
        return f"for {x} in {name}:", [(x, element)]
    if roll < 0.68:
        i = _element(scope, "idx")
        start = rng.choice(("", "", "", ", 1", ", start=1"))
        return f"for {i}, {x} in enumerate({name}{start}):", [(x, element), (i, "cnt")]
    if roll < 0.76:
        return (
            f"for {x} in {rng.choice((f'{name}[::-1]', f'reversed({name})', f'{name}[1:]', f'{name}[::2]'))}:",
            [(x, element)],
        )
    if roll < 0.82 and element in ("int", "char", "str"):
        y = _element(scope, element)
        return f"for {x}, {y} in zip({name}, {name}[1:]):", [(x, element), (y, element)]
    if roll < 0.88 and kind == "str":
        w = _element(scope, "str")
        return f"for {w} in {name}.split({rng.choice(('', '', literal(scope, 'sep')))}):", [(w, "str")]
    i = _element(scope, "idx")
    bounds = rng.choice((f"len({name})",) * 4 + (f"1, len({name})", f"0, len({name}), 2", f"len({name}) - 1, -1, -1"))
    return f"for {i} in range({bounds}):", [(f"{name}[{i}]", element), (i, "cnt")]


def _element(scope: Construction, kind: str, role: str = "") -> str:
    """Draw a name for a loop variable."""
    return scope.fresh(role or role_of(kind, use=ELEMENT))


def update(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    """Write one or two lines that take the element into the accumulator."""
    _UPDATES[bare(acc.kind)](scope, acc, element, rest)


def _made(scope: Construction, kind: str, element: Variable, *, plain: float) -> tuple[str, int]:
    """Make a `kind` from the element; with probability `plain` use the element itself if it fits."""
    scope.busy = []
    fits = kind == bare(element.kind) or (kind, element.kind) in (("str", "char"), ("int", "cnt"))
    if fits and scope.rng.random() < plain:
        return element.name, 15
    expression = derive(scope, kind, 0, start=element)
    if expression is not None:
        return expression[0], expression[2]
    return (element.name, 15) if fits else (f"str({element.name})" if kind == "str" else literal(scope, kind), 15)


def _into_str(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    rng = scope.rng
    text, level = _made(scope, "str", element, plain=0.5)
    roll = rng.random()
    if roll < 0.6:
        scope.emit(f"{acc.name} += {text}")
    elif roll < 0.75:
        scope.emit(f"{acc.name} = {wrap(text, level, 10)} + {acc.name}")
    elif roll < 0.85:
        scope.emit(f"{acc.name} += {wrap(text, level, 10)} + {literal(scope, 'sep')}")
    elif roll < 0.93:
        scope.emit(f"{acc.name} = {acc.name} + {wrap(text, level, 11)}")
    else:
        scope.emit(
            f"{acc.name} = f'{{{acc.name}}}{{{element.name}}}'"
            if element.name.isidentifier()
            else f"{acc.name} += {text}"
        )


def _into_int(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    rng = scope.rng
    roll = rng.random()
    if roll < 0.25:
        scope.emit(f"{acc.name} += {rng.choice(('1', '1', '1', '2'))}")
        return
    text, level = _made(scope, "int", element, plain=0.55)
    if roll < 0.62:
        scope.emit(f"{acc.name} {rng.choice(('+=', '+=', '+=', '+=', '-='))} {text}")
    elif roll < 0.72:
        scope.emit(f"{acc.name} = max({acc.name}, {text})")
    elif roll < 0.8:
        with scope.block(f"if {wrap(text, level, 6)} > {acc.name}:"):
            scope.emit(f"{acc.name} = {text}")
    elif roll < 0.88:
        scope.emit(
            f"{acc.name} = ({acc.name} * {rng.choice((2, 3, 7, 10, 31))} + {wrap(text, level, 10)}) % "
            f"{rng.choice((10, 97, 100, 101, 1000, 256))}"
        )
    else:
        scope.emit(
            f"{acc.name} {rng.choice(('^=', '^=', '|='))} {text}"
            if rng.random() < 0.5
            else f"{acc.name} = {acc.name} + {wrap(text, level, 11)}"
        )


def _into_list(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    rng = scope.rng
    kind = ELEMENTS[bare(acc.kind)]
    text, level = _made(scope, kind, element, plain=0.45)
    roll = rng.random()
    if roll < 0.8:
        scope.emit(f"{acc.name}.append({text})")
    elif roll < 0.87:
        scope.emit(f"{acc.name}.insert(0, {text})")
    elif roll < 0.93:
        scope.emit(f"{acc.name} += [{text}]")
    else:
        with scope.block(f"if {wrap(text, level, 6)} not in {acc.name}:"):
            scope.emit(f"{acc.name}.append({text})")


def _into_counts(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    rng = scope.rng
    key, level = _made(scope, "str", element, plain=0.8)
    tested = wrap(key, level, 6)
    number = next((var.name for var in rest if var.kind in ("int", "cnt")), None)
    amount = rng.choice((number, number, "1")) if number else "1"
    roll = rng.random()
    if roll < 0.4:
        scope.emit(f"{acc.name}[{key}] = {acc.name}.get({key}, 0) + {amount}")
    elif roll < 0.65:
        positive = rng.random() < 0.5
        with scope.block(f"if {tested} {'in' if positive else 'not in'} {acc.name}:"):
            scope.emit(f"{acc.name}[{key}] {'+=' if positive else '='} {amount}")
        with scope.block("else:"):
            scope.emit(f"{acc.name}[{key}] {'=' if positive else '+='} {amount}")
    elif roll < 0.75:
        with scope.block(f"if {tested} not in {acc.name}:"):
            scope.emit(f"{acc.name}[{key}] = 0")
        scope.emit(f"{acc.name}[{key}] += {amount}")
    elif roll < 0.85:
        scope.emit(f"{acc.name}.setdefault({key}, 0)")
        scope.emit(f"{acc.name}[{key}] += {amount}")
    else:
        value, _ = _made(scope, "int", element, plain=0.3)
        scope.emit(f"{acc.name}[{key}] = {number or value}")


def _into_groups(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    key, _ = _made(scope, "str", element, plain=0.2)
    value, _ = _made(scope, "int", element, plain=1.0)
    scope.emit(f"{acc.name}.setdefault({key}, []).append({value})")


def _into_set(scope: Construction, acc: Variable, element: Variable, rest: list[Variable]) -> None:
    text, level = _made(scope, ELEMENTS[bare(acc.kind)], element, plain=0.6)
    if scope.rng.random() < 0.3:
        with scope.block(f"if {wrap(text, level, 6)} in {acc.name}:"):
            scope.emit(scope.rng.choice(("break", "continue", f"return {acc.name}")))
    scope.emit(f"{acc.name}.add({text})")


_UPDATES = {
    "str": _into_str,
    "int": _into_int,
    "ints": _into_list,
    "strs": _into_list,
    "counts": _into_counts,
    "groups": _into_groups,
    "iset": _into_set,
    "sset": _into_set,
}


def result_kind(rng: Random, element: str) -> str:
    """Draw the type that a loop over such elements usually builds."""
    return rng.choice(_RESULTS.get(element, ("int", "strs")))


def body(scope: Construction, acc: Variable, bound: list[Variable]) -> None:
    """Write the body of a loop: maybe a condition or an early exit, then the update."""
    rng = scope.rng
    element, rest = bound[0], bound[1:]
    roll = rng.random()
    if roll < 0.3:
        update(scope, acc, element, rest)
        return
    if rng.random() < 0.2:
        element = _prepared(scope, element)
    test = condition(scope, start=element if rng.random() < 0.85 or not rest else rest[0], depth=1)
    if roll < 0.58:
        with scope.block(f"if {test}:"):
            update(scope, acc, element, rest)
    elif roll < 0.76:
        _branches(scope, acc, element, rest, test)
    elif roll < 0.9:
        with scope.block(f"if {test}:"):
            scope.emit(rng.choice(("continue", "continue", "break")))
        update(scope, acc, element, rest)
    else:
        update(scope, acc, element, rest)
        with scope.block(f"if {test}:"):
            scope.emit("break")


def _branches(scope: Construction, acc: Variable, element: Variable, rest: list[Variable], test: str) -> None:
    with scope.block(f"if {test}:"):
        update(scope, acc, element, rest)
    seen = {scope.lines[-1].strip()}
    other = condition(scope, start=element)
    if scope.rng.random() < 0.3 and alike(other) != alike(test):
        with scope.block(f"elif {other}:"):
            update(scope, acc, element, rest)
        seen.add(scope.lines[-1].strip())
    at = len(scope.lines)
    for _ in range(4):
        with scope.block("else:"):
            update(scope, acc, element, rest)
        if scope.lines[-1].strip() not in seen:
            return
        del scope.lines[at:]  # both branches the same: once more


def _prepared(scope: Construction, element: Variable) -> Variable:
    """Assign something derived from the element to a name, for the rest of the body."""
    expression = chain(scope, element, 1)
    if expression[1] == "bool" or expression[0] == element.name:
        return element
    var = scope.new(expression[1], fixed=True)
    scope.emit(f"{var.name} = {expression[0]}")
    return var


def loop(scope: Construction, *, nested: bool = True) -> Variable | None:
    """Write an accumulator and a `for` that fills it; return the accumulator, or None if nothing is iterable."""
    rng = scope.rng
    over = pick_iterable(scope)
    if over is None:
        return None
    scope.busy = []
    start, bound = head(scope, over)
    acc = accumulator(scope, result_kind(rng, bound[0][1]))
    frozen = over.fixed
    over.fixed = True
    lean, scope.lean = scope.lean, True
    with scope.block(start):
        inside = [scope.new(kind, name=name, fixed=True) for name, kind in bound]
        acc_at = scope.variables.index(acc)
        del scope.variables[acc_at]  # conditions do not read it; only updates do
        if nested and rng.random() < 0.12 and bare(inside[0].kind) in ("str", "ints") and inside[0].name.isidentifier():
            further, names_ = head(scope, inside[0])
            with scope.block(further):
                body(scope, acc, [scope.new(kind, name=name, fixed=True) for name, kind in names_])
        else:
            body(scope, acc, inside)
        scope.variables.insert(acc_at, acc)
        for var in inside:
            scope.variables.remove(var)
        scope.variables.extend(inside)
    if "break" in "".join(scope.lines[-4:]) and rng.random() < 0.25:
        with scope.block("else:"):
            _otherwise(scope, acc)
    scope.lean = lean
    over.fixed = frozen
    acc.used = 0
    return acc


def _otherwise(scope: Construction, acc: Variable) -> None:
    kind = bare(acc.kind)
    ends = {
        "int": f"{acc.name} += 100",
        "str": f"{acc.name} += '.'",
        "ints": f"{acc.name}.append(-1)",
        "strs": f"{acc.name}.append('end')",
    }
    scope.emit(ends.get(kind, f"print('done', len({acc.name}))"))
