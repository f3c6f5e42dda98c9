"""Where the rounds of a loop begin that is all in one line of C or C++.

gcc puts the body before the condition, and the step of a `for` between the two. A round begins where the program's text
has it begin: at the condition of a `while`, at the step of a `for`, at the body of a `do`. No line changes there, so
these places are marked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .loops import LOC, first_loc
from .routine import is_code
from .unwinding import leads

_FOR = re.compile(rb"\bfor\s*\(")
_QUOTED = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_OPENING, _CLOSING = b"([{", b")]}"

Columns = tuple[int, int, int]  # of a `for`: its keyword, and where its step begins and ends


@dataclass
class OneLineLoops:
    """A function's lines with labels for the ways into its loops, and the `.loc` lines at which rounds begin."""

    lines: list[str]
    heads: set[int] = field(default_factory=set)  # only reached from the loop's end, or from before the loop
    rounds: set[int] = field(default_factory=set)  # each time that one is reached, a round begins


def one_line_loops(lines: list[str], source: list[str], name: str) -> OneLineLoops:
    """Find the loops in one line, and let the ways into a `while` pass by the place where its rounds begin."""
    lines = list(lines)
    loops = OneLineLoops(lines)
    labels = {text[:-1]: at for at, text in enumerate(lines) if text.endswith(":") and text.startswith(".L")}
    inserted: dict[int, str] = {}
    heads, rounds = set[int](), set[int]()
    for end, text in enumerate(lines):
        target = text.rpartition("\t")[2].rpartition(" ")[2] if is_code(text) else ""
        begin = labels.get(target, end)
        if begin >= end or (line := _only_line(lines[begin:end])) == 0:
            continue
        condition = _condition(lines, labels, begin, end)
        step = _step(lines, begin, condition or end, _for_heads(source[line - 1] if line <= len(source) else ""))
        place = first_loc(lines, condition) if condition else 0
        if step:
            rounds.add(step)
        elif condition and place:
            rounds.add(place)
            inserted.setdefault(place, f".Lwr{name}_{len(inserted)}")
            entry = _before(lines, begin)
            lines[entry] = lines[entry].rpartition("\t")[0] + "\t" + inserted[place]
        elif first := _loc_behind(lines, begin):
            heads.add(first)
    out: list[str] = []
    for at, text in enumerate(lines):
        loops.heads |= {len(out)} if at in heads else set()
        loops.rounds |= {len(out)} if at in rounds else set()
        out.append(text)
        if at in inserted:
            out.append(inserted[at] + ":")
    loops.lines = out
    return loops


def _only_line(lines: list[str]) -> int:
    """The line that all of these are; 0: there are several, or none."""
    numbers = {match.group(1, 2) for text in lines if (match := LOC.match(text))}
    return int(numbers.pop()[1]) if len(numbers) == 1 else 0


def _loc_behind(lines: list[str], label: int) -> int:
    at = label + 1
    while lines[at].endswith(":"):
        at += 1
    return at if LOC.match(lines[at]) else 0


def _before(lines: list[str], index: int) -> int:
    """The index of the last instruction before a line."""
    return next((at for at in range(index - 1, -1, -1) if is_code(lines[at])), 0)


def _condition(lines: list[str], labels: dict[str, int], begin: int, end: int) -> int:
    """The index of the label at a loop's condition, where that is behind the body; 0: it is not."""
    target, falls = leads(lines[_before(lines, begin)])
    at = labels.get(target, 0)
    return at if not falls and begin < at < end else 0


def _step(lines: list[str], begin: int, end: int, heads: list[Columns]) -> int:
    """The index of the `.loc` at which the step of a `for` begins: all from there to the loop's end is the step."""
    first = 0
    span: list[Columns] = heads
    has_code = False  # the jump back has a place of its own
    for at in range(end - 1, begin, -1):
        match = LOC.match(lines[at])
        has_code = has_code or is_code(lines[at])
        if not match or not has_code:
            continue
        column = int(match[3] or 0)
        span = [head for head in span if column == head[0] or head[1] <= column < head[2]]
        if not span:
            break
        first = at
    return first


def _for_heads(text: str) -> list[Columns]:
    """The columns of the heads of `for` in a line, counted in bytes from 1."""
    data = _QUOTED.sub(lambda match: b"_" * len(match[0]), text.encode(errors="surrogateescape"))
    heads: list[Columns] = []
    for match in _FOR.finditer(data):
        depth, parts, at = 0, [match.end()], match.end()
        while at < len(data) and (depth or data[at] not in b")"):
            depth += (data[at] in _OPENING) - (data[at] in _CLOSING)
            colon = data[at : at + 1] == b":" and b":" not in (data[at - 1 : at], data[at + 1 : at + 2])
            if not depth and (data[at : at + 1] == b";" or (colon and b"?" not in data[parts[-1] : at])):
                parts.append(at + 1)
            at += 1
        if len(parts) > 1:
            heads.append((match.start() + 1, parts[-1] + 1, at + 1))
    return heads
