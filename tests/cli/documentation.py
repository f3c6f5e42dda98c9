"""The pages of the documentation, their blocks of code and the commands in them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ASSIGNMENTS = re.compile(r"(?:[A-Z_]+=\S+ +)+")
INDENTED = re.compile(r"(?:^    [^\n]*\n|^\n(?=    ))+", re.MULTILINE)
LANGUAGES = {"", "sh", "console"}
"""Of blocks that may hold commands."""
PROGRAMS = (
    "worldline", "python", "pip", "apt-get", "pytest", "git", "cp", "curl", "eval", "export", "code", "head", "ray",
    "torchrun", "vllm", "llama-server", "make",
)  # fmt: skip
"""What a command starts with."""


class Block(NamedTuple):
    """A block of code: its page, its language and its text."""

    page: str
    language: str
    text: str


def blocks() -> list[Block]:
    """Return every block of every page, fenced or indented."""
    return [block for page in PAGES for block in _blocks(page)]


def _blocks(page: Path) -> Iterator[Block]:
    text, name = page.read_text("utf-8"), str(page.relative_to(ROOT))
    fenced = list(BLOCK.finditer(text))
    starts, ends = [match.start() for match in fenced], [match.end() for match in fenced]
    for start, end, match in zip([0, *ends], [*starts, len(text)], [*fenced, None], strict=True):
        for indented in INDENTED.findall(text[start:end]):
            yield Block(name, "", textwrap.dedent(indented).strip("\n") + "\n")
        if match is not None:
            indent, info, inside = match.groups()
            yield Block(name, info.partition(" ")[0], re.sub(rf"^{indent}", "", inside, flags=re.MULTILINE))


def command_lines(block: Block) -> list[str]:
    """Return the commands of a block, each on one line and without its comment; quoted output is left out."""
    if block.language not in LANGUAGES:
        return []
    lines = block.text.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [line.partition("  #")[0].strip() for line in lines if _program(line) in PROGRAMS]


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command of worldline that a block shows, with its page."""
    for block in blocks():
        for line in command_lines(block):
            if _program(line) == "worldline":
                yield block.page, ASSIGNMENTS.sub("", line, count=1) if ASSIGNMENTS.match(line) else line


def _program(line: str) -> str:
    """The first word of a line, after assignments of variables."""
    rest = line[match.end() :] if (match := ASSIGNMENTS.match(line)) else line
    return rest.split(" ")[0].rstrip()
