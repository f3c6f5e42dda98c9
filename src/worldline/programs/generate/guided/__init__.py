"""Short functions as people write them, composed with the values at hand, so that every statement does something.

A draft starts with one or two arguments. Every further statement is drawn from templates, filled with constants that
suit the values so far, and evaluated (`evaluator`); it stays if it changes something and nothing grows too large.
Many constants become parameters. A third of the calls have mutated arguments: other paths, and errors, come from them.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

from worldline.core.program import Program
from worldline.programs.generate.guided.arguments import KINDS, draw_argument, mutate
from worldline.programs.generate.guided.draft import MAX_STEPS, FunctionDraft
from worldline.programs.generate.guided.expressions import REFUSED, chain
from worldline.programs.generate.guided.statements import add_statement
from worldline.programs.generate.style.layout import dress

STATEMENT_COUNTS = (1, 1, 2, 2, 2, 3, 3, 4)
MAX_ATTEMPTS = 30
SECOND_SHARE = 0.12  # of functions, those with a second main argument
MUTATED_SHARE = 0.35  # of calls, those with mutated arguments
SEVERAL_SHARE = 0.06  # of programs, those that call the function several times
MIN_LINES = 2
UNUSED_SHARE = 0.03  # of functions, those that may have a parameter they do not use
_WORD = re.compile(r"\w+")


def program(rng: Random) -> Program:
    """Draw a function and a call of it."""
    while True:
        draft = _draft(rng)
        if len(draft.lines) >= MIN_LINES and draft.arguments:
            break
    name = draft.fresh("function")
    source = f"def {name}({', '.join(draft.arguments)}):\n" + "".join(f"    {line}\n" for line in draft.lines)
    arguments = list(draft.arguments.values())
    if rng.random() < SEVERAL_SHARE and draft.steps < MAX_STEPS // 4:
        calls = [_call(name, arguments)]
        calls += [_call(name, _mutated(rng, arguments)) for _ in range(rng.randint(1, 2))]
        return dress(rng, Program(source=source, call=f"[{', '.join(calls)}]"))
    if rng.random() < MUTATED_SHARE:
        arguments = _mutated(rng, arguments)
    return dress(rng, Program(source=source, call=_call(name, arguments)))


def _draft(rng: Random) -> FunctionDraft:
    """Draw the parameters and the body of a function."""
    draft = FunctionDraft(rng)
    kinds, weights = list(KINDS), list(KINDS.values())
    for kind in rng.choices(kinds, weights, k=2 if rng.random() < SECOND_SHARE else 1):
        draft.last = draft.fresh(kind)
        draft.add_parameter(draft.last, draw_argument(rng, kind))
    wanted = rng.choice(STATEMENT_COUNTS)
    for _ in range(MAX_ATTEMPTS):
        if wanted == 0 or draft.steps > MAX_STEPS // 2:
            break
        wanted -= add_statement(draft)
    draft.lines.append(f"return {_result(draft)}")
    used = set(_WORD.findall("\n".join(draft.lines)))
    if rng.random() > UNUSED_SHARE:
        draft.arguments = {name: value for name, value in draft.arguments.items() if name in used}
    return draft


def _result(draft: FunctionDraft) -> str:
    """Write the returned expression: the variable that was written last, an operation on it, or two variables."""
    rng, last = draft.rng, draft.last
    roll = rng.random()
    if roll < 0.35 and draft.lines:
        return last
    if roll < 0.45 and draft.lines:
        other = rng.choice([name for name in draft.env if name != last] or [last])
        return rng.choice((f"{last}, {other}", f"[{last}, {other}]", f"({other}, {last})"))
    if roll < 0.5 and draft.kind(last) in ("text", "num"):
        return f"f'{{{last}}}{rng.choice((' ', '-', ':', '/'))}{{{rng.choice(list(draft.env))}}}'"
    try:
        return chain(draft, last, rng.choice((1, 1, 2)))[0]
    except REFUSED:
        return last


def _mutated(rng: Random, arguments: list[Any]) -> list[Any]:
    """Return arguments of which one, or now and then two, are mutated."""
    out = list(arguments)
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = 0 if rng.random() < 0.7 else rng.randrange(len(out))
        out[at] = mutate(rng, out[at])
    return out


def _call(name: str, arguments: list[Any]) -> str:
    return f"{name}({', '.join(map(repr, arguments))})"
