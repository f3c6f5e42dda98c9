"""What recording C, C++ and Rust costs: steps a second on five workloads of C, and CPU time of a small program of each.

`small` is in the box, host and box together: cold with boxes to open, warm in open boxes, cached with its parts kept.
What is made once for a toolchain is there already, and `once` says what it takes.
`workloads` runs what the guest prepared without the box, the least of three runs; a run that does not end as it should
is refused, not printed.
"""

from __future__ import annotations

import mmap
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from worldline.core.program import Program
from worldline.limits import Limits
from worldline.recording.guests.compiled import guest
from worldline.recording.languages.toolchain import Toolchain, find
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.wire import decode

HERE = Path(__file__).resolve().parent / "languages"
WORKLOADS = {
    "int loop": ("int", "300000"), "string build": ("str", "2000"), "bubble sort": ("bub", "200"), "BFS": ("bfs", "0"),
    "fib": ("fib", "22"),
}  # fmt: skip
SUFFIXES = {"c": "c", "cpp": "cpp", "rust": "rs"}
TIMES = 10
WIRE = 1 << 30


def children() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def family() -> float:
    """CPU seconds of this process and all that live under it, those included that they have waited for."""
    parents: dict[int, list[tuple[int, float]]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        seconds = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
        parents.setdefault(int(words[1]), []).append((int(name), seconds))
    total, waiting = sum(os.times()[:2]), [os.getpid()]
    while waiting:
        for child, seconds in parents.get(waiting.pop(), []):
            total += seconds
            waiting.append(child)
    return total


def small(language: str) -> tuple[float, float, float]:
    """CPU ms of a small program: the first one of a worker, one more in open boxes, one whose parts are kept."""
    name = f"small.{SUFFIXES[language]}"
    text = (HERE / name).read_text()
    with tempfile.TemporaryDirectory() as cache:
        was, os.environ["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME"), cache
        worker = _worker()
        _recorded(worker, name, [text], 0)
        worker.close()
        before = family()
        worker = _worker()
        try:
            figures = [_recorded(worker, name, [f"{text}// cold {time.time_ns()}\n"], before)]
            anew = [f"{text}// {number}\n" for number in range(TIMES)]
            figures += [_recorded(worker, name, anew, family()) / TIMES for _ in range(2)]
        finally:
            worker.close()
            os.environ.pop("XDG_CACHE_HOME") if was is None else os.environ.update(XDG_CACHE_HOME=was)
    return figures[0], figures[1], figures[2]


def _worker() -> BoxWorker:
    return BoxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))


def once(language: str) -> float:
    """CPU ms of what is made once for a toolchain."""
    before = children()
    guest.tools({"toolchain": _toolchain(language).as_config()})
    return 1000 * (children() - before)


def _toolchain(language: str) -> Toolchain:
    found = find(language)
    return found if isinstance(found, Toolchain) else sys.exit(found)


def _recorded(worker: BoxWorker, name: str, sources: list[str], before: float) -> float:
    for source in sources:
        outcome = worker.record(Program(source=source, name=name)).outcome
        if outcome.kind != "returned":
            sys.exit(f"{name}: it did not end as it should: {outcome}")
    return 1000 * (family() - before)


def workloads(language: str) -> dict[str, float]:
    """Steps a CPU second of each workload."""
    name = f"workloads.{SUFFIXES[language]}"
    source, toolchain = (HERE / name).read_text(), _toolchain(language)
    spec: dict[str, Any] = {
        "files": {}, "call": None, "toolchain": toolchain.as_config(), "name": name, "source": source,
        "language": language,
    }  # fmt: skip
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path(name).write_text(source)
            tools = Path(folder, "tools")
            tools.mkdir()
            for file, data in guest.tools(spec).items():
                (tools / file).write_bytes(data)
            parts = guest.prepare(spec | {"tools": str(tools)})
            runs = {one: [run(parts, folder, given) for _ in range(3)] for one, given in WORKLOADS.items()}
        finally:
            os.chdir(here)
    return {one: steps / took for one, all_runs in runs.items() for took, steps in [min(all_runs)]}


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
    for language in SUFFIXES:
        cold, warm, cached = small(language)
        print(
            f"{language:5} small program, CPU ms: cold {cold:.0f}, warm {warm:.0f}, cached {cached:.0f}",
            end="; ",
        )
        print(f"once {once(language):.0f}")
    for name, rate in workloads("c").items():
        print(f"c     {name:14} {rate / 1e6:7.2f} M steps/s")


if __name__ == "__main__":
    main()
