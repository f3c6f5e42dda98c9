"""Configuration of a training run: a frozen dataclass that a recipe returns and the run stores."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.data.lanes import Lanes
from worldline.data.sources import DocumentSource
from worldline.model.batch_plan import ATTENTION_BLOCK
from worldline.model.shape import Shape
from worldline.model.train.optimize import LearningRates
from worldline.model.train.schedule import BatchPhase
from worldline.storage import files, listing
from worldline.storage.remote import Folder, place


@dataclass(frozen=True, kw_only=True)
class Training:
    """A training run of `steps` steps or `minutes`.

    Attributes:
        shape: Shape of the model.
        sources: Where documents come from.
        rows: Rows per batch, over all trainers.
        time: Bytes per row.
        steps: Number of steps.
        minutes: Wall-clock budget instead of steps, start-up included.
        carry: Prompt bytes that stay visible when a document continues in the next row. 0 cuts
            documents at the end of a row.
        phases: Later batch sizes as (share of the run, time, rows).
        lanes: Number of lanes documents are dealt in (data/lanes.py), the most trainers a run can have.
            0 means one per trainer that starts the run.
        sharded: Whether trainers hold parts of the weights (FSDP2) instead of copies.
        rates: Learning rates.
        warmup: Steps over which the rates rise.
        cooldown: Last share of the run, over which the rates fall to 0.
        ema: Decay of the running average of the weights.
        seed: Seed of weights and document order.
        init_from: Model folder to start from; "shipped" for the shipped model.
        held_out: Source of the documents to evaluate on.
        held_out_documents: Number of those documents.
        log_every: Steps between log lines.
        eval_every: Steps between evaluations; 0 evaluates only at the end.
        save_every: Steps between checkpoints; 0 saves only at the end.
        keep: Number of checkpoints to keep.
        tutor: Command that sets drills and updates the curriculum; `{run}` is the run's folder.
        drill_every: Seconds between drills.
        modes: Modes of the compact notation in which the model will predict: `codec.compact.prompt.MODES`.
        trackers: Experiment trackers to log to.
        compile: Whether to compile layers on a GPU.
        peak: Floating-point operations per second of an unknown accelerator.
    """

    shape: Shape
    sources: tuple[DocumentSource, ...]
    rows: int = 32
    time: int = 2048
    steps: int = 0
    minutes: float = 0.0
    carry: int = 0
    phases: tuple[tuple[float, int, int], ...] = ()
    lanes: int = 0
    sharded: bool = False
    rates: LearningRates = field(default_factory=LearningRates)
    warmup: int = 50
    cooldown: float = 0.4
    ema: float = 0.998
    seed: int = 0
    init_from: str | None = None
    held_out: DocumentSource | None = None
    held_out_documents: int = 512
    log_every: int = 20
    eval_every: int = 500
    save_every: int = 1000
    keep: int = 2
    tutor: tuple[str, ...] = ()
    drill_every: float = 10.0
    modes: tuple[str, ...] = ()
    trackers: tuple[str, ...] = ()
    compile: bool = True
    peak: float = 0.0

    def __post_init__(self) -> None:
        if (self.steps > 0) == (self.minutes > 0):
            raise UsageError("set either steps or minutes, not both")
        if min(self.rows, self.time - 1, self.log_every, self.keep, self.held_out_documents) < 1:
            raise UsageError("rows, time, log_every, keep and held_out_documents must be at least 1")
        if self.carry < 0 or self.carry % ATTENTION_BLOCK or (self.carry and self.shape.window % ATTENTION_BLOCK):
            raise UsageError(f"carry and the shape's window must be multiples of {ATTENTION_BLOCK}")
        if not 0 <= self.cooldown <= 1 or not 0 <= self.ema < 1:
            raise UsageError("cooldown must be from 0 to 1, ema from 0 to below 1")
        starts = [start for start, _, _ in self.phases]
        if starts != sorted(starts) or any(not 0 < start < 1 for start in starts):
            raise UsageError("phases must start at rising shares of the run, above 0 and below 1")
        if self.lanes:
            Lanes(count=self.lanes).check(phase.rows for phase in self.schedule)
        if self.sharded and self.tutor:
            raise UsageError("a tutor needs the whole model on one trainer: remove `tutor` or `sharded`")

    @property
    def schedule(self) -> tuple[BatchPhase, ...]:
        """All phases, the initial one first."""
        return (BatchPhase(0.0, self.time, self.rows), *(BatchPhase(*phase) for phase in self.phases))

    def to_json(self) -> dict[str, Any]:
        """Return every field as JSON, sources with their kinds."""
        record: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        record["sources"] = [_source_fields(source) for source in self.sources]
        record["held_out"] = _source_fields(self.held_out) if self.held_out else None
        return record | {"shape": self.shape.to_json(), "rates": asdict(self.rates)}


def _source_fields(source: DocumentSource) -> dict[str, Any]:
    # Stored configurations and manifests contain the class name: it is part of their format.
    return {"kind": type(source).__name__, **asdict(source)}


# What a model was trained on, without paths of one machine


def describe_sources(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Describe the sources of a configuration as JSON: kinds, weights, recipe names, file digests."""
    return [_describe_source(source) for source in config.get("sources", ())]


def _describe_source(source: Mapping[str, Any]) -> dict[str, Any]:
    description = {name: source[name] for name in ("kind", "weight", "split") if name in source}
    if "commands" in source:
        description |= {"commands": len(source["commands"])}
        description |= _command_options(source["commands"][0] if source["commands"] else ())
    if "paths" in source:
        description["files"] = [_describe_file(place(path)) for path in source["paths"]]
    if "folder" in source:
        description["manifest"] = _describe_file(listing.beside(place(source["folder"]), listing.PLAIN))
    return description


def _command_options(command: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Recipe file, function and split that a document-writing command names."""
    pairs = dict(pairwise(command))
    named = {name: pairs[f"--{name}"] for name in ("recipe", "function", "split") if f"--{name}" in pairs}
    return {name: Path(text).name for name, text in named.items()}


def _describe_file(path: Folder) -> dict[str, Any]:
    """Name of a file and, if it is readable, its digest."""
    if not path.is_file():
        return {"name": path.name}
    if not isinstance(path, Path):
        return {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    with files.disk(path):
        file = files.open_regular(path.resolve())
    if file is None:
        return {"name": path.name}
    with file:
        return {"name": path.name, "sha256": files.digest(file, path.stat().st_size)}


def with_changes(config: Training, **options: Any) -> Training:
    """Copy a configuration with some fields replaced.

    Args:
        config: Configuration to copy.
        **options: New values; None keeps a field.

    Returns:
        The new configuration.
    """
    return replace(config, **{name: value for name, value in options.items() if value is not None})


def with_curriculum(config: Training, curriculum: str) -> Training:
    """Copy a configuration whose tutor starts from a stored curriculum.

    Args:
        config: Configuration with a tutor.
        curriculum: File that `worldline learn -o FILE` wrote.

    Returns:
        The new configuration.

    Raises:
        UsageError: The recipe has no tutor, or the file is missing.
    """
    if not config.tutor:
        raise UsageError("the recipe has no tutor to follow a curriculum: use a recipe with `tutor`")
    if not Path(curriculum).is_file():
        raise UsageError(f"curriculum {curriculum} does not exist")
    return replace(config, tutor=(*config.tutor, "--start", str(Path(curriculum).resolve())))
