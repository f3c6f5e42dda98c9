"""Texts made fit to be sent or shown: short enough, around where they differ, and without what is no Unicode."""

from __future__ import annotations

from worldline.core.text import first_difference

MOST = 4_000  # characters of one text
_BEFORE = 1_000  # of them, those before the place where two texts part


def clip(text: str, other: str | None = None) -> str:
    """A text, cut to MOST characters where it is longer; around the first difference from the other one."""
    if len(text) <= MOST and text.isascii():
        return text
    start = 0
    if len(text) > MOST and other is not None and other != text:
        start = max(0, min(first_difference(text, other) - _BEFORE, len(text) - MOST))
    shown = text[start : start + MOST]
    left = len(text) - start - len(shown)
    if not shown.isascii():
        shown = shown.encode("utf-8", "backslashreplace").decode()  # lone surrogates
    return (f"<{start} before>..." if start else "") + shown + (f"...<{left} more>" if left else "")


def cut(text: str, longest: int) -> str:
    """A text, or its beginning and how much more there is."""
    return text if len(text) <= longest else f"{text[:longest]}...<{len(text) - longest} more>"
