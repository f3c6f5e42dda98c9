"""Python values as source text, in every spelling the language allows: quotes, escapes, raw, triple, bases, exponents.

`plain` is how most people write a value; `spell` sometimes picks another spelling of the same value.
"""

from __future__ import annotations

from keyword import iskeyword
from random import Random
from typing import Any


def plain(value: Any) -> str:
    """Return the repr; sets are sorted, so that the text does not depend on the hash seed."""
    if isinstance(value, (set, frozenset)):
        inner = "{" + ", ".join(plain(item) for item in sorted(value)) + "}" if value else ""
        if isinstance(value, frozenset):
            return f"frozenset({inner})"
        return inner or "set()"
    if isinstance(value, list):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{plain(key)}: {plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and value:
        return "(" + ", ".join(plain(item) for item in value) + (",)" if len(value) == 1 else ")")
    return repr(value)


def spell(rng: Random, value: Any, *, odd: float = 0.1) -> str:
    """Return the value's text; each atom has a less common spelling with probability `odd`."""
    if isinstance(value, list):
        return "[" + ", ".join(spell(rng, item, odd=odd / 3) for item in value) + "]"
    if isinstance(value, tuple) and len(value) > 1:
        return "(" + ", ".join(spell(rng, item, odd=odd / 3) for item in value) + ")"
    if isinstance(value, dict):
        if odd and rng.random() < odd / 4 and value and all(_is_name(key) for key in value):
            return "dict(" + ", ".join(f"{key}={spell(rng, item, odd=0)}" for key, item in value.items()) + ")"
        pairs = (f"{spell(rng, key, odd=odd / 4)}: {spell(rng, item, odd=odd / 4)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if rng.random() >= (odd / 3 if isinstance(value, int) else odd):
        return plain(value)
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return _text(rng, value)
    if isinstance(value, int):
        return _int(rng, value)
    if isinstance(value, float):
        return _float(rng, value)
    return plain(value)


def _is_name(key: Any) -> bool:
    """Return whether `dict(key=...)` is valid Python."""
    return isinstance(key, str) and key.isidentifier() and key.isascii() and not iskeyword(key) and key != "self"


def quoted(value: str, quote: str) -> str:
    """Return `value` in the given quotes (`'` or `"`), escaped as needed."""
    body = repr(value)
    if body[0] == quote:
        return body
    inner = body[1:-1].replace("\\'", "'").replace(quote, "\\" + quote)
    if "\\\\" in body:  # an escaped backslash may stand before a quote: leave the repr alone
        return body
    return quote + inner + quote


def _text(rng: Random, value: str) -> str:
    roll = rng.random()
    if roll < 0.6:
        return quoted(value, '"')
    if roll < 0.72 and value.isprintable() and not value.endswith(("\\", '"', "'")) and "'" not in value:
        return "r'" + value + "'" if "\\" in value or rng.random() < 0.4 else f'"""{value}"""'
    if roll < 0.8 and 2 < len(value) < 20:
        cut = rng.randrange(1, len(value))
        return f"{value[:cut]!r} {value[cut:]!r}"
    if roll < 0.9 and value.isascii() and len(value) < 8:
        place = rng.randrange(len(value)) if value else 0
        return "'" + "".join(_escape(rng, c, i == place) for i, c in enumerate(value)) + "'"
    return repr(value)


def _escape(rng: Random, char: str, always: bool) -> str:
    if not always:
        return repr(char)[1:-1] if char != "'" else "\\'"
    code = ord(char)
    return rng.choice((f"\\x{code:02x}", f"\\u{code:04x}", f"\\{code:03o}"))


def _int(rng: Random, value: int) -> str:
    sign, size = ("-" if value < 0 else ""), abs(value)
    roll = rng.random()
    if roll < 0.75 and size >= 1000:
        return f"{sign}{size:_}"
    if roll < 0.7:
        return f"{sign}0x{size:x}" if rng.random() < 0.85 else f"{sign}0X{size:X}"
    if roll < 0.88 and size < 4096:
        return f"{sign}0b{size:b}"
    if size < 4096:
        return f"{sign}0o{size:o}"
    return repr(value)


def _float(rng: Random, value: float) -> str:
    text = repr(value)
    roll = rng.random()
    if roll < 0.4 and text.endswith(".0"):
        return text[:-1]
    if roll < 0.6 and text.startswith("0."):
        return text[1:]
    if roll < 0.85:
        short = f"{value:.3e}"
        return short if float(short) == value else text
    return text
