"""The tables of a comparison as data: one row or one column per run, on the samples that all runs judged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from statistics import median
from typing import Any

from worldline.core.clusters.shares import clustered
from worldline.core.stats import Paired, Share, holm
from worldline.evaluation.summary import length
from worldline.evaluation.table import Between, Cell, Chance, Table
from worldline.ui.report.comparison.data import ComparedRun, ComparedRuns, is_right
from worldline.ui.report.comparisons import CLUSTERED, cluster
from worldline.ui.report.samples import JudgedSample

MAX_OPERATIONS = 20
RIGHT = "none: all right"
_DIGEST = re.compile("[0-9a-f]{40,}")


def tables(compared: ComparedRuns) -> dict[str, Table]:
    """Return all tables by name; those without rows are left out."""
    by_name = {
        "models": models(compared),
        "flips": flips(compared),
        "by-type": by_row(compared, "By type of the answer", "type", lambda sample: sample.verdict.type),
        "by-length": _by_length(compared),
        "causes": causes(compared),
        "operations": operations(compared),
        "interventions": interventions(compared),
        "costs": costs(compared),
        "settings": settings(compared),
    }
    return {name: table for name, table in by_name.items() if table.rows}


# ---- the main table


def models(compared: ComparedRuns) -> Table:
    """One row per run: n, answers and traces right, and the differences to the baseline."""
    tests = {measure: changes(compared, measure) for measure in ("answer", "trace")}
    rows: list[tuple[Cell, ...]] = []
    for number, run in enumerate(compared.runs):
        row: list[Cell] = [run.label, compared.n]
        for measure, cells in tests.items():
            row += [run.right(measure), *(cells[number - 1] if number else (None, None, None))]
        rows.append(tuple(row))
    columns = (f"{part} {what}" for part in ("answers", "traces") for what in ("right", "difference", "p", "p, Holm"))
    return Table("Models", ("model", "n", *columns), tuple(rows), main_note(compared))


def changes(compared: ComparedRuns, measure: str) -> list[tuple[Cell, Cell, Cell]]:
    """Return the difference, its p, and its p after Holm's correction, of each run but the baseline."""
    all_changes = [compared.change(run, measure) for run in compared.others]
    adjusted = holm([change.p for change in all_changes])
    return [(change.difference, Chance(change.p), Chance(p)) for change, p in zip(all_changes, adjusted, strict=True)]


def main_note(compared: ComparedRuns) -> str:
    """Say how the main table was computed."""
    count = len(compared.others)
    holms = f", and after Holm's correction for {count} comparisons each of answers and traces" if count > 1 else ""
    programs = ". Some samples have the same code: intervals and tests are clustered by program"
    return (
        f"{compared.n:,} samples that all {len(compared.runs)} runs judged. Rates: Wilson's interval. Differences are "
        f"paired, in points, to {compared.baseline.label}: Tango's score interval; 95 % each. p: McNemar's exact "
        f"test{holms}{programs if compared.is_clustered else ''}."
    )


def flips(compared: ComparedRuns) -> Table:
    """Count what became of the baseline's answers in each run."""
    rows = []
    for run in compared.others:
        pairs: Paired = compared.change(run, "answer").pairs
        rows.append((run.label, pairs.right, pairs.regressed, pairs.recovered, pairs.wrong))
    heads = ("model", "right in both", "lost", "gained", "wrong in both")
    return Table("Flips", heads, tuple(rows), f"answers, against {compared.baseline.label}")


# ---- rows of samples, a column for each run


def by_row(compared: ComparedRuns, title: str, head: str, key: Callable[[JudgedSample], str]) -> Table:
    """Give the share of right answers by some property of the true run."""
    groups: dict[str, list[int]] = {}
    for number, sample in enumerate(compared.baseline.seen):
        groups.setdefault(key(sample), []).append(number)
    rows: list[tuple[Cell, ...]] = []
    for name in sorted(groups, key=_in_order):
        shares = (_right(run, groups[name]) for run in compared.runs)
        rows.append((name, len(groups[name]), *shares))
    clusters = f". {CLUSTERED}" if compared.is_clustered else ""
    return Table(title, (head, "n", *compared.short_labels), tuple(rows), f"share of right answers, 95 %{clusters}")


def _by_length(compared: ComparedRuns) -> Table:
    title = "By depth or group" if any(sample.verdict.task.group for sample in compared.baseline.seen) else "By length"
    head = "group" if title == "By depth or group" else "steps of the true trace"
    return by_row(compared, title, head, lambda sample: length(sample.verdict))


def _in_order(name: str) -> tuple[list[int], str]:
    """Sort `9-16` before `17-32`, and words by the alphabet."""
    return [int(part) for part in name.replace("/", "-").split("-") if part.isdecimal()], name


def _right(run: ComparedRun, numbers: Iterable[int]) -> Share:
    groups: dict[Hashable, list[int]] = {}
    for number in numbers:
        sample = run.seen[number]
        groups.setdefault(cluster(sample), []).append(is_right(sample, "answer"))
    return clustered((sum(group), len(group)) for group in groups.values())


def causes(compared: ComparedRuns) -> Table:
    """Count the causes of failure of each run side by side, the most frequent first."""
    counts = [Counter(sample.verdict.cause or RIGHT for sample in run.seen) for run in compared.runs]
    total = sum(counts, Counter[str]())
    names = sorted(total, key=lambda name: (name == RIGHT, -total[name], name))
    rows: list[tuple[Cell, ...]] = [
        (name, *(Share(count[name], compared.n) for count in counts)) for name in names if set(names) != {RIGHT}
    ]
    note = "share of the samples whose trace or answer fails by this cause; each sample has one cause"
    return Table("Causes of failures", ("cause", *compared.short_labels), tuple(rows), note)


def operations(compared: ComparedRuns) -> Table:
    """Give the failure rate of each operation that failed in some run, clustered by program."""
    failed = Counter(
        sample.operation for run in compared.runs for sample in run.findings.failed if sample.executed[sample.operation]
    )
    names = sorted(failed, key=lambda name: (-failed[name], name))[:MAX_OPERATIONS]
    rows: list[tuple[Cell, ...]] = [(name, *(_operation_rate(run, name) for run in compared.runs)) for name in names]
    cut = f" The {MAX_OPERATIONS} that failed most of {len(failed):,}." if len(failed) > MAX_OPERATIONS else ""
    note = f"failed first, of the times it was executed before the first divergence. {CLUSTERED}.{cut}"
    return Table("Failure rate of each operation", ("operation", *compared.short_labels), tuple(rows), note)


def _operation_rate(run: ComparedRun, name: str) -> Share:
    groups: dict[Hashable, list[int]] = {}
    for sample in run.seen:
        row = groups.setdefault(cluster(sample), [0, 0, 0])
        row[0] += bool(sample.verdict.cause) and sample.operation == name and bool(sample.executed[name])
        row[1] += sample.executed[name]
        row[2] += 1
    most = max((samples for _, _, samples in groups.values()), default=1)
    return clustered(((some, n) for some, n, _ in groups.values()), at_most=most)


def interventions(compared: ComparedRuns) -> Table:
    """Show what each intervention fixed and broke in each run whose failures were predicted again."""
    labelled = list(zip(compared.short_labels, (run.findings.interventions for run in compared.runs), strict=True))
    stored = {label: trials for label, trials in labelled if trials is not None}
    names = list(dict.fromkeys(name for trials in stored.values() for name in trials.interventions))
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        cells: list[Cell] = []
        for trials in stored.values():
            pairs = trials.effect(name).pairs if name in trials.interventions else None
            cells += [None, None] if pairs is None else [pairs.recovery, pairs.net]
        rows.append((name, *cells))
    heads = (head for label in stored for head in (f"{label}: fixed of failed", "net"))
    note = "all failed samples of each run that were predicted again, not only the common ones; net: fixed less broken"
    untried = [label for label, trials in labelled if trials is None]
    note += f". Not tried: {'; '.join(untried)} (worldline intervene RUN)" if untried else ""
    return Table("Interventions", ("intervention", *heads), tuple(rows), note)


# ---- costs and settings


def costs(compared: ComparedRuns) -> Table:
    """Give what each run cost on the common samples."""
    rows: list[tuple[Cell, ...]] = []
    for run in compared.runs:
        seconds = sum(sample.verdict.seconds for sample in run.seen)
        written = sum(sample.verdict.bytes for sample in run.seen)
        sizes = [sample.sizes[1] for sample in run.seen]
        tokens = [sample.tokens[1] for sample in run.seen if sample.tokens is not None]
        rows.append(
            (
                *(run.label, written, round(written / len(run.seen)), round(median(sizes))),
                *(sum(tokens) if tokens else None, seconds, seconds / len(run.seen)),
            )
        )
    heads = ("model", "bytes written", "per sample", "median trace, bytes", "tokens", "seconds", "per sample, s")
    note = "discarded predictions count among the bytes written; seconds depend on the machine"
    return Table("Costs", heads, tuple(rows), note)


def settings(compared: ComparedRuns) -> Table:
    """List the settings in which the runs differ."""
    keys = sorted({key for run in compared.others for key in run.differences})
    rows = tuple((key, *(_setting(compared, number, key) for number in range(len(compared.runs)))) for key in keys)
    return Table("Settings that differ", ("setting", *compared.short_labels), rows)


def _setting(compared: ComparedRuns, number: int, key: str) -> str:
    value = compared.runs[number].findings.config.get(key)
    return _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return f"{value[:12]}…"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)


def rates_without_n(table: Table) -> Table:
    """Return a table whose shares do not repeat their n, for tables with a column of it."""

    def cells(row: tuple[Cell, ...]) -> Iterator[Cell]:
        for cell in row:
            is_known = isinstance(cell, Share) and cell.rate is not None
            yield Between(cell.rate or 0.0, *cell.interval) if is_known and isinstance(cell, Share) else cell

    return Table(table.title, table.heads, tuple(tuple(cells(row)) for row in table.rows), table.note)
