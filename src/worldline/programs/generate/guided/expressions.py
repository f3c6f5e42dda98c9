"""Expressions and tests of guided programs: templates filled so that they do something with the values at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from worldline.programs.generate.guided.draft import FunctionDraft, kind_of, parse_expression, samples_of
from worldline.programs.generate.guided.evaluator import BeyondSubsetError, Env
from worldline.programs.generate.language.library import lines

REFUSED = (
    BeyondSubsetError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    ZeroDivisionError,
    AttributeError,
    OverflowError,
    SyntaxError,
)
MAX_ATTEMPTS = 8
MAX_TEXT, MAX_ITEMS = 70, 26
# How often a result is accepted that says little: unchanged, empty, or zero.
DULL_SHARE = 0.1
_CHOICE = re.compile("«([^«»]*)»")
_HOLE = re.compile(r"@(expr|test)\((\$x|\w+):(\w+)\)|\$(\w+)")
_BOUND = re.compile(r"(?:\bfor|\blambda) (\w+)(?:, (\w+))?(?: in|:)")
_IN_FORMAT = re.compile(r"f'[^']*\$x")
# A width that turned out to be a literal: `{x:>{8}}`.
_PLAIN_WIDTH = re.compile(r"(?<=[<>^])\{(\d+)\}(?=\}')")
_ATOMS = (
    ast.Name,
    ast.Call,
    ast.Subscript,
    ast.Attribute,
    ast.List,
    ast.ListComp,
    ast.Dict,
    ast.DictComp,
    ast.JoinedStr,
    ast.Constant,
)
# Other names for the variables of comprehensions and lambdas.
_RENAMED = {
    "c": ("c", "c", "ch", "char", "x", "i", "letter"),
    "v": ("x", "n", "v", "num", "i", "e", "item"),
    "w": ("w", "word", "s", "x", "item", "i"),
    "word": ("word", "w", "s", "part", "x"),
    "k": ("k", "key", "name"),
    "i": ("i", "idx", "index", "j"),
    "a": ("a", "x", "first"),
    "b": ("b", "y", "second"),
    "row": ("row", "r", "line", "sub"),
    "item": ("item", "x", "kv", "pair"),
    "pair": ("pair", "p", "t"),
    "d": ("d", "digit", "c"),
}


@cache
def by_kind(name: str) -> dict[str, tuple[str, ...]]:
    """Return the templates of a file by the kind of value that they are about."""
    grouped: dict[str, list[str]] = {}
    for line in lines(f"guided/{name}"):
        kind, _, template = line.partition(": ")
        grouped.setdefault(kind, []).append(template)
    return {kind: tuple(templates) for kind, templates in grouped.items()}


@cache
def _simple(name: str, kind: str) -> tuple[str, ...]:
    """Return the templates that fit inside a comprehension: without further parts and loops."""
    return tuple(line for line in by_kind(name)[kind] if "@" not in line and " for " not in line and "f'" not in line)


def choose(rng: Random, template: str) -> str:
    """Replace every choice of a template by one of its words."""
    return _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), template)


def fill(draft: FunctionDraft, template: str, receiver: str, value: Any) -> str:
    """Fill the holes of a template about a value.

    Args:
        draft: The function under composition; holes may add parameters to it.
        template: The template.
        receiver: Expression that stands for `$x`.
        value: Its value.

    Raises:
        BeyondSubsetError: The template does not fit this receiver.
    """
    text = choose(draft.rng, template)
    named = receiver.isidentifier()
    if not named and (text.count("$x") > 1 or _IN_FORMAT.search(text)):
        raise BeyondSubsetError("receiver")
    text, bound = _rename(draft, text)
    added = {name: None for name in bound if name not in draft.env}
    draft.env |= added
    hidden = {*added, receiver} - draft.bound
    draft.bound |= hidden
    try:
        return _PLAIN_WIDTH.sub(r"\1", _HOLE.sub(lambda match: _filled(draft, match, receiver, value), text))
    finally:
        for name in added:
            draft.env.pop(name, None)
        draft.bound -= hidden


def _rename(draft: FunctionDraft, text: str) -> tuple[str, list[str]]:
    """Give the variables that a template binds names that are free; return the text and the names."""
    bound = list(dict.fromkeys(name for match in _BOUND.finditer(text) for name in match.groups() if name))
    renamed: dict[str, str] = {}
    for name in bound:
        free = [other for other in _RENAMED.get(name, (name,)) if other not in draft.env]
        free = [other for other in free if other not in renamed.values() and (other == name or other not in bound)]
        renamed[name] = draft.rng.choice(free) if free else f"{name}_"
    if not renamed:
        return text, []
    pattern = re.compile(r"(?<![$\w.'])(" + "|".join(renamed) + r")\b(?!')")
    return pattern.sub(lambda match: renamed[match[1]], text), list(renamed.values())


def _filled(draft: FunctionDraft, match: re.Match[str], receiver: str, value: Any) -> str:
    part, name, kind, role = match.groups()
    if role == "x":
        return _enclosed(match, receiver)
    if role:
        return draft.hole(role, value)
    if name == "$x":
        bindings: list[Env] = [{}]
    else:
        bindings = [{name: sample} for sample in samples_of(value, kind)]
    if not bindings:
        raise BeyondSubsetError("no samples")
    draw = element if part == "expr" else test
    return draw(draft, receiver if name == "$x" else name, kind, bindings)


def _enclosed(match: re.Match[str], receiver: str) -> str:
    """Return the receiver, in parentheses where an operator or a dot would tear it apart."""
    if enclosed(receiver) == receiver:
        return receiver
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return receiver if before in "([" and before and after in "),]" else f"({receiver})"


def enclosed(text: str) -> str:
    """Return an expression, in parentheses unless it can stand before a dot as it is."""
    return text if text.isidentifier() or isinstance(parse_expression(text), _ATOMS) else f"({text})"


def test(draft: FunctionDraft, receiver: str, kind: str, bindings: Sequence[Env]) -> str:
    """Draw a test that splits the bindings of its variables, if such a test can be drawn.

    Args:
        draft: The function under composition.
        receiver: What is tested.
        kind: Its kind.
        bindings: Values of the variables that a loop or a comprehension binds, for every round.

    Raises:
        BeyondSubsetError: No test fits.
    """
    rng = draft.rng
    for _ in range(MAX_ATTEMPTS):
        state = draft.state()
        try:
            sample = draft.value(receiver, rng.choice(bindings))
            attempt = fill(draft, rng.choice(_simple("conditions", kind)), receiver, sample)
            verdicts = {bool(draft.value(attempt, binding)) for binding in bindings}
        except REFUSED:
            draft.restore(state)
            continue
        if len(verdicts) == 2 or len(bindings) == 1 or rng.random() < DULL_SHARE:
            return attempt
        draft.restore(state)
    raise BeyondSubsetError("no test")


def element(draft: FunctionDraft, receiver: str, kind: str, bindings: Sequence[Env]) -> str:
    """Draw an expression over an element, of the element's own type; arguments as for `test`."""
    rng = draft.rng
    for _ in range(MAX_ATTEMPTS):
        state, binding = draft.state(), rng.choice(bindings)
        try:
            sample = draft.value(receiver, binding)
            text = fill(draft, rng.choice(_simple("operations", kind)), receiver, sample)
            value = draft.value(text, binding)
        except REFUSED:
            draft.restore(state)
            continue
        if type(value) is type(sample) and (value != sample or rng.random() < DULL_SHARE):
            return text
        draft.restore(state)
    raise BeyondSubsetError("no expression")


def chain(draft: FunctionDraft, receiver: str, depth: int) -> tuple[str, Any]:
    """Draw up to `depth` operations, one on the result of the other; return the expression and its value."""
    text, value = receiver, draft.value(receiver)
    kind = draft.kind(receiver) if receiver in draft.env else kind_of(value)
    for _ in range(depth):
        result = step(draft, text, value, kind)
        if result is None:
            break
        text, value = result
        kind = kind_of(value)
    if text == receiver:
        raise BeyondSubsetError("no operation")
    return text, value


def step(draft: FunctionDraft, text: str, value: Any, kind: str) -> tuple[str, Any] | None:
    """Draw one operation on a value; return the expression and its value."""
    rng = draft.rng
    templates = by_kind("operations").get(kind)
    for _ in range(MAX_ATTEMPTS if templates else 0):
        state = draft.state()
        try:
            result = fill(draft, rng.choice(templates or ()), text, value)
            after = draft.value(result)
        except REFUSED:
            draft.restore(state)
            continue
        if len(result) <= MAX_TEXT and is_telling(rng, value, after):
            return result, after
        draft.restore(state)
    return None


def is_telling(rng: Random, before: Any, after: Any) -> bool:
    """Return whether a result is worth a statement: changed, not empty, and not too large."""
    if kind_of(after) == "other" and after not in ("", [], {}):
        return False
    if isinstance(after, (str, list, dict, tuple)):
        if len(after) > (MAX_TEXT if isinstance(after, str) else MAX_ITEMS) or len(repr(after)) > 3 * MAX_TEXT:
            return False
        if not after:
            return rng.random() < DULL_SHARE
    elif after in (0, -1):
        return rng.random() < 3 * DULL_SHARE
    same = type(before) is type(after) and before == after
    return not same or rng.random() < DULL_SHARE
