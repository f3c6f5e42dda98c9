"""Create a cgroup for one sandbox, if the host allows it: a bound on its memory and processes.

Supports both versions of the interface. A sandbox without a cgroup relies on its pid namespace and
on rlimits.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

BASE_MEMORY = 48 << 20  # for the zygote and bubblewrap


@dataclass(frozen=True)
class CgroupParent:
    """A directory in which a cgroup with one or both controllers may be created."""

    version: int
    controllers: tuple[str, ...]
    parent: Path


class Cgroup:
    """The directories of one sandbox: one in version 2, one per controller in version 1."""

    def __init__(self, version: int, folders: dict[str, Path]) -> None:
        self.version = version
        self.folders = folders
        self._counters: dict[str, int] = {}
        oom = "memory.events" if version == 2 else "memory.oom_control"
        places = (("processes", "pids", "pids.events", b"max"), ("memory", "memory", oom, b"oom_kill"))
        self._watched = [
            (name, os.path.join(folders[controller], file), re.compile(rb"^%s (\d+)$" % key, re.MULTILINE))
            for name, controller, file, key in places
            if controller in folders
        ]

    @property
    def joins(self) -> list[str]:
        """The files to which a process writes its number to join."""
        return sorted({str(folder / "cgroup.procs") for folder in self.folders.values()})

    def bound(self, *, memory: int, processes: int, has_own_kernel: bool = False) -> None:
        """Set the limits, on top of what the sandbox itself uses. Call it when the sandbox is running.

        Args:
            memory: The bytes that the program may use.
            processes: The processes that it may start.
            has_own_kernel: What the sandbox holds by now is a kernel's, and comes on top.
        """
        pids, mem = self.folders["pids"], self.folders["memory"]
        current = int((pids / "pids.current").read_text())
        (pids / "pids.max").write_text(str(current + processes))
        usage = mem / ("memory.current" if self.version == 2 else "memory.usage_in_bytes")
        total = str(memory + BASE_MEMORY + (int(usage.read_text()) if has_own_kernel else 0))
        if self.version == 2:
            (mem / "memory.max").write_text(total)
            _try_write(mem / "memory.swap.max", "0")
        else:
            (mem / "memory.limit_in_bytes").write_text(total)
            _try_write(mem / "memory.memsw.limit_in_bytes", total)
            # The memory of IP sockets is counted separately.
            _try_write(mem / "memory.kmem.tcp.limit_in_bytes", str(memory))

    def spent(self) -> str:
        """Return the limit that was hit since the last call: `memory`, `processes` or an empty string."""
        hit = ""
        for name, path, line in self._watched:
            count = _counter(path, line)
            if count > self._counters.get(name, 0):
                hit = name
            self._counters[name] = count
        return hit

    def remove(self) -> None:
        """Remove the directories. The last process may take a moment to leave them."""
        for folder in set(self.folders.values()):
            for _ in range(100):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break


def _try_write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError:
        return  # this kernel does not count it


def _counter(path: str, line: re.Pattern[bytes]) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        match = line.search(os.read(fd, 1 << 12))
    finally:
        os.close(fd)
    return int(match[1]) if match else 0


def make(name: str, *, table: str | None = None, mounts: str | None = None) -> Cgroup | None:
    """Create a cgroup beside or below our own.

    Args:
        name: The name of its directory.
        table: The text of /proc/self/cgroup.
        mounts: The text of /proc/self/mountinfo.

    Returns:
        The cgroup, or None if the host does not allow one.
    """
    try:
        ours = Path("/proc/self/cgroup").read_text() if table is None else table
        mounted = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
    except OSError:
        return None
    for version in (1, 2):
        folders: dict[str, Path] = {}
        for place in parents(ours, mounted):
            if place.version == version:
                folders |= _make_in(place, name, folders)
        if set(folders) == {"memory", "pids"}:
            return Cgroup(version, folders)
        Cgroup(version, folders).remove()
    return None


def parents(table: str, mounts: str) -> list[CgroupParent]:
    """Return where cgroups may be created, best first.

    Version 1 controllers come below our own group, version 2 from our own group upwards.
    """
    candidates: list[CgroupParent] = []
    where = _mounted(mounts)
    for line in table.splitlines():
        _, names, path = line.split(":", 2)
        candidates += [
            CgroupParent(1, (controller,), _below(where[controller], path))
            for controller in ("memory", "pids")
            if controller in names.split(",") and controller in where
        ]
    for line in table.splitlines():
        if line.startswith("0::") and "2" in where:
            own = _below(where["2"], line[3:])
            # A group with processes of its own cannot delegate controllers, so try its parents too.
            ups = [up for up in (own, *own.parents) if up.is_relative_to(where["2"])]
            candidates += [CgroupParent(2, ("memory", "pids"), up) for up in ups]
    return candidates


def _mounted(mounts: str) -> dict[str, Path]:
    where: dict[str, Path] = {}
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        target = Path(left.split()[4])
        kind, _, options = right.split(maxsplit=2)
        if kind == "cgroup2":
            where["2"] = target
        elif kind == "cgroup":
            where |= {name: target for name in options.split(",") if name in ("memory", "pids")}
    return where


def _below(mount: Path, path: str) -> Path:
    """Return our own group under a mount; in a container that shows only its own part, the mount itself."""
    own = mount / path.strip().lstrip("/")
    return own if own.is_dir() else mount


def _make_in(place: CgroupParent, name: str, have: dict[str, Path]) -> dict[str, Path]:
    wanted = [controller for controller in place.controllers if controller not in have]
    if not wanted or not os.access(place.parent, os.W_OK):
        return {}
    folder = place.parent / name
    try:
        if place.version == 2:
            _hand_down(place.parent, wanted)
        sweep(place.parent)
        folder.mkdir()
    except OSError:
        return {}
    probe = {"memory": "memory.max" if place.version == 2 else "memory.limit_in_bytes", "pids": "pids.max"}
    if all((folder / probe[controller]).exists() for controller in wanted):
        return dict.fromkeys(wanted, folder)
    folder.rmdir()
    return {}


def _hand_down(parent: Path, controllers: list[str]) -> None:
    control = parent / "cgroup.subtree_control"
    missing = set(controllers) - set(control.read_text().split())
    if missing:
        control.write_text(" ".join(f"+{controller}" for controller in sorted(missing)))


def sweep(parent: Path) -> None:
    """Remove the cgroups of hosts that were killed."""
    for folder in parent.glob("worldline-*-*"):
        owner = folder.name.split("-")[1]
        if not (owner.isdigit() and Path("/proc", owner).exists()):
            try:
                folder.rmdir()
            except OSError:
                continue  # a process is still in it
