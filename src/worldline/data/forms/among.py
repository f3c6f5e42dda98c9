"""Place a program's definitions in any order between those of uncalled programs, as in a real file."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from random import Random

from worldline.core.program import Program
from worldline.data.forms.statements import StatementText, names_in, split_statements
from worldline.programs.generate.language.construction import Construction

# Programs added to the one that is called.
MAX_NEIGHBOURS = 4
# Size of a source up to which definitions are added.
MAX_SOURCE_CHARACTERS = 3_000
_BUILTINS = frozenset(dir(builtins))
_WORD = re.compile(r"[^\W\d]\w*")
DrawProgram = Callable[[Random], Program]


def place_among(
    program: Program, rng: Random, draw: DrawProgram, *, beside: int | None = None, longest: int = MAX_SOURCE_CHARACTERS
) -> Program:
    """Place a program between the definitions of other programs.

    Args:
        program: Program with a call.
        rng: Source of randomness.
        draw: Draws the other programs.
        beside: Number of other programs; random by default.
        longest: Maximum size of the source.

    Returns:
        The new program, or the program itself if it cannot be rearranged.
    """
    own = split_statements(program.source)
    names = [name for statement in own for name in statement.binds()]
    if program.call is None or program.files or not own or len(set(names)) < len(names):
        return program
    taken = {*names, *_WORD.findall(program.call)}
    order, wanted = (
        _shuffle_definitions(own, rng),
        rng.randint(0 if len(own) > 2 else 1, MAX_NEIGHBOURS) if beside is None else beside,
    )
    for _ in range(4 * wanted):
        if not wanted:
            break
        other = _rename_definitions(draw(rng), taken, rng)
        if other and sum(map(len, (*order, *other))) <= longest:
            order, wanted = _merge(order, other, rng), wanted - 1
    return Program(source="\n".join(order), call=program.call)


def _merge(first_texts: list[str], other_texts: list[str], rng: Random) -> list[str]:
    """Both lists in their order, imports of the first one on top; half of the time the second as a block."""
    after_imports = next(
        (n for n, text in enumerate(first_texts) if not text.startswith(("import ", "from "))), len(first_texts)
    )
    if rng.random() < 0.5:
        at = rng.randint(after_imports, len(first_texts))
        return first_texts[:at] + other_texts + first_texts[at:]
    merged = list(first_texts)
    places = sorted(rng.randint(after_imports, len(first_texts)) for _ in other_texts)
    for at, text in reversed(list(zip(places, other_texts, strict=True))):
        merged.insert(at, text)
    return merged


def _rename_definitions(program: Program, taken: set[str], rng: Random) -> list[str]:
    """Definitions of a program under free names, which become taken; empty if that is impossible."""
    statements = split_statements(program.source)
    if program.call is None or program.files or any(_has_effect(statement) for statement in statements):
        return []
    bound = {name for statement in statements for name in statement.binds()}
    functions = {statement.node.name for statement in statements if isinstance(statement.node, ast.FunctionDef)}
    if not bound & taken <= functions:
        return []
    texts = [statement.text for statement in statements]
    for name in sorted(bound & taken):
        fresh = Construction(rng, taken={*taken, *bound}).function()
        texts = [re.sub(rf"\b{name}\b(?!['\"])", fresh, text) for text in texts]
        bound = bound - {name} | {fresh}
    taken |= bound
    return texts


def _has_effect(statement: StatementText) -> bool:
    """Whether a statement does more than define: uncalled code must not print or cost."""
    return not (isinstance(statement.node, ast.FunctionDef | ast.ClassDef | ast.Assign) or statement.is_import)


def _shuffle_definitions(statements: list[StatementText], rng: Random) -> list[str]:
    """Statements with movable definitions in any order; what runs at once stays before its users."""
    bodies = {
        statement.node.name: statement.node for statement in statements if isinstance(statement.node, ast.FunctionDef)
    }
    needed: set[str] = set()
    fresh = {name for statement in statements for name in names_in(statement.at_once())}
    # A function that runs at once may run what it names.
    while fresh:
        needed |= fresh
        fresh = names_in([bodies[name] for name in fresh if name in bodies]) - needed
    fixed = [statement for statement in statements if not _is_movable(statement, needed)]
    free = [statement for statement in statements if _is_movable(statement, needed)]
    first = sum(statement.is_import for statement in fixed)
    order = [statement.text for statement in fixed]
    rng.shuffle(free)
    for statement in free:
        order.insert(rng.randint(first, len(order)), statement.text)
    return order


def _is_movable(statement: StatementText, needed: set[str]) -> bool:
    """Whether a definition can stand anywhere: nothing needs it at once, and it needs only builtins."""
    if not isinstance(statement.node, ast.FunctionDef) or statement.node.name in needed:
        return False
    return names_in(statement.at_once()) <= _BUILTINS
