"""Arithmetic drills: multi-digit operands, every operator, comparisons, bit patterns, number parsing and formatting."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.language.construction import Construction
from worldline.programs.generate.language.expansion import expand
from worldline.programs.generate.language.library import lines
from worldline.programs.generate.language.template import Pieces, parse
from worldline.programs.generate.values.spelling import spell

_TWO_TEXT = "+ + + + - - - - * * // // % % & | ^ == != < > <= >="
_TWO = tuple(_TWO_TEXT.split())


def number(rng: Random, digits: int) -> int:
    """Draw a number of at most `digits` digits, mostly positive."""
    size = rng.randrange(10 ** rng.randint(1, digits))
    return -size if rng.random() < 0.15 else size


def _operand(rng: Random, sign: str, *, right: bool) -> int:
    if sign == "*":
        return number(rng, 2 if right else 4)
    if sign in ("//", "%"):
        return (abs(number(rng, 2)) or 7) * (-1 if rng.random() < 0.08 else 1) if right else number(rng, 5)
    if sign in ("&", "|", "^"):
        return rng.randrange(1 << rng.randint(2, 10))
    return number(rng, rng.choice((2, 3, 3, 4, 5, 7)))


def two(rng: Random) -> Program:
    """Draw one operator on two numbers."""
    sign = rng.choice(_TWO)
    a, b = rng.choice((("a", "b"), ("x", "y"), ("n", "m"), ("n", "k"), ("left", "right"), ("p", "q"), ("num", "val")))
    name = Construction(rng, taken={a, b}).function()
    left, right = _operand(rng, sign, right=False), _operand(rng, sign, right=True)
    if sign in ("==", "!=", "<=", ">=") and rng.random() < 0.4:
        right = left
    text = f"{a} {sign} {b}"
    form = rng.choice((f"    return {text}", f"    c = {text}\n    return c", f"    {a} = {text}\n    return {a}"))
    return Program(source=f"def {name}({a}, {b}):\n{form}\n", call=f"{name}({spell(rng, left)}, {spell(rng, right)})")


def several(rng: Random) -> Program:
    """Draw a short computation, one operation per line."""
    a, b, c = rng.sample(("a", "b", "c", "x", "y", "n", "m", "k", "total", "t"), 3)
    name = Construction(rng, taken={a, b, c}).function()
    steps: list[str] = []
    last = rng.choice((a, b))
    for _ in range(rng.randint(1, 4)):
        sign = rng.choice(("+", "+", "-", "*", "//", "%", "+"))
        other = rng.choice((a, b)) if sign in "+-" and rng.random() < 0.6 else str(rng.choice((2, 3, 4, 5, 7, 10, 12)))
        if rng.random() < 0.3 and steps:
            steps.append(f"    {c} {sign}= {other}")
        else:
            steps.append(f"    {c} = {last} {sign} {other}")
        last = c
    steps.append(f"    return {rng.choice((c, c, f'{c}, {a} + {b}', f'{c} > {a}', f'divmod({c}, 7)', f'abs({c})'))}")
    values = f"{number(rng, 3)}, {number(rng, 3)}"
    return Program(source=f"def {name}({a}, {b}):\n" + "\n".join(steps) + "\n", call=f"{name}({values})")


@cache
def _formulas() -> tuple[Pieces, ...]:
    return tuple(map(parse, lines("operations/formulas")))


def formula(rng: Random) -> Program:
    """Draw a formula of one to three numbers."""
    names = rng.sample(("a", "b", "c", "x", "y", "z", "n", "m", "k"), 3)
    scope = Construction(rng, taken=set(names), names=dict(zip("abc", names, strict=True)))
    name = scope.function()
    text = expand(rng.choice(_formulas()), scope)
    used = [operand for operand in names if re.search(rf"\b{operand}\b", text)] or names[:1]
    arguments = ", ".join(spell(rng, number(rng, rng.choice((1, 2, 2, 3, 4)))) for _ in used)
    body = f"    return {text}" if rng.random() < 0.6 else f"    r = {text}\n    return r"
    return Program(source=f"def {name}({', '.join(used)}):\n{body}\n", call=f"{name}({arguments})")


def arithmetic(rng: Random) -> Program:
    """Draw one of the arithmetic drills."""
    return rng.choice((two, two, several, formula))(rng)
