"""Where a training run's figures go: a line of JSON each, and, if asked for, one of the usual trackers.

A writer is anything with `write(step, figures)` and `close()`. The JSON lines are always written; trackers are extras
and imported when they are asked for. Figures are made elsewhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from worldline.core.errors import FormatError, UsageError
from worldline.storage import files, listing

NAME = "metrics.jsonl"
LIMIT = 1 << 30
TRACKERS = ("tensorboard", "trackio", "wandb")

Figures = dict[str, float]


class MetricsWriter(Protocol):
    """Takes the figures of a step."""

    def write(self, step: int, figures: Figures) -> None:
        """Keep them."""

    def close(self) -> None:
        """Nothing more will come."""


class MetricsFile:
    """`metrics.jsonl`: rewritten whole each time, so that it is never torn; figures after `step` are of a lost run."""

    def __init__(self, folder: Path, *, step: int = 0) -> None:
        self._path = folder / NAME
        self._lines = [line for line in read(folder) if line["step"] <= step]

    def write(self, step: int, figures: Figures) -> None:
        """Append a line."""
        self._lines.append({"step": step, **{name: _short(value) for name, value in figures.items()}})
        text = "".join(json.dumps(line) + "\n" for line in self._lines)
        files.write(self._path, text.encode(), fsync=False)

    def close(self) -> None:
        """Nothing is open."""


def read(folder: Path) -> list[dict[str, Any]]:
    """Every line of a run's figures so far."""
    if not (folder / NAME).exists():
        return []
    lines = listing.read_lines(folder / NAME, limit=LIMIT)
    if not all(isinstance(line.get("step"), int) for line in lines):
        raise FormatError(f"{folder / NAME} is damaged: a line has no step")
    return lines


def line(step: int, row: Figures) -> str:
    """A step's figures for people."""
    text = (
        f"step {step:6d}  {row['progress']:6.1%}  loss {row['loss']:.4f} bits  norm {row['norm']:.3f}  "
        f"{row['bytes_per_second'] / 1e3:,.0f} kB/s  mfu {row['mfu']:.1%}"
    )
    if "fresh" in row:
        text += (
            f"  again {row['again'] / max(1, row['fresh'] + row['again']):.0%} waited {row['waited']:.0f}s"
        )
    if "held_out_bits" in row:
        text += (
            f"  | held out {row['held_out_bits']:.4f} bits  answer {row['held_out_answer']:.1%}  "
            f"trace {row['held_out_trace']:.1%}"
        )
    return text


def _short(value: float) -> float:
    return float(f"{value:.6g}")


class _TensorBoard:
    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(str(folder / "tensorboard"))

    def write(self, step: int, figures: Figures) -> None:
        for name, value in figures.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _TrackedRun:
    """trackio and wandb: the second took the first's interface over."""

    def __init__(self, module: Any, folder: Path, config: dict[str, Any]) -> None:
        self._module = module
        module.init(project="worldline", name=folder.name, config=config)

    def write(self, step: int, figures: Figures) -> None:
        self._module.log(figures, step=step)

    def close(self) -> None:
        self._module.finish()


def open_tracker(name: str, folder: Path, config: dict[str, Any]) -> MetricsWriter:
    """One of the trackers, if it is installed."""
    try:
        if name == "tensorboard":
            return _TensorBoard(folder)
        if name == "trackio":
            import trackio  # type: ignore[import-not-found]

            return _TrackedRun(trackio, folder, config)
        if name == "wandb":
            import wandb  # type: ignore[import-not-found]

            return _TrackedRun(wandb, folder, config)
    except ImportError as error:
        raise UsageError(f"{name} is not installed: {error}") from error
    raise UsageError(f"a tracker is one of {', '.join(TRACKERS)}, not {name!r}")
