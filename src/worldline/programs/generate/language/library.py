"""The template files: read once, at first use, from the folder `generate/templates`.

A name is a path in that folder without its ending. What the text means is for its readers; `templates/README.md` says
it to a person.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_WRAPPED = re.compile(r"\|\\\n *")


@cache
def text(name: str) -> str:
    """The whole file."""
    return (files("worldline.programs.generate") / "templates" / f"{name}.txt").read_text("utf-8")


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a file that holds one thing a line, which may go on below a backslash; `# ` begins a remark."""
    whole = _WRAPPED.sub("|", text(name)).rstrip("\n")
    return tuple(line for line in whole.split("\n") if not line.startswith("# "))


@cache
def words(name: str) -> tuple[str, ...]:
    """The words of a file, however they are laid out in lines."""
    return tuple(text(name).split())


@cache
def blocks(name: str) -> tuple[str, ...]:
    """The blocks of a file, which `---` alone on a line keeps apart."""
    return tuple(text(name).rstrip("\n").split("\n---\n"))


@cache
def pools(name: str) -> dict[str, tuple[str, ...]]:
    """The lines `key: word word ...` of a file, by key."""
    pairs = (line.partition(": ") for line in lines(name))
    return {key: tuple(held.split()) for key, _, held in pairs}
