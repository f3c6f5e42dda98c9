"""Looks for the wire with all that pure Python has, and prints what it found; run inside a recorded program."""

import gc
import os
import sys

found: list[str] = []
seen: set[int] = set()


def look(thing: object) -> None:
    """Is it a buffer as large as a wire, and can it be written?"""
    try:
        view = memoryview(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        return
    if view.nbytes > 100_000 and not view.readonly:
        found.append(type(thing).__name__)


def hunt(things: list[object], depth: int) -> None:
    """These things and what they refer to, so many steps far."""
    for _ in range(depth):
        fresh = [thing for thing in things if id(thing) not in seen]
        seen.update(map(id, fresh))
        for thing in fresh:
            look(thing)
        things = gc.get_referents(*fresh)


frame = sys._getframe()
while frame is not None:
    hunt([frame.f_locals, frame.f_globals, *frame.f_locals.values()], 6)
    frame = frame.f_back  # type: ignore[assignment]
hunt(gc.get_objects(), 3)
hunt(list(sys.modules.values()), 4)
for number in os.listdir("/proc/self/fd"):
    try:
        if "wire" in os.readlink(f"/proc/self/fd/{number}"):
            found.append(f"file {number}")
    except OSError:
        pass
try:
    with open("/proc/self/mem", "r+b"):
        found.append("mem")
except OSError:
    pass
with open("/proc/self/maps") as file:
    assert any("memfd:wire" in row for row in file), "there is one to be found"
print(sorted({*found}), len(seen) > 1_000)
