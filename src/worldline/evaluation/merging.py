"""The shards of a benchmark put together: of one run, or run by run where it has several samples or scratchpads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.measuring import sum_up
from worldline.evaluation.run import measurements
from worldline.evaluation.run.directory import holds_run, is_measured_run, read_config
from worldline.evaluation.run.merge import merge_records, merged_config
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.samples import pooled
from worldline.evaluation.run.stored import local
from worldline.evaluation.scratchpads import BenchResult, ScratchpadReports
from worldline.evaluation.suites.measurement import Measurement
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured
from worldline.predict.scratchpad import MODES
from worldline.storage.remote import Folder


@dataclass(frozen=True)
class _Part:
    """One run of a benchmark, in every shard: of a scratchpad mode and a sample, where there are several."""

    mode: str
    sample: str
    shards: tuple[Path, ...]
    out: Folder


def merge_shards(shards: Sequence[Folder], out: Folder) -> BenchResult:
    """Put the shards of a benchmark together in `out`; every shard is checked before anything is written."""
    parts = _parts(shards, out)
    for part in parts:
        merged_config(part.shards, part.out)
    by_mode: dict[str, list[_Part]] = {}
    for part in parts:
        by_mode.setdefault(part.mode, []).append(part)
    reports = {mode: _merged(samples) for mode, samples in by_mode.items()}
    return reports[""] if "" in reports else ScratchpadReports(reports)


def _merged(samples: Sequence[_Part]) -> Report | Measured:
    """Every sample merged, and summed up over all of them."""
    if is_measured_run(samples[0].shards[0]):
        return _merged_measurements(samples)
    merged = [merge_records(part.shards, part.out) for part in samples]
    results = [_with_tables(report, records) for report, records in merged]
    return results[0] if len(results) == 1 else pooled(results, [records for _, records in merged])


def _with_tables(report: Report, records: Sequence[Record]) -> Report:
    ordered = sorted(records, key=lambda record: record.at)
    faults = (f"{one.name}: {one.found.note}" for one in ordered if one.is_fault and one.found.note)
    return replace(report, tables=suites.tables(report.suite, ordered), first_fault=next(faults, ""))


def _merged_measurements(samples: Sequence[_Part]) -> Measured:
    every: list[Measurement] = []
    results = []
    for part in samples:
        config = merged_config(part.shards, part.out)
        rows = [row for path in part.shards for row in measurements.read_measurements(path)]
        rows.sort(key=lambda row: row.at)
        meter = suites.meter(str(config["suite"]), force=config.get("force"))
        summed = sum_up(rows, meter, suite=str(config["suite"]), model=str(config["model"]))
        with measurements.opened(part.out, config) as log:
            log.add(rows)
            log.finish(summed.as_json())
        every += rows
        results.append(summed)
    first = results[0]
    return first if len(results) == 1 else sum_up(every, meter, suite=first.suite, model=first.model)


def _parts(shards: Sequence[Folder], out: Folder) -> list[_Part]:
    """The runs that every shard holds; UsageError where one lacks a run that another has."""
    names = [_names(at) for at in shards]
    for at, own in zip(shards, names, strict=True):
        if own != names[0]:
            missing = next(iter(sorted(set(names[0]) ^ set(own))))
            raise UsageError(
                f"{at} and {shards[0]} are not shards of one benchmark: {'/'.join(missing)} is in one"
            )
    return [
        _Part(
            mode, sample, tuple(local(_inside(at, mode, sample)) for at in shards), _inside(out, mode, sample)
        )
        for mode, sample in names[0]
    ]


def _names(at: Folder) -> list[tuple[str, str]]:
    """The mode and the sample of each run in a folder, both empty where the folder is the run."""
    modes = [mode for mode in MODES if holds_run(at / mode) or _samples(at / mode)] or [""]
    return [(mode, sample) for mode in modes for sample in _samples(_inside(at, mode)) or [""]]


def _samples(at: Folder) -> list[str]:
    return list(takewhile(lambda name: holds_run(at / name), map(str, count(1))))


def _inside(at: Folder, *names: str) -> Folder:
    for name in filter(None, names):
        at = at / name
    return at


def check_is_run(at: Path) -> None:
    """UsageError unless a folder holds one run of judged traces."""
    if is_measured_run(at):
        suite = read_config(at).get("suite")
        raise UsageError(
            f"{at} is a run of the suite {suite}, which has tables and no judged traces to compare"
        )
