"""How well controlled programs repeat: `python studies/hidden/replay.py`.

Stochastic programs, those of programs.txt and as many as asked for of the generator's: each run twice under one seed,
replayed under another, and run live and replayed. A run is the same if its outcome, steps, frames, output, errors and
hidden inputs are. Prints the shares, and each that was not the same, with what its notes say.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.programs.generate import chance
from worldline.recording.recorder import SandboxWorker, prepare

OWN = Path(__file__).with_name("programs.txt")
LIMITS = Limits(wall=60, steps=20_000)
WAYS = ("same seed", "replayed", "live, replayed")


def programs(count: int) -> Iterator[tuple[str, Program]]:
    """Those of the file, then so many that the generator draws."""
    for text in OWN.read_text().split("=== ")[1:]:
        name, _, source = text.partition("\n")
        yield name, Program(source=source, stdin="Ann\n1 2\n")
    rng = Random(16)
    for number in range(count):
        kind = tuple(chance.KINDS)[number % len(chance.KINDS)]
        yield f"{kind} {number}", chance.of(kind)(rng)


def is_same(a: Trace, b: Trace) -> bool:
    """Whether two runs were one, to the bit."""
    return (
        a.outcome == b.outcome
        and a.columns == b.columns
        and list(a.frames) == list(b.frames)
        and (a.output, a.stderr, a.hidden) == (b.output, b.stderr, b.hidden)
    )


def compared(workers: tuple[SandboxWorker, SandboxWorker], program: Program, seed: int) -> dict[str, Trace | None]:
    """For each way of repeating a run, the second run if it was not the same, else None."""
    one, other = workers
    control = Control(seed=seed, schedule=seed)
    first, second = one.record(program, control=control), other.record(program, control=control)
    again = other.record(program, control=replace(replaying(first.hidden), seed=seed + 1))
    live = one.record(program, control=Control(seed=None))
    relived = other.record(program, control=replaying(live.hidden))
    pairs = ((first, second), (first, again), (live, relived))
    return {way: None if is_same(*pair) else pair[1] for way, pair in zip(WAYS, pairs, strict=True)}


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generated", type=int, default=192, help="programs of the generator's")
    parser.add_argument("--python", help="the interpreter that runs them")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    setup = prepare(limits=LIMITS, python=options.python, core="auto", trust=False)
    workers = SandboxWorker(setup), SandboxWorker(setup)
    found = {name: compared(workers, each, 7) for name, each in programs(options.generated)}
    for worker in workers:
        worker.close()
    same = {way: sum(ways[way] is None for ways in found.values()) for way in WAYS}
    others = [(name, way, trace) for name, ways in found.items() for way, trace in ways.items() if trace is not None]
    if options.json:
        rest = [{"name": name, "way": way, "notes": trace.notes} for name, way, trace in others]
        print(json.dumps({"programs": len(found), "same": same, "others": rest}, indent=1))
        return
    print(f"{len(found)} programs, each run twice in different boxes")
    for way, count in same.items():
        print(f"  {way:<16}{count:>5} of {len(found)} {count / len(found):8.1%}")
    for name, way, trace in others:
        print(f"  not {way}: {name} ({trace.outcome.kind}; notes: {', '.join(trace.notes) or 'none'})")


if __name__ == "__main__":
    main()
