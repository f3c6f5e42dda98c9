"""Joins the shards of a benchmark: one run, or run by run if it has several samples or scratchpads.

Shards of other settings, duplicate, missing or incomplete shards are refused. Shards that used one model on several
servers become one run of that model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.bench_plan import with_tables
from worldline.evaluation.measuring import sum_up as sum_up_measurements
from worldline.evaluation.run import measurements
from worldline.evaluation.run.directory import (
    deciding,
    differences,
    holds_run,
    is_measured_run,
    newest,
    read_config,
    verify,
)
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import BATCH
from worldline.evaluation.run.samples import pool_samples, tables
from worldline.evaluation.run.shard import KEY
from worldline.evaluation.run.stored import local, open_run
from worldline.evaluation.scratchpads import BenchResult, ScratchpadReports
from worldline.evaluation.suites.measurement import Measurement
from worldline.evaluation.summary import Report, report
from worldline.evaluation.table import Measured
from worldline.predict.scratchpad import MODES
from worldline.predict.servers.server import addresses
from worldline.storage.remote import Folder

SERVER = "server:"
Configs = Sequence[tuple[Path, dict[str, Any]]]


@dataclass(frozen=True)
class _Part:
    """One run of a benchmark in every shard: its scratchpad mode and sample, empty if there is one of each."""

    mode: str
    sample: str
    shards: tuple[Path, ...]
    out: Folder


def merge_shards(shards: Sequence[Folder], out: Folder) -> BenchResult:
    """Merge the shards of a benchmark into `out`; every shard is checked before anything is written."""
    parts = _parts(shards, out)
    for part in parts:
        merged_config(part.shards, part.out)
    by_mode: dict[str, list[_Part]] = {}
    for part in parts:
        by_mode.setdefault(part.mode, []).append(part)
    reports = {mode: _merge_samples(samples) for mode, samples in by_mode.items()}
    return reports[""] if "" in reports else ScratchpadReports(reports)


def _merge_samples(samples: Sequence[_Part]) -> Report | Measured:
    if is_measured_run(samples[0].shards[0]):
        return _merge_measurements(samples)
    merged = [merge_records(part.shards, part.out) for part in samples]
    results = [with_tables(report, sorted(records, key=lambda record: record.at)) for report, records in merged]
    return results[0] if len(results) == 1 else pool_samples(results, [records for _, records in merged])


def _merge_measurements(samples: Sequence[_Part]) -> Measured:
    all_rows: list[Measurement] = []
    results = []
    for part in samples:
        config = merged_config(part.shards, part.out)
        rows = [row for path in part.shards for row in measurements.read_measurements(path)]
        rows.sort(key=lambda row: row.at)
        meter = suites.meter(str(config["suite"]), force=config.get("force"))
        summed = sum_up_measurements(rows, meter, suite=str(config["suite"]), model=str(config["model"]))
        with measurements.open_measurements(part.out, config) as log:
            log.add(rows)
            log.finish(summed.as_json())
        all_rows += rows
        results.append(summed)
    first = results[0]
    if len(results) == 1:
        return first
    return sum_up_measurements(all_rows, meter, suite=first.suite, model=first.model)


def _parts(shards: Sequence[Folder], out: Folder) -> list[_Part]:
    """The runs that every shard holds."""
    names = [_names(shard) for shard in shards]
    for shard, own in zip(shards, names, strict=True):
        if own != names[0]:
            missing = next(iter(sorted(set(names[0]) ^ set(own))))
            raise UsageError(
                f"{shard} and {shards[0]} are not shards of one benchmark: only one of them has {'/'.join(missing)}"
            )
    return [
        _Part(mode, sample, tuple(local(_inside(shard, mode, sample)) for shard in shards), _inside(out, mode, sample))
        for mode, sample in names[0]
    ]


def _names(folder: Folder) -> list[tuple[str, str]]:
    """The mode and the sample of each run in a folder; both are empty if the folder is itself the run."""
    modes = [mode for mode in MODES if holds_run(folder / mode) or _samples(folder / mode)] or [""]
    return [(mode, sample) for mode in modes for sample in _samples(_inside(folder, mode)) or [""]]


def _samples(folder: Folder) -> list[str]:
    return list(takewhile(lambda name: holds_run(folder / name), map(str, count(1))))


def _inside(folder: Folder, *names: str) -> Folder:
    for name in filter(None, names):
        folder = folder / name
    return folder


def merge_records(runs: Sequence[Path], out: Folder) -> tuple[Report, list[Record]]:
    """Merge the shards of one run into a new folder, and return its report and records."""
    config = merged_config(runs, out)
    by_place = {at: record for path in runs for at, record in newest(path).items()}
    records = list(_in_order([by_place[at] for at in sorted(by_place)]))
    summed = sum_up(records, suite=str(config["suite"]), model=str(config["model"]))
    summed = replace(summed, way=str((config.get("how") or {}).get("way", "")))
    with open_run(out, config) as log:
        assert log is not None
        for record in records:
            log.add(record)
        log.finish(summed.as_json())
    return summed, records


def merged_config(runs: Sequence[Path], out: Folder) -> dict[str, Any]:
    """Return the configuration of the merged run.

    Raises:
        UsageError: The runs are not all shards of one run, or `out` already holds one.
    """
    configs = [(path, read_config(path)) for path in runs]
    _refuse_whole_runs(configs)
    _refuse_other_settings(configs)
    _refuse_incomplete(configs)
    for path in runs:
        verify(path)
    if holds_run(out):
        raise UsageError(f"{out} already holds a run: merge into a new directory")
    config = {key: value for key, value in configs[0][1].items() if key not in (KEY, "format")}
    return {**config, "model": _model_of_all([str(shard["model"]) for _, shard in configs])}


def _refuse_whole_runs(configs: Configs) -> None:
    for path, config in configs:
        if not isinstance(config.get(KEY), dict):
            raise UsageError(f"{path} is not a shard of a run: it was made without --shard")


def _refuse_other_settings(configs: Configs) -> None:
    (first, wanted), *others = configs
    for path, config in others:
        if differing := differences(_common(wanted), _common(config)):
            key, (was, now) = next(iter(differing.items()))
            raise UsageError(f"{path} has other settings than {first}: {key} is {now!r}, not {was!r}")


def _common(config: dict[str, Any]) -> dict[str, Any]:
    """What is the same in every shard: of a server its model and template, not its address."""
    common = {**deciding(config), KEY: {key: config[KEY].get(key) for key in ("of", "limit")}}
    if str(common["model"]).startswith(SERVER):
        common["model"] = SERVER + "#" + addresses(common["model"])[1]
        common["template"] = (config.get("how") or {}).get("template")
    return common


def _model_of_all(models: Sequence[str]) -> str:
    """The model of all shards, with the address of every server that was used."""
    if not models[0].startswith(SERVER):
        return models[0]
    parsed = [addresses(model) for model in models]
    urls = dict.fromkeys(url for urls, _ in parsed for url in urls)
    return f"{SERVER}{','.join(urls)}#{parsed[0][1]}"


def _refuse_incomplete(configs: Configs) -> None:
    numbers: dict[int, Path] = {}
    total = 0
    for path, config in configs:
        number, total = int(config[KEY]["number"]), int(config[KEY]["of"])
        if number in numbers:
            raise UsageError(f"{path} and {numbers[number]} are the same shard, {number}/{total}")
        numbers[number] = path
    if missing := [number for number in range(1, total + 1) if number not in numbers]:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UsageError(f"shard {missing[0]}/{total} is missing{more}")


def _in_order(records: list[Record]) -> Iterator[Record]:
    """The records as one run would have written them: predictions by the batch, skipped tasks at once."""
    batch: list[Record] = []
    for record in records:
        if record.kind != "asked":
            yield record
            continue
        batch.append(record)
        if len(batch) == BATCH:
            yield from batch
            batch = []
    yield from batch


def sum_up(records: Sequence[Record], *, suite: str, model: str) -> Report:
    """Return the report of a run, from its records alone."""
    left_out: dict[str, list[str]] = {}
    for record in records:
        if not record.counts:
            reason = record.found.note or "fault" if record.is_fault else record.why or record.kind
            left_out.setdefault(reason, []).append(record.name or record.ask.program.name)
    kinds = [record.kind for record in records]
    summed = report(
        [record.verdict() for record in records if record.counts],
        suite=suite,
        model=model,
        left_out={reason: tuple(names) for reason, names in left_out.items()},
        skipped=kinds.count("skipped"),
        disagrees=kinds.count("disagrees"),
        faults=sum(record.is_fault for record in records),
    )
    return replace(summed, samples=tables({}))


def check_is_run(folder: Path) -> None:
    """Raise a UsageError if a folder holds the run of a measured suite."""
    if is_measured_run(folder):
        suite = read_config(folder).get("suite")
        raise UsageError(f"{folder} is a run of the suite {suite}, which has tables and no judged traces to compare")
