"""Runs on an S3 server become a leaderboard there: found below a key, written, verified, written again."""

from __future__ import annotations

from pathlib import Path

import worldline
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.permutation import load
from worldline.predict.interpreter import Interpreter
from worldline.storage import remote
from worldline.storage.remote import StorePath


def test_a_leaderboard_of_a_store_on_a_store(shelf: StorePath, tmp_path: Path) -> None:
    for name in ("one", "deep/two"):
        run(load(), Interpreter(), limit=2, out=shelf / "runs" / name)
    out = shelf / "board"
    written = worldline.leaderboard([str(shelf / "runs")], str(out), labels={str(shelf / "runs" / "deep"): "Deep"})
    assert sorted(row.model for row in written.board.rows) == ["Deep", "interpreter"]
    assert [entry.run.name for entry in written.board.entries if entry.model == "Deep"] == ["runs/deep/two"]
    assert worldline.verify(out) == []
    assert len([name for name in remote.names(out) if name.startswith("report-")]) == 2
    worldline.leaderboard([str(shelf / "runs" / "one")], str(out))
    assert len([name for name in remote.names(out) if name.startswith("report-")]) == 1
    remote.write(out / "index.html", b"changed")
    assert len(worldline.verify(out)) == 1
