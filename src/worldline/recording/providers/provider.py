"""What a sandbox needs of the program that contains it: the protocol of bubblewrap and gVisor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from worldline.recording.sandbox_plan import SandboxPlan


@dataclass(frozen=True)
class SandboxLaunch:
    """How to start a sandbox: the command, and the files that launch.py stages for it."""

    command: list[str]
    staged: list[str] = field(default_factory=list)


class Provider(Protocol):
    """A program that contains the zygote and everything below it."""

    name: str  # as `--sandbox` names it
    executable: str
    package: str  # that installs it
    changes_user: bool  # root starts it as an unprivileged user, a different one for each sandbox
    single_use: bool  # the sandbox ends with its first program
    processes: int  # the threads and processes of its own that may start beside the program's
    socket: int | None  # the number of the zygote's socket inside; None keeps it

    def launch(self, plan: SandboxPlan, zygote: list[str], folder: str) -> SandboxLaunch:
        """Return the command that starts the zygote inside.

        Args:
            plan: The settings of the sandbox.
            zygote: The command of the zygote.
            folder: An empty folder of the host that exists as long as the sandbox does.
        """

    def explain(self, words: str) -> str:
        """Return why it did not start and what to do, from what it printed; an empty string if that is unknown."""
