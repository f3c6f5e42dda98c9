"""Seeded programs of every kind that a recorder meets, several kinds in one: pieces of kinds.txt with holes filled."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

ATOMS = ("0", "-7", "300", "10**20", "2.5", "None", "True", "b'x'", "()", "[1]", "{'k': 1}", "1j", "...", "{3, 1, 'z'}")
STRS = ("'s'", "'it\\'s'", '"é\\n"', "''", "'\\udc80'", "'\\u202e\\x00'", "'💥'", "'a\"b\\'c'")
MODULE = re.compile(r"\b([a-z]+)\.[A-Za-z]")
HOLE = re.compile("‹(i|s|a|xs|N|pick [^›]*)›")


def pieces() -> dict[str, str]:
    """The pieces by kind."""
    text = Path(__file__).with_name("kinds.txt").read_text(encoding="utf-8")
    found = (part.partition("\n") for part in text.split("\n=== ")[1:])
    return {kind: body for kind, _, body in found}


PIECES = pieces()
KINDS = tuple(PIECES)


def fill(text: str, number: int, draw: random.Random) -> str:
    """A piece with its holes filled."""

    def value(match: re.Match[str]) -> str:
        hole = match[1]
        if hole == "N":
            return str(number)
        if hole == "i":
            return str(draw.randrange(6))
        if hole == "xs":
            return str([draw.randrange(-2, 6) for _ in range(draw.randrange(5))])
        if hole[:4] == "pick":
            return draw.choice(hole[5:].split("|"))
        return draw.choice(STRS if hole == "s" else ATOMS)

    while HOLE.search(text):  # a pick may hold holes
        text = re.sub("‹(i|s|a|xs|N)›", value, text)
        text = HOLE.sub(value, text)
    return text


def kinds_of(seed: int) -> list[str]:
    """The kinds in the program of a seed: each kind in turn, with one or two others."""
    draw = random.Random(seed)
    return [KINDS[seed % len(KINDS)], *draw.sample(KINDS, draw.randrange(1, 3))]


def program(seed: int) -> str:
    """The program of a seed; what its pieces raise is caught."""
    draw = random.Random(seed)
    kinds = kinds_of(seed)
    lines = [fill(PIECES[kind], number, draw) for number, kind in enumerate(kinds)]
    used = set(MODULE.findall("\n".join(lines))) & sys.stdlib_module_names
    lines.insert(0, f"import {', '.join(sorted(used | {'math'}))}")
    for number in range(len(kinds)):
        lines += ["try:", f"    piece_{number}({draw.randrange(8)})", "except Exception as error:"]
        lines += ["    print(type(error).__name__)", "    del error"]
    return "\n".join(lines) + "\n"
