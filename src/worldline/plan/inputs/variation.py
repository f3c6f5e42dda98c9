"""Small changes of a value: at random, by its parts, or as the result differs from the wanted one."""

from __future__ import annotations

from difflib import SequenceMatcher
from random import Random
from typing import Any

from worldline.plan.inputs.material import Material
from worldline.plan.paths.distance import Verbatim

MAX_LENGTH = 400  # characters or elements of a new value


def vary_value(rng: Random, value: Any, material: Material) -> Any:
    """Return a neighbour of a value, of the same type."""
    if value is None or isinstance(value, Verbatim):
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return _vary_number(rng, value, material)
    if isinstance(value, float):
        return rng.choice(
            (
                value + 1,
                value - 1,
                value + 0.5,
                -value,
                value * 2,
                value / 2,
                round(value, 1),
                float(round(value)),
                float(material.atom(rng, float)),
                value * rng.uniform(0.5, 2),
            )
        )
    if isinstance(value, str):
        return _vary_text(rng, value, material)[:MAX_LENGTH]
    if isinstance(value, bytes):
        return _vary_text(rng, value.decode("latin-1"), material)[:MAX_LENGTH].encode("latin-1", "replace")
    if isinstance(value, list | tuple):
        return type(value)(_vary_items(rng, list(value), material)[:MAX_LENGTH])
    if isinstance(value, dict):
        return _vary_mapping(rng, value, material)
    if isinstance(value, set | frozenset):
        return type(value)(_only_hashable(_vary_items(rng, sorted(value, key=repr), material)))
    return value


def _vary_number(rng: Random, value: int, material: Material) -> int:
    steps = (1, -1, 2, -2, 5, -5, 10, -10, 100, -100, 1000, -1000)
    match rng.randrange(7):
        case 0 | 1:
            return value + rng.choice(steps)
        case 2:
            return int(material.atom(rng, int))
        case 3:
            return rng.choice((-value, value * 2, value // 2, value * 10, value // 10, value * value % (1 << 40)))
        case 4:
            return value + int(material.atom(rng, int))
        case 5:
            return rng.randint(-abs(value) - 1, abs(value) * 2 + 1)
        case _:
            return value ^ (1 << rng.randrange(max(4, abs(value).bit_length() + 1)))


def _vary_text(rng: Random, text: str, material: Material) -> str:
    at, to = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
    letter = rng.choice(text) if text and rng.random() < 0.3 else rng.choice(material.letters)
    match rng.randrange(10):
        case 0 | 1:
            return text[:at] + letter + text[at:]
        case 2:
            return text[:at] + text[at + 1 :]
        case 3:
            return text[:at] + letter + text[at + 1 :]
        case 4:
            return text[:at] + str(material.pick(rng, str) or letter) + text[at:]
        case 5:
            return text[:at] + text[to:]
        case 6:
            return text[:at] + text[at:to].swapcase() + text[to:]
        case 7:
            return rng.choice((text[::-1], text.upper(), text.lower(), text.title(), text.strip(), text + text))
        case 8:
            return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        case _:
            return rng.choice((text + letter, letter + text, text[1:], text[:-1]))


def _vary_items(rng: Random, items: list[Any], material: Material) -> list[Any]:
    at = rng.randint(0, max(0, len(items) - 1))
    like = type(items[at]) if items else None
    new = material.atom(rng, like) if like in (int, str, float, bool, None) else vary_value(rng, items[at], material)
    match rng.randrange(9):
        case 0 | 1:
            return [*items[: at + 1], new, *items[at + 1 :]]
        case 2:
            return [new, *items]
        case 3:
            return [*items[:at], *items[at + 1 :]]
        case 4 | 5 if items:
            return [*items[:at], vary_value(rng, items[at], material), *items[at + 1 :]]
        case 6 if items:
            to = rng.randrange(len(items))
            items[at], items[to] = items[to], items[at]
            return items
        case 7 if items:
            return [*items[:at], new, *items[at + 1 :]]
        case _:
            return rng.choice((items[::-1], sorted(items, key=_sort_key), items + items, items[1:], items[: at + 1]))


def _vary_mapping(rng: Random, value: dict[Any, Any], material: Material) -> dict[Any, Any]:
    pairs = list(value.items())
    if not pairs or rng.random() < 0.3:
        like = type(pairs[0][0]) if pairs else rng.choice((str, int))
        other = rng.choice(pairs)[1] if pairs and rng.random() < 0.5 else material.atom(rng)
        return {**value, material.atom(rng, like): other}
    at = rng.randrange(len(pairs))
    key, held = pairs[at]
    match rng.randrange(5):
        case 0:
            del pairs[at]
        case 1 | 2:
            pairs[at] = (key, vary_value(rng, held, material))
        case 3:
            new = vary_value(rng, key, material)
            pairs[at] = (new, held)
        case _:
            pairs = [*pairs[:at], *pairs[at + 1 :], pairs[at]]
    return {key: held for key, held in pairs if _is_hashable(key)}


def _only_hashable(items: list[Any]) -> list[Any]:
    return [item for item in items if _is_hashable(item)]


def _is_hashable(value: Any) -> bool:
    return not isinstance(value, list | dict | set | bytearray)


def _sort_key(value: Any) -> tuple[str, Any]:
    return (type(value).__name__, value) if isinstance(value, int | float | str) else ("~", repr(value))


def fix_value(rng: Random, value: Any, came: Any, wanted: Any) -> Any:
    """Apply the edit from the actual to the wanted result to a value, in the same place or another."""
    if isinstance(came, int | float) and isinstance(wanted, int | float) and isinstance(value, int | float):
        return value if isinstance(value, bool) else _shift_number(rng, value, came, wanted)
    if isinstance(came, dict) and isinstance(wanted, dict) and isinstance(value, dict):
        return _fix_mapping(rng, value, came, wanted)
    texts = isinstance(value, str) and isinstance(came, str) and isinstance(wanted, str)
    both = isinstance(value, list | tuple) and isinstance(came, list | tuple) and isinstance(wanted, list | tuple)
    if not texts and not both:
        return value
    keys = [repr(part) for part in came], [repr(part) for part in wanted]
    edits = [part for part in SequenceMatcher(None, *keys, autojunk=False).get_opcodes() if part[0] != "equal"]
    if not edits:
        return value
    _, a, b, c, d = rng.choice(edits)
    put = wanted[c:d] if texts else list(wanted[c:d])
    if rng.random() < 0.4:  # elsewhere
        a, b = (shift := rng.randint(0, len(value))), shift + (b - a)
    elif rng.random() < 0.3:  # as far from the end
        a, b = len(value) - (len(came) - a), len(value) - (len(came) - b)
    a, b = max(0, min(a, len(value))), max(0, min(b, len(value)))
    if texts:
        return (value[:a] + str(put) + value[b:])[:MAX_LENGTH]
    return type(value)([*value[:a], *put, *value[b:]][:MAX_LENGTH])


def _shift_number(rng: Random, value: float, came: float, wanted: float) -> float:
    """Move a number by the missing amount, as if the function multiplied it by a small factor."""
    try:
        by = (wanted - came) / rng.choice((1, 1, 1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60, 100, 1000, 0.5, 0.1))
        return type(value)(value + (round(by) if isinstance(value, int) else by))
    except (OverflowError, ValueError):
        return value


def _fix_mapping(rng: Random, value: dict[Any, Any], came: dict[Any, Any], wanted: dict[Any, Any]) -> dict[Any, Any]:
    """Add, remove or change one key that differs between the actual and the wanted result."""
    missing = [key for key in wanted if key not in came or repr(came[key]) != repr(wanted[key])]
    surplus = [key for key in came if key not in wanted and key in value]
    if surplus and (not missing or rng.random() < 0.5):
        gone = rng.choice(surplus)
        return {key: held for key, held in value.items() if key != gone}
    if missing:
        key = rng.choice(missing)
        return {**value, key: wanted[key]}
    return value
