"""Shards of a suite: every N-th task, by its place. The N shards are a partition of the suite; `merge` joins them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError

KEY = "shard"  # in a run's configuration


@dataclass(frozen=True)
class SuiteShard:
    """Shard `number`, counted from 1, of `of`."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise UsageError(f"a shard is K/N with K from 1 to N, not {self.number}/{self.of}")

    def has(self, at: int) -> bool:
        """Return whether the task at a place belongs to this shard."""
        return at % self.of == self.number - 1

    def config(self, limit: int | None) -> dict[str, Any]:
        """Return what a run stores about its shard; shards with other limits do not belong together."""
        return {KEY: {"number": self.number, "of": self.of, "limit": limit}}


def parse_shard(text: str) -> SuiteShard:
    """Parse K/N, such as `3/16`."""
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None:
        raise UsageError(f"a shard is K/N, such as 3/16, not {text!r}")
    return SuiteShard(int(match[1]), int(match[2]))
