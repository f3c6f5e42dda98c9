"""One unit of a dataset, made by a process of its own: `python -m worldline.data.build.unit`, a job in, rows out.

A unit is decided by the mixture, the seed and its number alone, so that any number of processes build the same
dataset. The job is JSON on standard input, the answer msgpack on standard output; both are between our own processes.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace

import msgspec

from worldline.data.build.shards import DocumentRow
from worldline.data.mixture import Mixture, runs, written
from worldline.errors import WorldlineError
from worldline.programs.coverage.coverage import count
from worldline.programs.split import execution, split_of


class UnitJob(msgspec.Struct, frozen=True):
    """What a unit is made of, and how many documents it has before duplicates are dropped."""

    mixture: Mixture
    seed: int
    unit: int
    rows: int
    trust: bool


class Unit(msgspec.Struct, frozen=True):
    """Its documents, and for each what it covers; or why there are none."""

    rows: list[DocumentRow] = []
    covers: list[dict[str, int]] = []
    trouble: str = ""


def make(job: UnitJob) -> Unit:
    """The documents of a unit, of every split, no program twice with the same call."""
    rows: dict[str, DocumentRow] = {}
    covers: list[dict[str, int]] = []
    mixture = replace(job.mixture, split="all")
    source = runs(mixture, seed=job.seed, worker=job.unit, workers=0, trust=job.trust)
    with closing(source):  # type: ignore[type-var]
        for drawn, (rng, kind, trace, hashed) in enumerate(source):
            if len(rows) == job.rows or drawn > 50 * job.rows + 1000:  # a source may have too few programs
                break
            run = execution(trace.program, hashed)
            made = written(mixture, rng, trace, kind=kind, hashed=hashed)
            if made is not None and run not in rows:
                rows[run] = DocumentRow(made.prompt, made.steps, kind, split_of(hashed), hashed, run)
                covers.append(dict(count(trace)))
    return Unit(list(rows.values()), covers)


def main() -> int:
    """Read a job, answer with its unit."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=UnitJob)
    try:
        answer = make(job)
    except WorldlineError as error:
        answer = Unit(trouble=f"{error.slug}: {error}")
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))
    sys.stdout.buffer.flush()
    return 0


def covered(covers: list[dict[str, int]]) -> Counter[str]:
    """What several documents cover together."""
    total: Counter[str] = Counter()
    for each in covers:
        total.update(each)
    return total


if __name__ == "__main__":
    sys.exit(main())
