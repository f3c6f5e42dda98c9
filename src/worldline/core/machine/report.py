"""What a machine offers for executing programs: the report of `worldline doctor`. Pure data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Capability:
    """One thing that executing programs needs or profits from. `works` is None if it could not be tried."""

    name: str
    works: bool | None
    detail: str  # what was found
    advice: str = ""  # what is lost without it, and what to do


@dataclass(frozen=True)
class MachineReport:
    """What this machine offers. `sandbox` is the sandbox of `--sandbox auto`, or empty if none starts."""

    system: str  # such as `Linux 6.18.44` or `macOS 15.1`
    container: str  # the kind of container around this process, or empty
    sandbox: str
    capabilities: tuple[Capability, ...]
    conclusion: str  # what works here, and what to do

    @property
    def has_sandbox(self) -> bool:
        """Whether programs can be executed in a sandbox."""
        return bool(self.sandbox)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {**asdict(self), "has_sandbox": self.has_sandbox}
