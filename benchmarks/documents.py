"""What documents cost to make: documents and bytes a CPU-second of each source of a recipe, and of all by their shares.

    python benchmarks/documents.py [RECIPE] [--count N] [--json]

CPU time of drawing (with the form), recording (this process and its workers', without their start) and writing, on one
core: a trainer that eats 0.8 MB/s of own documents needs so many cores beside it. Programs run without a box.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from dataclasses import replace
from itertools import islice
from typing import Any

from worldline.data.mixture import BATCH_PROGRAMS, Mixture, draw_programs, write_document
from worldline.data.recipe import load_config
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="documents and bytes a CPU-second of each source of a recipe")
    parser.add_argument("recipe", nargs="?", default="shipped")
    parser.add_argument("--count", type=int, default=160, help="programs of each source [160]")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    mixture = load_config(asked.recipe, "data", Mixture)
    rows = [_measured(replace(mixture, sources=(source,)), asked.count) for source in mixture.sources]
    if asked.json:
        print(json.dumps(rows))
        return
    print(
        f"{'source':36} {'form':15} {'share':>6} {'bytes':>6} {'draw':>6} {'record':>6} {'write':>6} ms  docs/s   KB/s"
    )
    for row in rows:
        print(
            f"{row['source']:36} {row['form']:15} {row['share']:6.3f} {row['bytes']:6.0f} {row['draw']:6.2f}"
            f" {row['record']:6.2f} {row['write']:6.2f}    {1e3 / _cost(row):7.0f} {row['bytes'] / _cost(row):6.0f}"
        )
    share = sum(row["share"] for row in rows)
    size, cost = (sum(row["share"] * each(row) for row in rows) / share for each in (_size, _cost))
    print(f"all: {size:.0f} bytes, {1e3 / cost:.0f} documents and {size / cost:.0f} KB a CPU-second")


def _measured(mixture: Mixture, count: int) -> dict[str, Any]:
    """Milliseconds and bytes a program of a mixture of one source."""
    (source,), rng = mixture.sources, random.Random(5)
    programs = draw_programs(mixture, rng)
    list(islice(programs, 20))  # files are read at first use
    begun = time.process_time()
    chosen = list(islice(programs, count))
    drew = time.process_time() - begun
    _, start = _recorded(mixture, chosen[:1])
    traces, recorded = _recorded(mixture, chosen)
    begun = time.process_time()
    pairs = [(trace, hashed) for (_, _, hashed), trace in zip(chosen, traces, strict=True) if trace is not None]
    made = [write_document(mixture, rng, trace, kind=source.kind, hashed=hashed) for trace, hashed in pairs]
    wrote = time.process_time() - begun
    return {
        "source": source.program.removeprefix("worldline.programs."),
        "form": source.form,
        "share": source.weight,
        "documents": sum(each is not None for each in made) / count,
        "bytes": sum(len(each) for each in made if each) / count,
        "draw": 1e3 * drew / count,
        "record": 1e3 * max(0.0, recorded - start) / count,
        "write": 1e3 * wrote / count,
    }


def _recorded(mixture: Mixture, chosen: list[Any]) -> tuple[list[Any], float]:
    """The traces, and the CPU seconds of this process and of the workers it had."""
    begun = _seconds()
    worker = SandboxWorker(
        prepare(limits=stretched(mixture.limits, BATCH_PROGRAMS), python=None, core="auto", trust=True)
    )
    programs = [program for _, program, _ in chosen]
    traces = [
        trace
        for at in range(0, len(programs), BATCH_PROGRAMS)
        for trace in record_all(worker, programs[at : at + BATCH_PROGRAMS])
    ]
    worker.close()
    return traces, _seconds() - begun


def _seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _size(row: dict[str, Any]) -> float:
    return float(row["bytes"])


def _cost(row: dict[str, Any]) -> float:
    return float(row["draw"] + row["record"] + row["write"])


if __name__ == "__main__":
    main()
