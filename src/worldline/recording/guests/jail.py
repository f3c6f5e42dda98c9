"""The place where one program runs, and how all its processes end: in namespaces, or without them.

`IsolatedJail` gives each program a pid namespace and a tmpfs of its own. It needs the sandbox around it and
CAP_SYS_ADMIN over its namespaces, which no program keeps. `Bare` is for programs that the user
trusts: a session, rlimits and a temporary directory; its processes are found by their parent. Runs
inside the sandbox and imports nothing of worldline.
"""

from __future__ import annotations

import os
import resource
import signal
from typing import Any, Protocol

from . import confine, kernel

OOM_FIRST = b"1000"  # the program dies before the zygote does
KEYS = "/proc/keys"  # names the keys of the user that runs the sandbox


class Jail(Protocol):
    """What the zygote needs of a place for programs, in the order of the life of one program."""

    landlock: int
    files: tuple[int, ...]  # the child needs them to confine itself, but not longer
    limits: dict[str, float]
    parts: str  # the folder for the parts of a prepared program

    def prepare(self) -> None:
        """Prepare the next program, in the zygote, long before the fork."""

    def begin(self) -> None:
        """Finish the preparation, in the zygote, right before the fork."""

    def enter(self) -> None:
        """Move the child into the directory of the program, after the fork."""

    def confine(self) -> None:
        """Confine the child, before anything of the program is written."""

    def kill(self, child: int) -> None:
        """Kill the program and all processes that it started, now."""

    def bury(self) -> bool:
        """Reap all processes after the program. Return whether its disk was full."""

    def clear(self) -> None:
        """Remove everything that the program left."""


def address_space(limits: dict[str, float]) -> int:
    """Return the bound for one process: its own limit plus what the zygote and the wire already map."""
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    return mapped + int(limits["memory"]) + int(limits["trace_bytes"]) + (64 << 20)


class IsolatedJail:
    """A fresh pid, IPC and network namespace and a fresh tmpfs for each program."""

    parts = f"{confine.SCRATCH}/parts"

    def __init__(self, config: dict[str, Any]) -> None:
        self.own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.has_cgroup = bool(config["cgroup"])
        self.layers = confine.Confinement(config["machine"], counted=self.has_cgroup)
        self.landlock = self.layers.abi
        # With a cgroup the rlimit is a little higher: only the cgroup counts what it refuses.
        self.limits = config["limits"]
        self.processes = self.limits["processes"] + config["extra_processes"] + (16 if self.has_cgroup else 0)
        self.wide = bool(config["wide"])
        self.init = 0
        self.files: tuple[int, ...] = ()
        self.proc = os.stat("/proc").st_dev
        self.has_keys = os.path.exists(KEYS)

    def prepare(self) -> None:
        """Create a tmpfs, a network with a loopback, and a pid namespace whose first process only waits.

        All processes of the namespace die with its first one.
        """
        disk = int(self.limits["disk"])
        # With one page to spare, a full file system means that the program wanted more than `disk`.
        size = f"size={disk + resource.getpagesize()},nr_inodes={disk // 4096 + 64},mode=755"
        kernel.mount("tmpfs", confine.SCRATCH, kernel.MS_NOSUID | kernel.MS_NODEV, size)
        for name in ("work", "tmp", "shm"):
            os.mkdir(f"{confine.SCRATCH}/{name}")
        kernel.unshare(kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET)
        kernel.loopback_up()
        self.init = kernel.start_idler()
        self.files = self.layers.ruleset()  # cheaper here than in a freshly forked child

    def begin(self) -> None:
        """Do nothing: everything is prepared."""

    def enter(self) -> None:
        """Mount the /proc of the namespace, which only a process inside can do."""
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("proc", "/proc", flags)
        if self.has_keys:
            kernel.cover(KEYS, "/dev/null")
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(score, OOM_FIRST)
        os.close(score)
        os.chdir(f"{confine.SCRATCH}/work")

    def confine(self) -> None:
        """Set rlimits, and the layers that cannot be removed again."""
        space = None if self.has_cgroup else address_space(self.limits)
        files = confine.files_at_once(self.limits, counted=self.has_cgroup)
        confine.set_rlimits(self.limits, processes=self.processes, files=files, address_space=space, wide=self.wide)
        self.layers.apply(self.files)

    def kill(self, child: int) -> None:
        """Kill the first process of the namespace, which kills all others."""
        os.kill(self.init, signal.SIGKILL)

    def bury(self) -> bool:
        """Wait for the first process: the kernel reaps all others before it."""
        kernel.setns(self.own, kernel.CLONE_NEWPID)
        os.kill(self.init, signal.SIGKILL)
        os.waitpid(self.init, 0)
        usage = os.statvfs(confine.SCRATCH)
        return usage.f_bfree == 0 or usage.f_ffree == 0

    def clear(self) -> None:
        """Unmount the tmpfs and the /proc of the namespace."""
        for fd in self.files:
            os.close(fd)
        if os.stat("/proc").st_dev != self.proc:  # the child may have failed before it mounted one
            kernel.unmount("/proc")
        kernel.unmount(confine.SCRATCH)


class Bare:
    """No sandbox: a session of its own and a temporary directory."""

    landlock = 0
    files: tuple[int, ...] = ()

    def __init__(self, config: dict[str, Any]) -> None:
        kernel.adopt_orphans()
        self.has_cgroup = bool(config["cgroup"])
        self.limits = config["limits"]
        self.wide = bool(config["wide"])
        self.directory = self.parts = ""

    def prepare(self) -> None:
        """Do nothing yet: a zygote that is killed while it waits must leave no directory."""

    def begin(self) -> None:
        """Create a directory that is removed afterwards."""
        import tempfile  # imported late: every program copies the memory of the zygote

        self.directory = tempfile.mkdtemp(prefix="worldline-")
        self.parts = f"{self.directory}-parts"

    def enter(self) -> None:
        """Change to the directory."""
        kernel.die_with_parent()
        os.chdir(self.directory)

    def confine(self) -> None:
        """Set rlimits only. The number of processes is per user here, so it is not limited."""
        kernel.no_new_privileges()
        space = None if self.has_cgroup else address_space(self.limits)
        files = confine.files_at_once(self.limits, counted=True)  # the program is trusted
        confine.set_rlimits(self.limits, processes=0, files=files, address_space=space, wide=self.wide)

    def kill(self, child: int) -> None:
        """Kill the session of the program. `bury` kills the rest."""
        os.killpg(child, signal.SIGKILL)

    def bury(self) -> bool:
        """Kill orphans, which become children of the zygote, until there are none."""
        while children := _children():
            for child in children:
                os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)
        return False

    def clear(self) -> None:
        """Remove the directory."""
        import shutil

        for folder in (self.directory, self.parts):
            shutil.rmtree(folder, ignore_errors=True)


def _children() -> list[int]:
    me = os.getpid()
    with open(f"/proc/{me}/task/{me}/children") as file:
        return [int(word) for word in file.read().split()]
