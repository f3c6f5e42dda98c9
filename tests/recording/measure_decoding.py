"""`measure_decoding.py FD NATIVE WEIGHT STEPS`: what a process takes on to decode the wire in FD."""

from __future__ import annotations

import mmap
import sys

from worldline.recording import wire


def peak() -> int:
    """The most memory that was resident at once, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))


fd, native, weight, steps = map(int, sys.argv[1:])
if not native:
    wire._native = None
before = peak()
decoded = wire.decode(memoryview(mmap.mmap(fd, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)), steps=steps, weight=weight)
print(peak() - before)
