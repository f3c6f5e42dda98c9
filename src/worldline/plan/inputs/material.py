"""Constants of the source and the goal, taken apart and recombined into values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from worldline.analyze.flow.control import syntax

MAX_NUMBER = 10**18
MAX_TEXT_CHARACTERS = 400
MAX_VALUES = 400
LETTERS = "abcxyzAB 019_-.,"
_WORDS = re.compile(r"\w+|[^\w\s]+|\s+")


@dataclass(frozen=True)
class Material:
    """Constants by type, those of the goal first, and the letters of their texts."""

    values: tuple[Any, ...]
    letters: str = LETTERS
    by_type: dict[type, list[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, goal: str) -> Material:
        """Collect the constants of a source and a goal."""
        wanted = list(_constants(goal, mode="eval"))
        parts = [part for value in wanted for part in _parts(value)]
        # Parts of the goal come after the whole: a function often returns its argument, or nearly.
        candidates = [*wanted, *parts, *_related_values(wanted), *_constants(source, mode="exec")]
        values = list({repr(value): value for value in candidates if _fits(value)}.values())[:MAX_VALUES]
        letters = "".join(dict.fromkeys("".join(value for value in values if isinstance(value, str))[:200] + LETTERS))
        by_type: dict[type, list[Any]] = {}
        for value in values:
            by_type.setdefault(type(value), []).append(value)
        return cls(tuple(values), letters, by_type)

    def pick(self, rng: Random, kind: type) -> Any:
        """Pick a constant of a type, preferring earlier ones; None without one."""
        choices = self.by_type.get(kind, [])
        return choices[min(int(rng.expovariate(6 / len(choices))), len(choices) - 1)] if choices else None

    def atom(self, rng: Random, like: type | None = None) -> Any:
        """Return a plain value, of type `like` if it is set."""
        kinds = [kind for kind in (int, str, float, bool) if kind in self.by_type] or [int]
        kind = like if like in (int, str, float, bool) else rng.choice(kinds)
        constant = self.pick(rng, kind) if rng.random() < 0.7 else None
        if constant is not None:
            return constant
        if kind is str:
            return "".join(rng.choices(self.letters, k=rng.choice((0, 1, 1, 2, 3, 5))))
        if kind is bool:
            return rng.random() < 0.5
        number = rng.choice((0, 1, 2, 3, 5, 7, 10, -1, rng.randint(-20, 100)))
        return float(number) + rng.choice((0.0, 0.5, 0.25)) if kind is float else number

    def build(self, rng: Random, kind: type) -> Any:
        """Build a value of a type from the constants."""
        count = rng.choice((0, 1, 2, 3, 3, 4, 5, 6))
        if kind is str:
            texts = self.by_type.get(str, [""])
            return "".join(rng.choice((rng.choice(self.letters), rng.choice(texts))) for _ in range(count))[
                :MAX_TEXT_CHARACTERS
            ]
        element = rng.choice((int, str, str, None))
        atoms = [self.atom(rng, element) for _ in range(count)]
        if kind is dict:
            key = rng.choice((str, str, int, None))
            return {self.atom(rng, key): value for value in atoms}
        if kind in (list, tuple, set, frozenset):
            return kind(atoms)
        return self.atom(rng, kind)


def _constants(text: str, *, mode: str) -> Iterator[Any]:
    """Yield the literals of a text, containers before their elements, without docstrings."""
    tree: ast.AST | None
    try:
        tree = ast.parse(text, mode="eval") if mode == "eval" else syntax(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    waiting: list[ast.AST] = [] if tree is None else [tree]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp | ast.Call):
            try:
                yield ast.literal_eval(node)
                continue
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                pass
        waiting.extend(ast.iter_child_nodes(node))


def _parts(value: Any) -> Iterator[Any]:
    """Yield the parts of a value, recursively."""
    parts: Iterable[Any] = ()
    if isinstance(value, list | tuple | set | frozenset):
        parts = list(value)
    elif isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, str) and 1 < len(value) <= MAX_TEXT_CHARACTERS:
        yield from _WORDS.findall(value)
    for part in parts:
        yield part
        yield from _parts(part)


def _related_values(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values related to a value: its length, other case, reverse, or another type."""
    for value in values:
        if isinstance(value, bool):
            continue
        if isinstance(value, int):
            yield from (value + 1, value - 1, -value, str(value), float(value), [value])
            if 0 <= value <= 60:
                yield from (list(range(value)), "a" * value)
        elif isinstance(value, float):
            yield from (int(value) if abs(value) < MAX_NUMBER else 0, value + 1, value - 1)
        elif isinstance(value, str):
            yield from (value[::-1], value.swapcase(), value.lower(), value.upper(), len(value), value.strip())
            yield from (list(value), value.split(), value.split(","))
            if value.lstrip("-").isdigit() and len(value) < 18:
                yield int(value)
        elif isinstance(value, list | tuple):
            yield from (list(value), list(value)[::-1], tuple(value), len(value))
            if all(isinstance(item, str) for item in value):
                yield from ("".join(value), " ".join(value), ",".join(value))
            if all(isinstance(item, tuple) and len(item) == 2 for item in value):
                try:
                    yield dict(value)
                except TypeError:
                    continue
        elif isinstance(value, dict):
            yield from (list(value), list(value.values()), list(value.items()), len(value))
            yield {item: key for key, item in value.items() if isinstance(item, str | int | float | bool | None)}


def _fits(value: Any) -> bool:
    if isinstance(value, int | float):
        return abs(value) <= MAX_NUMBER
    return value is not ... and len(repr(value)) <= MAX_TEXT_CHARACTERS * 2
