"""Modules and functions stay small enough to read; nothing in the repository knows one machine's folders."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from imports import parsed

import worldline

ROOT = Path(worldline.__file__).parent
REPOSITORY = Path(__file__).parents[2]
MODULE_LINES = 450
FUNCTION_LINES = 60  # without the docstring
FOLDER_FILES = 21  # twenty modules and the folder's own `__init__.py`
FAMILY = 4  # so many files with one prefix are a folder
TEXT_LINES = 15  # of a string constant; a longer text is a file of its own
TEXTS = {  # module: why a longer text stands in it
    "recording/together.py": "the driver that a box is given: it is run there, never here"
}
MACHINE = re.compile(r"(?<![\w.~])/(?:work|root|home)/\w+/")


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path: names alone are not unique, `__init__.py` least of all."""
    return {path.relative_to(ROOT).as_posix(): parsed(path) for path in ROOT.rglob("*.py")}


def test_every_module_is_measured() -> None:
    assert len(modules()) == len(list(ROOT.rglob("*.py"))) > 300


def test_no_two_test_modules_have_one_name() -> None:
    """Tests are modules without packages: of two with one name a run imports the first alone, or stops."""
    tests = REPOSITORY / "tests"
    # The folders of tests are on the path, so what tests import from them shares one namespace too.
    helpers = (path for path in tests.glob("*/*.py") if path.name != "conftest.py")
    collected = Counter(path.name for path in {*tests.rglob("test_*.py"), *helpers})
    assert {name for name, count in collected.items() if count > 1} == set()
    assert len(collected) > 200


def test_no_module_is_long() -> None:
    lines = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in modules()}
    assert {name: count for name, count in lines.items() if count > MODULE_LINES} == {}


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's docstring: the more parameters a public function explains, the better."""
    first = node.body[0]
    if ast.get_docstring(node) is None:
        return 0
    return (first.end_lineno or first.lineno) - first.lineno + 1


def test_no_function_is_long() -> None:
    long = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1 - docstring_lines(node)
                if size > FUNCTION_LINES:
                    long[f"{name}:{node.name}"] = size
    assert long == {}


def docstrings(tree: ast.Module) -> set[int]:
    """The nodes that are docstrings, by id."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            found |= {id(first.value)} if isinstance(first, ast.Expr) else set()
    return found


def longest_text(tree: ast.Module) -> int:
    """Lines of the longest string constant in a module, docstrings apart."""
    told = docstrings(tree)
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in told
    ]
    return max((len(text.strip().splitlines()) for text in texts), default=0)


def test_text_that_is_not_python_is_not_in_a_module() -> None:
    long = {name for name, tree in modules().items() if longest_text(tree) > TEXT_LINES}
    assert long == set(TEXTS)


def test_a_long_text_is_seen_however_it_is_written() -> None:
    lines = "x\\n" * 30
    for text in (f'A = "{lines}"', f'A = b"{lines}"', f'A = f"{lines}{{b}}"', f'def f():\n    return ["{lines}"]'):
        assert longest_text(ast.parse(text)) == 30
    assert longest_text(ast.parse(f'"""{lines}"""\ndef f():\n    """{lines}"""')) == 0


def test_no_folder_is_crowded() -> None:
    counts = Counter(Path(name).parent.as_posix() for name in modules())
    crowded = {folder: count for folder, count in counts.items() if count > FOLDER_FILES}
    assert crowded == {}


def families(names: Iterable[str]) -> set[str]:
    """What four files or more of one folder begin with: `x.py` and `x_*.py`."""
    beginnings: Counter[str] = Counter()
    for name in names:
        folder, stem = Path(name).parent.as_posix(), Path(name).stem
        if not stem.startswith("_"):
            beginnings[f"{folder}/{stem.split('_')[0]}_*"] += 1
    return {family for family, count in beginnings.items() if count >= FAMILY}


def test_four_files_with_one_prefix_are_a_folder() -> None:
    assert set(families(modules())) == set()


def test_a_family_is_seen() -> None:
    assert families(["a/x.py", "a/x_1.py", "a/x_2.py", "a/x_3.py", "b/y_1.py", "b/y_2.py"]) == {"a/x_*"}


def test_every_module_says_what_it_does() -> None:
    dumb = [path for path in ROOT.rglob("*.py") if not ast.get_docstring(parsed(path))]
    assert dumb == []


def test_no_file_names_a_folder_of_one_machine() -> None:
    command = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    here = Path(__file__).relative_to(REPOSITORY).as_posix()
    found = []
    for name in listed:
        path = REPOSITORY / name
        if name and name != here and path.is_file() and path.stat().st_size < 1_000_000:
            found += [f"{name}: {hit[0]}" for hit in MACHINE.finditer(path.read_text("utf-8", "replace"))]
    assert found == []
