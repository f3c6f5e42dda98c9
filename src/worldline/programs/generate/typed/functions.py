"""Whole functions of the typed grammar: parameters, statements that build on each other, a return, a fitting call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.kinds import ANNOTATIONS, bare
from worldline.programs.generate.language import library
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.typed import blocks, loops, statements
from worldline.programs.generate.typed.expressions import chain
from worldline.programs.generate.typed.plant import plant
from worldline.programs.generate.values import arguments
from worldline.programs.generate.values.literals import literal
from worldline.programs.generate.values.spelling import spell

_WORD = re.compile(r"\w+")


@cache
def _signatures() -> tuple[tuple[str, ...], ...]:
    listed = library.text("vocabulary/signatures").strip().replace("\n", "|").split("|")
    return tuple(tuple(kinds.split()) for kinds in listed)


def signature(rng: Random) -> list[str]:
    """Draw the types of a function's parameters."""
    return list(rng.choice(_signatures()))


def begin(rng: Random, kinds: Sequence[str], *, taken: Iterable[str] = ()) -> tuple[Construction, list[Variable]]:
    """Create a scope whose variables are the parameters; none has a taken name."""
    scope = Construction(rng, taken=set(taken))
    return scope, [scope.new(kind, local=False) for kind in kinds]


def call(rng: Random, name: str, params: Sequence[Variable], text: str = "") -> str:
    """Write a call with fitting arguments, sometimes by keyword; they often hold constants of the text."""
    kinds = [var.born for var in params]
    values = plant(rng, kinds, arguments(rng, kinds), text) if text else arguments(rng, kinds)
    texts = [spell(rng, value) for value in values]
    if len(texts) > 1 and rng.random() < 0.06:
        texts[-1] = f"{params[-1].name}={texts[-1]}"
    return f"{name}({', '.join(texts)})"


def _declared(rng: Random, params: Sequence[Variable], roll: float) -> str:
    """Write the parameters of the def line, sometimes with annotations."""
    if roll > 0.06:
        return ", ".join(var.name for var in params)
    notes = {var.name: ANNOTATIONS.get(bare(var.born)) for var in params}
    return ", ".join(f"{name}: {kind}" if kind else name for name, kind in notes.items())


def finish(rng: Random, name: str, params: Sequence[Variable], scope: Construction, *, before: str = "") -> Program:
    """Build the program of one function whose body the scope holds; mostly drop parameters that nothing reads."""
    text = "\n".join(scope.lines)
    words = set(_WORD.findall(text))
    used = [var for var in params if rng.random() < 0.1 or var.name in words] or list(params[:1])
    roll = rng.random()
    if 0.06 < roll < 0.1 and len(used) > 1:
        default = literal(scope, used[-1].born)
        head = f"def {name}({', '.join(var.name for var in used[:-1])}, {used[-1].name}={default}):\n"
        passed = used[:-1] if rng.random() < 0.6 else used
        return Program(source=before + head + text + "\n", call=call(rng, name, passed, text))
    head = f"def {name}({_declared(rng, used, roll)}):\n"
    return Program(source=before + head + text + "\n", call=call(rng, name, used, text))


def give(scope: Construction, *, want: Variable | None = None) -> None:
    """Write the return statement: the result, and values that nothing has read yet."""
    rng = scope.rng
    waiting = [var for var in scope.unused() if var.local or var.changed]
    main = want or (waiting[-1] if waiting else scope.variables[-1])
    expression = chain(scope, main, rng.choice((0, 0, 0, 1, 1, 2)) if len(scope.variables) > 1 or want else 1)
    others = [var for var in waiting if var is not main and not var.used][:2]
    if not others:
        scope.emit(f"return {expression[0]}")
    elif rng.random() < 0.8:
        scope.emit(f"return {', '.join([expression[0], *(scope.read(var) for var in others)])}")
    else:
        inner = ", ".join([expression[0], *(scope.read(var) for var in others)])
        scope.emit(f"return [{inner}]")


def straight(rng: Random) -> Program:
    """Draw a few assignments that build on each other, and a return."""
    scope, params = begin(rng, signature(rng))
    name = scope.function()
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
        statements.assign(scope)
    give(scope)
    return finish(rng, name, params, scope)


_STATEMENTS = (
    (statements.assign, 30),
    (statements.change, 30),
    (statements.branch, 16),
    (statements.guard, 5),
    (statements.pair, 6),
    (statements.choose, 5),
    (statements.walrus, 2),
    (statements.swap, 2),
    (statements.remove, 3),
    (statements.default, 2),
    (statements.check, 1),
    (statements.show, 3),
    (statements.forget, 1),
)


def mixed(rng: Random, *, size: int = 2) -> Program:
    """Draw simple statements of every form, and a return."""
    scope, params = begin(rng, signature(rng))
    name = scope.function()
    makers = [maker for maker, _ in _STATEMENTS]
    weights = [weight for _, weight in _STATEMENTS]
    for _ in range(rng.randint(1, 1 + 2 * size)):
        rng.choices(makers, weights)[0](scope)
    give(scope)
    return finish(rng, name, params, scope)


def looping(rng: Random, *, size: int = 2) -> Program:
    """Draw a loop over a parameter or a derived value, statements around it, and a return."""
    scope, params = begin(rng, signature(rng))
    name = scope.function()
    if rng.random() < 0.12:
        statements.guard(scope)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        rng.choice((statements.assign, statements.assign, statements.change))(scope)
    acc = loops.loop(scope)
    if acc is None:
        statements.assign(scope)
    if size > 1 and rng.random() < 0.18:
        acc = loops.loop(scope) or acc
    if rng.random() < 0.2:
        rng.choice((statements.assign, statements.branch))(scope)
    give(scope, want=acc if acc in scope.variables else None)
    return finish(rng, name, params, scope)


_BLOCKS = (
    (statements.assign, 22),
    (statements.change, 18),
    (statements.branch, 9),
    (statements.pair, 4),
    (statements.choose, 3),
    (statements.guard, 4),
    (statements.show, 2),
    (lambda scope: loops.loop(scope) is not None, 14),
    (blocks.shrink, 9),
    (blocks.walk, 5),
    (blocks.attempt, 6),
    (blocks.either, 4),
    (blocks.inner, 4),
)


def blended(rng: Random, *, size: int = 2) -> Program:
    """Draw simple and compound statements in any order."""
    scope, params = begin(rng, signature(rng))
    name = scope.function()
    makers = [maker for maker, _ in _BLOCKS]
    weights = [weight for _, weight in _BLOCKS]
    for _ in range(rng.randint(2, 2 + size)):
        rng.choices(makers, weights)[0](scope)
    give(scope)
    return finish(rng, name, params, scope)


def failing(rng: Random) -> Program:
    """Draw a function with a step that may raise, uncaught."""
    scope, params = begin(rng, signature(rng))
    name = scope.function()
    for _ in range(rng.choice((0, 0, 1, 2))):
        rng.choice((statements.assign, statements.change, statements.branch))(scope)
    text, _, kind = blocks.risk(scope)
    if text:
        scope.emit(f"{scope.new(kind).name} = {text}")
    else:
        statements.assign(scope)
    give(scope)
    return finish(rng, name, params, scope)


def long(rng: Random) -> Program:
    """Draw a loop over a long text or list."""
    scope, params = begin(rng, [rng.choice(("str!", "str!", "ints!", "strs!"))])
    name = scope.function()
    acc = loops.loop(scope)
    give(scope, want=acc)
    text = "\n".join(scope.lines)
    var = params[0]
    value = arguments(rng, [var.born])[0]
    while len(value) < 14:
        value = value + ([] if isinstance(value, list) else rng.choice((" ", "", ", "))) + arguments(rng, [var.born])[0]
    argument = plant(rng, [var.born], [value[:40]], text)[0]
    return Program(source=f"def {name}({var.name}):\n{text}\n", call=f"{name}({spell(rng, argument)})")
