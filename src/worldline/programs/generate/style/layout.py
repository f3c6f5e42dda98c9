"""The layout of a finished program: docstrings, comments, blank lines, one-line blocks, indentation.

Works on source text with one statement per line, as the generator writes it; the meaning never changes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.language import library
from worldline.programs.generate.values import texts

_MIDDLE = re.compile(r" *(else|elif|except|finally|case)\b")
_HEAD = re.compile(r"^( *)def \w+\(.*\):$")


def dress(rng: Random, program: Program) -> Program:
    """Lay out one program in five a little differently."""
    roll = rng.random()
    if roll > 0.2:
        return program
    lines = program.source.rstrip("\n").split("\n")
    if roll < 0.05:
        lines = _docstring(rng, lines)
    elif roll < 0.09:
        lines = _comment(rng, lines)
    elif roll < 0.13:
        lines = _blank(rng, lines)
    elif roll < 0.175:
        lines = _one_line(lines)
    else:
        width = rng.choice(("  ", "  ", "\t", "   "))
        lines = [width * ((len(line) - len(line.lstrip(" "))) // 4) + line.lstrip(" ") for line in lines]
    return replace(program, source="\n".join(lines) + "\n")


def _docstring(rng: Random, lines: list[str]) -> list[str]:
    heads = [i for i, line in enumerate(lines) if _HEAD.match(line)]
    if not heads:
        return lines
    at = rng.choice(heads)
    pad = " " * (len(lines[at]) - len(lines[at].lstrip()) + 4)
    text = (
        rng.choice(library.lines("vocabulary/docstrings"))
        if rng.random() < 0.7
        else texts.phrase(rng, 2, 6).capitalize()
    )
    quote = rng.choice(('"""', '"""', "'''", '"'))
    if quote == '"""' and rng.random() < 0.25:
        return [*lines[: at + 1], f'{pad}"""', pad + text, f'{pad}"""', *lines[at + 1 :]]
    return [*lines[: at + 1], pad + quote + text + quote, *lines[at + 1 :]]


def _comment(rng: Random, lines: list[str]) -> list[str]:
    inside = [i for i, line in enumerate(lines) if line.startswith("    ") and not _MIDDLE.match(line)]
    if not inside:
        return lines
    at = rng.choice(inside)
    text = rng.choice(library.lines("vocabulary/comments")) if rng.random() < 0.6 else texts.phrase(rng, 1, 4)
    if rng.random() < 0.5:
        return [*lines[:at], lines[at] + "  # " + text, *lines[at + 1 :]]
    pad = " " * (len(lines[at]) - len(lines[at].lstrip()))
    return [*lines[:at], pad + "# " + text, *lines[at:]]


def _blank(rng: Random, lines: list[str]) -> list[str]:
    inside = [i for i, line in enumerate(lines) if line.startswith("    ") and i > 1 and lines[i - 1].strip()]
    for at in sorted(rng.sample(inside, min(len(inside), rng.randint(1, 2))), reverse=True):
        lines = [*lines[:at], "", *lines[at:]]
    return lines


def _one_line(lines: list[str]) -> list[str]:
    """Join `if x:` and its only simple statement into one line."""
    out: list[str] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        if _joins(lines, i):
            out.append(line + " " + lines[i + 1].strip())
            i += 2
        else:
            out.append(line)
            i += 1
    return out


def _joins(lines: list[str], at: int) -> bool:
    depth = _depth(lines[at])
    if not re.match(r" *(if|elif|else|for|while)\b.*:$", lines[at]) or at + 1 >= len(lines):
        return False
    inner = lines[at + 1]
    if _depth(inner) != depth + 4 or inner.endswith(":") or inner.lstrip().startswith(("@", "#")):
        return False
    return at + 2 >= len(lines) or not lines[at + 2].strip() or _depth(lines[at + 2]) <= depth


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
