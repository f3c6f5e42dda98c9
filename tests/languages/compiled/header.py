"""The header of a hostile program in C, C++ or Rust: the facts of `tests/hostile`, in comments of these languages.

Besides those: `// flags:` says what a plain compilation needs; an outcome may name several, with `|` between them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "hostile"))

import hostile_facts
import hostile_header

from worldline.core.trace import Outcome, Trace

__all__ = ["Header", "complaints", "load", "misshapen", "outcome_is"]

Header = hostile_header.Header
_LINE = re.compile(r"// ([a-z-]+: .*)")


def load(path: Path) -> Header:
    """The header of a program's file."""
    rows = []
    for row in path.read_text(encoding="utf-8").splitlines():
        match = _LINE.fullmatch(row)
        if match is None:
            break
        if not match[1].startswith("flags:"):
            rows.append(f"# {match[1]}")
    return hostile_header.parse("\n".join(rows))


def flags(path: Path) -> list[str]:
    """What a plain compilation needs besides the usual."""
    for row in path.read_text(encoding="utf-8").splitlines()[:9]:
        if row.startswith("// flags: "):
            return row[10:].split()
    return []


def complaints(header: Header, trace: Trace) -> list[str]:
    """Every stated fact that the trace does not bear out."""
    return hostile_facts.complaints(header, trace, "", "asm")


def misshapen(trace: Trace) -> list[str]:
    """What no trace may be like: steps of frames that have ended, addresses."""
    return hostile_facts.misshapen(trace)


def outcome_is(outcome: Outcome, stated: str) -> bool:
    """Whether an outcome is one of those stated: a kind, and the beginning of the detail where one is stated."""
    for one in stated.split("|"):
        kind, _, detail = one.strip().partition(" ")
        if outcome.kind == kind and (not detail or detail == re.split(r"[(:]", outcome.detail)[0]):
            return True
    return False
