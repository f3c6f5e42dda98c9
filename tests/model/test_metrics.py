"""Figures are whole lines of JSON, and the trackers get the same ones."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.model.train import metrics
from worldline.model.train.metrics import MetricsFile, open_tracker


def test_lines_are_kept_and_those_of_a_lost_run_dropped(tmp_path: Path) -> None:
    writer = MetricsFile(tmp_path)
    for step in (10, 20, 30):
        writer.write(step, {"loss": 1 / step})
    assert [line["step"] for line in metrics.read_metrics(tmp_path)] == [10, 20, 30]
    resumed = MetricsFile(tmp_path, step=20)
    resumed.write(25, {"loss": 0.04})
    assert metrics.read_metrics(tmp_path)[-2:] == [{"step": 20, "loss": 0.05}, {"step": 25, "loss": 0.04}]


def test_a_run_without_figures_has_none(tmp_path: Path) -> None:
    assert metrics.read_metrics(tmp_path) == []


@pytest.mark.parametrize("name", ["wandb", "trackio"])
def test_a_tracker_gets_every_figure(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have the interface init, log, finish; neither is installed here, so its module stands in."""
    calls: list[object] = []
    module = types.ModuleType(name)
    module.init = lambda **options: calls.append(("init", options["project"], options["config"]))  # type: ignore[attr-defined]
    module.log = lambda figures, step: calls.append((step, figures))  # type: ignore[attr-defined]
    module.finish = lambda: calls.append("finish")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, module)
    tracker = open_tracker(name, tmp_path, {"seed": 1})
    tracker.write(5, {"loss": 2.0})
    tracker.close()
    assert calls == [("init", "worldline", {"seed": 1}), (5, {"loss": 2.0}), "finish"]


def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    tracker = open_tracker("tensorboard", tmp_path, {})
    tracker.write(5, {"loss": 2.0})
    tracker.close()
    assert list((tmp_path / "tensorboard").iterdir())


def test_what_is_not_installed_or_unknown_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(UsageError, match="wandb is not installed"):
        open_tracker("wandb", tmp_path, {})
    with pytest.raises(UsageError, match="one of tensorboard, trackio, wandb"):
        open_tracker("paper", tmp_path, {})
