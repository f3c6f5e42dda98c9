"""`make bench`: what recording other languages costs, in the box, beside debuggers that step through the same programs.

    python benchmarks/languages.py [--json] [--languages c rust]

Rates: steps a second of processor time on the five workloads (foreign/), of the box alone: one run of some rounds
less one of none, so that starting and compiling are in neither; nor is the host's reading of the trace, as for Python
(recorders.py). A debugger's rate is the same difference, of some more stops. A small program: processor milliseconds of
all processes, the host's too. A figure whose recording was wrong is refused, not printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import stepping
from foreign_table import aims, table
from processes import below_seconds, ended_seconds, family_seconds

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker, prepare

HERE = Path(__file__).resolve().parent / "foreign"
LIMITS = Limits(wall=300, steps=10**8, trace_bytes=1 << 30, memory=2 << 30)
EARLY = 100  # stops of a debugger that are not timed
Rates = dict[str, float]


@dataclass(frozen=True)
class Workload:
    """One of the five: its title, the rounds to begin with, and what a round adds to what is printed."""

    title: str
    rounds: int
    adds: int


WORKLOADS = {
    "int_loop": Workload("int loop", 10, 4999950000),
    "string_build": Workload("string build", 10, 2000),
    "bubble_sort": Workload("bubble sort", 5, 1),
    "bfs": Workload("BFS", 5, 299),
    "fib": Workload("fib", 20, 2584),
}
NAMES = {
    "c": "program.c", "cpp": "program.cpp", "rust": "program.rs", "js": "program.js", "ts": "program.ts",
    "java": "Main.java", "go": "program.go",
}  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """Processor milliseconds of a small program: the first ever, a process's first, a new one then, one seen before."""

    first: float
    cold: float
    warm: float
    cached: float


@contextmanager
def opened(limits: Limits) -> Iterator[SandboxWorker]:
    """A worker whose boxes are opened when they are first needed."""
    worker = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
    try:
        yield worker
    finally:
        worker.close()


def text_of(kind: str, language: str) -> str:
    """The source of the workloads, or of the small program. The workloads of TypeScript are those of JavaScript."""
    suffix = Path(NAMES[language]).suffix
    shared = {".ts": ".js"} if kind == "workloads" else {}
    return (HERE / f"{kind}{shared.get(suffix, suffix)}").read_text()


def checked(trace: Trace, printed: int) -> Trace:
    """The trace, if the program ended and printed as it should."""
    if trace.outcome.kind != "returned" or trace.output.strip() != str(printed):
        raise RuntimeError(f"{trace.program.name} {trace.program.argv}: {trace.outcome}, {trace.stderr[:300]!r}")
    return trace


def rate(worker: SandboxWorker, language: str, name: str, seconds: float) -> float:
    """Steps a second of one workload, by rounds that take so many seconds or more; the best of two."""
    workload, source = WORKLOADS[name], text_of("workloads", language)

    def run(rounds: int) -> tuple[float, int]:
        program = Program(source=source, name=NAMES[language], argv=(name, str(rounds)))
        before = below_seconds()
        trace = worker.record(program)
        used = below_seconds() - before
        return used, len(checked(trace, rounds * workload.adds))

    run(0)  # prepares it
    none, steps = min(run(0) for _ in range(2))
    rounds = workload.rounds
    while (spent := run(rounds)[0] - none) < seconds * 0.6:
        rounds = int(rounds * min(1 + seconds / max(spent, 0.02), 30))
    used, all_steps = min(run(rounds) for _ in range(2))
    return (all_steps - steps) / (min(used, spent + none) - none)


def small(language: str, programs: int) -> Cost:
    """What a small program takes, on a machine that never recorded the language and on one that did."""
    text = text_of("small", language)
    numbers = iter(range(10**6))

    def fresh() -> Program:
        mark = f"\n// {os.urandom(8).hex()} {next(numbers)}\n"
        return Program(source=text + mark, name=NAMES[language])

    def cost(worker: SandboxWorker, each: list[Program]) -> float:
        before = family_seconds()
        for program in each:
            checked(worker.record(program), 10)
        return 1000 * (family_seconds() - before) / len(each)

    with opened(Limits(wall=120)) as worker:
        first = cost(worker, [fresh()])
    with opened(Limits(wall=120)) as worker:
        cold, several = cost(worker, [fresh()]), [fresh() for _ in range(programs)]
        return Cost(first, cold, cost(worker, several), cost(worker, several * 4))


@contextmanager
def stepper(language: str) -> Iterator[Callable[[stepping.Walk], int]]:
    """The peer of a language: it steps through the workloads, compiled once, and says how often it stopped."""
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        path, target = Path(folder, NAMES[language]), Path(folder, "program")
        path.write_text(text_of("workloads", language))
        if language in ("js", "ts"):
            yield lambda walk: len(stepping.inspector(path, walk))
            return
        debugger: Callable[[stepping.Walk], list[Any]]
        if language == "java":
            command = ["javac", "-g", "-proc:none", "-nowarn", path.name]
            debugger = partial(stepping.jdi, Path(folder))
        elif language == "go":
            command = ["go", "build", "-gcflags=all=-N -l", "-o", str(target), path.name]
            debugger = partial(stepping.delve, target, path.name)
        else:
            command = stepping.command(path, target)
            debugger = partial(stepping.gdb, target, path.name)
        if language not in ("java", "go") and stepping.GDB is None:
            raise RuntimeError("gdb is not on the path")
        subprocess.run(command, cwd=folder, check=True, capture_output=True, env=_go_environment(folder))
        yield lambda walk: len(debugger(walk))


def _go_environment(folder: str) -> dict[str, str]:
    """The environment in which Go builds one file, without a module and with a cache of its own."""
    return {**os.environ, "GO111MODULE": "off", "GOFLAGS": "", "GOCACHE": str(Path(folder, "cache"))}


def peer_rate(step: Callable[[stepping.Walk], int], name: str, stops: int) -> float:
    """Stops a second of a debugger on one workload, the lines and the locals' primitive values read."""
    used = []
    for most in (EARLY, EARLY + stops):
        before = ended_seconds()
        if (found := step(stepping.Walk(most, name, (name, "1")))) != most:
            raise RuntimeError(f"{name}: the debugger stopped {found} times, not {most}")
        used.append(ended_seconds() - before)
    if used[1] <= used[0]:
        raise RuntimeError(f"{name}: {stops} more stops took no more time")
    return stops / (used[1] - used[0])


def measured(language: str, options: argparse.Namespace, faults: list[str]) -> dict[str, Rates | dict[str, float]]:
    """All figures of one language: `steps`, `stops` (of its peer), `cost`."""
    found: dict[str, Rates | dict[str, float]] = {"steps": {}, "stops": {}, "cost": {}}

    def attempt(what: str, figure: str, act: Callable[[], float]) -> None:
        try:
            found[what][figure] = act()
        except (RuntimeError, OSError, subprocess.SubprocessError) as fault:
            faults.append(f"{language}, {figure}, {what}: {fault}")

    try:
        found["cost"] = asdict(small(language, options.programs))
    except RuntimeError as fault:
        faults.append(f"{language}, small program: {fault}")
    with opened(LIMITS) as worker:
        for name in options.workloads:
            attempt("steps", name, lambda name=name: rate(worker, language, name, options.seconds))
    if language == "ts":
        return found
    try:
        with stepper(language) as step:
            step(stepping.Walk(1, "fib", ("fib", "1")))  # what is made once is made now
            for name in options.workloads:
                attempt("stops", name, lambda name=name: peer_rate(step, name, options.stops))
    except (RuntimeError, OSError, subprocess.SubprocessError) as fault:
        faults.append(f"{language}, its peer: {fault}")
    return found


def main() -> None:
    """Measure, print, and fail only where a recording was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", choices=list(NAMES), default=list(NAMES))
    parser.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--seconds", type=float, default=0.5, help="processor seconds of one recording")
    parser.add_argument("--stops", type=int, default=1000, help="stops of a debugger that are timed")
    parser.add_argument("--programs", type=int, default=5, help="small programs of one figure")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    missing = {name: why for name in options.languages if isinstance(why := toolchain.find(name), str)}
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="cache-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # nothing was prepared before
        found = {name: measured(name, options, faults) for name in options.languages if name not in missing}
    if options.json:
        machine = {"machine": platform.machine(), "load": os.getloadavg(), "missing": missing}
        judged = [asdict(aim) | {"met": aim.met} for aim in aims(found)]
        print(json.dumps(machine | {"languages": found, "aims": judged, "faults": faults}, indent=1))
    else:
        print(f"{platform.machine()}, load average now {os.getloadavg()[0]:.1f}\n")
        titles = {name: WORKLOADS[name].title for name in options.workloads}
        print(table(found, titles, [*faults, *(f"{name}: {why}" for name, why in missing.items())]))
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
