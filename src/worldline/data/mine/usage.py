"""Find calls that people wrote: doctests, assertions, tests, tables of cases, code below `if __name__`.

Every call with literal arguments counts. Names are followed to the literals last bound to them, loops and
`parametrize` through their first rows. Nothing is run. Calls are matched by name, in the file itself and
in tests near it or named after it; a wrong match only costs a try.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from worldline.data.mine.extract import ExtractedFunction

# Per function.
MAX_CALLS = 16
# Rows of a table, or iterations of a loop.
MAX_TABLE_ROWS = 8
MAX_ARGUMENT_CHARACTERS = 400
# Test files per source file.
MAX_TEST_FILES = 6
MAX_FILE_BYTES = 400_000
_MAX_FILE_CALLS = 400
_BUILTINS = frozenset(dir(builtins))
# An instance, not a literal.
_INSTANCE = re.compile(r"(?!set\()[^\W\d]\w*\(")
_INPUT = re.compile(r"^[# \t>*-]*+Input:? *(?:\n[#\s]*+)?(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Usage:
    """One call: name, text of the arguments and, for a method, how its instance was created."""

    name: str
    arguments: str
    instance: str = ""


class Usages:
    """Calls that tests make of the code near them or named after them; read on demand.

    `recorded` are calls that tests were seen to make, by file and name of the function.
    """

    def __init__(
        self, tests: Iterable[Path] = (), recorded: Mapping[tuple[Path, str], Sequence[str]] | None = None
    ) -> None:
        self._recorded = recorded or {}
        self._near: dict[str | Path, list[Path]] = {}
        for path in tests:
            for where in (path.stem.removeprefix("test_").removesuffix("_test"), path.parent):
                self._near.setdefault(where, []).append(path)

    def calls(self, path: Path, function: ExtractedFunction) -> list[str]:
        """Return calls of a function: recorded ones, those in its file, then those in its tests."""
        names = {"", function.node.name, *(method.name for method in function.methods)}
        sources = [path, *self._tests(path)]
        calls = (_to_call(function, use) for source in sources for use in read_usages(source) if use.name in names)
        recorded = self._recorded.get((path, function.origin.rpartition(":")[2]), ())
        return list(dict.fromkeys([*recorded, *(call for call in calls if call)]))[:MAX_CALLS]

    def _tests(self, path: Path) -> list[Path]:
        """Test files of a file, the nearest first."""
        folder = path.parent
        places: list[str | Path] = [path.stem, folder, folder.parent, folder / "tests", folder / "test"]
        tests = {test for where in places for test in self._near.get(where, ()) if test != path}
        return sorted(tests, key=lambda test: (-_count_shared(test.parent, path), path.stem not in test.stem, test))[
            :MAX_TEST_FILES
        ]


def _count_shared(folder: Path, path: Path) -> int:
    """Number of folders that two paths share."""
    pairs = zip(folder.parts, path.parts, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), len(folder.parts))


def _to_call(function: ExtractedFunction, usage: Usage) -> str:
    """A call for the self-contained source; empty if it calls something else."""
    name = function.node.name
    if not function.methods:
        return f"{name}{usage.arguments}"
    instance = usage.instance if usage.instance.startswith(f"{name}(") else f"{name}()"
    if usage.name:
        return f"{instance}.{usage.name}{usage.arguments}" if usage.name != name else ""
    return f"{instance}.{function.methods[0].name}{usage.arguments}" if len(function.methods) == 1 else ""


@lru_cache(maxsize=256)
def read_usages(path: Path) -> tuple[Usage, ...]:
    """Read the literal calls of a file in order; those of `Input:` lines have no name."""
    try:
        text = path.read_text("utf-8") if path.is_file() and path.stat().st_size < MAX_FILE_BYTES else ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(find_usages(text))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def find_usages(text: str) -> list[Usage]:
    """Find the literal calls of a source."""
    tree = ast.parse(text)
    reader = _UsageReader()
    reader.body(tree.body, {})
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (docstring := ast.get_docstring(node)):
            reader.examples(docstring)
    for input_text in _INPUT.findall(text)[:MAX_TABLE_ROWS]:
        reader.given(input_text)
    return list(dict.fromkeys(reader.calls))


class _UsageReader:
    """Visits statements in order with the literals that names are bound to."""

    def __init__(self) -> None:
        self.calls: list[Usage] = []

    def body(self, statements: Iterable[ast.stmt], known: dict[str, str]) -> None:
        for statement in statements:
            if len(self.calls) >= _MAX_FILE_CALLS:
                return
            self.statement(statement, known)

    def statement(self, node: ast.stmt, known: dict[str, str]) -> None:
        match node:
            case ast.FunctionDef():
                for row in _parametrized_rows(node):
                    self.body(node.body, {**known, **row})
            case ast.ClassDef():
                self.body(node.body, dict(known))
            case ast.For():
                self.expression(node.iter, known)
                for row in _bind_rows(node.target, node.iter, known) or [{}]:
                    self.body(node.body, {**known, **row})
            case ast.Assign(targets=[target], value=value):
                self.expression(value, known)
                for name in _target_names(target):
                    known.pop(name, None)
                known.update(_bind_literals(target, value, known))
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
        if not name or name in _BUILTINS or (text := _argument_text(node, known)) is None:
            return
        instance = ""
        if isinstance(node.func, ast.Attribute):
            instance = _instance_text(node.func.value, known) or ""
        self.calls.append(Usage(name, text, instance))

    def examples(self, text: str) -> None:
        """Read the doctests of a docstring."""
        known: dict[str, str] = {}
        if ">>>" not in text:
            return
        try:
            for example in doctest.DocTestParser().get_examples(text):
                self.body(ast.parse(example.source).body, known)
        except (ValueError, SyntaxError):
            return

    def given(self, text: str) -> None:
        """Read `nums = [2, 7], target = 9`, as puzzles show their inputs."""
        try:
            node = ast.parse(f"f({text.strip().strip('`')})", mode="eval").body
        except (SyntaxError, ValueError):
            return
        if isinstance(node, ast.Call):
            plain = ast.Call(node.func, [*node.args, *(keyword.value for keyword in node.keywords)], [])
            if text := _argument_text(plain, {}) or "":
                self.calls.append(Usage("", text))


def _literal_text(node: ast.expr, known: dict[str, str]) -> str | None:
    """Text of a literal, or of what a name was bound to."""
    if isinstance(node, ast.Name):
        text = known.get(node.id)
        return None if text and _INSTANCE.match(text) else text
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return ast.unparse(node)


def _instance_text(node: ast.expr, known: dict[str, str]) -> str | None:
    """Text of an instance created from literals: `Stack([1, 2])`."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _BUILTINS:
        text = _argument_text(node, known)
        return None if text is None else f"{node.func.id}{text}"
    return None


def _argument_text(node: ast.Call, known: dict[str, str]) -> str | None:
    positional = [_literal_text(argument, known) for argument in node.args]
    named = [(argument.arg, _literal_text(argument.value, known)) for argument in node.keywords]
    if None in positional or any(name is None or value is None for name, value in named):
        return None
    text = f"({', '.join([*map(str, positional), *(f'{name}={value}' for name, value in named)])})"
    return text if len(text) <= MAX_ARGUMENT_CHARACTERS else None


def _bind_literals(target: ast.expr, value: ast.expr, known: dict[str, str]) -> dict[str, str]:
    """Literals that an assignment binds."""
    if isinstance(target, ast.Name):
        text = _literal_text(value, known) or _instance_text(value, known)
        return {target.id: text} if text else {}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple | ast.List):
        if len(target.elts) != len(value.elts):
            return {}
        pairs = zip(target.elts, value.elts, strict=True)
        return {
            name: text for part, part_value in pairs for name, text in _bind_literals(part, part_value, known).items()
        }
    return {}


def _target_names(target: ast.expr) -> Iterator[str]:
    return (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _bind_rows(target: ast.expr, table: ast.expr, known: dict[str, str]) -> list[dict[str, str]]:
    """Literals that a loop over a table binds in its first iterations."""
    if isinstance(table, ast.Name) and table.id in known:
        table = ast.parse(known[table.id], mode="eval").body
    if not isinstance(table, ast.List | ast.Tuple | ast.Set):
        return []
    return [_bind_literals(target, row, known) for row in table.elts[:MAX_TABLE_ROWS]]


def _parametrized_rows(node: ast.FunctionDef) -> list[dict[str, str]]:
    """Values that `parametrize` binds in a test; one empty row for an ordinary function."""
    for decorator in node.decorator_list:
        if (
            isinstance(decorator, ast.Call)
            and ast.unparse(decorator.func).endswith("parametrize")
            and len(decorator.args) > 1
        ):
            names = decorator.args[0]
            if isinstance(names, ast.Constant) and isinstance(names.value, str):
                targets = [ast.Name(name.strip()) for name in names.value.split(",")]
                target = ast.Tuple(list(targets)) if len(targets) > 1 else targets[0]
                return _bind_rows(target, decorator.args[1], {}) or [{}]
    return [{}]
