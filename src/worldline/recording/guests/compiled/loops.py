"""The loops of a function's assembly: where they begin, and which jumps lead back there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .unwinding import leads

LOC = re.compile(r"\t\.loc\t?\s*(\d+) (\d+)(?: (\d+))?(.*)")


def back_edges(lines: list[str]) -> dict[int, int]:
    """The jumps that end a loop's round, by index, and the index of the label that each leads back to."""
    labels = {text[:-1]: at for at, text in enumerate(lines) if text.startswith(".L") and text.endswith(":")}
    found: dict[int, int] = {}
    seen, open_ = {0}, {0}
    stack = [(0, _leaving(lines, labels, 0))]
    while stack:
        begin, ways = stack[-1]
        for at, to in ways:
            if to in open_:
                found[at] = to
            elif to not in seen:
                seen.add(to)
                open_.add(to)
                stack.append((to, _leaving(lines, labels, to)))
                break
        else:
            open_.discard(begin)
            stack.pop()
    return found


def _leaving(lines: list[str], labels: dict[str, int], begin: int) -> Iterator[tuple[int, int]]:
    """The ways out of the code behind a label: the index of each jump, and that of the label it leads to."""
    for at in range(begin + 1, len(lines)):
        if lines[at].endswith(":") and lines[at][:-1] in labels:
            yield at - 1, at
            return
        target, falls = leads(lines[at])
        if target in labels:
            yield at, labels[target]
        if not falls:
            return


def first_loc(lines: list[str], label: int) -> int:
    """The index of the `.loc` that says the line of the code behind a label; 0: none does before it is left."""
    for at in range(label + 1, len(lines)):
        match = LOC.match(lines[at])
        if match and match[2] != "0":
            return at
        if not match and leads(lines[at]) != ("", True):
            return 0
    return 0


def round_heads(lines: list[str]) -> set[int]:
    """Indices of the `.loc` lines with which each round of a loop begins."""
    inside = fills(lines)
    return {
        at for head in set(back_edges(lines).values()) if (at := first_loc(lines, head)) not in inside
    } - {0}


def _one_line(lines: list[str]) -> bool:
    return len({match.group(1, 2) for line in lines if (match := LOC.match(line))}) == 1


def one_line_heads(lines: list[str]) -> set[int]:
    """Indices of `.loc` lines right behind a label that is jumped back to, in loops that are one line."""
    labels: dict[str, int] = {}
    heads: set[int] = set()
    for index, text in enumerate(lines):
        if text.endswith(":") and text.startswith(".L"):
            labels[text[:-1]] = index
        elif text.startswith("\t") and not text.startswith("\t."):
            target = text.rpartition("\t")[2].rpartition(" ")[2]
            if target in labels:
                at = labels[target] + 1
                while lines[at].endswith(":"):
                    at += 1
                if lines[at].startswith("\t.loc") and _one_line(lines[at:index]):
                    heads.add(at)
    return heads


def fills(lines: list[str]) -> set[int]:
    """Indices in the loops that one expression is, such as `[n; 512]` of Rust: its own line is not run again."""
    labels: dict[str, int] = {}
    found: set[int] = set()
    for index, text in enumerate(lines):
        if text.endswith(":") and text.startswith(".L"):
            labels[text[:-1]] = index
        elif text.startswith(("\tb\t.L", "\tjmp\t.L")) and text.rpartition("\t")[2] in labels:
            first = labels[text.rpartition("\t")[2]]
            places = {match.group(1, 2, 3) for line in lines[first:index] if (match := LOC.match(line))}
            if len({place for place in places if place[1] != "0"}) == 1:
                found.update(range(first, index))
    return found
