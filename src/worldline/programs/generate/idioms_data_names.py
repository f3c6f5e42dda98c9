"""Which names go together, which keys, and the ranges of numbers; the names themselves are in `vocabulary`."""

from __future__ import annotations

from functools import cache

from worldline.programs.generate.library import lines, pools

# Ranges that numbers of one program are drawn from, its data and its thresholds alike.
SPANS: tuple[tuple[int, int], ...] = (
    (0, 9), (1, 5), (-9, 9), (0, 30), (-50, 99), (1, 100), (0, 3), (100, 999), (-3, 3), (10, 5000), (1, 20), (0, 9),
    (1, 10), (-5, 15), (0, 20),
)  # fmt: skip

_TIED: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "b": {"a": {"a": ("b",), "x": ("y",), "first": ("second",), "p": ("q",), "left": ("right",), "u": ("v", "w")}},
    "hi": {
        "lo": {
            "lo": ("hi",), "left": ("right",), "low": ("high",), "start": ("end", "stop"), "l": ("r",), "i": ("j",),
            "begin": ("end",),
        }
    },
    "col": {"row": {"row": ("col",), "r": ("c",), "line": ("cell", "col"), "cells": ("col", "k")}},
    "v": {"key": {"k": ("v",), "key": ("value", "val"), "name": ("value", "amount"), "a": ("b",)}},
}  # fmt: skip
_PLURALS = {"num": "nums", "item": "items", "word": "words", "rec": "recs", "p": "ps", "op": "ops"}


@cache
def tied() -> dict[str, dict[str, dict[str, tuple[str, ...]]]]:
    """A role's pool when another role already has this name: `for word in words`, `left, right`."""
    singular = pools("vocabulary/singular")
    return {role: {plural: singular} for role, plural in _PLURALS.items()} | _TIED


@cache
def keys() -> tuple[tuple[str, ...], ...]:
    """Keys that go together in one dict."""
    return tuple(tuple(line.split()) for line in lines("vocabulary/keys"))
