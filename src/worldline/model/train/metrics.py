"""Writers for training metrics: JSON lines always, and optional experiment trackers.

Trackers are imported only if the configuration names them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from worldline.core.errors import FormatError, UsageError
from worldline.storage import files, listing

METRICS_FILE = "metrics.jsonl"
MAX_METRICS_BYTES = 1 << 30
TRACKERS = ("tensorboard", "trackio", "wandb")

Metrics = dict[str, float]


class MetricsWriter(Protocol):
    """Receives the metrics of a step."""

    def write(self, step: int, figures: Metrics) -> None:
        """Write the metrics of a step."""

    def close(self) -> None:
        """Finish: no more metrics follow."""


class MetricsFile:
    """`metrics.jsonl`, rewritten as a whole so that it is never torn. Lines after `step` are dropped on resume."""

    def __init__(self, folder: Path, *, step: int = 0) -> None:
        self._path = folder / METRICS_FILE
        self._lines = [line for line in read_metrics(folder) if line["step"] <= step]

    def write(self, step: int, figures: Metrics) -> None:
        """Append a line."""
        self._lines.append({"step": step, **{name: _round(value) for name, value in figures.items()}})
        text = "".join(json.dumps(line) + "\n" for line in self._lines)
        files.write(self._path, text.encode(), fsync=False)

    def close(self) -> None:
        """Do nothing: no file stays open."""


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Read every line of a run's metrics."""
    if not (folder / METRICS_FILE).exists():
        return []
    lines = listing.read_lines(folder / METRICS_FILE, limit=MAX_METRICS_BYTES)
    if not all(isinstance(line.get("step"), int) for line in lines):
        raise FormatError(f"{folder / METRICS_FILE} is damaged: a line has no `step`")
    return lines


def format_line(step: int, row: Metrics) -> str:
    """Format a step's metrics for the terminal."""
    text = (
        f"step {step:6d}  {row['progress']:6.1%}  loss {row['loss']:.4f} bits  norm {row['norm']:.3f}  "
        f"{row['bytes_per_second'] / 1e3:,.0f} kB/s  mfu {row['mfu']:.1%}"
    )
    if "fresh" in row:
        text += f"  again {row['again'] / max(1, row['fresh'] + row['again']):.0%} waited {row['waited']:.0f}s"
    if "held_out_bits" in row:
        text += (
            f"  | held out {row['held_out_bits']:.4f} bits  answer {row['held_out_answer']:.1%}  "
            f"trace {row['held_out_trace']:.1%}"
        )
    return text


def _round(value: float) -> float:
    return float(f"{value:.6g}")


class _TensorBoard:
    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(str(folder / "tensorboard"))

    def write(self, step: int, figures: Metrics) -> None:
        for name, value in figures.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _TrackedRun:
    """trackio and wandb, which share an interface."""

    def __init__(self, module: Any, folder: Path, config: dict[str, Any]) -> None:
        self._module = module
        module.init(project="worldline", name=folder.name, config=config)

    def write(self, step: int, figures: Metrics) -> None:
        self._module.log(figures, step=step)

    def close(self) -> None:
        self._module.finish()


def open_tracker(name: str, folder: Path, config: dict[str, Any]) -> MetricsWriter:
    """Open an experiment tracker.

    Args:
        name: One of `TRACKERS`.
        folder: Folder of the run.
        config: Configuration to log.

    Returns:
        The writer.

    Raises:
        UsageError: The tracker is unknown or not installed.
    """
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
    raise UsageError(f"unknown tracker {name!r}: use one of {', '.join(TRACKERS)}")
