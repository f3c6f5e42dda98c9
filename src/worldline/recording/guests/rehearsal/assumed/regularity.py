"""Values that follow a rule from round to round of a loop: they repeat, or grow by a polynomial in the round.

A rule may have a period: every k-th value then follows a polynomial of its own (`if i % 3 == 0: count += 1`). A rule is
found in consecutive rounds, and must also give what was seen in earlier rounds, far before them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

Rule = Callable[[int], Any]  # from the round, counted from the first of the consecutive ones, to the value
Seen = tuple[int, Mapping[str, Any]]  # a round, and the plain values at its start

PLAIN = (int, bool, float, str, bytes, type(None))
MAX_DEGREE = 3  # of the polynomial that a number follows
MAX_PERIOD = 12
MIN_REPEATS = 3  # values of each part of a period; a polynomial of a degree needs two more than that


def find_rules(watched: Sequence[Mapping[str, Any]], earlier: Sequence[Seen], first: int) -> dict[str, Rule]:
    """Return the rule of each name that follows one.

    Args:
        watched: The plain values at the start of consecutive rounds.
        earlier: Those of some rounds before.
        first: The number of the first of the consecutive rounds.
    """
    rules = {}
    for name in watched[-1]:
        column = [values[name] for values in watched if name in values]
        rule = find_rule(column) if len(column) == len(watched) else None
        if rule is not None and all(_agrees(rule(at - first), values, name) for at, values in earlier):
            rules[name] = rule
    return rules


def find_rule(column: Sequence[Any]) -> Rule | None:
    """Return the rule with the shortest period that gives a column of values; None if there is none."""
    for period in range(1, MAX_PERIOD + 1):
        if len(column) < period * MIN_REPEATS:
            return None
        parts = [_polynomial(column[start::period]) for start in range(period)]
        if all(parts):
            return _with_period(parts)
    return None


def _with_period(parts: Sequence[Sequence[Any] | None]) -> Rule:
    def value(at: int) -> Any:
        part = parts[at % len(parts)]
        assert part is not None
        return part[0] if len(part) == 1 else _value_at(part, at // len(parts))

    return value


def _polynomial(column: Sequence[Any]) -> list[Any] | None:
    """Return the first value of each order of differences, or None if they do not vanish soon."""
    if all(_is_same(value, column[0]) for value in column):
        return [column[0]]
    if any(type(value) is not int for value in column):
        return None
    first = []
    for _ in range(min(MAX_DEGREE, len(column) - 2) + 1):
        first.append(column[0])
        column = [after - before for before, after in pairwise(column)]
        if not any(column):
            return first
    return None


def _value_at(differences: Sequence[int], rounds: int) -> int:
    """Newton's forward formula."""
    value, choose = 0, 1
    for order, difference in enumerate(differences):
        value += difference * choose
        choose = choose * (rounds - order) // (order + 1)
    return value


def _agrees(value: Any, values: Mapping[str, Any], name: str) -> bool:
    return name not in values or _is_same(value, values[name])


def _is_same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and (value is other or bool(value == other))
