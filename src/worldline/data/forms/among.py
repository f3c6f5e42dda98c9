"""A program's definitions in any order, between those of programs that nobody calls: as a function stands in a file."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from random import Random

from worldline.core.program import Program
from worldline.data.forms.pieces import StatementText, named, pieces
from worldline.programs.generate.language.construction import Construction

MOST = 4  # programs beside the one that is called
LONGEST = 3_000  # characters of a source that more is added to
_BUILTINS = frozenset(dir(builtins))
_WORD = re.compile(r"[^\W\d]\w*")
Draw = Callable[[Random], Program]


def among(
    program: Program, rng: Random, draw: Draw, *, beside: int | None = None, longest: int = LONGEST
) -> Program:
    """The program between the definitions of up to `MOST` others, or of `beside`; as it is where that cannot be."""
    own = pieces(program.source)
    names = [name for one in own for name in one.binds()]
    if program.call is None or program.files or not own or len(set(names)) < len(names):
        return program
    taken = {*names, *_WORD.findall(program.call)}
    order, wanted = (
        _loose(own, rng),
        rng.randint(0 if len(own) > 2 else 1, MOST) if beside is None else beside,
    )
    for _ in range(4 * wanted):
        if not wanted:
            break
        other = _renamed(draw(rng), taken, rng)
        if other and sum(map(len, (*order, *other))) <= longest:
            order, wanted = _merged(order, other, rng), wanted - 1
    return Program(source="\n".join(order), call=program.call)


def _merged(one: list[str], other: list[str], rng: Random) -> list[str]:
    """Both, each in its order, the imports of the one first; the other as a block half of the time."""
    first = next((n for n, text in enumerate(one) if not text.startswith(("import ", "from "))), len(one))
    if rng.random() < 0.5:
        at = rng.randint(first, len(one))
        return one[:at] + other + one[at:]
    made = list(one)
    places = sorted(rng.randint(first, len(one)) for _ in other)
    for at, text in reversed(list(zip(places, other, strict=True))):
        made.insert(at, text)
    return made


def _renamed(program: Program, taken: set[str], rng: Random) -> list[str]:
    """The definitions of another program under names that are free, and taken then; none if that cannot be."""
    found = pieces(program.source)
    if program.call is None or program.files or any(_runs(one) for one in found):
        return []
    bound = {name for one in found for name in one.binds()}
    functions = {one.node.name for one in found if isinstance(one.node, ast.FunctionDef)}
    if not bound & taken <= functions:
        return []
    texts = [one.text for one in found]
    for name in sorted(bound & taken):
        fresh = Construction(rng, taken={*taken, *bound}).function()
        texts = [re.sub(rf"\b{name}\b(?!['\"])", fresh, text) for text in texts]
        bound = bound - {name} | {fresh}
    taken |= bound
    return texts


def _runs(one: StatementText) -> bool:
    """Whether a statement does more than define: what nobody calls must not print, nor cost."""
    return not (isinstance(one.node, ast.FunctionDef | ast.ClassDef | ast.Assign) or one.is_import)


def _loose(found: list[StatementText], rng: Random) -> list[str]:
    """The pieces, those that can stand anywhere in any order; what is needed at once stays before what needs it."""
    bodies = {one.node.name: one.node for one in found if isinstance(one.node, ast.FunctionDef)}
    needed: set[str] = set()
    fresh = {name for one in found for name in named(one.at_once())}
    while fresh:  # what a function that runs at once names may run at once as well
        needed |= fresh
        fresh = named([bodies[name] for name in fresh if name in bodies]) - needed
    fixed = [one for one in found if not _is_free(one, needed)]
    free = [one for one in found if _is_free(one, needed)]
    first = sum(one.is_import for one in fixed)
    order = [one.text for one in fixed]
    rng.shuffle(free)
    for one in free:
        order.insert(rng.randint(first, len(order)), one.text)
    return order


def _is_free(one: StatementText, needed: set[str]) -> bool:
    """Whether a definition can stand anywhere: nothing needs it at once, and it needs nothing but builtins."""
    if not isinstance(one.node, ast.FunctionDef) or one.node.name in needed:
        return False
    return named(one.at_once()) <= _BUILTINS
