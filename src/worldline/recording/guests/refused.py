"""The exception of a guest for a program that cannot start because of its own source or call."""

from __future__ import annotations


class Refused(Exception):
    """A refusal: the part that is wrong (`source`, `call`), why, and the full compiler message."""

    def __init__(self, part: str, why: str, message: str = "") -> None:
        super().__init__(f"{part}: {why}")
        self.message = message
