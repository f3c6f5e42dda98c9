"""Verifies stored traces, datasets, runs, leaderboards and models byte by byte."""

from __future__ import annotations

from pathlib import Path

from worldline.data import shards as traces
from worldline.data.build import shards as datasets
from worldline.data.repository import dataset as calls
from worldline.evaluation.leaderboard import stored as boards
from worldline.evaluation.run import directory as runs
from worldline.evaluation.run.stored import local
from worldline.plan.paths import store as sidecars
from worldline.predict.models import model_findings
from worldline.storage import publishing, remote


def verify(directory: str | remote.Folder) -> list[str]:
    """Check every byte of a directory of traces, a dataset, a run, a leaderboard or a model against its manifest.

    Args:
        directory: A folder or a URL.

    Returns:
        One sentence for each difference.
    """
    path = remote.place(directory)
    if boards.is_leaderboard(path):
        return boards.find_differences(path)
    if isinstance(path, remote.StorePath) and not any(name.endswith(".parquet") for name in remote.names(path)):
        path = local(path) if runs.holds_run(path) else publishing.fetched(path)
    if isinstance(path, Path):
        if runs.holds_run(path):
            return runs.findings(path)
        model = model_findings(path)
        if model is not None:
            return model
    if calls.is_calls(path):
        return list(map(str, calls.verify(path)))
    differences = list(map(str, (datasets if datasets.is_dataset(path) else traces).verify(path)))
    return differences or (sidecars.find_problems(path) if isinstance(path, Path) else [])
