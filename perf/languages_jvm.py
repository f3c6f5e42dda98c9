"""Java in the box: milliseconds of a small program cold, warm and cached, and steps a second on the five workloads.

    .venv/bin/python perf/languages_jvm.py

Wall-clock time: a box's processes are not waited for by this one, so their CPU time is not known here. The rates are
of a fresh JVM, its start and warm-up and the reading of the trace included.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

from worldline.core.program import Program
from worldline.limits import Limits
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


def wall(act: Callable[[], object]) -> float:
    """Seconds that an act took."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def session(sources: list[str]) -> None:
    """Programs recorded one after another by one worker."""
    worker = BoxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))
    try:
        for source in sources:
            assert worker.record(Program(source=source, name="Main.java")).outcome.kind == "returned"
    finally:
        worker.close()


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory():
        stamp = time.time_ns()
        fresh = [f"{SMALL}// {stamp} {number}\n" for number in range(24)]
        cold, more = wall(lambda: session(fresh[:1])), wall(lambda: session(fresh[1:22]))
        one, several = wall(lambda: session(fresh[:1])), wall(lambda: session(fresh[:21]))
        print(f"small program, wall ms: cold {cold * 1000:.0f}, warm {(more - cold) * 50:.0f}, ", end="")
        print(f"cached {(several - one) * 50:.0f}")
    limits = Limits(wall=300, steps=50_000_000, trace_bytes=2_000_000_000)
    for name, body in WORKLOADS.items():
        worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
        try:
            worker.record(program("int x = 1;"))
            start = time.perf_counter()
            trace = worker.record(program(body))
            seconds = time.perf_counter() - start
        finally:
            worker.close()
        print(f"{name}: {len(trace):,} steps, {len(trace) / seconds / 1e6:.2f}M/s wall, {trace.outcome.kind}")


if __name__ == "__main__":
    main()
