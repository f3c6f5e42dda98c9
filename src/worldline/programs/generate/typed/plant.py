"""Plants the constants that a function tests for into its arguments.

Otherwise `if 'q' in text` would hardly ever be true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

_TEXTS = re.compile(r"""'([^'\\{}%\n]{1,8})'|"([^"\\{}%\n]{1,8})\"""")
_INTS = re.compile(r"(?<![\w.'\[:])\d{1,3}(?![\w.'\]])")


def plant(rng: Random, kinds: Sequence[str], values: Sequence[Any], text: str) -> list[Any]:
    """Change about half of the values so that they hold a constant of the text."""
    texts = [a or b for a, b in _TEXTS.findall(text)]
    ints = [int(digits) for digits in _INTS.findall(text)]
    return [_planted(rng, kind.rstrip("!"), value, texts, ints) for kind, value in zip(kinds, values, strict=True)]


def _planted(rng: Random, kind: str, value: Any, texts: list[str], ints: list[int]) -> Any:
    if texts and kind in ("str", "strs", "counts", "names") and rng.random() < 0.55:
        return _PLACES[kind](rng, value, rng.choice(texts))
    if ints and kind == "int" and rng.random() < 0.4:
        return rng.choice(ints) + rng.choice((-1, 0, 0, 1))
    if ints and kind == "tup" and value and rng.random() < 0.35:
        return (*value[:-1], rng.choice(ints))
    if ints and kind == "ints" and value and rng.random() < 0.35:
        out = list(value)
        out[rng.randrange(len(out))] = rng.choice(ints)
        return out
    return value


def _in_text(rng: Random, value: str, part: str) -> str:
    if len(value) > 60:
        return value
    roll = rng.random()
    if roll < 0.1:
        return part
    if roll < 0.2:
        return part + value
    if roll < 0.4:
        return value + part
    out = value
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randint(0, len(out))
        out = out[:at] + part + (out[at + len(part) :] if rng.random() < 0.5 else out[at:])
    return out


def _in_list(rng: Random, value: list[str], part: str) -> list[str]:
    out = list(value)
    if out and rng.random() < 0.5:
        at = rng.randrange(len(out))
        out[at] = _in_text(rng, out[at], part) if rng.random() < 0.5 else part
    else:
        out.insert(rng.randint(0, len(out)), part)
    return out


def _in_dict(rng: Random, value: dict[str, Any], part: str) -> dict[str, Any]:
    if not value:
        return value
    pick = rng.choice(list(value))
    return {(part if key == pick else key): item for key, item in value.items()}


_PLACES: dict[str, Callable[[Random, Any, str], Any]] = {
    "str": _in_text,
    "strs": _in_list,
    "counts": _in_dict,
    "names": _in_dict,
}
