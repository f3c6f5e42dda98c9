"""The loops of a function's assembly: where they begin, and which jumps lead back there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .unwinding import leads

LOC = re.compile(r"\t\.loc\t?\s*(\d+) (\d+)(?: (\d+))?(.*)")
ENDLESS = re.compile(r"('\w+\s*:\s*)?loop\b")
_BEGINS = " prologue_end"
Span = tuple[tuple[int, int], tuple[int, int]]  # where something begins in the source, and where it has ended


def back_edges(lines: list[str]) -> dict[int, int]:
    """The jumps that end a loop's round, by index, and the index of the label that each leads back to."""
    labels = {text[:-1]: at for at, text in enumerate(lines) if text.startswith(".L") and text.endswith(":")}
    edges: dict[int, int] = {}
    seen, open_ = {0}, {0}
    stack = [(0, _leaving(lines, labels, 0))]
    while stack:
        begin, ways = stack[-1]
        for at, to in ways:
            if to in open_:
                edges[at] = to
            elif to not in seen:
                seen.add(to)
                open_.add(to)
                stack.append((to, _leaving(lines, labels, to)))
                break
        else:
            open_.discard(begin)
            stack.pop()
    return edges


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
    return {at for head in set(back_edges(lines).values()) if (at := first_loc(lines, head)) not in inside} - {0}


def with_entries(lines: list[str], file: str, loops: list[Span], jump: str) -> tuple[list[str], int]:
    """A function's lines with the jumps into loops that were left out, and the head of a loop that it begins with."""
    heads, first = set(back_edges(lines).values()), 0
    mark = _BEGINS if any(_BEGINS in text for text in lines) else ""
    out: list[str] = []
    before, falls, statement, given_back, waiting, seen = (0, 0), True, True, True, True, 0
    for at, text in enumerate(lines):
        if match := LOC.match(text):
            if "is_stmt" in match[4]:
                statement = "is_stmt 1" in match[4]
            elif not given_back:
                text += " is_stmt 0"
            given_back, seen = True, seen + 1
            waiting = waiting and (mark not in text if mark else seen < 2)
            text = text.replace(_BEGINS, "") if first else text
            before = _position(match, file) or before
        elif at in heads and falls and seen:
            here = _position(LOC.match(lines[first_loc(lines, at)]), file) or before
            around = [loop for loop in loops if loop[0] <= here < loop[1] and not loop[0] <= before < loop[1]]
            line, column = min(around)[0] if around else here if here[0] == before[0] else before
            if waiting or line != before[0]:
                out.append(f"\t.loc\t{file} {line} {column}{mark * waiting} is_stmt 1")
                out.append(f"\t{jump}\t{text[:-1]}")
                first = len(out) if waiting else first
                given_back, waiting = statement, False
        elif text.startswith("\t") and not text.startswith("\t."):
            falls = leads(text)[1]
        out.append(text)
    return out, first


def _position(match: re.Match[str] | None, file: str) -> tuple[int, int] | None:
    known = match is not None and match[1] == file and match[2] != "0"
    return (int(match[2]), int(match[3] or 0)) if match and known else None


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
    indices: set[int] = set()
    for index, text in enumerate(lines):
        if text.endswith(":") and text.startswith(".L"):
            labels[text[:-1]] = index
        elif text.startswith(("\tb\t.L", "\tjmp\t.L")) and text.rpartition("\t")[2] in labels:
            first = labels[text.rpartition("\t")[2]]
            places = {match.group(1, 2, 3) for line in lines[first:index] if (match := LOC.match(line))}
            if len({place for place in places if place[1] != "0"}) == 1:
                indices.update(range(first, index))
    return indices
