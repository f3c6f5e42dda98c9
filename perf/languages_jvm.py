"""Java in the box: CPU milliseconds of a small program cold, warm and cached, and steps a second on the five workloads.

    .venv/bin/python perf/languages_jvm.py [--json]

CPU time of this process and of all below it, the boxes' included, as the kernel counts it in /proc (in hundredths of a
second, so each figure is of twenty programs or the least of three long ones). Cold is the first program of a session:
two boxes, a JVM that compiles, a JVM that runs. Warm are the 21st to the 40th, none of them seen before; cached are
twenty that were. What is made once for a JDK is told apart. Steps a second are of the JVM that records, less one that
records next to nothing, as for Node.js; reading the trace is measured in decoding.py.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.limits import Limits
from worldline.recording.guests.jvm import build
from worldline.recording.languages import toolchain
from worldline.recording.recorder import BoxWorker, prepare

SMALL = """public class Main {
    public static void main(String[] args) {
        int total = 0;
        for (int i = 0; i < 5; i++) {
            total += i;
        }
        System.out.println(total);
    }
}
"""
WORKLOADS = {
    "int loop": "int s = 0;\nfor (int i = 0; i < 2000000; i++) {\ns += i % 7;\n}",
    "string": 'String s = "";\nfor (int i = 0; i < 4000; i++) {\ns += "x";\n}',
    "bubble": "int[] a = new int[200];\nfor (int i = 0; i < 200; i++) {\na[i] = (i * 7919) % 601;\n}\n"
    "for (int i = 0; i < 200; i++) {\nfor (int j = 0; j + 1 < 200 - i; j++) {\nif (a[j] > a[j + 1]) {\n"
    "int t = a[j];\na[j] = a[j + 1];\na[j + 1] = t;\n}\n}\n}",
    "BFS": "List<List<Integer>> g = new ArrayList<>();\nfor (int i = 0; i < 300; i++) {\n"
    "g.add(new ArrayList<>(List.of((i * 7) % 300, (i * 11 + 3) % 300, (i + 1) % 300)));\n}\n"
    "boolean[] seen = new boolean[300];\nDeque<Integer> todo = new ArrayDeque<>(List.of(0));\n"
    "while (!todo.isEmpty()) {\nint v = todo.poll();\nfor (int w : g.get(v)) {\nif (!seen[w]) {\n"
    "seen[w] = true;\ntodo.add(w);\n}\n}\n}",
    "fib": "fib(24);",
}
FIB = "static int fib(int n) {\nif (n < 2) {\nreturn n;\n}\nreturn fib(n - 1) + fib(n - 2);\n}\n"


def program(body: str) -> Program:
    """A workload as a whole program."""
    head = f"import java.util.*;\npublic class Main {{\n{FIB}public static void main(String[] args) {{\n"
    text = f"{head}{body}\n}}\n}}\n"
    return Program(source=text, name="Main.java")


TICKS = os.sysconf("SC_CLK_TCK")
MANY = 20


def cpu() -> float:
    """CPU seconds of this process and of all that descend from it; of the dead, those that were waited for."""
    times: dict[int, float] = {}
    below: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        times[int(name)] = sum(map(int, fields[11:15])) / TICKS
        below.setdefault(int(fields[1]), []).append(int(name))
    family, total = [os.getpid()], 0.0
    while family:
        one = family.pop()
        total += times.get(one, 0.0)
        family += below.get(one, [])
    return total


@contextmanager
def recorder(limits: Limits) -> Iterator[BoxWorker]:
    """One session."""
    worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
    try:
        yield worker
    finally:
        worker.close()


def recorded(worker: BoxWorker, source: str) -> Trace:
    """A program's trace, if it ended as it should."""
    trace = worker.record(Program(source=source, name="Main.java"))
    if trace.outcome.kind != "returned":
        sys.exit(f"it did not end as it should: {trace.outcome}, {trace.stderr}")
    return trace


def small() -> tuple[float, float, float]:
    """CPU milliseconds of a small program: cold, warm, cached."""
    stamp = time.time_ns()
    fresh = [f"{SMALL}// {stamp} {number}\n" for number in range(2 * MANY + 2)]
    figures = []
    with recorder(Limits(wall=120)) as worker:
        recorded(worker, fresh.pop())  # what is made once for a JDK is there
    with recorder(Limits(wall=120)) as worker:
        for programs in (fresh[:1], fresh[1 : MANY + 1], fresh[MANY + 1 :], fresh[1 : MANY + 1]):
            before = cpu()
            for source in programs:
                recorded(worker, source)
            figures.append(1e3 * (cpu() - before) / len(programs))
    return figures[0], figures[2], figures[3]


def once() -> float:
    """CPU milliseconds of what is made once for a JDK."""
    found = toolchain.find("java")
    if isinstance(found, str):
        sys.exit(found)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    build.build(dict(found.executables))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def boxed(worker: BoxWorker, body: str) -> tuple[float, int]:
    """CPU seconds of the box that runs a program, the least of three, and its steps."""
    asked = program(body)
    worker.in_language("java").flow(asked)  # it is prepared
    found = []
    for _ in range(3):
        before = cpu() - time.process_time()
        trace = recorded(worker, asked.source)
        found.append((cpu() - time.process_time() - before, len(trace)))
    return min(found)


def workloads() -> dict[str, tuple[int, float, float]]:
    """Of each workload its steps, its CPU seconds, and those of them that a JVM takes to start."""
    limits = Limits(wall=600, steps=50_000_000, trace_bytes=2_000_000_000)
    with recorder(limits) as worker:
        recorded(worker, program("int x = 1;").source)
        start = min(boxed(worker, "int x = 1;")[0] for _ in range(3))
        rows = {}
        for name, body in WORKLOADS.items():
            seconds, steps = boxed(worker, body)
            rows[name] = (steps, seconds, start)
    return rows


def main() -> None:
    """All figures, as lines or as JSON."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    asked = options.parse_args()
    rows, milliseconds = workloads(), dict(zip(("cold", "warm", "cached"), small(), strict=True))
    rates = {name: steps / (seconds - start) for name, (steps, seconds, start) in rows.items()}
    if asked.json:
        print(json.dumps({"steps_per_s": rates, "small_program_cpu_ms": milliseconds, "once_cpu_ms": once()}))
        return
    for name, (steps, seconds, start) in rows.items():
        whole = f"{steps / seconds / 1e6:.2f} with the JVM's start, {start / seconds:.0%} of the time"
        print(f"{name:8} {steps:9,} steps {rates[name] / 1e6:7.2f} M steps/s; {whole}")
    print("a small program, CPU ms:", ", ".join(f"{name} {ms:.0f}" for name, ms in milliseconds.items()))
    print(f"once for a JDK: {once():.0f} CPU ms")


if __name__ == "__main__":
    main()
