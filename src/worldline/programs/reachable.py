"""The definitions that a call can reach, by name, and hashes of them: which calls run the same function."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.program import Program
from worldline.programs.split import execution, key, program_key


@dataclass(frozen=True)
class ReachableCode:
    """What a call names directly, and everything that these definitions name in turn; empty if it is unknown."""

    called: tuple[ast.stmt, ...] = ()
    definitions: tuple[ast.stmt, ...] = ()

    @property
    def text(self) -> str:
        """The definitions as text."""
        return "\n".join(ast.unparse(node) for node in self.definitions)


def reachable_code(program: Program) -> ReachableCode:
    """Find the functions, classes and constants of a Python source that its call can reach.

    Args:
        program: The program. One with several files or without a call has no known reachable code.

    Returns:
        The definitions, in the order of the source.
    """
    if program.call is None or program.files or not program.lang.has_syntax_tree:
        return ReachableCode()
    try:
        named = _names(ast.parse(program.call.strip(), mode="eval"))
        return _reached(program.source, frozenset(named & _definitions(program.source).keys()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ReachableCode()


@lru_cache(maxsize=512)
def _reached(source: str, called: frozenset[str]) -> ReachableCode:
    defined, waiting, reached = _definitions(source), set(called), set[str]()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= (_names(defined[name]) & defined.keys()) - reached
    return ReachableCode(
        tuple(defined[name] for name in sorted(called)),
        tuple(dict.fromkeys(node for name, node in defined.items() if name in reached)),
    )


def hash_function(program: Program) -> str:
    """Hash what a call runs, without unrelated code; the whole program if that is unknown."""
    text = reachable_code(program).text
    return key(text) if text else program_key(program)


def hash_run(program: Program) -> str:
    """Hash one run, without unrelated code and independent of names."""
    text = reachable_code(program).text
    if not text:
        return program.digest
    return execution(Program(source=text, call=program.call, argv=program.argv, stdin=program.stdin), key(text))


@lru_cache(maxsize=32)
def _definitions(source: str) -> dict[str, ast.stmt]:
    """Functions, classes and assigned names of a source."""
    definitions: dict[str, ast.stmt] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign):
            definitions |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return definitions


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
