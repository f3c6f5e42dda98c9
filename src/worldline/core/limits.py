"""The limits of a recording. docs/reference/limits.md explains each; a test compares the two."""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldline.core.errors import UsageError

#: The largest value of each limit that the kernel, the stored columns and the recorders' stacks can hold.
MAX_LIMITS = dict.fromkeys(("value_bytes", "trace_bytes", "memory", "output", "disk"), 1 << 40) | {
    "steps": (1 << 32) - 1,
    "value_depth": 1_000,
    "wall": 10**9,
    "processes": 1 << 20,
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one recorded program may use: sizes in bytes, times in seconds."""

    steps: int = 1_000_000
    value_bytes: int = 65_536
    value_depth: int = 100
    trace_bytes: int = 256 << 20
    wall: float = 10.0
    memory: int = 1 << 30
    processes: int = 32
    output: int = 1 << 20
    disk: int = 64 << 20

    def __post_init__(self) -> None:
        for name, maximum in MAX_LIMITS.items():
            value, is_whole = getattr(self, name), name != "wall"
            if isinstance(value, bool) or not isinstance(value, int if is_whole else (int, float)):
                kind = "an integer" if is_whole else "a number"
                raise UsageError(f"limit {name} must be {kind}, not {value!r}")
            if not 0 < value <= maximum:  # False for nan
                raise UsageError(f"limit {name} must be above 0 and at most {maximum:,}")


def adjusted(limits: Limits, *, max_steps: int | None = None, wall: float | None = None) -> Limits:
    """Return limits with another number of steps or another wall time; None leaves one as it is."""
    steps = limits.steps if max_steps is None else max_steps
    return replace(limits, steps=steps, wall=limits.wall if wall is None else wall)
