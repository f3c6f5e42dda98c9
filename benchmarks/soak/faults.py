"""Faults for a process under test: a disk that is full for a while, and a wall clock that jumps."""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_BYTES = 32 << 20
JUMPS = (86_400, -172_800, 3600, 0, -30, 31_536_000, 0)  # seconds that the wall clock is off, one after the other


class SmallDisk:
    """A folder on a file system of its own, which `fill` leaves without a free byte.

    Only root may mount one. Without it, `why_not` says so and the folder is an ordinary one that is never full.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.why_not = folder, ""
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(folder)]
        try:
            mounted = subprocess.run(command, capture_output=True, text=True, check=False)
            self.why_not = mounted.stderr.strip() if mounted.returncode else ""
        except OSError as error:
            self.why_not = str(error)

    def fill(self) -> None:
        """Use up every byte."""
        if self.why_not:
            return
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12, 1):
                _write_until_full(ballast.fileno(), size)

    def free(self) -> None:
        """Give the space back."""
        (self.folder / "ballast").unlink(missing_ok=True)

    def close(self) -> None:
        """Unmount it."""
        if not self.why_not:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


def _write_until_full(file: int, size: int) -> None:
    try:
        while True:
            os.write(file, b"\0" * size)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


class JumpingClock:
    """The wall clock of a process that starts with `environment`. Without a C compiler, `why_not` says so."""

    def __init__(self, folder: Path) -> None:
        self._file, library = folder / "clock", folder / "clock.so"
        self._file.write_bytes(bytes(8))
        compiler, source = shutil.which("cc") or shutil.which("gcc"), Path(__file__).with_name("clock.c")
        self.why_not, self.environment = "no C compiler was found", dict[str, str]()
        self._next = 0
        if compiler is not None:
            command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source)]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            self.why_not = built.stderr.strip()
            self.environment = {"LD_PRELOAD": str(library), "SOAK_CLOCK": str(self._file)}

    def jump(self) -> None:
        """Set the clock to the next of `JUMPS`."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(struct.pack("q", JUMPS[self._next % len(JUMPS)]))
        self._next += 1


class Faults:
    """When what happens: the disk is full from 40 to 60 % of the requests, and the clock jumps at every tenth."""

    def __init__(self, disk: SmallDisk, clock: JumpingClock, count: int) -> None:
        self.disk, self.clock, self._count = disk, clock, count
        self.full = range(count * 2 // 5, count * 3 // 5)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the process under test."""
        folder = str(self.disk.folder)
        return {**os.environ, **self.clock.environment, "TMPDIR": folder, "HOME": folder}

    @property
    def notes(self) -> list[str]:
        """What could not be tested, and why."""
        notes = [f"full disk: skipped ({self.disk.why_not})"] if self.disk.why_not else []
        return notes + ([f"clock that jumps: skipped ({self.clock.why_not})"] if self.clock.why_not else [])

    def before(self, number: int) -> None:
        """Do what is due before a request."""
        if number == self.full.start:
            self.disk.fill()
        elif number == self.full.stop:
            self.disk.free()
        if number % max(1, self._count // 10) == 0:
            self.clock.jump()


@contextmanager
def faults(folder: Path, count: int) -> Iterator[Faults]:
    """Yield the faults of a part with so many requests."""
    disk = SmallDisk(folder / "disk")
    try:
        yield Faults(disk, JumpingClock(folder), count)
    finally:
        disk.close()
