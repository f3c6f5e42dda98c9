"""Programs run plainly, by the toolchains of this machine, and what they print: nothing of worldline is in between."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from worldline.core.program import Program
from worldline.programs.languages.translate import as_script

COMMANDS = {
    "python": ((sys.executable, "{name}"),),
    "js": (("node", "{name}"),),
    "java": (("java", "-XX:TieredStopAtLevel=1", "{name}"),),
    "c": (("gcc", "-O0", "-fwrapv", "-Wall", "-Werror=implicit", "-o", "run", "{name}"), ("./run",)),
    "cpp": (("g++", "-O0", "-o", "run", "{name}"), ("./run",)),
    "rust": (("rustc", "-A", "warnings", "-o", "run", "{name}"), ("./run",)),
    "go": (("go", "build", "-ldflags=-s -w", "-o", "run", "{name}"), ("./run",)),
}
_TRUTHS = {"True": "1", "true": "1", "False": "0", "false": "0"}


def is_here(language: str) -> bool:
    """Whether the toolchain of a language is on this machine."""
    return language in COMMANDS and shutil.which(COMMANDS[language][0][0]) is not None


def printed(program: Program, folder: Path) -> list[str]:
    """The words that a program prints; truth values as 0 and 1."""
    folder.mkdir(parents=True)
    (folder / program.name).write_text(program.source)
    done = None
    for command in COMMANDS[program.language]:
        words = [word.format(name=program.name) for word in command]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{words}\n{done.stderr}\n{program.source}"
    assert done is not None
    return [_TRUTHS.get(word, word) for word in done.stdout.split()]


def in_python(program: Program) -> Program:
    """A program as Python runs it: records are dataclasses there."""
    head = "from dataclasses import dataclass\nnat = int\n"
    return replace(program, source=head + program.source.replace("class ", "@dataclass\nclass "))


def as_number(program: Program) -> Program:
    """A script that prints the answer, several values of one answer folded into one number."""
    tree = ast.parse(program.source)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            _fold(function)
    return as_script(replace(program, source=ast.unparse(tree) + "\n"))


def _fold(function: ast.FunctionDef) -> None:
    first: dict[str, type] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            first.setdefault(ast.unparse(node.targets[0]), type(node.value.value))
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            text = "0"
            for part in map(ast.unparse, node.value.elts):
                number = {bool: f"(1 if {part} else 0)", str: f"ord({part})"}.get(first.get(part, int), part)
                text = f"({text} * 31 + {number}) % 9973"
            node.value = ast.parse(text, mode="eval").body
