"""One function of the assembly, its call sites into the hook, and the rule for its canonical frame address."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..machine import Machine

LINE, ENTRY, RETURN, CLOSE, DROPS, ROUND = 1, 2, 4, 8, 16, 32  # what a site means, as in runtime/table.h
_CFI = re.compile(
    r"\t\.cfi_(def_cfa_offset|def_cfa_register|def_cfa|adjust_cfa_offset|remember_state|restore_state)\b\s*(.*)"
)


@dataclass
class HookSite:
    """One call into the hook."""

    line: int
    kind: int
    register: int  # the canonical frame address is this register
    offset: int  # and this many bytes
    place: int  # the number of its label
    column: int = 0
    scope: int = 0  # the number of the label whose variables are in scope here; 0: its own


@dataclass
class Routine:
    """One function of the program's own file: its text, line starts and sites."""

    label: str
    lines: list[str]
    place: int
    file: str = ""
    file_number: int = 0  # as DWARF has it
    sites: dict[int, HookSite] = field(default_factory=dict)  # before the line of the text at this index
    locs: list[tuple[int, int, int]] = field(default_factory=list)  # index, line (0: not ours), place
    first: int = 0  # number of its first site
    opening: int = 0  # the line it begins on
    heads: set[int] = field(default_factory=set)  # the `.loc` lines with which a loop begins
    rounds: set[int] = field(default_factory=set)  # those at which a round begins, whatever ran before
    marks: set[int] = field(default_factory=set)  # of Rust: where a block ends
    # Of Rust: by line the columns of the tails of its blocks, where these have no marks.
    tails: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    frames: dict[int, int] = field(default_factory=dict)  # rules for the canonical frame address, by register
    # Where it keeps the address of what it returns in memory: this far below that; 0: in its register; -1: unknown.
    kept: int = 0
    writes_result: bool = False  # of Rust: the compiler's IR says that its result is written where the caller says
    closure: str = ""  # of a lambda of C++: where the pointer to its captures is
    words: set[str] = field(default_factory=set)
    # Where its exceptions go: from which label to which, and the pad's. Labels are unique only within one assembly.
    regions: list[tuple[str, str, str]] = field(default_factory=list)


def is_code(text: str) -> bool:
    """Whether a line of assembly is an instruction."""
    return text.startswith("\t") and not text.startswith("\t.")


def new_place(places: list[str]) -> int:
    """The number of a new label."""
    places.append(f".Lwl{len(places)}")
    return len(places) - 1


def follow_cfi(text: str, frame: tuple[int, int], states: list[tuple[int, int]], machine: Machine) -> tuple[int, int]:
    """The rule for the canonical frame address after a `.cfi_` directive."""
    match = _CFI.match(text)
    if match is None:
        return frame
    directive, words = match[1], [word.strip() for word in match[2].split(",")]
    if directive == "remember_state":
        states.append(frame)
    elif directive == "restore_state":
        return states.pop() if states else frame
    elif directive == "def_cfa_offset":
        return frame[0], int(words[0])
    elif directive == "adjust_cfa_offset":
        return frame[0], frame[1] + int(words[0])
    elif directive == "def_cfa_register":
        return _register(words[0], machine), frame[1]
    elif directive == "def_cfa":
        return _register(words[0], machine), int(words[1])
    return frame


def _register(word: str, machine: Machine) -> int:
    return int(word) if word.isdigit() else machine.registers[word]


def frame_at(function: Routine, index: int, machine: Machine) -> tuple[int, int]:
    """The rule for the canonical frame address before the line at an index."""
    frame, states = (machine.stack, machine.entry_offset), list[tuple[int, int]]()
    for text in function.lines[:index]:
        if text.startswith("\t.cfi_"):
            frame = follow_cfi(text, frame, states, machine)
    return frame
