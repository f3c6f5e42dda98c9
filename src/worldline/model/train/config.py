"""What a training run is: one frozen dataclass, made by a recipe's function and written beside what comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.data.lanes import Lanes
from worldline.data.sources import Source
from worldline.model.batch_plan import BLOCK
from worldline.model.shape import Shape
from worldline.model.train.optimize import LearningRates
from worldline.model.train.schedule import Phase
from worldline.storage import files, listing
from worldline.storage.remote import Folder, place


@dataclass(frozen=True, kw_only=True)
class Training:
    """A run of `steps` steps or of `minutes`, over batches of `rows` rows of `time` bytes, of all trainers together."""

    shape: Shape
    sources: tuple[Source, ...]
    rows: int = 32
    time: int = 2048
    steps: int = 0
    minutes: float = 0.0  # instead of steps: a budget of wall-clock time, start-up included
    carry: int = (
        0  # of a prompt, how much goes with its document into further rows; 0: it is cut at a row's end
    )
    phases: tuple[tuple[float, int, int], ...] = ()  # (share of the run, time, rows): from there on
    lanes: int = (
        0  # documents are dealt in so many (lanes.py): the most trainers; 0: as many as begin the run
    )
    sharded: bool = False  # trainers hold parts of the weights (FSDP2), not each a copy
    rates: LearningRates = field(default_factory=LearningRates)
    warmup: int = 50  # steps
    cooldown: float = 0.4  # the last share of the run, over which the rates fall to 0
    ema: float = 0.998
    seed: int = 0
    init_from: str | None = None  # a model's folder to start from; "shipped" for the shipped one
    held_out: Source | None = None
    held_out_documents: int = 512
    log_every: int = 20
    eval_every: int = 500  # steps; 0: only at the end
    save_every: int = 1000  # steps; 0: only at the end
    keep: int = 2  # checkpoints
    tutor: tuple[
        str, ...
    ] = ()  # the command that sets drills and moves the curriculum; `{run}`: the run's folder
    drill_every: float = 10.0  # seconds from one set of drills to the next
    trackers: tuple[str, ...] = ()
    compile: bool = True  # layers, on a GPU
    peak: float = 0.0  # floating-point operations a second of the accelerator, if it is not a known one

    def __post_init__(self) -> None:
        if (self.steps > 0) == (self.minutes > 0):
            raise UsageError("a training has either steps or minutes")
        if min(self.rows, self.time - 1, self.log_every, self.keep, self.held_out_documents) < 1:
            raise UsageError("rows, time, log_every, keep and held_out_documents must be at least 1")
        if self.carry < 0 or self.carry % BLOCK or (self.carry and self.shape.window % BLOCK):
            raise UsageError(f"carry, and with it the shape's window, must be multiples of {BLOCK}")
        if not 0 <= self.cooldown <= 1 or not 0 <= self.ema < 1:
            raise UsageError("cooldown and ema are shares")
        starts = [start for start, _, _ in self.phases]
        if starts != sorted(starts) or any(not 0 < start < 1 for start in starts):
            raise UsageError("phases begin at rising shares of the run, above 0 and below 1")
        if self.lanes:
            Lanes(count=self.lanes).check(phase.rows for phase in self.schedule)
        if self.sharded and self.tutor:
            raise UsageError(
                "a tutor asks one trainer, who has only a part of a sharded model: leave out one of them"
            )

    @property
    def schedule(self) -> tuple[Phase, ...]:
        """Every phase, that of the beginning first."""
        return (Phase(0.0, self.time, self.rows), *(Phase(*phase) for phase in self.phases))

    def to_json(self) -> dict[str, Any]:
        """Every field, nested ones too; sources with their kinds."""
        found: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        found["sources"] = [_source(source) for source in self.sources]
        found["held_out"] = _source(self.held_out) if self.held_out else None
        return found | {"shape": self.shape.to_json(), "rates": asdict(self.rates)}


def _source(source: Source) -> dict[str, Any]:
    # The name of the class is what stored configurations and manifests say: it is part of their format.
    return {"kind": type(source).__name__, **asdict(source)}


# ---- what a model was trained on, without a machine's paths


def described(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sources of a configuration as JSON: their kinds and weights, recipes by name, files by digest."""
    return [_description(source) for source in config.get("sources", ())]


def _description(source: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: source[name] for name in ("kind", "weight", "split") if name in source}
    if "commands" in source:
        found |= {"commands": len(source["commands"])}
        found |= _words(source["commands"][0] if source["commands"] else ())
    if "paths" in source:
        found["files"] = [_file(place(path)) for path in source["paths"]]
    if "folder" in source:
        found["manifest"] = _file(listing.beside(place(source["folder"]), listing.PLAIN))
    return found


def _words(command: tuple[str, ...] | list[str]) -> dict[str, str]:
    """What a command that writes documents says of them: the recipe's file, its function, the split."""
    pairs = dict(pairwise(command))
    named = {name: pairs[f"--{name}"] for name in ("recipe", "function", "split") if f"--{name}" in pairs}
    return {name: Path(text).name for name, text in named.items()}


def _file(path: Folder) -> dict[str, Any]:
    """A file's name and, where it is at hand, its digest."""
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


def changed(config: Training, **options: Any) -> Training:
    """The same run with some fields otherwise: those that are not None."""
    return replace(config, **{name: value for name, value in options.items() if value is not None})


def begun_with(config: Training, curriculum: str) -> Training:
    """The same run, its tutor beginning with a curriculum that was made before."""
    if not config.tutor:
        raise UsageError("the recipe has no tutor: nothing would follow the curriculum")
    if not Path(curriculum).is_file():
        raise UsageError(f"there is no curriculum {curriculum}")
    return replace(config, tutor=(*config.tutor, "--start", str(Path(curriculum).resolve())))
