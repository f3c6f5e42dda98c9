"""Finds stored runs: folders and URLs that are runs, or contain some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.evaluation.run.directory import holds_run
from worldline.evaluation.run.stored import local
from worldline.storage import remote
from worldline.storage.remote import Folder

MAX_DEPTH = 8  # folders inside folders that are searched


@dataclass(frozen=True)
class FoundRun:
    """A run as a folder on disk, where it was found, and its name: the path from the folder that was given."""

    path: Path
    name: str
    origin: str


def find_runs(places: Sequence[str | Folder]) -> list[FoundRun]:
    """Find all runs in some folders or URLs, each once, in the order given and then by name.

    Raises:
        UsageError: A place is missing or contains no run.
    """
    by_origin: dict[str, FoundRun] = {}
    for where in places:
        at = _resolved(where)
        if not remote.is_there(at):
            raise UsageError(f"{where} does not exist")
        runs = list(_inside(at, at.name, MAX_DEPTH))
        if not runs:
            raise UsageError(
                f"{where} contains no run: `worldline bench -o DIR` and `worldline score -o DIR` write one"
            )
        for folder, name in runs:
            if (origin := _address(folder)) not in by_origin:
                by_origin[origin] = FoundRun(local(folder), name, origin)
    return list(by_origin.values())


def _inside(at: Folder, name: str, depth: int) -> Iterator[tuple[Folder, str]]:
    """The runs at and below a folder. Links are not followed."""
    if isinstance(at, Path) and not at.is_dir():
        return
    if holds_run(at):
        yield at, name
        return
    if depth == 0:
        return
    is_file = remote.sizes(at)
    for inner in remote.names(at):
        child = at / inner
        if inner in is_file or inner.startswith(".") or (isinstance(child, Path) and child.is_symlink()):
            continue
        yield from _inside(child, f"{name}/{inner}", depth - 1)


def label_of(run: FoundRun, labels: Mapping[str, str]) -> str | None:
    """Return the label of a run: its own, or that of the innermost folder around it."""
    named = {_address(_resolved(where)): label for where, label in labels.items()}
    around = [where for where in named if run.origin == where or run.origin.startswith(where.rstrip("/") + "/")]
    return named[max(around, key=len)] if around else None


def refuse_unused(labels: Mapping[str, str], runs: Sequence[FoundRun]) -> None:
    """Raise a UsageError if a label names no run."""
    for where, label in labels.items():
        if not any(label_of(run, {where: label}) for run in runs):
            raise UsageError(f"--label {where}={label}: {where} is not among the runs")


def _resolved(where: str | Folder) -> Folder:
    at = remote.place(where)
    return at.resolve() if isinstance(at, Path) else at


def _address(at: Folder) -> str:
    """Where a folder is, without the options of its store."""
    return str(at) if isinstance(at, Path) else str(at).partition("?")[0]
