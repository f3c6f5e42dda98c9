"""What a gate knows about the code of a question: its function, and the constructs that it is built from."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.program import Program
from worldline.plan.constructs import constructs
from worldline.programs.reachable import ReachableCode, reachable_code
from worldline.programs.split import key, program_key


@dataclass(frozen=True)
class CodeFeatures:
    """The code of one question.

    Attributes:
        function: The hash of what a call can reach, or of the whole program. Names and arguments do not count.
        file: The name of its file, so that an edited file stays the same; the hash of the program if it has no name.
        constructs: The constructs of that code and of the call; None if they are unknown.
    """

    function: str = ""
    file: str = ""
    constructs: frozenset[str] | None = None


def code_features(program: Program) -> CodeFeatures:
    """Return the features of a program's code. Only Python with its whole source in one file has constructs."""
    file = program.name if program.name != Program(source="").name else program_key(program)
    code = reachable_code(program)
    if not code.definitions or program.call is None:
        return CodeFeatures(program_key(program), file, _constructs_of_source(program))
    function, used = _features_of(code)
    return CodeFeatures(function, file, used | constructs([ast.parse(program.call.strip(), mode="eval")]))


@lru_cache(maxsize=256)
def _features_of(code: ReachableCode) -> tuple[str, frozenset[str]]:
    return key(code.text), constructs(code.definitions)


def _constructs_of_source(program: Program) -> frozenset[str] | None:
    """The constructs of a script, or of a call whose definitions are not known."""
    if not program.lang.has_syntax_tree or program.files:
        return None
    try:
        trees = [ast.parse(program.source), *([ast.parse(program.call, mode="eval")] if program.call else [])]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return constructs(trees)
