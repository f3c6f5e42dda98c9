"""Writes the map of the house into docs/house.md: one clause a file, out of the files' own first sentences.

`python docs/house.py` (or `make house`) replaces what stands below the mark in docs/house.md; `--check` only says
whether it would change. The table of rooms above the mark is written by hand: tests/house/test_layers.py reads it.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "house.md"
MARK = "<!-- below: made by `make house` out of the files' first sentences -->\n"
WIDTH = 26  # the column at which clauses begin
BESIDE = {  # folders that are told in one line
    "recipes": "training runs as functions that return a frozen configuration",
    "perf": "`make bench`, `make humaneval`, `make pictures`: speeds and costs, each beside its peers",
    "studies": "experiments that make a page of figures: the tokenizer swap, hidden inputs",
    "examples": "small programs, each for one thing that a trace shows; a notebook from a model to figures",
    "editors": "what editors need to find the debug adapter",
    "docs": "formats, options, limits, messages, words, figures, this page",
    "tests": "foldered by why they exist: tests/README.md",
    "src/worldline/plan/reach/machines": "the command machines that ship, as sources",
    "src/worldline/model/shipped": "the shipped model: weights and their manifest",
    "src/worldline/harness/lm_eval_tasks": "lm-eval's tasks, one file a suite: what `--include_path` is given",
    "src/worldline/recording/guests/compiled/runtime": "what is linked to a compiled program and records it, in C",
    "src/worldline/recording/guests/jvm/compiler": "the warm compiler and the bytecode pass, in Java",
    "src/worldline/recording/guests/jvm/recorder": "what records a Java program from inside its virtual machine",
    "src/worldline/recording/guests/node/pass": "the pass over a source: where its hooks go, and its control flow",
    "src/worldline/recording/guests/node/vendor": "acorn and its TypeScript plugin (MIT), as published",
    "src/worldline/web/static": "the page itself: plain ES modules, no build",
}


def sentence(text: str) -> str:
    """The first sentence of a text, without its full stop."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"[.;](?=\s|$)", paragraph, maxsplit=1)[0].rstrip(" ,.")


def python_clause(path: Path) -> str:
    """What a module says that it does."""
    return sentence(ast.get_docstring(ast.parse(path.read_bytes())) or "")


def c_clause(path: Path) -> str:
    """What the comment at the head of a C file says that it does."""
    comment = path.read_text("utf-8").removeprefix("/*").partition("*/")[0]
    return sentence(re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE))


def folder_clause(folder: Path) -> str:
    """What a folder is for: its package's docstring, what is said of it here, or its README's first sentence."""
    name, package, readme = folder.relative_to(ROOT).as_posix(), folder / "__init__.py", folder / "README.md"
    if package.exists():
        return python_clause(package)
    if name in BESIDE or not readme.exists():
        return BESIDE[name]
    return sentence(readme.read_text("utf-8").partition("\n\n")[2])


def line(depth: int, name: str, clause: str) -> str:
    """One line of a tree."""
    return f"{'  ' * depth + name:<{WIDTH}} {clause}"


def tree(folder: Path, depth: int = 0) -> list[str]:
    """A folder's modules, then its folders; a folder without modules is one line."""
    modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    lines = [line(depth, path.name, python_clause(path)) for path in modules]
    for inner in sorted(path for path in folder.iterdir() if path.is_dir() and holds_files(path)):
        lines.append(line(depth, inner.name + "/", folder_clause(inner)))
        lines += tree(inner, depth + 1) if (inner / "__init__.py").exists() else []
    return lines


def holds_files(folder: Path) -> bool:
    """Whether anything is in a folder but what the interpreter caches."""
    return any(path.is_file() and path.suffix != ".pyc" for path in folder.rglob("*"))


def map_of_the_house() -> str:
    """All that stands below the mark."""
    package = ROOT / "src" / "worldline"
    native = [line(0, path.name, c_clause(path)) for path in sorted((ROOT / "native").glob("*.[ch]"))]
    rooms = [path for path in sorted(package.iterdir()) if (path / "__init__.py").exists()]
    blocks = [
        ("src/worldline/", [line(0, path.name, python_clause(path)) for path in sorted(package.glob("*.py"))])
    ]
    blocks += [(f"src/worldline/{room.name}/ · {folder_clause(room)}", tree(room)) for room in rooms]
    blocks += [("native/ · Fast twins of the readable cores, optional at build time", native)]
    beside = [line(0, name + "/", clause) for name, clause in BESIDE.items() if "/" not in name]
    blocks += [("Beside the package", beside)]
    return "\n".join(f"### {title}\n\n```\n" + "\n".join(lines) + "\n```\n" for title, lines in blocks)


def made() -> str:
    """The whole page as it should be."""
    head, mark, _ = PAGE.read_text("utf-8").partition(MARK)
    return head + mark + "\n" + map_of_the_house()


if __name__ == "__main__":
    stale = made() != PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        sys.exit("docs/house.md is not what the docstrings say: make house" if stale else 0)
    PAGE.write_text(made(), "utf-8")
