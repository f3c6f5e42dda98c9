"""Where one program lives, and how its whole family ends: in a pid namespace with its own tmpfs, or bare.

`Boxed` needs the box around it: CAP_SYS_ADMIN over the box's own namespaces, which no program keeps. `Bare` is for
programs that the user trusts: a session, rlimits and a temporary directory, and a family found by its parent.
Runs inside the box and imports nothing of worldline.
"""

from __future__ import annotations

import os
import resource
import signal
from typing import Any, Protocol

from . import confine, kernel

OOM_FIRST = b"1000"  # the program dies before the zygote does
KEYS = "/proc/keys"  # names those of whoever runs the box, by name


class Jail(Protocol):
    """What the zygote needs of a place for programs, in the order of one program's life."""

    landlock: int
    files: tuple[int, ...]  # what the child needs to be confined; not beyond that
    limits: dict[str, float]
    parts: str  # the folder where what was prepared of a program may lie

    def prepare(self) -> None:
        """Long before the fork, in the zygote."""

    def begin(self) -> None:
        """Right before the fork, in the zygote."""

    def enter(self) -> None:
        """After the fork, in the child, which then stands in the program's directory."""

    def confine(self) -> None:
        """In the child, before anything of the program is written."""

    def kill(self, child: int) -> None:
        """End the program and everyone it started, now."""

    def bury(self) -> bool:
        """After the program: nobody is left. Whether its disk was full."""

    def clear(self) -> None:
        """Nothing of it remains."""


def _address_space(limits: dict[str, float]) -> int:
    """A bound for one process: what it may use, beside what the zygote and the wire map already."""
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    return mapped + int(limits["memory"]) + int(limits["trace_bytes"]) + (64 << 20)


class Boxed:
    """A fresh pid, IPC and network namespace and a fresh tmpfs for each program."""

    parts = f"{confine.SCRATCH}/parts"

    def __init__(self, config: dict[str, Any]) -> None:
        self.own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.has_cgroup = bool(config["cgroup"])
        self.layers = confine.Confinement(config["machine"], counted=self.has_cgroup)
        self.landlock = self.layers.abi
        # With a cgroup the rlimit stands a little behind it: the cgroup counts what it refuses, so it must come first.
        self.limits = config["limits"]
        self.processes = self.limits["processes"] + config["extra_processes"] + (16 if self.has_cgroup else 0)
        self.wide = bool(config["wide"])
        self.init = 0
        self.files: tuple[int, ...] = ()
        self.proc = os.stat("/proc").st_dev
        self.has_keys = os.path.exists(KEYS)

    def prepare(self) -> None:
        """A tmpfs, a network with a loopback, and a pid namespace whose first process only waits: with it, all die."""
        disk = int(self.limits["disk"])
        # With a page to spare, a file system that is full has been asked for more than `disk`.
        size = f"size={disk + resource.getpagesize()},nr_inodes={disk // 4096 + 64},mode=755"
        kernel.mount("tmpfs", confine.SCRATCH, kernel.MS_NOSUID | kernel.MS_NODEV, size)
        for name in ("work", "tmp", "shm"):
            os.mkdir(f"{confine.SCRATCH}/{name}")
        kernel.unshare(kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET)
        kernel.loopback_up()
        self.init = kernel.start_idler()
        self.files = self.layers.ruleset()  # here it is cheaper than in a child that has just been forked

    def begin(self) -> None:
        """All is prepared."""

    def enter(self) -> None:
        """The namespace's own /proc, which only a process in it can mount."""
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("proc", "/proc", flags)
        if self.has_keys:
            kernel.cover(KEYS, "/dev/null")
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(score, OOM_FIRST)
        os.close(score)
        os.chdir(f"{confine.SCRATCH}/work")

    def confine(self) -> None:
        """rlimits, and the layers that cannot be taken off again."""
        space = None if self.has_cgroup else _address_space(self.limits)
        files = confine.files_at_once(self.limits, counted=self.has_cgroup)
        confine.set_rlimits(
            self.limits, processes=self.processes, files=files, address_space=space, wide=self.wide
        )
        self.layers.apply(self.files)

    def kill(self, child: int) -> None:
        """The namespace's first process takes all others with it."""
        os.kill(self.init, signal.SIGKILL)

    def bury(self) -> bool:
        """Waiting for the first process waits for every other: the kernel reaps them before it."""
        kernel.setns(self.own, kernel.CLONE_NEWPID)
        os.kill(self.init, signal.SIGKILL)
        os.waitpid(self.init, 0)
        usage = os.statvfs(confine.SCRATCH)
        return usage.f_bfree == 0 or usage.f_ffree == 0

    def clear(self) -> None:
        """The tmpfs and the namespace's /proc go."""
        for fd in self.files:
            os.close(fd)
        if os.stat("/proc").st_dev != self.proc:  # the child may have failed before it mounted its own
            kernel.unmount("/proc")
        kernel.unmount(confine.SCRATCH)


class Bare:
    """No box: a session of its own and a temporary directory."""

    landlock = 0
    files: tuple[int, ...] = ()

    def __init__(self, config: dict[str, Any]) -> None:
        kernel.adopt_orphans()
        self.has_cgroup = bool(config["cgroup"])
        self.limits = config["limits"]
        self.wide = bool(config["wide"])
        self.directory = self.parts = ""

    def prepare(self) -> None:
        """Nothing yet: a zygote that is killed while it waits leaves no directory."""

    def begin(self) -> None:
        """A directory that is removed afterwards."""
        import tempfile  # and all that it imports: not for the zygote of a box, which is copied for each program

        self.directory = tempfile.mkdtemp(prefix="worldline-")
        self.parts = f"{self.directory}-parts"

    def enter(self) -> None:
        """Into it."""
        kernel.die_with_parent()
        os.chdir(self.directory)

    def confine(self) -> None:
        """rlimits alone; the number of processes is per user here, and is left alone."""
        kernel.no_new_privileges()
        space = None if self.has_cgroup else _address_space(self.limits)
        files = confine.files_at_once(self.limits, counted=True)  # the program is trusted
        confine.set_rlimits(self.limits, processes=0, files=files, address_space=space, wide=self.wide)

    def kill(self, child: int) -> None:
        """The program's session, and then whoever is left."""
        os.killpg(child, signal.SIGKILL)

    def bury(self) -> bool:
        """Orphans become the zygote's children: kill until there are none."""
        while children := _children():
            for child in children:
                os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)
        return False

    def clear(self) -> None:
        """The directory goes."""
        import shutil

        for folder in (self.directory, self.parts):
            shutil.rmtree(folder, ignore_errors=True)


def _children() -> list[int]:
    me = os.getpid()
    with open(f"/proc/{me}/task/{me}/children") as file:
        return [int(word) for word in file.read().split()]
