"""Where blocks end whose variables no later line shows: a step still shows what it wrote there.

A block that begins and ends in one line has a site at its end and before each jump out of it. Where destructors run at
a closing brace, a site before them sees the values that they take apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..machine import Machine
from .loops import LOC
from .routine import CLOSE, DROPS, LINE, HookSite, Routine, frame_at, is_code, new_place
from .unwinding import leads

_BEGIN, _END = re.compile(r"\.LBB(\d+):$"), re.compile(r"\.LBE(\d+):$")
_DESTROYS = re.compile(r"D[012]Ev\b|drop_in_place|drop_glue")


def add_block_ends(
    function: Routine, machine: Machine, source: list[str], places: list[str], reachable: set[int] | None
) -> None:
    """Sites for what a step wrote in blocks that end before the next one."""
    line = 0
    steps = {at for at, site in function.sites.items() if site.kind & LINE}
    is_rust = function.file.endswith(".rs")
    ends = _marked_ends(function, source) if is_rust else set(_block_ends(function.lines, steps))
    tails = _tails(function, source)
    for at, text in enumerate(function.lines):
        if reachable is not None and at not in reachable:
            continue
        kind, place = CLOSE if at in ends else 0, at
        if match := LOC.match(text):
            line = int(match[2]) if match[1] == str(function.file_number) else 0
            row = source[line - 1] if 0 < line <= len(source) else ""
            if _destroys(function.lines, at, int(match[3] or 0), row, machine):
                kind, place = DROPS, at + 1
            elif at in tails:  # it may take its block's variables apart
                kind, place = CLOSE | DROPS, at + 1
        if kind and place in function.sites:
            function.sites[place].kind |= kind
        elif kind:
            function.sites[place] = HookSite(line, kind, *frame_at(function, place, machine), new_place(places))
    function.sites = dict(sorted(function.sites.items()))


def _marked_ends(function: Routine, source: list[str]) -> set[int]:
    """The marks of Rust, but for those before a tail: a step begins there."""
    ends: set[int] = set()
    before = "-"
    for at, text in enumerate(function.lines):
        if (match := LOC.match(text)) and match[2] != "0":
            row = source[int(match[2]) - 1] if int(match[2]) <= len(source) else "-"
            before = row.encode(errors="surrogateescape")[: int(match[3] or 1) - 1].decode(errors="replace")
        if at in function.marks and before.strip():
            ends.add(at)
    return ends


def _tails(function: Routine, source: list[str]) -> set[int]:
    """The `.loc` lines of Rust with which a tail begins that has no mark."""
    begins: set[int] = set()
    inside: tuple[int, int] | None = None
    for at, text in enumerate(function.lines):
        match = LOC.match(text)
        if match is None or match[1] != str(function.file_number) or match[2] == "0" or not function.tails:
            continue
        line, column = int(match[2]), int(match[3] or 0)
        row = source[line - 1] if line <= len(source) else ""
        column = len(row.encode(errors="surrogateescape")[: max(column - 1, 0)].decode(errors="replace")) + 1
        before, inside = inside, None
        for low, high in function.tails.get(line, ()):
            inside = (line, low) if low <= column < high else inside
        if inside and inside != before:
            begins.add(at)
    return begins


def _block_ends(lines: list[str], steps: set[int]) -> Iterator[int]:
    """The lines before which a block ends that no step begins in: its last, and jumps out of it."""
    begins: dict[str, int] = {}
    labels = {text[:-1]: at for at, text in enumerate(lines) if text.endswith(":")}
    for at, text in enumerate(lines):
        if match := _BEGIN.match(text):
            begins[match[1]] = at
        elif (match := _END.match(text)) and match[1] in begins:
            begin, end = begins[match[1]], at
            while lines[end - 1].endswith(":"):  # code that never was in the block may jump to these
                end -= 1
            inside = range(begin, end)
            if steps.isdisjoint(inside) and any(LOC.match(lines[index]) for index in inside):
                yield from (index for index in inside if not begin < labels.get(_target(lines[index]), end - 1) < end)
                yield end


def _target(text: str) -> str:
    return leads(text)[0] if is_code(text) else ""


def _destroys(lines: list[str], index: int, column: int, text: str, machine: Machine) -> bool:
    """Whether what a block leaves behind is taken apart at a `.loc`: it is that of the closing brace."""
    brace = text.encode(errors="surrogateescape")[max(column - 1, 0) : column]
    if brace != b"}":
        return False
    for following in lines[index + 1 :]:
        if following.startswith("\t.loc") or not leads(following)[1]:
            return False
        if call := machine.calls.match(following):
            return _DESTROYS.search(call[1]) is not None
    return False
