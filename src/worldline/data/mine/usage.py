"""Calls that people wrote: doctests, assertions, tests, tables of cases, and what stands below `if __name__`.

Whatever calls something with literals counts, names being followed to the literals they were bound to last, and loops
and `parametrize` through their first rows. Nothing is run. A call is known by the name of what is called, in the file
itself and in the tests beside it or named after it; one that does not fit costs a try.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from worldline.data.mine.extract import Found

MOST = 16  # calls of a function
ROWS = 8  # of a table, or rounds of a loop
LONGEST = 400  # characters of the arguments
FILES = 6  # tests of a file
MAX_FILE = 400_000
_FILE = 400  # calls of a file
_BUILTINS = frozenset(dir(builtins))
_MADE = re.compile(r"(?!set\()[^\W\d]\w*\(")  # an instance, not a literal
_INPUT = re.compile(r"^[# \t>*-]*+Input:? *(?:\n[#\s]*+)?(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Usage:
    """One call as it stands somewhere: the name, the arguments' text, and of a method how its instance was made."""

    name: str
    arguments: str
    instance: str = ""


class Usages:
    """The calls that tests make of what they lie beside, or are named after; read when they are asked for."""

    def __init__(self, tests: Iterable[Path] = ()) -> None:
        self._near: dict[str | Path, list[Path]] = {}
        for path in tests:
            for where in (path.stem.removeprefix("test_").removesuffix("_test"), path.parent):
                self._near.setdefault(where, []).append(path)

    def calls(self, path: Path, found: Found) -> list[str]:
        """The calls of a function of a file: those of the file itself, then those of its tests."""
        names = {"", found.node.name, *(method.name for method in found.methods)}
        sources = [path, *self._tests(path)]
        calls = (_call(found, use) for each in sources for use in read_usages(each) if use.name in names)
        return list(dict.fromkeys(call for call in calls if call))[:MOST]

    def _tests(self, path: Path) -> list[Path]:
        """Its tests, the nearest first."""
        folder = path.parent
        places: list[str | Path] = [path.stem, folder, folder.parent, folder / "tests", folder / "test"]
        found = {test for where in places for test in self._near.get(where, ()) if test != path}
        return sorted(
            found, key=lambda test: (-_shared(test.parent, path), path.stem not in test.stem, test)
        )[:FILES]


def _shared(folder: Path, path: Path) -> int:
    """How many folders two places have in common."""
    pairs = zip(folder.parts, path.parts, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), len(folder.parts))


def _call(found: Found, usage: Usage) -> str:
    """A call as it is made of a self-contained source; empty where it is of something else."""
    name = found.node.name
    if not found.methods:
        return f"{name}{usage.arguments}"
    made = usage.instance if usage.instance.startswith(f"{name}(") else f"{name}()"
    if usage.name:
        return f"{made}.{usage.name}{usage.arguments}" if usage.name != name else ""
    return f"{made}.{found.methods[0].name}{usage.arguments}" if len(found.methods) == 1 else ""


@lru_cache(maxsize=256)
def read_usages(path: Path) -> tuple[Usage, ...]:
    """The calls with literals that a file makes, in their order; those of `Input:` lines have no name."""
    try:
        text = path.read_text("utf-8") if path.stat().st_size < MAX_FILE else ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(usages(text))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def usages(text: str) -> list[Usage]:
    """The calls with literals that a source makes."""
    tree = ast.parse(text)
    found = _Reader()
    found.body(tree.body, {})
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (
            said := ast.get_docstring(node)
        ):
            found.examples(said)
    for given in _INPUT.findall(text)[:ROWS]:
        found.given(given)
    return list(dict.fromkeys(found.calls))


class _Reader:
    """Goes through statements in order with what names are bound to, as source text."""

    def __init__(self) -> None:
        self.calls: list[Usage] = []

    def body(self, statements: Iterable[ast.stmt], known: dict[str, str]) -> None:
        for statement in statements:
            if len(self.calls) >= _FILE:
                return
            self.statement(statement, known)

    def statement(self, node: ast.stmt, known: dict[str, str]) -> None:
        match node:
            case ast.FunctionDef():
                for row in _tables(node):
                    self.body(node.body, {**known, **row})
            case ast.ClassDef():
                self.body(node.body, dict(known))
            case ast.For():
                self.expression(node.iter, known)
                for row in _rows(node.target, node.iter, known) or [{}]:
                    self.body(node.body, {**known, **row})
            case ast.Assign(targets=[target], value=value):
                self.expression(value, known)
                for name in _names(target):
                    known.pop(name, None)
                known.update(_bound(target, value, known))
            case _:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.stmt):
                        self.statement(part, known)
                    elif isinstance(part, ast.ExceptHandler):
                        self.body(part.body, known)
                    else:
                        self.expression(part, known)

    def expression(self, node: ast.AST, known: dict[str, str]) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                self.call(part, known)

    def call(self, node: ast.Call, known: dict[str, str]) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if not name or name in _BUILTINS or (text := _arguments(node, known)) is None:
            return
        instance = ""
        if isinstance(node.func, ast.Attribute):
            instance = _made(node.func.value, known) or ""
        self.calls.append(Usage(name, text, instance))

    def examples(self, text: str) -> None:
        """The doctests of a docstring, one after the other."""
        known: dict[str, str] = {}
        if ">>>" not in text:
            return
        try:
            for example in doctest.DocTestParser().get_examples(text):
                self.body(ast.parse(example.source).body, known)
        except (ValueError, SyntaxError):
            return

    def given(self, text: str) -> None:
        """`nums = [2, 7], target = 9`, as puzzles show what they are given."""
        try:
            node = ast.parse(f"f({text.strip().strip('`')})", mode="eval").body
        except (SyntaxError, ValueError):
            return
        if isinstance(node, ast.Call):
            plain = ast.Call(node.func, [*node.args, *(each.value for each in node.keywords)], [])
            if text := _arguments(plain, {}) or "":
                self.calls.append(Usage("", text))


def _literal(node: ast.expr, known: dict[str, str]) -> str | None:
    """The text of a literal, or of what a name was bound to."""
    if isinstance(node, ast.Name):
        text = known.get(node.id)
        return None if text and _MADE.match(text) else text
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return ast.unparse(node)


def _made(node: ast.expr, known: dict[str, str]) -> str | None:
    """The text of an instance that is made out of literals: `Stack([1, 2])`."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _BUILTINS:
        text = _arguments(node, known)
        return None if text is None else f"{node.func.id}{text}"
    return None


def _arguments(node: ast.Call, known: dict[str, str]) -> str | None:
    given = [_literal(each, known) for each in node.args]
    named = [(each.arg, _literal(each.value, known)) for each in node.keywords]
    if None in given or any(name is None or value is None for name, value in named):
        return None
    text = f"({', '.join([*map(str, given), *(f'{name}={value}' for name, value in named)])})"
    return text if len(text) <= LONGEST else None


def _bound(target: ast.expr, value: ast.expr, known: dict[str, str]) -> dict[str, str]:
    """What an assignment binds, as far as it is literal."""
    if isinstance(target, ast.Name):
        text = _literal(value, known) or _made(value, known)
        return {target.id: text} if text else {}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple | ast.List):
        if len(target.elts) != len(value.elts):
            return {}
        pairs = zip(target.elts, value.elts, strict=True)
        return {name: text for one, other in pairs for name, text in _bound(one, other, known).items()}
    return {}


def _names(target: ast.expr) -> Iterator[str]:
    return (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _rows(target: ast.expr, table: ast.expr, known: dict[str, str]) -> list[dict[str, str]]:
    """What a loop over a literal table binds in its first rounds."""
    if isinstance(table, ast.Name) and table.id in known:
        table = ast.parse(known[table.id], mode="eval").body
    if not isinstance(table, ast.List | ast.Tuple | ast.Set):
        return []
    return [_bound(target, row, known) for row in table.elts[:ROWS]]


def _tables(node: ast.FunctionDef) -> list[dict[str, str]]:
    """What `parametrize` binds in a test, row by row; one empty row for an ordinary function."""
    for each in node.decorator_list:
        if (
            isinstance(each, ast.Call)
            and ast.unparse(each.func).endswith("parametrize")
            and len(each.args) > 1
        ):
            names = each.args[0]
            if isinstance(names, ast.Constant) and isinstance(names.value, str):
                several = [ast.Name(name.strip()) for name in names.value.split(",")]
                target = ast.Tuple(list(several)) if len(several) > 1 else several[0]
                return _rows(target, each.args[1], {}) or [{}]
    return [{}]
