"""The report of a run: counts, rates and intervals, by length and type; failures by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldline.core.clusters.shares import clustered
from worldline.core.stats import Share, wilson
from worldline.diagnose.cause import UNKNOWN
from worldline.evaluation.conclusion import conclude
from worldline.evaluation.external.program import code_digest
from worldline.evaluation.run.tally import Failures, Tally, VerdictCounts
from worldline.evaluation.score import OUTCOMES, Verdict
from worldline.evaluation.selection import Selection
from worldline.evaluation.table import Table

__all__ = ["Failures", "Report", "Tally", "VerdictCounts", "length", "report", "wilson"]


@dataclass(frozen=True)
class Report:
    """The results of a suite. `skipped`, `faults` and `disagrees` are in no rate.

    Attributes:
        by_length: Verdicts by length, or by the tasks' own groups.
        bytes: How many bytes the model wrote, discarded samples included.
        skipped: Tasks without a true answer.
        faults: Tasks on which the tool failed.
        disagrees: Tasks whose benchmark gives another answer than the recording.
        by_ending: For predictions made elsewhere, verdicts by how their text ends.
        said: The model's own answers beside its traces, for those that gave one.
        left_out: The names of all tasks that are in no rate, by the reason.
        operations: For each operation that was executed after an all-correct prefix, how often it failed first.
        samples: Tables about several predictions of one task.
        drawn: For programs with draws, traces given the draws that the predictions made themselves.
        unknown: How many diverge by a value that no model could know.
        tables: The suite's own tables.
        first_fault: The first task on which the tool failed, and why.
        selection: For predictions made elsewhere, how their rows were selected.
        forms: What the texts that hold no step look like, such as prose, and how many do.
        way: How a server was asked.
        is_stopped: The run was stopped because none of its first answers can be read.
    """

    suite: str
    model: str
    all: VerdictCounts
    by_length: dict[str, VerdictCounts]
    by_type: dict[str, VerdictCounts]
    seconds: float
    bytes: int
    skipped: int = 0
    faults: int = 0
    disagrees: int = 0
    causes: dict[str, Failures] = field(default_factory=dict)
    by_ending: dict[str, VerdictCounts] = field(default_factory=dict)
    said: Tally = field(default_factory=Tally)
    left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    operations: dict[str, Share] = field(default_factory=dict)
    samples: tuple[Table, ...] = ()
    drawn: Tally = field(default_factory=Tally)
    unknown: int = 0
    tables: tuple[Table, ...] = ()
    first_fault: str = ""
    selection: Selection | None = None
    forms: dict[str, int] = field(default_factory=dict)
    way: str = ""
    is_stopped: bool = False

    def __repr__(self) -> str:
        answers, traces = (f"{100 * (tally.rate or 0):.1f} %" for tally in (self.all.answer, self.all.trace))
        count = f"{self.n:,} sample{'s' if self.n != 1 else ''}"
        faults = f", {self.faults:,} faults" if self.faults else ""
        return f"<Report {self.suite} of {self.model}: {count}, answers {answers}, traces {traces}{faults}>"

    @property
    def n(self) -> int:
        """How many were judged."""
        return self.all.answer.n

    @property
    def has_rates(self) -> bool:
        """Whether rates of these samples can be read as the model's: not if they were selected by their outcome."""
        return self.selection is None or self.selection.has_rates

    @property
    def bytes_per_program(self) -> float | None:
        """How many bytes were written per prediction that was judged; None if there is none."""
        return self.bytes / self.n if self.n else None

    def _optional_json(self) -> dict[str, Any]:
        """The parts that are left out if they are empty."""
        return {
            "said": self.said.as_json() if self.said.n else None,
            "drawn": self.drawn.as_json() | {"unknown": self.unknown} if self.drawn.n else None,
            "operations": {name: share.as_json() for name, share in self.operations.items() if self.has_rates},
            "by_ending": {name: part.as_json() for name, part in self.by_ending.items()},
            "samples": [table.as_json() for table in self.samples if self.has_rates],
            "tables": [table.as_json() for table in self.tables],
            "selection": None if self.selection is None else self.selection.as_json(),
            "forms": self.forms,
            "stopped": self.is_stopped,
        }

    def as_json(self) -> dict[str, Any]:
        """Return what `bench --json` prints; rates that need the full sample are null if the rows are a selection."""
        row = self._counted_json()
        if not self.has_rates:
            for tally in _tallies_of(row):
                tally |= {"rate": None, "interval": None}
        return row

    def _counted_json(self) -> dict[str, Any]:
        return {
            "conclusion": conclude(self).as_json(),
            "suite": self.suite,
            "model": self.model,
            "n": self.n,
            "answer": self.all.answer.as_json(),
            "trace": self.all.trace.as_json(),
            "by_length": {name: part.as_json() for name, part in self.by_length.items()},
            "by_type": {name: part.as_json() for name, part in self.by_type.items()},
            "seconds": self.seconds,
            "bytes": self.bytes,
            "skipped": self.skipped,
            "faults": self.faults,
            "disagrees": self.disagrees,
            "left_out": {reason: {"n": len(names), "names": list(names)} for reason, names in self.left_out.items()},
            "causes": {name: failures.as_json() for name, failures in self.causes.items()},
            **{key: value for key, value in self._optional_json().items() if value},
        }


def _tallies_of(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tallies in a report's JSON."""
    parts = [part for key in ("by_length", "by_type", "by_ending") for part in row.get(key, {}).values()]
    yield from (row["answer"], row["trace"], *(row[key] for key in ("said", "drawn") if key in row))
    for part in parts:
        yield from (part, part["trace"])


def _operations(rows: Sequence[Verdict]) -> dict[str, Share]:
    """The failures of each operation among its executions, clustered by program, the commonest failure first."""
    known = [row for row in rows if row.executed]
    ran: Counter[str] = Counter()
    for row in known:
        ran.update(row.executed)
    failed = Counter(row.operation for row in known if row.operation and row.cause != UNKNOWN)
    programs: dict[str, list[Verdict]] = {}
    for number, row in enumerate(known):
        program = row.task.program
        programs.setdefault(code_digest(program) if program.source else str(number), []).append(row)
    names = sorted(ran, key=lambda name: (-failed[name], -ran[name], name))
    return {name: _failure_rate(name, programs.values()) for name in names}


def _failure_rate(name: str, programs: Iterable[Sequence[Verdict]]) -> Share:
    """How often an operation failed first. A prediction can have one such failure."""
    groups = list(programs)
    counts = (
        (
            sum(row.operation == name and row.cause != UNKNOWN for row in group),
            sum(row.executed.get(name, 0) for row in group),
        )
        for group in groups
    )
    return clustered(counts, at_most=max(map(len, groups)))


def report(
    verdicts: Iterable[Verdict],
    *,
    suite: str,
    model: str,
    skipped: int = 0,
    faults: int = 0,
    disagrees: int = 0,
    ending: Callable[[Verdict], str] | None = None,
    left_out: dict[str, tuple[str, ...]] | None = None,
) -> Report:
    """Sum up verdicts; `ending` returns how the text of a prediction made elsewhere ends."""
    rows = list(verdicts)
    by_type = dict(sorted(_grouped(rows, lambda row: row.type).items()))
    ordered = sorted(rows, key=lambda row: (_numbers(row.task.group), row.steps))
    return Report(
        suite,
        model,
        _counted_verdicts(rows),
        _grouped(ordered, length),
        by_type,
        sum(row.seconds for row in rows),
        sum(row.bytes for row in rows),
        skipped,
        faults,
        disagrees,
        _causes(rows),
        {} if ending is None else dict(sorted(_grouped(rows, ending).items())),
        Tally(*([row.said for row in rows].count(word) for word in ("right", "wrong"))),
        left_out or {},
        _operations(rows),
        drawn=Tally(*([row.drawn for row in rows].count(word) for word in OUTCOMES)),
        unknown=sum(row.cause == UNKNOWN for row in rows),
        forms=dict(Counter(row.form for row in rows if row.form).most_common()),
    )


def length(verdict: Verdict) -> str:
    """Return the row of `by_length`: the task's own group, or true steps by powers of two: 1-8, 9-16, 17-32, ..."""
    if verdict.task.group:
        return verdict.task.group
    high = max(8, 1 << (verdict.steps - 1).bit_length())
    return f"{1 if high == 8 else high // 2 + 1}-{high}"


def _causes(rows: Iterable[Verdict]) -> dict[str, Failures]:
    """The commonest cause first; equally common ones by name."""
    failed = [row for row in rows if row.cause]
    every = Counter(row.cause for row in failed)
    answers = Counter(row.cause for row in failed if row.answer != "right")
    traces = Counter(row.cause for row in failed if row.trace != "right")
    names = sorted(every, key=lambda name: (-every[name], name))
    return {name: Failures(every[name], answers[name], traces[name]) for name in names}


def _numbers(group: str) -> list[int]:
    return [int(part) for part in group.split("/") if part.isdecimal()]


def _grouped(rows: Iterable[Verdict], key: Callable[[Verdict], str]) -> dict[str, VerdictCounts]:
    groups: dict[str, list[Verdict]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: _counted_verdicts(members) for name, members in groups.items()}


def _counted_verdicts(rows: Iterable[Verdict]) -> VerdictCounts:
    outcomes = [(row.answer, row.trace) for row in rows]
    answers, traces = [answer for answer, _ in outcomes], [trace for _, trace in outcomes]
    return VerdictCounts(Tally(*map(answers.count, OUTCOMES)), Tally(*map(traces.count, OUTCOMES)))
