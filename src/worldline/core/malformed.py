"""What a parser says about text that is not of its format: a value, never an exception."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Malformed:
    """Where reading stopped (in characters, bytes or tokens of what was given), and what should have stood there."""

    offset: int
    expected: str
