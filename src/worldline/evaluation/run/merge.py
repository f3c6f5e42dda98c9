"""The runs of all shards of a suite as the one run that they are parts of: its records, their order, its report.

Runs of other settings, of shards that are there twice or missing, or that are not through are refused. Shards that
asked one model of several servers are one run of that model behind all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.evaluation.run.directory import (
    deciding,
    differences,
    holds_run,
    newest,
    read_config,
    verify,
)
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import BATCH
from worldline.evaluation.run.samples import tables
from worldline.evaluation.run.shard import KEY
from worldline.evaluation.run.stored import opened
from worldline.evaluation.summary import Report, report
from worldline.predict.servers.server import addresses
from worldline.storage.remote import Folder

SERVER = "server:"


def merge(runs: Sequence[Path], out: Folder) -> Report:
    """Writes the whole run into a directory that has none yet, and sums it up."""
    return merge_records(runs, out)[0]


def merge_records(runs: Sequence[Path], out: Folder) -> tuple[Report, list[Record]]:
    """The same, with the records."""
    config = merged_config(runs, out)
    found = {at: record for path in runs for at, record in newest(path).items()}
    records = list(_in_order([found[at] for at in sorted(found)]))
    summed = sum_up(records, suite=str(config["suite"]), model=str(config["model"]))
    with opened(out, config) as log:
        assert log is not None
        for record in records:
            log.add(record)
        log.finish(summed.as_json())
    return summed, records


def merged_config(runs: Sequence[Path], out: Folder) -> dict[str, Any]:
    """What decided the whole run; UsageError unless the runs are all its shards and `out` is free."""
    configs = [(path, read_config(path)) for path in runs]
    _refuse_whole(configs)
    _refuse_others(configs)
    _refuse_shards(configs)
    for path in runs:
        verify(path)
    if holds_run(out):
        raise UsageError(f"{out} is a run already: merge into a new directory")
    config = {key: value for key, value in configs[0][1].items() if key not in (KEY, "format")}
    return {**config, "model": _behind_all([str(each["model"]) for _, each in configs])}


def _refuse_whole(configs: Sequence[tuple[Path, dict[str, Any]]]) -> None:
    for path, config in configs:
        if not isinstance(config.get(KEY), dict):
            raise UsageError(f"{path} is no shard of a run: it was made without --shard")


def _refuse_others(configs: Sequence[tuple[Path, dict[str, Any]]]) -> None:
    """All that decides the answers is the same in all."""
    (first, wanted), *others = configs
    for path, config in others:
        one, other = (_alike(each) for each in (wanted, config))
        if found := differences(one, other):
            key, (was, now) = next(iter(found.items()))
            raise UsageError(f"{path} is of other settings than {first}: {key} is {now!r}, not {was!r}")


def _alike(config: dict[str, Any]) -> dict[str, Any]:
    """What is the same in every shard: of a server its model and template, whatever its address."""
    common = {**deciding(config), KEY: _whole(config)}
    if str(common["model"]).startswith(SERVER):
        common["model"] = SERVER + "#" + addresses(common["model"])[1]
        common["template"] = (config.get("how") or {}).get("template")
    return common


def _behind_all(models: Sequence[str]) -> str:
    """The one model of all shards, behind every server that was asked."""
    if not models[0].startswith(SERVER):
        return models[0]
    asked = [addresses(model) for model in models]
    urls = dict.fromkeys(url for each, _ in asked for url in each)
    return f"{SERVER}{','.join(urls)}#{asked[0][1]}"


def _whole(config: dict[str, Any]) -> Any:
    """What the shards of one run have in common."""
    return {key: config[KEY].get(key) for key in ("of", "limit")}


def _refuse_shards(configs: Sequence[tuple[Path, dict[str, Any]]]) -> None:
    """Every shard is there, once."""
    numbers: dict[int, Path] = {}
    count = 0
    for path, config in configs:
        number, count = int(config[KEY]["number"]), int(config[KEY]["of"])
        if number in numbers:
            raise UsageError(f"{path} and {numbers[number]} are the same shard, {number}/{count}")
        numbers[number] = path
    if missing := [number for number in range(1, count + 1) if number not in numbers]:
        raise UsageError(f"shard {missing[0]}/{count} is missing" + _more(len(missing) - 1))


def _more(count: int) -> str:
    return f", and {count} more" if count else ""


def _in_order(records: list[Record]) -> Iterator[Record]:
    """As one run would have written them: by the batch, what is left out as soon as it is known."""
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
    """What came of a run, from its records alone."""
    left_out: dict[str, list[str]] = {}
    for record in records:
        if not record.counts:
            why = record.found.note or "fault" if record.is_fault else record.why or record.kind
            left_out.setdefault(why, []).append(record.name or record.ask.program.name)
    kinds = [record.kind for record in records]
    summed = report(
        [record.verdict() for record in records if record.counts], suite=suite, model=model, ending=None,
        left_out={why: tuple(names) for why, names in left_out.items()}, skipped=kinds.count("skipped"),
        disagrees=kinds.count("disagrees"), faults=sum(record.is_fault for record in records),
    )  # fmt: skip
    return replace(summed, samples=tables({}))
