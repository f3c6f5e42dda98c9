"""Reads the template files of `generate/templates`, each once.

A name is a path in that folder without its suffix. `templates/README.md` describes the files.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_WRAPPED = re.compile(r"\|\\\n *")


@cache
def text(name: str) -> str:
    """Read a whole file."""
    return (files("worldline.programs.generate") / "templates" / f"{name}.txt").read_text("utf-8")


@cache
def lines(name: str) -> tuple[str, ...]:
    """Read a file of one entry per line.

    A backslash after `|` continues a line; a line that starts with `# ` is a comment.
    """
    whole = _WRAPPED.sub("|", text(name)).rstrip("\n")
    return tuple(line for line in whole.split("\n") if not line.startswith("# "))


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the words of a file."""
    return tuple(text(name).split())


@cache
def blocks(name: str) -> tuple[str, ...]:
    """Return the blocks of a file, separated by lines of `---`."""
    return tuple(text(name).rstrip("\n").split("\n---\n"))


@cache
def pools(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each `key: word word ...` line, by key."""
    pairs = (line.partition(": ") for line in lines(name))
    return {key: tuple(held.split()) for key, _, held in pairs}
