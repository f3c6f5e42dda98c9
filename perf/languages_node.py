"""How fast JavaScript is recorded: steps a second on the five workloads, and the CPU time of a small program.

    python perf/languages_node.py [--json]

Without a box: the guest is run as the zygote runs it, in a forked child, and the child's CPU time is taken, the
least of several. Steps a second: a workload many times in one process, less the same process with none, so that
starting Node.js and compiling are not in it. A small program: cold (our own files are compiled first, once a box),
warm (a program that is new to a warm box) and cached (from what `prepare` made of it); beside them, Node.js alone.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worldline.limits import Limits
from worldline.recording import wire
from worldline.recording.guests.node import guest
from worldline.recording.languages import toolchain

SOURCE = (Path(__file__).parent / "languages_node.js").read_text()
TIMES = {"int": 20, "string": 12, "bubble": 12, "bfs": 6, "fib": 60}
SMALL = (
    "function f(xs) {\n  let t = 0;\n  for (const x of xs) {\n    t += x;\n  }\n  return t;\n}\n"
    "console.log(f([1, 2, 3]));\n"
)
LIMITS = asdict(Limits(steps=10**8, trace_bytes=1 << 30))


def spec_of(source: str, call: dict[str, Any] | None) -> dict[str, Any]:
    """What the host tells the guest."""
    found = toolchain.find("js")
    if isinstance(found, str):
        sys.exit(found)
    return {
        "name": "program.js", "source": source, "call": call, "argv": [], "files": {}, "limits": LIMITS,
        "language": "js", "toolchain": found.as_config(),
    }  # fmt: skip


def once(spec: dict[str, Any], parts: dict[str, str]) -> tuple[float, int]:
    """CPU seconds and steps of one run."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as file:
        Path(folder, spec["name"]).write_text(spec["source"])
        file.truncate(LIMITS["trace_bytes"] + (1 << 16))
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            guest.run(spec, parts, os.dup(file.fileno()), writing)
        os.close(writing)
        _, status, used = os.wait4(child, 0)
        os.close(reading)
        with mmap.mmap(file.fileno(), 0) as view:
            found = wire.decode(view[: int.from_bytes(view[8:16], "little")])
    if status or found.end is None or found.end.kind != "returned":
        sys.exit(f"a workload ended with {status}, {found.end}")
    return used.ru_utime + used.ru_stime, len(found.columns.event)


def least(spec: dict[str, Any], parts: dict[str, str], times: int = 3) -> tuple[float, int]:
    """The run that took the least CPU time of some."""
    return min(once(spec, parts) for _ in range(times))


def steps_a_second(name: str) -> float:
    """Of one workload."""

    def call(times: int) -> dict[str, Any]:
        return {"function": "go", "arguments": [["str", name], ["int", str(times)]]}

    none, many = least(spec_of(SOURCE, call(0)), {}), least(spec_of(SOURCE, call(TIMES[name])), {})
    return (many[1] - none[1]) / (many[0] - none[0])


def workloads() -> dict[str, float]:
    """Steps a second, by workload."""
    return {name: steps_a_second(name) for name in TIMES}


def small(times: int = 7) -> tuple[float, float, float]:
    """CPU milliseconds of a small program: cold, warm, cached."""
    spec = {**spec_of(SMALL, None), "limits": asdict(Limits())}
    warming = cpu(lambda: guest.warm({"toolchain": spec["toolchain"], "limits": spec["limits"]}))
    warm, _ = least(spec, {}, times)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program")
        path.write_bytes(guest.prepare(spec)["program"])
        cached, _ = least(spec, {"program": str(path)}, times)
    return warming + 1e3 * warm, 1e3 * warm, 1e3 * cached


def alone(times: int = 7) -> float:
    """CPU milliseconds of Node.js with the small program, not recorded."""
    node = spec_of(SMALL, None)["toolchain"]["executables"]["node"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.js")
        path.write_text(SMALL)
        command = [node, str(path)]
        return min(
            cpu(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)) for _ in range(times)
        )


def cpu(act: Callable[[], object]) -> float:
    """CPU milliseconds of the children that an act starts and waits for."""
    before = os.times()
    act()
    after = os.times()
    return 1e3 * (after.children_user + after.children_system - before.children_user - before.children_system)


def main() -> None:
    """All figures, as lines or as JSON."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    asked = options.parse_args()
    names = ("cold", "warm", "cached")
    figures = {
        "steps_per_s": workloads(),
        "small_program_cpu_ms": {"node alone": alone(), **dict(zip(names, small(), strict=True))},
    }
    if asked.json:
        print(json.dumps(figures))
        return
    for name, rate in figures["steps_per_s"].items():
        print(f"{name:8} {rate / 1e6:8.3f} M steps/s")
    for name, ms in figures["small_program_cpu_ms"].items():
        print(f"{name:12} {ms:6.0f} ms CPU")


if __name__ == "__main__":
    main()
