"""Shorten texts for display, around the place where they differ, and escape lone surrogates.

For values that people read, `core.texts.excerpts` is the rule; `clip_value` follows it where no difference is near.
"""

from __future__ import annotations

from worldline.core.text import first_difference
from worldline.core.texts.excerpts import excerpt

MAX_TEXT_CHARS = 4_000
_CHARS_BEFORE_DIFFERENCE = 1_000
# An excerpt may be a little longer than it should: `clip` must not cut it again.
MARGIN = 100


def clip(text: str, other: str | None = None) -> str:
    """Shorten a text to `MAX_TEXT_CHARS`, around its first difference from `other`, and escape lone surrogates."""
    if len(text) <= MAX_TEXT_CHARS and text.isascii():
        return text
    start = 0
    if len(text) > MAX_TEXT_CHARS and other is not None and other != text:
        start = max(0, min(first_difference(text, other) - _CHARS_BEFORE_DIFFERENCE, len(text) - MAX_TEXT_CHARS))
    shown = text[start : start + MAX_TEXT_CHARS]
    left = len(text) - start - len(shown)
    if not shown.isascii():
        shown = shown.encode("utf-8", "backslashreplace").decode()  # lone surrogates
    return (f"<{start} before>..." if start else "") + shown + (f"...<{left} more>" if left else "")


def clip_value(text: str, other: str | None = None) -> str:
    """Shorten a value to `MAX_TEXT_CHARS`: around its first difference from another, or else in the middle."""
    differs = other is not None and other != text
    return clip(text, other) if differs or len(text) <= MAX_TEXT_CHARS else clip(excerpt(text, MAX_TEXT_CHARS - MARGIN))


def cut(text: str, max_chars: int) -> str:
    """Shorten a text to its beginning, and say how many characters are left out."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}...<{len(text) - max_chars} more>"
