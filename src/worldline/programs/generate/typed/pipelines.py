"""Pipelines: one value taken through several steps, one per line; and chains of if and elif that return."""

from __future__ import annotations

import re
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.kinds import bare
from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.typed import statements
from worldline.programs.generate.typed.expressions import alike, chain, condition
from worldline.programs.generate.typed.functions import begin, finish
from worldline.programs.generate.values.literals import literal

_STARTS = (
    "str!",
    "str!",
    "str!",
    "str!",
    "strs!",
    "ints!",
    "ints!",
    "counts!",
    "tup!",
    "int",
    "pairs!",
    "lists!",
    "bytes!",
)
_EXTRA = ((), (), ("char",), ("sub",), ("small",), ("sep",), ("int",))


def pipeline(rng: Random) -> Program:
    """Draw a pipeline: each line makes the next value from the last, under the same or a new name."""
    kind = rng.choice(_STARTS)
    scope, params = begin(rng, [kind, *rng.choice(_EXTRA)])
    name = scope.function()
    var = params[0]
    same = rng.random() < 0.5
    for _ in range(rng.choice((1, 2, 2, 3, 3, 4, 5))):
        expression = chain(scope, var, rng.choice((1, 1, 1, 2)))
        if expression[0] == var.name:
            continue
        if same and bare(expression[1]) == bare(var.kind):
            scope.emit(f"{var.name} = {expression[0]}")
            var.kind = expression[1]
        elif expression[1] == "bool":
            break
        else:
            var = scope.new(expression[1])
            scope.emit(f"{var.name} = {expression[0]}")
    scope.emit(f"return {chain(scope, var, rng.choice((0, 0, 0, 1)))[0]}")
    return finish(rng, name, params, scope)


def composed(rng: Random) -> Program:
    """Draw one expression of several operations."""
    kind = rng.choice(_STARTS)
    scope, params = begin(rng, [kind, *rng.choice(_EXTRA)])
    expression = chain(scope, params[0], rng.choice((2, 2, 3, 3, 4)), depth=2)
    scope.emit(f"return {expression[0]}")
    return finish(rng, scope.function(), params, scope)


def decide(rng: Random) -> Program:
    """Draw a chain of tests on the parameters, each with its own return value."""
    kinds = rng.choice(
        (
            ["str!"],
            ["str!", "char"],
            ["int"],
            ["int", "int"],
            ["ints!"],
            ["strs!", "str"],
            ["counts!", "str"],
            ["str!", "str!"],
            ["ints!", "int"],
            ["tup!"],
            ["float"],
        )
    )
    scope, params = begin(rng, kinds)
    name = scope.function()
    chained = rng.random() < 0.6
    word = "if"
    tested: set[str] = set()
    for _ in range(rng.choice((1, 2, 2, 3))):
        test = condition(scope)
        if alike(test) in tested:
            continue
        tested.add(alike(test))
        with scope.block(f"{word} {test}:"):
            scope.emit(f"return {_answer(rng, scope)}")
        if chained:
            word = "elif"
    if chained and rng.random() < 0.7:
        with scope.block("else:"):
            scope.emit(f"return {_answer(rng, scope)}")
    else:
        scope.emit(f"return {_answer(rng, scope)}")
    return finish(rng, name, params, scope)


def _answer(rng: Random, scope: Construction) -> str:
    roll = rng.random()
    if roll < 0.4:
        return chain(scope, scope.weigh(scope.variables), 1)[0]
    if roll < 0.7:
        return literal(scope, "str")
    return literal(scope, "int") if roll < 0.9 else rng.choice(("True", "False", "None"))


def nested(rng: Random) -> Program:
    """Draw accesses and changes of containers inside containers."""
    kind = rng.choice(("lists!", "groups!", "lists!"))
    scope, params = begin(rng, [kind, "member" if kind == "groups!" else "idx", "int"])
    a, k, x = (var.name for var in params)
    for _ in range(rng.randint(1, 3)):
        scope.emit(
            rng.choice(
                (
                    f"{a}[{k}].append({x})",
                    f"{a}[{k}] = {a}[{k}][::-1]",
                    f"{a}[{k}] += [{x}]",
                    f"{a}[{k}].insert(0, len({a}))",
                    f"{a}[{k}].extend([{x}, {x} + 1])",
                    f"{a}[{k}] = sorted({a}[{k}])",
                    f"{a}[{k}] = [{x}, *{a}[{k}]]",
                    f"{a}[{k}].reverse()",
                    f"{x} += sum({a}[{k}])",
                    f"{a}[{k}] = {a}[{k}][:2] or [{x}]",
                )
            )
        )
    scope.emit(rng.choice((f"return {a}", f"return {a}[{k}]", f"return len({a}[{k}]), {x}", f"return {a}, {x}")))
    return finish(rng, scope.function(), params, scope)


def copies(rng: Random) -> Program:
    """Draw aliases and copies: two names for one list, or for two."""
    kind = rng.choice(("ints!", "strs!", "lists!", "counts!"))
    scope, params = begin(rng, [kind])
    first = params[0]
    second = scope.new(kind)
    how = (
        ["{0}", "{0}", "{0}.copy()", "dict({0})"]
        if kind == "counts!"
        else ["{0}", "{0}", "{0}[:]", "list({0})", "{0}.copy()"]
    )
    scope.emit(f"{second.name} = {rng.choice(how).format(first.name)}")
    for _ in range(rng.randint(1, 3)):
        statements.change(scope, var=rng.choice((first, second)))
        first.kind = second.kind = bare(kind)  # one may be the other: either may be empty now
    scope.emit(
        rng.choice(
            (
                f"return {first.name}, {second.name}",
                f"return {first.name} == {second.name}",
                f"return {first.name} is {second.name}, len({first.name})",
                f"return {second.name}",
            )
        )
    )
    return finish(rng, scope.function(), params, scope)


def helped(rng: Random) -> Program:
    """Draw a helper that transforms one value, and a function that calls it once or per element."""
    inner_kind = rng.choice(("str", "str", "int", "int", "ints", "strs", "char"))
    inner, parameters = begin(rng, [inner_kind, *rng.choice(((), (), ("small",), ("char",)))])
    helper = inner.function(helper=True)
    if rng.random() < 0.4:
        statements.guard(inner)
    expression = chain(inner, parameters[0], rng.choice((1, 1, 2)))
    if expression[1] == "bool" or expression[0] == parameters[0].name:
        expression = (f"{expression[0]}", inner_kind, 15) if expression[1] != "bool" else expression
    inner.emit(f"return {expression[0]}")
    body = "\n".join(inner.lines)
    used = [var for var in parameters if var is parameters[0] or var.name in re.findall(r"\w+", body)]
    before = f"def {helper}({', '.join(var.name for var in used)}):\n{body}\n\n"
    container_kind = {"char": "str!", "str": "strs!", "int": "ints!", "ints": "lists!"}.get(inner_kind)
    outer_kind = container_kind if container_kind and rng.random() < 0.6 else inner_kind
    scope, params = begin(rng, [outer_kind, *(var.born for var in used[1:])], taken=[helper])
    rest = "".join(f", {scope.read(var)}" for var in params[1:])
    name = scope.read(params[0])
    if outer_kind == container_kind:
        x = rng.choice([item for item in ("x", "v", "item", "e", "w") if item not in scope.taken])
        scope.taken.add(x)
        call = f"{helper}({x}{rest})"
        form = rng.choice(("[{0} for {1} in {2}]", "[{0} for {1} in {2}]", "[({1}, {0}) for {1} in {2}]", "loop"))
        if form == "loop":
            scope.emit("out = []")
            with scope.block(f"for {x} in {name}:"):
                scope.emit(f"out.append({call})")
            scope.emit("return out")
        else:
            scope.emit(f"return {form.format(call, x, name)}")
    else:
        call = f"{helper}({name}{rest})"
        scope.emit(rng.choice((f"return {call}", f"return {call}, {name}", f"result = {call}\n    return [result]")))
    return finish(rng, scope.function(), params, scope, before=before)
