"""Which classes of a source say themselves what their instances look like: a repr of theirs is not in a recording."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from worldline.analyze.flow.control import syntax

# Bases from elsewhere that give their subclasses a repr which can be told from the value.
PLAIN = frozenset(
    {
        "Enum", "IntEnum", "Flag", "IntFlag", "StrEnum", "NamedTuple", "namedtuple", "ABC", "Protocol", "Generic",
        "Counter", "OrderedDict", "defaultdict", "deque", "TypedDict", "Thread",
    }
    | {name for name, value in vars(builtins).items() if isinstance(value, type)}
)  # fmt: skip


@dataclass(frozen=True)
class OwnReprs:
    """The classes of a source, and those of them whose repr is their own, or comes from where it cannot be told."""

    classes: frozenset[str]
    own: frozenset[str]


@lru_cache(maxsize=256)
def own_reprs(source: str) -> OwnReprs:
    """Both, by the classes' names; a name that is defined twice has a repr of its own if one of the classes has."""
    tree = syntax(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if tree is not None else []
    classes = frozenset(node.name for node in nodes)
    own = {node.name for node in nodes if _says_itself(node) or set(_bases(node)) - classes - PLAIN}
    while more := {node.name for node in nodes if node.name not in own and own & set(_bases(node))}:
        own |= more
    return OwnReprs(classes, frozenset(own))


def _says_itself(node: ast.ClassDef) -> bool:
    names = (name for statement in node.body for name in _bound(statement))
    return "__repr__" in names or any(keyword.arg == "metaclass" for keyword in node.keywords)


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _bases(node: ast.ClassDef) -> Iterator[str]:
    """The last names of the bases; what is no name, such as a call, by that of what is called or indexed."""
    for base in node.bases:
        while isinstance(base, (ast.Call, ast.Subscript)):
            base = base.func if isinstance(base, ast.Call) else base.value
        yield base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else "?"
