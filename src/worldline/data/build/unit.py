"""One unit of a dataset, made by a process of its own: `python -m worldline.data.build.unit`, a job in, rows out.

A unit is decided by the mixture, the seed and its number alone, so that any number of processes build the same
dataset. The job is JSON on standard input, the answer msgpack on standard output; both are between our own processes.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from random import Random

import msgspec

from worldline.codec.notation import notation
from worldline.core.errors import UsageError, WorldlineError
from worldline.core.fault import RowFault, fenced
from worldline.core.trace import Trace
from worldline.data.build.shards import DocumentRow
from worldline.data.mixture import Mixture, runs, written
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
    """Its documents, and for each what it covers; why the tool failed on some; or why there are none."""

    rows: list[DocumentRow] = []
    covers: list[dict[str, int]] = []
    faults: list[str] = []
    trouble: str = ""


def make(job: UnitJob) -> Unit:
    """The documents of a unit, of every split, no program twice with the same call."""
    rows: dict[str, DocumentRow] = {}
    covers: list[dict[str, int]] = []
    faults: list[str] = []
    mixture = replace(job.mixture, split="all")
    source = runs(mixture, seed=job.seed, worker=job.unit, workers=0, trust=job.trust)
    with closing(source):  # type: ignore[type-var]
        for drawn, (rng, kind, trace, hashed) in enumerate(source):
            if len(rows) == job.rows or drawn > 50 * job.rows + 1000:  # a source may have too few programs
                break
            made = fenced(_document, mixture, rng, trace, kind, hashed)
            if isinstance(made, UsageError):
                raise made
            if isinstance(made, RowFault):
                faults.append(made.note)
            elif made is not None and made[0].run not in rows:
                rows[made[0].run] = made[0]
                covers.append(made[1])
    return Unit(list(rows.values()), covers, faults)


def _document(
    mixture: Mixture, rng: Random, trace: Trace, kind: str, hashed: str
) -> tuple[DocumentRow, dict[str, int]] | UsageError | None:
    """A run as a document, with what it covers; None of one that makes none."""
    drawn = [one for one in trace.hidden if one.kind != "input"]  # what it reads is of the program
    run = execution(trace.program, hashed, drawn)
    try:
        made = written(mixture, rng, trace, kind=kind, hashed=hashed)
    except UsageError as error:  # of the mixture, not of this run
        return error
    if made is None:
        return None
    shown = replace(trace, program=notation(mixture.format).staged(trace.program))
    return DocumentRow(made.prompt, made.steps, kind, split_of(hashed), hashed, run), dict(count(shown))


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
