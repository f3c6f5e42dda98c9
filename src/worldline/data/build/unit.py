"""Make one unit of a dataset in its own process: `python -m worldline.data.build.unit`.

The mixture, the seed and the unit's number determine a unit, so any number of processes build the same
dataset. The job is JSON on standard input, the answer msgpack on standard output.
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
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.trace import Trace
from worldline.data.build.shards import DocumentRow
from worldline.data.mixture import Mixture, record_runs, write_document
from worldline.programs.coverage.coverage import count
from worldline.programs.split import execution, split_of


class UnitJob(msgspec.Struct, frozen=True):
    """What determines a unit, and its number of documents before deduplication."""

    mixture: Mixture
    seed: int
    unit: int
    rows: int
    trust: bool


class Unit(msgspec.Struct, frozen=True):
    """Documents of a unit and what each covers, faults of the tool, or why there are none."""

    rows: list[DocumentRow] = []
    covers: list[dict[str, int]] = []
    faults: list[str] = []
    trouble: str = ""


def make_unit(job: UnitJob) -> Unit:
    """Make the documents of a unit, of every split, without repeated calls of a program."""
    rows: dict[str, DocumentRow] = {}
    covers: list[dict[str, int]] = []
    faults: list[str] = []
    mixture = replace(job.mixture, split="all")
    source = record_runs(mixture, seed=job.seed, worker=job.unit, workers=0, trust=job.trust)
    with closing(source):  # type: ignore[type-var]
        for number, (rng, kind, trace, hashed) in enumerate(source):
            # A source may have too few programs.
            if len(rows) == job.rows or number > 50 * job.rows + 1000:
                break
            result = call_or_fault(_make_row, mixture, rng, trace, kind, hashed)
            if isinstance(result, UsageError):
                raise result
            if isinstance(result, RowFault):
                faults.append(result.note)
            elif result is not None and result[0].run not in rows:
                rows[result[0].run] = result[0]
                covers.append(result[1])
    return Unit(list(rows.values()), covers, faults)


def _make_row(
    mixture: Mixture, rng: Random, trace: Trace, kind: str, hashed: str
) -> tuple[DocumentRow, dict[str, int]] | UsageError | None:
    """A run as a document row with its coverage; None if it makes no document."""
    # Inputs that the program reads belong to the program.
    drawn = [hidden for hidden in trace.hidden if hidden.kind != "input"]
    run = execution(trace.program, hashed, drawn)
    try:
        document = write_document(mixture, rng, trace, kind=kind, hashed=hashed)
    except UsageError as error:
        # An error of the mixture, not of this run.
        return error
    if document is None:
        return None
    shown = replace(trace, program=notation(mixture.format).staged(trace.program))
    row = DocumentRow(document.prompt, document.steps, kind, split_of(hashed), hashed, run)
    return row, dict(count(shown))


def main() -> int:
    """Read a job and answer with its unit."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=UnitJob)
    try:
        answer = make_unit(job)
    except WorldlineError as error:
        answer = Unit(trouble=f"{error.slug}: {error}")
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))
    sys.stdout.buffer.flush()
    return 0


def sum_coverage(covers: list[dict[str, int]]) -> Counter[str]:
    """Sum what several documents cover."""
    total: Counter[str] = Counter()
    for counts in covers:
        total.update(counts)
    return total


if __name__ == "__main__":
    sys.exit(main())
