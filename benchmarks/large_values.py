"""What recording large values costs: CPU seconds and bytes of n appends, insertions and updates in place.

    python benchmarks/large_values.py [--steps 1000,10000,100000] [--seconds 60]

worldline's native core at the default `value_bytes` and at 4 MiB (nothing is cut), beside viztracer with logged
variables and PySnooper. Bytes are what was captured: the wire, the events as JSON, the log. A peer keeps 100
characters of a value (PySnooper) or sees no change by a method (viztracer); its time is shown all the same.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import large_workloads

FILE = Path(large_workloads.__file__).resolve()
WORKLOADS = ("append", "insert", "update", "grid")
DEFAULT, WHOLE = 65_536, 4 << 20
RECORDERS = ("worldline", "worldline, 4 MiB a value", "viztracer", "pysnooper")


def by_worldline(function: Callable[[int], int], n: int, value_bytes: int) -> tuple[float, int]:
    """CPU seconds and bytes of the native core."""
    from worldline_cores import LIMITS, fresh_wire, native_core

    from worldline.recording.guests.python import global_names

    wire = fresh_wire()
    recorder = native_core()(wire, {str(FILE): FILE.name}, LIMITS | {"value_bytes": value_bytes}, global_names)
    recorder.start()
    begin = time.process_time()
    function(n)
    seconds = time.process_time() - begin
    if not recorder.stop():
        raise RuntimeError("the recorder says that it was tampered with")
    recorder.end("returned", "")
    header = mmap.mmap(wire, 64, prot=mmap.PROT_READ)
    return seconds, int.from_bytes(header[8:16], "little")


def by_viztracer(name: str, n: int) -> tuple[float, int]:
    """CPU seconds and bytes of viztracer with every assigned name logged, as peers.py has it."""
    from viztracer import VizTracer
    from viztracer.code_monkey import CodeMonkey

    monkey = CodeMonkey(str(FILE))
    monkey.add_instrument("log_var", {"varnames": [".*"]})
    tracer = VizTracer(verbose=0, include_files=[str(FILE)], log_func_args=True, log_func_retval=True)
    namespace: dict[str, Callable[[int], int]] = {"__viz_tracer__": tracer, "__name__": "instrumented"}  # type: ignore[dict-item]
    exec(monkey.compile(FILE.read_text(), str(FILE), "exec"), namespace)
    tracer.start()
    begin = time.process_time()
    namespace[name](n)
    tracer.stop()
    seconds = time.process_time() - begin
    tracer.parse()
    return seconds, len(json.dumps(tracer.data))


def by_pysnooper(function: Callable[[int], int], n: int) -> tuple[float, int]:
    """CPU seconds and bytes of PySnooper into memory."""
    import io

    import pysnooper

    log = io.StringIO()
    wrapped = pysnooper.snoop(log)(function)
    begin = time.process_time()
    wrapped(n)
    return time.process_time() - begin, len(log.getvalue())


def measure(recorder: str, name: str, n: int) -> tuple[float, int]:
    """Measure in this process."""
    function: Callable[[int], int] = getattr(large_workloads, name)
    if recorder == "viztracer":
        return by_viztracer(name, n)
    if recorder == "pysnooper":
        return by_pysnooper(function, n)
    return by_worldline(function, n, DEFAULT if recorder == "worldline" else WHOLE)


def cell(recorder: str, name: str, n: int, limit: float) -> str:
    """Measure in a fresh process."""
    command = [sys.executable, __file__, "--child", recorder, name, str(n)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"over {limit:.0f} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    seconds, size = json.loads(done.stdout)
    return f"{seconds:.2f} s, {size / 1e6:.2f} MB"


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(measure(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    parser = argparse.ArgumentParser(description="what recording large values costs")
    parser.add_argument("--steps", default="1000,10000,100000", help="how many changes")
    parser.add_argument("--seconds", type=float, default=60, help="wall time of one measurement")
    parser.add_argument("--recorders", nargs="+", choices=RECORDERS, default=list(RECORDERS))
    options = parser.parse_args()
    for name in WORKLOADS:
        for n in map(int, options.steps.split(",")):
            for recorder in options.recorders:
                print(f"{name:<8}{n:>9,}  {recorder:<26}{cell(recorder, name, n, options.seconds)}", flush=True)
    print(f"load average {', '.join(f'{each:.1f}' for each in os.getloadavg())} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
