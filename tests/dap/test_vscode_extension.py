"""The VS Code extension in node: a fake editor, a real interpreter and a real adapter; and how it reads sources.

Needs node and `npm ci --prefix tests/dap`, which set-up does.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
EXTENSION = REPOSITORY / "editors/vscode"
SECONDS = 300
SHOP = """\

def price(n, unit=4):
    def half():
        return n // 2
    return half() * unit


class Till:
    class Drawer:
        # not a decorator: @staticmethod
        def total(
            self,
            counts: "list[int]",
            *,
            rate,
        ):
            total = sum(counts)
            return total * rate
"""
TESTS = """\
import shop
import pytest

LIMIT = 3


class TestShop:
    def test_total(self):
        total = shop.price(3)
        assert total == 5


@pytest.mark.parametrize("n", [1, 2])
def test_case(n):
    assert n
"""
PACKAGE = {"__init__.py": "", "inner.py": "def twice(n):\n    return 2 * n\n"}
OUTER = "from .inner import twice\n\n\ndef run(n):\n    return twice(n)\n"


@pytest.fixture(scope="module")
def node() -> str:
    """Node, with the client installed."""
    command = shutil.which("node")
    if command is None or not (HERE / "node_modules").is_dir():
        pytest.skip("no node, or no `npm ci --prefix tests/dap`")
    return command


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder that is open in the editor."""
    folder = tmp_path / "folder"
    files = {"shop.py": SHOP, "tests/test_shop.py": TESTS, "conftest.py": "", "pkg/outer.py": OUTER}
    files |= {f"pkg/{name}": text for name, text in PACKAGE.items()}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def execute(node: str, scenario: str, **config: Any) -> None:
    """Execute one scenario of extension.mjs."""
    config |= {"scenario": scenario, "extension": str(EXTENSION), "python": sys.executable, "venv": sys.prefix}
    done = subprocess.run(
        [node, str(HERE / "extension.mjs"), json.dumps(config)],
        env={**os.environ, "NODE_PATH": str(HERE / "fake_vscode")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("scenario", ["predict", "programs", "trace"])
def test_a_session_starts_and_steps(node: str, workspace: Path, scenario: str) -> None:
    execute(node, scenario, folder=str(workspace))


def test_links_stand_above_functions_and_tests(node: str, workspace: Path) -> None:
    execute(node, "lenses", folder=str(workspace))


def test_the_interpreter_is_the_selected_one_and_must_have_worldline(node: str, workspace: Path) -> None:
    bare = workspace.parent / "bare"
    venv.create(bare, with_pip=False)
    execute(node, "interpreters", folder=str(workspace), bare=str(bare / "bin" / "python"))


def defined(source: str) -> list[list[Any]]:
    """The definitions of a source by Python's own parser, as outline.mjs writes them."""

    def inside(node: ast.AST, path: tuple[str, ...]) -> Iterator[list[Any]]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from inside(child, path)
                continue
            name = (*path, child.name)
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            is_class = isinstance(child, ast.ClassDef)
            count = None if isinstance(child, ast.ClassDef) else parameter_count(child.args)
            yield [".".join(name), first, child.lineno, child.end_lineno, is_class, count]
            yield from inside(child, name)

    return sorted(inside(ast.parse(source), ()), key=lambda row: (row[2], row[0]))


def parameter_count(arguments: ast.arguments) -> int:
    """How many parts a signature has between its commas: markers count."""
    star = arguments.vararg is not None or bool(arguments.kwonlyargs)
    names = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return len(names) + bool(arguments.posonlyargs) + star + (arguments.kwarg is not None)


def outlined(node: str, files: list[Path]) -> dict[str, list[list[Any]]]:
    """What the extension reads from these files."""
    command = [node, str(HERE / "outline.mjs"), str(EXTENSION / "outline.js"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    rows: dict[str, list[list[Any]]] = json.loads(done.stdout)
    return {file: sorted(found, key=lambda row: (row[2], row[0])) for file, found in rows.items()}


def test_sources_are_read_as_python_reads_them(node: str) -> None:
    """Many sources of this repository: decorators, nested classes, long signatures, texts that look like code."""
    folders = ("src/worldline/recording", "src/worldline/core", "tests/flow", "tests/rewrite", "tests/repository")
    files = [path for folder in folders for path in (REPOSITORY / folder).rglob("*.py")]
    expected = {str(path): defined(path.read_text("utf-8")) for path in files}
    assert sum(map(len, expected.values())) > 1000
    rows = outlined(node, files)
    assert {path: row for path, row in rows.items() if row != expected[path]} == {}


ODD = [
    "def f(a, b=(1, 2), *c, d: 'x, y' = ')', **e): return '''\ndef g(): pass\n'''\nx = 1\n",
    "@one(\n    1,\n)\n@two\nasync def f(a: dict[str, int], /, *, b) -> 'x':\n    pass  # end\n\n# after\nx = '#'\n",
    "class A(B, metaclass=C):\n\tdef m(self):\n\t\treturn f'{self!r}'\n\n\tclass D: pass\n",
    "def f(): \\\n    pass\nif True:\n    def g(x): return x\nelse:\n    def h(): ...\n",
    "def größe(länge):\n    s = r'\\'\n    return \"it's\"\n".replace("r'\\'", "r'\\\\'"),
    "def f[T: int](x: T) -> T:\n    return x\n",
    "if 1:\n    x = [\n0]\n    def f(): pass\n\ndef g():\n    '''doc'''\n",
    "def f():\r\n    return 1\r\n\r\ndef g():\r\n    x = 1; return x\r\n",
]


@pytest.mark.parametrize("source", ODD)
def test_odd_sources_are_read_as_python_reads_them(node: str, tmp_path: Path, source: str) -> None:
    file = tmp_path / "odd.py"
    file.write_bytes(source.encode())
    try:
        expected = defined(source)
    except SyntaxError:
        pytest.skip("this Python does not read it")
    assert outlined(node, [file])[str(file)] == expected


def test_a_source_that_does_not_parse_still_has_functions(node: str, tmp_path: Path) -> None:
    file = tmp_path / "open.py"
    file.write_text("def f(a):\n    x = (1 +\n\n\nclass A:\n    def m(self):\n        return 'open\n\ndef g(): pass\n")
    names = [row[0] for row in outlined(node, [file])[str(file)]]
    assert names[0] == "f"
