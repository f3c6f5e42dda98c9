"""Read Markdown as a git host does: Python-Markdown wants more indent and more blank lines."""

from __future__ import annotations

import re

from links import outside_fences
from markdown import Extension, Markdown

FILE_NAME = re.compile(r"^( *`{3,}\w+) ([\w./-]+)$", re.MULTILINE)
EMPTY_REFERENCE = re.compile(r"^(\| [^|`]*\])(\[\][^|`]*\|)", re.MULTILINE)
ITEM = re.compile(r"( *)(?:[-*]|\d+\.) ")


class ListIndent(Extension):
    """Nest what stands below a list item by two or three spaces."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Build the parser again with this indent; so no extension may come before this one."""
        md.tab_length = 2
        md.build_parser()


def adapted(text: str) -> str:
    """Write a page so that Python-Markdown reads it as a git host does."""
    text = outside_fences(FILE_NAME.sub(r'\1 title="\2"', text), separate_lists)
    # A type such as map[int][]int is no reference.
    return EMPTY_REFERENCE.sub(r"\1\\\2", text)


def separate_lists(text: str) -> str:
    """Put a blank line between a paragraph and the list that follows it."""
    lines: list[str] = []
    indents: set[str] = set()  # of the items since the last blank line
    for line in text.split("\n"):
        item = ITEM.match(line)
        if not line.strip():
            indents.clear()
        elif item:
            if item[1] not in indents and lines and lines[-1].strip() and not ITEM.match(lines[-1]):
                lines.append("")
            indents.add(item[1])
        lines.append(line)
    return "\n".join(lines)
