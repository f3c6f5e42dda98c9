"""The place of the one program of a gVisor sandbox, which has a kernel of its own.

The zygote is root and the first process there, and the program is another user: it cannot signal,
trace or read the zygote. Nothing has to be cleared for a next program, because there is none. Runs
inside the sandbox and imports nothing of worldline.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from typing import Any

from . import confine
from .jail import OOM_FIRST, address_space

USER = 1000
DEVICES = {"null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd", "pts"}


class OwnKernel:
    """The scratch folder and the user of one program."""

    parts = f"{confine.SCRATCH}/parts"
    files: tuple[int, ...] = ()

    def __init__(self, config: dict[str, Any]) -> None:
        # A cgroup around gVisor counts its memory, and ends the whole sandbox: the limits of one process come first.
        self.layers = confine.Confinement(config["machine"], counted=False, lenient=True)
        self.landlock = self.layers.abi
        self.limits = config["limits"]
        self.processes = self.limits["processes"] + config["extra_processes"]
        self.wide = bool(config["wide"])

    def prepare(self) -> None:
        """Create the folders of the program in the tmpfs of the sandbox, and remove devices that it does not need."""
        for name in set(os.listdir("/dev")) - DEVICES:
            _remove(f"/dev/{name}")
        os.symlink(f"{confine.SCRATCH}/shm", "/dev/shm")
        folders = [f"{confine.SCRATCH}/{name}" for name in ("work", "tmp", "shm")]
        for folder in folders:
            os.mkdir(folder)
        for folder in (*folders, confine.SCRATCH):  # the zygote may not write what is another user's
            os.chown(folder, USER, USER)

    def begin(self) -> None:
        """Do nothing: everything is prepared."""

    def enter(self) -> None:
        """Change to the directory of the program."""
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", 0) as score:
            score.write(OOM_FIRST)
        os.chdir(f"{confine.SCRATCH}/work")

    def confine(self) -> None:
        """Set rlimits, become the user of the program, and drop all that is left."""
        files = confine.files_at_once(self.limits, counted=False)
        confine.set_rlimits(
            self.limits,
            processes=self.processes,
            files=files,
            address_space=address_space(self.limits),
            wide=self.wide,
            without=(resource.RLIMIT_MSGQUEUE,),
        )
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
        self.layers.apply(self.files)

    def kill(self, child: int) -> None:
        """Kill every process but this one."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)

    def bury(self) -> bool:
        """Kill and reap what is left until there is nothing."""
        with contextlib.suppress(ChildProcessError):
            while True:
                self.kill(0)
                os.waitpid(-1, 0)
        return os.statvfs(confine.SCRATCH).f_bfree == 0  # gVisor does not count the files of a tmpfs

    def clear(self) -> None:
        """Do nothing: the sandbox ends."""


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            _remove(f"{path}/{name}")
        os.rmdir(path)
    else:
        os.unlink(path)
