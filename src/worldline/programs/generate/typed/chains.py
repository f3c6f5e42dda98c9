"""Functions that call one another: several small ones, and one that applies them in turn.

They train the order of calls: the orders of definitions, calls and names are independent. A separate source of the
recipe: the held-out suite of generated programs does not draw from it.
"""

from __future__ import annotations

from random import Random

from worldline.core.program import Program
from worldline.programs.generate.kinds import bare
from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.style.layout import dress
from worldline.programs.generate.typed import statements
from worldline.programs.generate.typed.expressions import chain, condition
from worldline.programs.generate.typed.functions import begin
from worldline.programs.generate.values import arguments
from worldline.programs.generate.values.literals import literal
from worldline.programs.generate.values.spelling import spell

_STARTS = ("str!", "str!", "str!", "int", "int", "ints!", "strs!")
_MAX_ATTEMPTS = 12  # for a step that keeps within the types that a next function can take


def program(rng: Random) -> Program:
    """Draw two to six functions of one parameter, applied in a chain."""
    start = rng.choice(_STARTS)
    kind, taken = start, set[str]()
    defined: list[tuple[str, str]] = []  # name, source; in the order of the chain
    for _ in range(rng.choice((1, 2, 2, 3, 3, 4, 5))):
        name, source, kind = _function(rng, kind, taken)
        defined.append((name, source))
    steps = [name for name, _ in defined]
    if rng.random() < 0.25:  # a function that nobody calls
        defined.append(_function(rng, rng.choice(_STARTS), taken)[:2])
    rng.shuffle(defined)
    main, call = _main(rng, steps, start, taken)
    return dress(rng, Program(source="\n".join([*(source for _, source in defined), main]), call=call))


def _function(rng: Random, kind: str, taken: set[str]) -> tuple[str, str, str]:
    """Draw a function; return its name, its source and its result type."""
    scope, (var,) = begin(rng, [kind], taken=taken)
    name = scope.function(helper=rng.random() < 0.5)
    taken.add(name)
    if rng.random() < 0.25:
        with scope.block(f"if {condition(scope)}:"):
            scope.emit(f"return {var.name}")
    if rng.random() < 0.3:
        statements.assign(scope)
    expression = (var.name, kind, 0)
    for _ in range(_MAX_ATTEMPTS):
        tried = chain(scope, var, rng.choice((1, 1, 2)))
        if bare(tried[1]) == bare(kind) and tried[0] != var.name:
            expression = tried
            break
    scope.emit(f"return {expression[0]}")
    return name, f"def {name}({var.name}):\n" + "\n".join(scope.lines) + "\n", kind


def _main(rng: Random, steps: list[str], start: str, taken: set[str]) -> tuple[str, str]:
    """Draw the function that applies the others, by nested calls or line by line, and its call."""
    name = "main" if rng.random() < 0.4 and "main" not in taken else Construction(rng, taken=set(taken)).function()
    value = spell(rng, arguments(rng, [start])[0])
    scope, (var,) = begin(rng, [start], taken=[name, *taken])
    is_inside = rng.random() < 0.4
    text = value if is_inside else var.name
    if rng.random() < 0.5:
        for step in steps:
            text = f"{step}({text})"
        scope.emit(f"return {text}")
    else:
        same = rng.random() < 0.5
        for step in steps:
            target = var.name if same else scope.new(start).name
            scope.emit(f"{target} = {step}({text})")
            text = target
        scope.emit(f"return {text}" if rng.random() < 0.8 else f"return {text}, {literal(scope, 'int')}")
    head = f"def {name}({'' if is_inside else var.name}):\n"
    return head + "\n".join(scope.lines) + "\n", f"{name}({'' if is_inside else value})"
