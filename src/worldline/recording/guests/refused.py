"""A program that cannot begin for a reason of its own: what a guest raises while it prepares one."""

from __future__ import annotations


class Refused(Exception):
    """`what` is wrong with it (`source`, `call`) and why, in a line; `message` is what a compiler said, whole."""

    def __init__(self, part: str, why: str, message: str = "") -> None:
        super().__init__(f"{part}: {why}")
        self.message = message
