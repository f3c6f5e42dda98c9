"""Every bound on a recording, in one frozen dataclass. docs/limits.md explains each; a test compares the two."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one recorded program may use. Sizes in bytes, times in seconds."""

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
        for name, value in self.__dict__.items():
            if not value > 0:
                raise ValueError(f"limit {name} must be positive, not {value!r}")
