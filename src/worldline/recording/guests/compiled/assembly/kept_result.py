"""Where code for aarch64 keeps x8, the address of what a function returns, before the function's first line.

`.cfi_` directives do not say where the stack pointer is once the frame has another base: the instructions of the
prologue are followed instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

IN_REGISTER, UNKNOWN = 0, -1
_NUMBER = r"#?(-?(?:0x[0-9a-f]+|\d+))(?:, lsl #?(\d+))?"
_MOVE = re.compile(rf"\tmov[kz]?\t([xw]\d+|sp), (?:{_NUMBER}|(x\d+|sp))$")
_SUM = re.compile(rf"\t(add|sub)\t(x\d+|sp), (x\d+|sp), (?:{_NUMBER}|([xw]\d+))$")
_ACCESS = re.compile(r"\t(st|ld)(u?r|p)\t([^\[]*), \[(x\d+|sp)(?:, #?(-?\d+))?\](!)?(?:, #?(-?\d+))?$")
_REACHES = re.compile(r"\tcmp\tsp, (x\d+)$")
_NO_RESULT = re.compile(r"\t(?:st|cmp|cmn|tst|cb|tb|b\.|prfm|hint|nop)")
_COMMENT = re.compile(r"\s*//.*")


@dataclass
class _Prologue:
    """What registers hold: places, as distances below the canonical frame address, and numbers."""

    depths: dict[str, int] = field(default_factory=lambda: {"sp": 0})
    numbers: dict[str, int] = field(default_factory=dict)
    end: int | None = None  # where a loop that touches the stack's pages ends

    def put(self, register: str, depth: int | None, number: int | None = None) -> None:
        """A register holds a place, a number, or what is not known."""
        name = register.replace("w", "x")
        self.depths.pop(name, None)
        self.numbers.pop(name, None)
        if depth is not None:
            self.depths[name] = depth
        if number is not None:
            self.numbers[name] = number

    def follow(self, text: str) -> bool:
        """Follow one instruction; return whether it stores x8, whose place is then in `end`."""
        if match := _MOVE.match(text):
            number = _value(match[2], match[3])
            if text.startswith("\tmovk"):
                number = None if number is None else self.numbers.get(match[1].replace("w", "x"), 0) | number
            self.put(match[1], self.depths.get(match[4] or ""), number)
        elif match := _SUM.match(text):
            depth, number = self.depths.get(match[3]), _value(match[4], match[5])
            more = self.numbers.get((match[6] or "").replace("w", "x")) if number is None else number
            known = depth is not None and more is not None
            down = (more or 0) if match[1] == "sub" else -(more or 0)
            self.put(match[2], (depth or 0) + down if known else None)
        elif match := _REACHES.match(text):
            self.end = self.depths.get(match[1])
        elif text.startswith("\tb.ne\t") and self.end is not None:
            self.put("sp", self.end)
        elif match := _ACCESS.match(text):
            return self._access(match)
        elif not _NO_RESULT.match(text):
            self.put(text.split("\t")[2].split(",")[0] if text.count("\t") > 1 else "", None)
        return False

    def _access(self, match: re.Match[str]) -> bool:
        """A load or store, which may move its base before or after."""
        base, depth = match[4], self.depths.get(match[4])
        registers = [word.strip() for word in match[3].split(",")]
        if depth is not None and match[6]:
            depth -= int(match[5] or 0)
            self.put(base, depth)
        elif match[6] or match[7]:
            self.put(base, None if depth is None else depth - int(match[7] or 0))
        if match[1] == "ld":
            for register in registers:
                self.put(register, None)
            return False
        if "x8" not in registers:
            return False
        offset = (0 if match[6] else int(match[5] or 0)) + 8 * registers.index("x8")
        self.end = None if depth is None else depth - offset
        return True


def _value(number: str | None, shift: str | None) -> int | None:
    return None if number is None else int(number, 0) << int(shift or 0)


def kept_result(lines: list[str]) -> int:
    """How far below the canonical frame address x8 is kept; IN_REGISTER: it is not needed for anything else."""
    prologue = _Prologue()
    depth = UNKNOWN
    for line in lines:
        text = _COMMENT.sub("", line)
        if not text.startswith("\t") or text.startswith("\t."):
            continue
        if prologue.follow(text) and depth == UNKNOWN:
            depth = UNKNOWN if prologue.end is None else prologue.end
            prologue.end = None
        if _overwrites_result(text):
            return depth
    return IN_REGISTER


def _overwrites_result(text: str) -> bool:
    """Whether x8 holds something else after an instruction."""
    if text.startswith(("\tbl\t", "\tblr\t")):
        return True
    operands = text.split("\t")[2].split(", ") if text.count("\t") > 1 else []
    written = operands[: 2 if text.startswith("\tldp") else 1]
    return not _NO_RESULT.match(text) and ("x8" in written or "w8" in written)
