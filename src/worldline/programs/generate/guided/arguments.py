"""Arguments of guided programs, in the length and style of real tests, and mutations of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, digits
from typing import Any

from worldline.programs.generate.values import texts

# Kinds of a main argument and how often they are drawn.
KINDS = {"text": 46, "nums": 22, "words": 12, "counts": 10, "grid": 4, "names": 3, "num": 3}
_TEXTS: tuple[tuple[Callable[[Random], str], int], ...] = (
    (texts.sentence, 20),
    (texts.gibberish, 12),
    (texts.cased, 9),
    (texts.runs, 6),
    (texts.few_letters, 6),
    (texts.number_text, 5),
    (texts.serial, 8),
    (texts.noisy, 7),
    (texts.blanks, 4),
    (texts.lines, 3),
    (texts.foreign, 3),
    (texts.palindrome, 3),
    (texts.title, 5),
    (texts.snake, 5),
    (texts.camel, 4),
    (texts.fields, 8),
    (texts.settings, 3),
    (texts.path, 3),
    (texts.email, 2),
    (texts.date, 2),
)
MAX_TEXT = 44


def draw_text(rng: Random) -> str:
    """Draw a text as tests have it, of at most `MAX_TEXT` characters."""
    makers, weights = zip(*_TEXTS, strict=True)
    text = str(rng.choices(makers, weights)[0](rng))
    if len(text) < 4 and rng.random() < 0.7:
        text += rng.choice(("", " ", "-")) + texts.word(rng)
    return text[:MAX_TEXT]


def draw_numbers(rng: Random, low: int = 3, high: int = 12) -> list[int]:
    """Draw a list of numbers: small ones with repetitions, a range, or larger ones; now and then a long list."""
    size = rng.randint(low, high) if rng.random() < 0.75 else rng.randint(high, 2 * high)
    roll = rng.random()
    if roll < 0.45:
        return [rng.randint(0, 9) for _ in range(size)]
    if roll < 0.6:
        return [rng.randint(-9, 20) for _ in range(size)]
    if roll < 0.7:
        return sorted(rng.randint(0, 40) for _ in range(size))
    if roll < 0.78:
        return list(range(rng.randint(0, 4), rng.randint(0, 4) + size))
    return [rng.randint(0, rng.choice((5, 30, 100, 100, 999))) for _ in range(size)]


def draw_words(rng: Random) -> list[str]:
    """Draw a list of words, some cased, numeric, empty or repeated."""
    words = [
        rng.choices((texts.word, texts.gibberish, texts.serial, texts.cased), (12, 2, 1, 1))[0](rng)[:12]
        for _ in range(rng.randint(2, 8))
    ]
    if rng.random() < 0.25:
        words[rng.randrange(len(words))] = words[0]
    if rng.random() < 0.08:
        words[rng.randrange(len(words))] = ""
    return words


def _keys(rng: Random) -> list[str]:
    make = rng.choice((texts.plain, texts.plain, lambda r: r.choice(ascii_lowercase), texts.word))
    return list(dict.fromkeys(make(rng) for _ in range(rng.randint(2, 8))))


def draw_argument(rng: Random, kind: str) -> Any:
    """Draw an argument of a kind."""
    if kind == "text":
        return draw_text(rng)
    if kind == "nums":
        return draw_numbers(rng)
    if kind == "words":
        return draw_words(rng)
    if kind == "counts":
        return {key: rng.randint(0, rng.choice((5, 9, 30))) for key in _keys(rng)}
    if kind == "names":
        return {key: texts.word(rng) for key in _keys(rng)}
    if kind == "grid":
        wide = rng.randint(2, 4) if rng.random() < 0.6 else 0
        return [[rng.randint(0, 9) for _ in range(wide or rng.randint(1, 4))] for _ in range(rng.randint(2, 4))]
    return rng.choice((rng.randint(2, 12), rng.randint(10, 9999)))


def mutate(rng: Random, value: Any) -> Any:
    """Return a value that differs a little: an item changed, added, removed or moved, a case flipped."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 1, 2, 3))
    if isinstance(value, str):
        return _mutate_text(rng, value)
    if isinstance(value, list):
        return _mutate_list(rng, value)
    if isinstance(value, dict) and value:
        out = copy.deepcopy(value)
        key = rng.choice(list(out))
        roll = rng.random()
        if roll < 0.5:
            out[key] = mutate(rng, out[key])
        elif roll < 0.75:
            del out[key]
        else:
            out[mutate(rng, key)] = copy.deepcopy(value[key])
        return out
    return value


def _mutate_text(rng: Random, text: str) -> str:
    at = rng.randint(0, len(text))
    letter = rng.choice(text or ascii_lowercase) if rng.random() < 0.5 else rng.choice(ascii_letters + digits + " -.")
    roll = rng.random()
    if not text or roll < 0.25:
        return text[:at] + letter + text[at:]
    if roll < 0.5 and len(text) > 1:
        return text[:at] + text[at + 1 :] if at < len(text) else text[:-1]
    if roll < 0.7:
        return text[:at] + letter + text[at + 1 :]
    if roll < 0.85:
        return text[:at] + text[at:].swapcase()
    return text[at:] + text[:at]


def _mutate_list(rng: Random, items: list[Any]) -> list[Any]:
    out = copy.deepcopy(items)
    at = rng.randint(0, len(out))
    roll = rng.random()
    if not out:
        return [rng.randint(0, 9)]
    if roll < 0.3:
        at = min(at, len(out) - 1)
        out[at] = mutate(rng, out[at])
    elif roll < 0.5:
        out.insert(at, copy.deepcopy(rng.choice(out)))
    elif roll < 0.7:
        out.pop(min(at, len(out) - 1))
    elif roll < 0.85:
        rng.shuffle(out)
    else:
        out = out[at:] + out[:at]
    return out
