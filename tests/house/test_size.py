"""Modules and functions stay small enough to read; nothing in the repository knows one machine's folders."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import worldline

ROOT = Path(worldline.__file__).parent
REPOSITORY = Path(__file__).parents[2]
MODULE_LINES, FUNCTION_LINES = 450, 70
MACHINE = re.compile(r"(?<![\w.~])/(?:work|root|home)/\w+/")


def test_no_module_is_long() -> None:
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in ROOT.rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > MODULE_LINES} == {}


def test_no_function_is_long() -> None:
    long = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > FUNCTION_LINES:
                    long[f"{path.name}:{node.name}"] = size
    assert long == {}


def test_every_module_says_what_it_does() -> None:
    dumb = [path for path in ROOT.rglob("*.py") if not ast.get_docstring(ast.parse(path.read_bytes()))]
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
