"""What differs between aarch64 and x86-64 in assembly: the call into the hook, epilogues, branches, registers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """One architecture, as the pass over its assembly needs it."""

    name: str
    stack: int  # DWARF number of the stack pointer
    entry_offset: int  # of the canonical frame address from it, where a function begins
    hook: Callable[[int], str]  # the instructions of one site
    epilogue: re.Pattern[str]  # an instruction that takes the frame down
    unstack: re.Pattern[str]  # one that gives back a variable-length array, before it
    returns: re.Pattern[str]
    jumps: frozenset[str]  # mnemonics that never fall through
    calls: re.Pattern[str]
    registers: dict[str, int]
    immediate: str  # what stands before a number, or before a symbol whose address is one
    jump: str  # the mnemonic of one to a label


def _hook_aarch64(site: int) -> str:
    high = f"\tmovk\tw16, #{site >> 16}, lsl 16\n" if site >> 16 else ""
    number = f"\tmov\tw16, #{site & 0xFFFF}\n{high}"
    return f"\tstp\tx16, x30, [sp, #-16]!\n{number}\tbl\t__wl_hook\n\tldp\tx16, x30, [sp], #16"


def _hook_x86_64(site: int) -> str:
    return f"\tpushq\t${site}\n\tcall\t__wl_hook@PLT"


AARCH64 = Machine(
    "aarch64",
    31,
    0,
    _hook_aarch64,
    re.compile(
        r"\t(ldp|ldr)\t(x(19|2\d|30)|d(8|9|1[0-5]))\b.*\[sp|\tadd\tsp, sp, |\tmov\tsp, x29$"
        r"|\tsub\tsp, x29, |\tautiasp|\tldp\tx29, x30"
    ),
    re.compile(r"\tmov\tsp, x\d+$|\tldr\tx\d+, \[x29, -?#?\d+\]$"),
    re.compile(r"\t(ret|retaa|retab)\b"),
    frozenset({"b", "br", "ret", "udf", "brk"}),
    re.compile(r"\tblr?\t(\S+)"),
    {"sp": 31, "wsp": 31, "x29": 29, "w29": 29},
    "#",
    "b",
)
X86_64 = Machine(
    "x86_64",
    7,
    8,
    _hook_x86_64,
    re.compile(
        r"\tleave|\tpopq\t%r(bp|bx|1[2-5])|\taddq\t\$-?\d+, %rsp|\tmovq\t-?\d+\(%rbp\), %r(bx|1[2-5])$"
        r"|\tleaq\t-?\d+\(%rbp\), %rsp|\tmovq\t%rbp, %rsp"
    ),
    re.compile(r"\tmovq\t%r\w+, %rsp$"),
    re.compile(r"\t(rep[ ;]+)?retq?\b"),
    frozenset({"jmp", "jmpq", "ret", "retq", "ud2", "hlt"}),
    re.compile(r"\tcallq?\t\*?(\S+)"),
    {"rsp": 7, "rbp": 6, "%rsp": 7, "%rbp": 6},
    "$",
    "jmp",
)
MACHINES = {"aarch64": AARCH64, "x86_64": X86_64}
