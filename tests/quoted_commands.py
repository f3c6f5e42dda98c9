"""The commands that a page quotes with their output, and what of an output is the same everywhere."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

BLOCKS = re.compile(r"^```\n(.*?)^```$|((?:^    [^\n]*\n|^\n(?=    ))+)", re.MULTILINE | re.DOTALL)
"""Code between fences, or indented."""
VARYING = re.compile(r"(?<=cpython )\d+\.\d+\.\d+|(?<=in )\d+\.\d+ s")


def quoted_commands(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each command of worldline on a page, without its first word, and the output quoted below it."""
    for fenced, indented in BLOCKS.findall(page.read_text("utf-8")):
        block = fenced or textwrap.dedent(indented)
        yield from re.findall(r"^\$ worldline (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def normalized(text: str) -> str:
    """Ignore line breaks, column widths, table rules, seconds and the interpreter's version."""
    return " ".join(VARYING.sub("", text).replace("│", " ").split())


def quoted_parts(output: str) -> list[str]:
    """The parts of a quoted output, between lines of three dots, normalized."""
    return [normalized(part) for part in re.split(r"^\.\.\.$", output, flags=re.MULTILINE)]
