"""What recording C costs: steps a second on five workloads, and CPU time to prepare and run a small program.

Prepares and runs as the guest does, without the box, whose cost is the same for every language (boxed.py). Each figure
is the least of several runs; a run that does not end as it should is refused, not printed.
"""

from __future__ import annotations

import mmap
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldline.recording.guests.compiled import c, toolbox
from worldline.recording.languages.toolchain import Toolchain, find
from worldline.recording.wire import decode

HERE = Path(__file__).resolve().parent
WORKLOADS = {
    "int loop": ("int", "300000"), "string build": ("str", "2000"), "bubble sort": ("bub", "200"), "BFS": ("bfs", "0"),
    "fib": ("fib", "22"),
}  # fmt: skip
WIRE = 1 << 30
SMALL = HERE / "languages" / "small.c"


def children() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu(act: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of an act, here and in its children, and what it gave."""
    before = children() + sum(os.times()[:2])
    made = act()
    return children() + sum(os.times()[:2]) - before, made


def run(parts: dict[str, bytes], folder: str, arguments: tuple[str, ...]) -> tuple[float, int]:
    """CPU seconds of one recorded run, and its steps."""
    program, table = Path(folder, "recorded"), Path(folder, "table")
    program.write_bytes(parts["program"])
    program.chmod(0o755)
    table.write_bytes(parts["table"])
    wire, fd = os.memfd_create("wire"), os.open(table, os.O_RDONLY)
    os.ftruncate(wire, WIRE)
    reading, report = os.pipe()
    given = f"{wire},{fd},{report},4000000,65536,100"
    before = children()
    done = subprocess.run(
        [str(program), *arguments],
        env={"WORLDLINE_GUEST": given},
        pass_fds=(wire, fd, report),
        capture_output=True,
    )
    took = children() - before
    with mmap.mmap(wire, WIRE) as view:
        found = decode(view[: int.from_bytes(view[8:16], "little")])
    for one in (wire, fd, report, reading):
        os.close(one)
    if done.returncode or found.damage is not None or found.end is None or found.end.kind != "returned":
        sys.exit(f"{arguments}: it did not end as it should: {found.end}, {done.stderr!r}")
    return took, len(found.columns)


def main() -> None:
    """Print the figures."""
    toolchain = find("c")
    if not isinstance(toolchain, Toolchain):
        sys.exit(toolchain)
    spec: dict[str, Any] = {
        "files": {},
        "call": None,
        "toolchain": toolchain.as_config(),
        "name": "program.c",
    }
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        gcc = spec["toolchain"]["executables"]["gcc"]
        took, objects = cpu(lambda: toolbox.compile_runtime(gcc, folder))
        runtime = [os.path.join(folder, name) for name in objects]
        print(f"gcc {toolchain.version}; the runtime, once: {took * 1000:.0f} CPU ms")
        for source, rows in (
            (SMALL.read_text(), {"small": ()}),
            ((HERE / "languages" / "workloads.c").read_text(), WORKLOADS),
        ):
            Path("program.c").write_text(source)
            spec["source"] = source
            made = [cpu(lambda: c.prepare(spec, folder, runtime)) for _ in range(3)]
            parts = made[0][1]
            print(
                f"prepared in {min(took for took, _ in made) * 1000:.0f} CPU ms, {len(source)} bytes of source"
            )
            for name, arguments in rows.items():
                took, steps = min(run(parts, folder, arguments) for _ in range(3))
                print(
                    f"{name:14} {steps:9,} steps {took * 1000:8.1f} CPU ms {steps / took / 1e6:7.2f} M steps/s"
                )


if __name__ == "__main__":
    main()
