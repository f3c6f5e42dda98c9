"""What a step costs in long runs: processor time of boxed recordings and bytes of their shards, by the length of a run.

    python benchmarks/long_runs.py [--programs N]

Small programs pay for their process, long ones for their steps: between the two is what a corpus costs. The processor
time is that of this process, the box and the programs, once the box is warm.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from processes import family_seconds

from worldline.core.program import Program
from worldline.data.record_many import record_many

SOURCE = """\
def walk(n, seed):
    seen = []
    for k in range(n):
        seed = (seed * 31 + k) % 1009
        if seed % 5 == 0:
            seen = seen[-6:] + [seed]
    return len(seen), seed
"""
ROUNDS = (5, 50, 500, 5_000)
WARM = 20  # programs


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="processor time and bytes a step, by the length of a run")
    parser.add_argument("--programs", type=int, default=100)
    count = parser.parse_args().programs
    for rounds in ROUNDS:
        programs = [Program(source=SOURCE, call=f"walk({rounds}, {k})") for k in range(count + WARM)]
        with tempfile.TemporaryDirectory() as folder:
            before, worked, steps = 0.0, 0.0, 0
            for number, trace in enumerate(record_many(programs, out=folder), 1):
                steps += len(trace) if number > WARM else 0
                if number == WARM:
                    before = family_seconds()
                elif number == len(programs):  # while the box stands
                    worked = family_seconds() - before
            size = sum(path.stat().st_size for path in Path(folder).glob("*.parquet"))
        stored = size * count / len(programs) / steps
        print(
            f"{steps / count:,.0f} steps a run: {1000 * worked / count:.2f} processor ms a run, "
            f"{steps / worked:,.0f} steps a processor second, {stored:.2f} stored bytes a step"
        )
    print(f"load average {', '.join(f'{each:.1f}' for each in os.getloadavg())} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
