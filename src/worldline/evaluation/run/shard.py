"""A part of a suite's tasks, for who has them asked in several places: every N-th, by the place in the suite.

The N shards of a suite are a partition of it. `merge` puts their runs together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError

KEY = "shard"  # in a run's configuration


@dataclass(frozen=True)
class SuiteShard:
    """The `number`-th of so many shards, counted from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise UsageError(f"a shard is K/N with K from 1 to N, not {self.number}/{self.of}")

    def has(self, at: int) -> bool:
        """Whether the task at a place is its own."""
        return at % self.of == self.number - 1

    def config(self, limit: int | None) -> dict[str, Any]:
        """What a run of it keeps: shards of other limits are not of one run."""
        return {KEY: {"number": self.number, "of": self.of, "limit": limit}}


def parse_shard(text: str) -> SuiteShard:
    """`3/16`."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if found is None:
        raise UsageError(f"a shard is K/N, such as 3/16, not {text!r}")
    return SuiteShard(int(found[1]), int(found[2]))
