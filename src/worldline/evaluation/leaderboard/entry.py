"""One run of a leaderboard: its figures, its programs, and what a reader must know about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.clusters.shares import clustered
from worldline.core.stats import Share
from worldline.core.text import plural
from worldline.evaluation import suites
from worldline.evaluation.conclusion import Conclusion
from worldline.evaluation.external.program import identity
from worldline.evaluation.leaderboard.asking import (
    asking_digest,
    is_execution,
    is_forced,
    model_name,
    settings_of,
    way_of_asking,
)
from worldline.evaluation.leaderboard.find import FoundRun
from worldline.evaluation.measuring import sum_up
from worldline.evaluation.run.directory import (
    MANIFEST,
    MAX_JSON_BYTES,
    REPORT,
    is_measured_run,
    read_config,
    read_records,
)
from worldline.evaluation.run.measurements import read_measurements
from worldline.evaluation.run.shard import KEY as SHARD
from worldline.evaluation.selection import Selection, read_selection
from worldline.evaluation.suites.measurement import MEASURED
from worldline.evaluation.suites.published import ANSWER
from worldline.evaluation.table import Between, Table
from worldline.storage import listing

TRACE = "trace"
ALL = "all"  # the row of a suite's own table that sums up the others
FAULTS, ANSWERS_ONLY = RANKED = ("tool faults", "answers only")  # flags that leave a run in the ranking
SHOWN = {  # the figures of measured suites, where not all shares of their first table are wanted
    "crux-input": ("right",),
    "reval": ("coverage", "state", "path", "output", "IC"),
}

Figure = Share | Between | float
"""A share with its interval, or a number in % without one."""


@dataclass(frozen=True)
class BoardFlag:
    """A reason to read a cell with care, as a word and a sentence."""

    name: str
    note: str


@dataclass(frozen=True, kw_only=True)
class BoardEntry:
    """One run.

    Attributes:
        run: The run and where it lies.
        row: What makes a row: the digest of the model and of how it was asked.
        settings: The settings of the suite that differ from its defaults.
        seed: The seed of the suite, as text.
        weights: The digest of the model's weights; empty if it is not known.
        programs: Digests of the programs that were judged.
        figures: By name: `answer` and `trace`, or those of a measured suite.
        withheld: Right answers, if their rate says nothing about the model.
        is_ranked: Whether it competes with other runs.
        tables: The tables of a measured suite.
        selection: How the rows of a scored file were selected, if they were.
        conclusion: Where the model fails and why, once its samples are diagnosed.
    """

    run: FoundRun
    row: str
    model: str
    way: tuple[str, ...]
    suite: str
    settings: Mapping[str, str]
    seed: str
    weights: str
    programs: frozenset[str]
    n: int
    figures: Mapping[str, Figure]
    withheld: Share | None = None
    flags: tuple[BoardFlag, ...] = ()
    is_ranked: bool = True
    tables: tuple[Table, ...] = ()
    selection: Selection | None = None
    conclusion: Conclusion | None = None

    @property
    def is_measured(self) -> bool:
        """Whether its suite has figures of its own in place of judged traces."""
        return bool(self.tables)


def read_entry(run: FoundRun, label: str | None = None) -> BoardEntry:
    """Read one run; `label` replaces the name of its model."""
    config = read_config(run.path)
    read = _measured if is_measured_run(run.path) else _judged
    entry = read(run, config)
    stored = _stored_report(run.path)
    if label is not None:
        entry = replace(entry, row=asking_digest(config, label), model=label)
    selection = read_selection(stored.get("selection"))
    if selection is not None and not selection.has_rates:
        flag = BoardFlag("selected", selection.note)
        entry = replace(entry, figures={}, withheld=_share(entry.figures), flags=(*entry.flags, flag))
    entry = replace(entry, selection=selection)
    is_complete = (run.path / MANIFEST).exists() and stored.get("n") == entry.n
    flags = (*entry.flags, *_flags(config, entry, is_complete))
    return replace(entry, flags=flags, is_ranked=all(flag.name in RANKED for flag in flags))


def _flags(config: Mapping[str, Any], entry: BoardEntry, is_complete: bool) -> list[BoardFlag]:
    flags = []
    if is_execution(config):
        flags.append(BoardFlag("executed", "The programs were executed: this is the truth, not a model."))
    if is_forced(config):
        flags.append(BoardFlag("forced", "The model was fed a part of the true trace."))
    shard = config.get(SHARD)
    if isinstance(shard, dict):
        part = f"{shard.get('number')} of {shard.get('of')}"
        flags.append(BoardFlag("shard", f"Only shard {part}: `worldline merge` joins all of them."))
    if not is_complete:
        note = f"The run has not ended: {entry.n:,} judged so far. Repeat its command to resume it."
        flags.append(BoardFlag("incomplete", note))
    if not entry.n:
        flags.append(BoardFlag("nothing judged", "No sample of the run was judged."))
    return flags


def _judged(run: FoundRun, config: Mapping[str, Any]) -> BoardEntry:
    """A run of judged traces; of several records of a task, the newest counts."""
    seen: dict[int, _JudgedRecord] = {}
    faults: set[int] = set()
    for record in read_records(run.path):
        seen.pop(record.at, None)
        faults.discard(record.at)
        if record.counts:
            answer, trace = (str(record.judged.get(part, "")) for part in (ANSWER, TRACE))
            seen[record.at] = _JudgedRecord(identity(record.ask.program), answer, trace, bool(record.said))
        elif record.is_fault:
            faults.add(record.at)
    rows = list(seen.values())
    figures: dict[str, Figure] = {ANSWER: _right([(row.program, row.answer) for row in rows])}
    flags = [_faults(len(faults))] if faults else []
    if rows and all(row.trace == "malformed" and row.is_said for row in rows):
        flags.append(BoardFlag(ANSWERS_ONLY, "The outputs have answers and no traces."))
    else:
        figures[TRACE] = _right([(row.program, row.trace) for row in rows])
    programs = frozenset(row.program for row in rows)
    return _entry(run, config, n=len(rows), programs=programs, figures=figures, flags=tuple(flags))


def _right(outcomes: Sequence[tuple[str, str]]) -> Share:
    """The share of right outcomes; several samples of a program are one cluster."""
    clusters: dict[str, list[bool]] = {}
    for program, outcome in outcomes:
        clusters.setdefault(program, []).append(outcome == "right")
    if len(clusters) == len(outcomes):
        return Share(sum(right for (right,) in clusters.values()), len(outcomes))
    return clustered((sum(rights), len(rights)) for rights in clusters.values())


@dataclass(frozen=True)
class _JudgedRecord:
    """What counts of a record; `is_said` if the model gave an answer beside its trace."""

    program: str
    answer: str
    trace: str
    is_said: bool


def _measured(run: FoundRun, config: Mapping[str, Any]) -> BoardEntry:
    """A run of a measured suite: the shares in the row of its first table that sums up the others."""
    rows = read_measurements(run.path)
    suite = str(config["suite"])
    summed = sum_up(rows, suites.meter(suite, force=config.get("force")), suite=suite, model=str(config["model"]))
    flags = (_faults(summed.faults),) if summed.faults else ()
    programs = frozenset(row.program for row in rows if row.kind == MEASURED)
    figures = headline(suite, summed.tables[0]) if summed.tables else {}
    entry = _entry(run, config, n=summed.n, programs=programs, figures=figures, flags=flags)
    return replace(entry, tables=summed.tables)


def headline(suite: str, table: Table) -> dict[str, Figure]:
    """Return the figures of the row that stands for a run: the row `all`, or else the first."""
    if not table.rows:
        return {}
    row = next((row for row in table.rows if row[0] == ALL), table.rows[0])
    cells = dict(zip(table.heads, row, strict=True))
    if suite in SHOWN:
        return {head: cell for head in SHOWN[suite] if isinstance(cell := cells.get(head), Share | Between | float)}
    return {head: cell for head, cell in cells.items() if isinstance(cell, Share | Between)}


def _entry(run: FoundRun, config: Mapping[str, Any], **values: Any) -> BoardEntry:
    return BoardEntry(
        run=run,
        row=asking_digest(config),
        model=model_name(config),
        way=way_of_asking(config),
        suite=str(config.get("suite", "")),
        settings=settings_of(config),
        seed=str((config.get("options") or {}).get("seed") or 0),
        weights=str(config.get("weights") or ""),
        **values,
    )


def _faults(count: int) -> BoardFlag:
    return BoardFlag(FAULTS, f"The tool failed on {plural(count, 'sample')}, which are not counted in any rate.")


def _share(figures: Mapping[str, Figure]) -> Share | None:
    answers = figures.get(ANSWER)
    return answers if isinstance(answers, Share) else None


def _stored_report(path: Path) -> dict[str, Any]:
    return listing.read_object(path / REPORT, limit=MAX_JSON_BYTES) if (path / REPORT).exists() else {}
