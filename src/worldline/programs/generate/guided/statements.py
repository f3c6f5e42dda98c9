"""Statements of guided programs: assignments, changes in place, idioms of several lines and loops that accumulate."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from worldline.programs.generate.guided.draft import FunctionDraft
from worldline.programs.generate.guided.evaluator import BeyondSubsetError, Env, ReturnSignal
from worldline.programs.generate.guided.expressions import (
    MAX_ITEMS,
    MAX_TEXT,
    REFUSED,
    by_kind,
    chain,
    choose,
    element,
    enclosed,
    fill,
    test,
)
from worldline.programs.generate.language.library import blocks

Lines = list[str]
_WORD = re.compile(r"\w+")
_TARGETS = re.compile(r"^ *for ([\w, ]+) in ")
# How often a statement that raises, or returns before the rest, is accepted.
RAISING_SHARE, RETURNING_SHARE = 0.06, 0.12
FOLLOW_SHARE = 0.75  # how often a statement is about the variable that was written last


def add_statement(draft: FunctionDraft) -> bool:
    """Add one statement to a draft; return whether one was accepted."""
    rng = draft.rng
    make = rng.choices((assignment, change, idiom, loop), (30, 16, 26, 28))[0]
    state = draft.state()
    try:
        lines = make(draft)
        if accept(draft, lines):
            return True
    except REFUSED:
        pass
    draft.restore(state)
    return False


def accept(draft: FunctionDraft, lines: Lines) -> bool:
    """Append lines whose run changes something and stays small; return whether they were appended."""
    rng, before = draft.rng, draft.env
    try:
        env, steps = draft.run(lines)
    except ReturnSignal:
        if rng.random() > RETURNING_SHARE:
            return False
        env, steps, draft.returned = before, 1, True
    except (ValueError, IndexError, KeyError, ZeroDivisionError):
        if rng.random() > RAISING_SHARE:
            return False
        env, steps, draft.returned = before, 1, True
    for name in _loop_variables(lines) - before.keys():
        env.pop(name, None)
    changed = [name for name, value in env.items() if name not in before or before[name] != value]
    if not draft.returned and not changed and rng.random() > 0.15:
        return False
    if not all(is_small(env[name]) for name in changed):
        return False
    draft.lines += lines
    draft.env = env
    draft.steps += steps
    if changed:
        draft.last = rng.choice([name for name in changed if draft.kind(name) not in ("num", "flag")] or changed)
    return True


def _loop_variables(lines: Lines) -> set[str]:
    """Return the variables of the loops, which later statements leave alone."""
    return {name for line in lines for match in _TARGETS.finditer(line) for name in match[1].split(", ")}


def is_small(value: Any) -> bool:
    """Return whether a value is short enough to be shown at every step."""
    if isinstance(value, (str, list, dict, tuple)):
        return len(value) <= (MAX_TEXT if isinstance(value, str) else MAX_ITEMS) and len(repr(value)) <= 3 * MAX_TEXT
    return not isinstance(value, int) or abs(value) < 10**7


def subject(draft: FunctionDraft, kinds: tuple[str, ...]) -> str:
    """Choose the variable that the next statement is about."""
    names = draft.of_kind(*kinds)
    if not names:
        raise BeyondSubsetError("no variable")
    rich = [name for name in names if draft.kind(name) not in ("num", "flag")] or names
    if draft.last in rich and draft.rng.random() < FOLLOW_SHARE:
        return draft.last
    return draft.rng.choice(rich if draft.rng.random() < 0.85 else names)


def assignment(draft: FunctionDraft) -> Lines:
    """Assign one to three operations on a variable, to itself or to a new variable."""
    rng = draft.rng
    name = subject(draft, tuple(by_kind("operations")))
    text, value = chain(draft, name, rng.choice((1, 1, 1, 2, 2, 3)))
    same = type(value) is type(draft.env[name])
    target = name if rng.random() < (0.5 if same else 0.15) else draft.fresh("local")
    return [f"{target} = {text}"]


def change(draft: FunctionDraft) -> Lines:
    """Change a value in place, or take it apart."""
    name = subject(draft, tuple(by_kind("changes")))
    template = draft.rng.choice(by_kind("changes")[draft.kind(name)])
    return _fill_lines(draft, template, name)


@cache
def _idioms() -> dict[str, tuple[str, ...]]:
    grouped: dict[str, list[str]] = {}
    for block in blocks("guided/blocks"):
        kind, _, text = block.partition("\n")
        grouped.setdefault(kind, []).append(text)
    return {kind: tuple(texts) for kind, texts in grouped.items()}


def idiom(draft: FunctionDraft) -> Lines:
    """Write an idiom of several lines about a variable."""
    name = subject(draft, tuple(_idioms()))
    return _fill_lines(draft, draft.rng.choice(_idioms()[draft.kind(name)]), name)


def _fill_lines(draft: FunctionDraft, template: str, name: str) -> Lines:
    template = choose(draft.rng, template)
    taken = set(_WORD.findall(template))
    for hole in ("$new2", "$new"):
        if hole in template:
            pool = "index" if f"for {hole} in range" in template else "local"
            fresh = draft.fresh(pool, taken)
            taken.add(fresh)
            template = template.replace(hole, fresh)
    return fill(draft, template, name, draft.env[name]).split("\n")


def loop(draft: FunctionDraft) -> Lines:
    """Write a loop over a variable that fills an accumulator, with tests, early ends and a nested loop now and then."""
    rng = draft.rng
    name = subject(draft, tuple(by_kind("headers")))
    kind = draft.kind(name)
    targets, iterable, elements = rng.choice(by_kind("headers")[kind]).split(" | ")
    renamed: dict[str, str] = {}
    for pool in targets.split(", "):
        renamed[pool] = draft.fresh(pool, set(renamed.values()))
    over = iterable.replace("$x", name)
    parts = []
    for text in elements.split("; "):
        expression, _, sort = text.partition("=")
        parts.append((_renamed(expression, renamed).replace("$x", name), sort))
    names = [renamed[pool] for pool in targets.split(", ")]
    bindings = _bindings(draft, names, over)
    draft.bound |= set(names)
    draft.env |= bindings[len(bindings) // 2]
    for target, pool in zip(names, targets.split(", "), strict=True):
        if pool == "char":
            draft.kinds[target] = "char"
    try:
        accumulator, init, act = _accumulator(draft, parts, bindings)
        body = _body(draft, parts, bindings, act, name)
    finally:
        draft.bound -= set(names)
        for target in names:
            draft.env.pop(target, None)
            draft.kinds.pop(target, None)
    return [f"{accumulator} = {init}", f"for {', '.join(names)} in {over}:", *(f"    {line}" for line in body)]


def _renamed(text: str, names: dict[str, str]) -> str:
    """Replace the name pools of an element by the names chosen for them."""
    for pool, name in names.items():
        if text == pool:
            return name
        text = text.replace(f"[{pool}", f"[{name}").replace(f"({pool})", f"({name})")
    return text


def _bindings(draft: FunctionDraft, names: list[str], over: str) -> list[Env]:
    """Return the values of the loop's variables in every round."""
    items = list(draft.value(over))
    if not 1 < len(items) <= MAX_ITEMS:
        raise BeyondSubsetError("rounds")
    return [dict(zip(names, item if len(names) > 1 else (item,), strict=True)) for item in items]


def _accumulator(
    draft: FunctionDraft, parts: list[tuple[str, str]], bindings: list[Env]
) -> tuple[str, str, Callable[[], str]]:
    """Choose what a loop fills; return its name, its first value and a function that draws a statement."""
    rng = draft.rng
    kind = rng.choices(("list", "str", "int", "dict"), (34, 30, 20, 16))[0]
    name = draft.fresh(kind)
    init = {"list": "[]", "str": "''", "int": rng.choice(("0", "0", "0", "1")), "dict": "{}"}[kind]
    draft.env[name] = {"list": [], "str": "", "int": 0, "dict": {}}[kind]

    def part() -> tuple[str, str]:
        text, sort = rng.choice(parts) if rng.random() < 0.3 else parts[0]
        if sort != "nums" and rng.random() < 0.5:
            text = element(draft, text, sort, bindings)
        return text, sort

    def act() -> str:
        text, sort = part()
        action = rng.choice(by_kind("actions")[f"{kind} {sort}"]).replace("$acc", name).replace("$p", enclosed(text))
        return action.replace("$e", text).replace("$0", parts[-1][0])

    return name, init, act


def _body(
    draft: FunctionDraft, parts: list[tuple[str, str]], bindings: list[Env], act: Callable[[], str], source: str
) -> Lines:
    """Write the body of a loop."""
    rng = draft.rng

    def condition() -> str:
        text, kind = parts[0] if rng.random() < 0.75 else rng.choice(parts)
        first = test(draft, text, kind, bindings)
        if rng.random() < 0.15:
            text, kind = rng.choice(parts)
            return f"{first} {rng.choice(('and', 'or'))} {test(draft, text, kind, bindings)}"
        return first

    roll = rng.random()
    if roll < 0.16:
        return [act()]
    if roll < 0.38:
        return [f"if {condition()}:", f"    {act()}"]
    if roll < 0.60:
        first, second = _distinct(act, 2)
        return [f"if {condition()}:", f"    {first}", "else:", f"    {second}"]
    if roll < 0.72:
        first, second, third = _distinct(act, 3)
        lines = [f"if {condition()}:", f"    {first}", f"elif {condition()}:", f"    {second}"]
        return [*lines, "else:", f"    {third}"] if rng.random() < 0.6 else lines
    if roll < 0.79:
        return [f"if {condition()}:", "    continue", act()]
    if roll < 0.85:
        return [f"if {condition()}:", "    break", act()]
    if roll < 0.90:
        return [act(), f"if {condition()}:", f"    {act()}"]
    text, kind = parts[0]
    if kind in ("text", "nums") and roll < 0.97:
        return _nested(draft, text, kind, bindings, act)
    if kind == "nums":
        return [act()]
    fresh = draft.fresh("local")
    inner = element(draft, text, kind, bindings)
    draft.env[fresh] = draft.value(inner)
    held = [binding | {fresh: draft.value(inner, binding)} for binding in bindings]
    lines = [f"{fresh} = {inner}", f"if {test(draft, fresh, kind, held)}:", f"    {act()}"]
    draft.env.pop(fresh, None)
    return lines


def _distinct(act: Callable[[], str], number: int) -> Lines:
    """Draw statements that differ from each other."""
    drawn = dict.fromkeys(act() for _ in range(4 * number))
    if len(drawn) < number:
        raise BeyondSubsetError("too few statements")
    return list(drawn)[:number]


def _nested(draft: FunctionDraft, text: str, kind: str, bindings: list[Env], act: Callable[[], str]) -> Lines:
    """Write a loop over the parts of an element that tests each of them."""
    inner = draft.fresh("char" if kind == "text" else "elem")
    items = [item for binding in bindings for item in draft.value(text, binding)]
    if not items or len(items) > 2 * MAX_ITEMS:
        raise BeyondSubsetError("rounds")
    draft.env[inner] = items[0]
    sort = "char" if kind == "text" else "num"
    condition = test(draft, inner, sort, [{inner: item} for item in items])
    draft.env.pop(inner, None)
    return [f"for {inner} in {text}:", f"    if {condition}:", f"        {act()}"]
