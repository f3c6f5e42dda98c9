"""What a control costs where nothing is drawn: boxed recordings with and without one, side by side.

    python benchmarks/controlled.py [--json] [--rounds N]

Programs that draw nothing, each recorded without a control, under a seed and live, in turn, in one warm box a way; the
figure is processor time of host and box together, the least of all rounds. One program is long, so that its steps are
what costs (the aim: at most 5 % more under a control); one is short, so that the set-up is.
"""

from __future__ import annotations

import argparse
import json

from processes import family_seconds

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import SandboxWorker, prepare

LOOP = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
SORT = """\
def f(n):
    xs = [(i * 7919) % n for i in range(n)]
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs
"""
CALLS = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
PROGRAMS = {
    "int loop": Program(source=LOOP, call="f(200000)"),
    "bubble sort": Program(source=SORT, call="f(400)"),
    "fib": Program(source=CALLS, call="f(24)"),
    "short": Program(source=LOOP, call="f(3)"),
}
WAYS = {"without": None, "seeded": Control(seed=0), "live": Control(seed=None)}
AIM = 0.05


def seconds(worker: SandboxWorker, program: Program, control: Control | None, repeat: int) -> float:
    """Processor seconds of one recording, of several in a row."""
    before = family_seconds()
    for _ in range(repeat):
        trace = worker.record(program, control=control)
        if trace.outcome.kind != "returned" or trace.hidden:
            raise RuntimeError(f"{program.call} ended as {trace.outcome}: {trace.stderr}")
    return (family_seconds() - before) / repeat


def measured(rounds: int) -> dict[str, dict[str, float]]:
    """For each program and way the least processor seconds."""
    setup = prepare(limits=Limits(steps=1 << 30, wall=120), python=None, core="native", trust=False)
    workers = {way: SandboxWorker(setup) for way in WAYS}
    found = {name: dict.fromkeys(WAYS, float("inf")) for name in PROGRAMS}
    try:
        for _ in range(rounds):
            for name, program in PROGRAMS.items():
                for way, control in WAYS.items():
                    took = seconds(workers[way], program, control, 100 if name == "short" else 3)
                    found[name][way] = min(found[name][way], took)
    finally:
        for worker in workers.values():
            worker.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measured(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{'processor ms a recording':<28}" + "".join(f"{way:>12}" for way in WAYS))
    for name, took in found.items():
        ratios = [took[way] / took["without"] - 1 for way in ("seeded", "live")]
        more = "".join(f"{ratio:>+9.1%}" for ratio in ratios)
        print(f"{name:<28}" + "".join(f"{1000 * took[way]:>12.2f}" for way in WAYS) + more)
    long = [took["seeded"] / took["without"] - 1 for name, took in found.items() if name != "short"]
    verdict = "met" if max(long) <= AIM else "missed"
    print(f"aim: at most {AIM:.0%} more where nothing is drawn: {verdict} ({max(long):+.1%})")


if __name__ == "__main__":
    main()
