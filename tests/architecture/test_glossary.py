"""One word, one meaning: docs/reference/glossary.md names existing types, public class names are unique, no slang."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from imports import parsed

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "glossary.md").read_text("utf-8")
ROW = re.compile(r"^\| ([a-z ]+) \| `([\w.]+)` \| (.+) \|$", re.MULTILINE)
SLANG = {
    "desk", "shelf", "aside", "unswept", "standing", "told", "parts", "moments", "shown", "in_use", "places",
}  # fmt: skip

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def definitions() -> Iterator[tuple[str, Definition]]:
    """Every public class and function at the top of a module, with the module's path."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, Definition) and not node.name.startswith("_"):
                yield path.relative_to(ROOT).as_posix(), node


def members(node: ast.ClassDef) -> set[str]:
    """The fields and methods that a class's own body defines."""
    names = {inner.name for inner in node.body if isinstance(inner, Definition)}
    fields = [inner.target for inner in node.body if isinstance(inner, ast.AnnAssign)]
    return names | {field.id for field in fields if isinstance(field, ast.Name)}


def types() -> set[str]:
    """Every public class of the package by its dotted path in it, and each of its members behind it."""
    found = set()
    for path, node in definitions():
        if isinstance(node, ast.ClassDef):
            name = f"{path.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}.{node.name}"
            found |= {name, *(f"{name}.{member}" for member in members(node))}
    return found


def test_every_word_has_a_type_that_exists() -> None:
    rows = ROW.findall(PAGE)
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| word |")]
    assert len(rows) == len(lines) > 30, "a row is not word, type, meaning"
    known = types()
    assert [(word, named) for word, named, _ in rows if named not in known] == []


def test_every_word_is_explained_once() -> None:
    words = [word for word, _, _ in ROW.findall(PAGE)]
    assert sorted(words) == sorted(set(words))
    assert [word for word, _, meaning in ROW.findall(PAGE) if len(meaning.split()) < 6] == []


def test_no_public_class_name_is_defined_twice() -> None:
    homes = defaultdict(list)
    for path, node in definitions():
        if isinstance(node, ast.ClassDef):
            homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_module_class_or_function_is_called_by_slang() -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if path.stem in SLANG}
    named = {f"{path}:{node.name}" for path, node in definitions() if node.name.lower() in SLANG}
    assert modules == set()
    assert named == set()
