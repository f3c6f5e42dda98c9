"""The result of a parser for text that does not follow its format: a value, never an exception."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Malformed:
    """Where reading stopped (in characters, bytes or tokens of the input), and what was expected there."""

    offset: int
    expected: str
