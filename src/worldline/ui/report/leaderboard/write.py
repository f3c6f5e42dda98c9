"""`worldline.leaderboard`: write the board of many runs as a folder of static pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.evaluation.conclusion import conclude
from worldline.evaluation.leaderboard.board import Board, arrange
from worldline.evaluation.leaderboard.entry import TRACE, BoardEntry, read_entry
from worldline.evaluation.leaderboard.find import find_runs, label_of, refuse_unused
from worldline.evaluation.leaderboard.stored import CSV, DATA, PAGE, REPORT_PREFIX, board_csv, board_json, write_board
from worldline.evaluation.run.directory import json_bytes
from worldline.storage import remote
from worldline.storage.remote import Folder
from worldline.ui.report.leaderboard.board_page import board_page
from worldline.ui.report.leaderboard.measured_page import measured_page
from worldline.ui.report.page import DEFAULT_FAILURES, render

MAX_SLUG_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class WrittenLeaderboard:
    """A written leaderboard: its page, what is on it, and how many samples the tool could not read."""

    page: Folder
    board: Board
    unread: int

    @property
    def published(self) -> int:
        """How many rows were published, not measured."""
        return sum(row.source is not None for row in self.board.rows)


def leaderboard(
    runs: Sequence[str | Folder],
    out: str | Folder,
    *,
    labels: Mapping[str, str] | None = None,
    max_failures: int = DEFAULT_FAILURES,
    progress: Callable[[int, int], None] | None = None,
) -> WrittenLeaderboard:
    """Write a static page of models by suites, with a report for every run and the published figures beside.

    Args:
        runs: Folders or URLs of runs of `bench` or `score`, or folders that contain some.
        out: The folder or the URL of the pages. A leaderboard there is replaced.
        labels: Names for the models of runs, by the folder or URL of a run or around some.
        max_failures: Maximum number of failures that each report shows.
        progress: Called with how many runs are done, and of how many.

    Returns:
        The page and the board on it.

    Raises:
        UsageError: A folder contains no run, a label names none, or `out` holds something else.
    """
    stored = find_runs(runs)
    refuse_unused(labels or {}, stored)
    entries, pages, written, unread = list[BoardEntry](), dict[str, str](), dict[str, bytes](), 0
    for number, run in enumerate(stored, 1):
        entry = read_entry(run, label_of(run, labels or {}))
        text, entry, failed = _report(entry, max_failures)
        name = f"{REPORT_PREFIX}{number}-{_slug(entry)}.html"
        written[name] = text.encode("utf-8", "backslashreplace")
        pages[run.origin] = name
        entries.append(entry)
        unread += failed
        if progress is not None:
            progress(number, len(stored))
    board = arrange(entries)
    data = {DATA: json_bytes(board_json(board, pages)), CSV: board_csv(board, pages)}
    page = board_page(board, pages).encode("utf-8", "backslashreplace")
    at = remote.place(out)
    write_board(at, {**data, PAGE: page, **written})
    return WrittenLeaderboard(page=at / PAGE, board=board, unread=unread)


def _report(entry: BoardEntry, max_failures: int) -> tuple[str, BoardEntry, int]:
    """The report of a run, the run with its conclusion, and on how many samples the tool failed."""
    if entry.is_measured:
        return measured_page(entry), entry, 0
    text, findings = render(entry.run.path, limit=max_failures)
    if TRACE in entry.figures:  # without traces there is no cause to name
        conclusion = conclude(findings.sums, findings.interventions, entry.selection)
        entry = replace(entry, conclusion=conclusion)
    return text, entry, findings.unread


def _slug(entry: BoardEntry) -> str:
    """The suite and the model as a part of a file name."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join([entry.suite, entry.model, *entry.way]))
    return words.strip("-.").lower()[:MAX_SLUG_CHARS] or "run"
