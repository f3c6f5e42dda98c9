"""`make soak` at its smallest size: each part starts its processes, sends requests, and keeps its promises."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("openai")
pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")

SOAK = Path(__file__).parents[2] / "benchmarks" / "soak"


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("part", "count", "name"), [("serve", 30, "`serve`"), ("page", 20, "page"), ("record", 60, "`record_many`")]
)
def test_each_part_of_the_soak_keeps_its_promises(part: str, count: int, name: str) -> None:
    command = [sys.executable, SOAK / "soak.py", "--parts", part, f"--{part}", str(count), "--slack", "40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    row = re.findall(rf"^\| {name} \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", done.stdout, re.MULTILINE)[-1]
    requests, ok, refused, cancelled, errors = map(int, row)
    assert (requests, errors) == (count, 0)
    assert ok > count / 4
    assert ok + refused + cancelled == requests


def test_a_promise_that_is_broken_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SOAK))
    from watching import FLAT_BYTES, MIN_REQUESTS, Held, Memory, Row, Tally

    tally = Tally(deadline=1.0)
    tally.count("ok", 0.5)
    tally.count("error", 2.0, "a wrong answer")
    growing = [(at, 100_000_000 + at * FLAT_BYTES // MIN_REQUESTS) for at in range(0, 2 * MIN_REQUESTS, 10)]
    flat = [(at, 100_000_000 + at % 7) for at, _ in growing]
    assert Memory.of(flat).is_flat
    assert not Memory.of(growing).is_flat
    row = Row("a part", tally, Memory.of(growing), Held(10, 2, 0), Held(90, 80, 1), 1.0, [])
    assert row.check() == [
        "a part: a wrong answer", "a part: a request took 2.0 of 1 s",
        "a part: RSS grew by 25 MiB after 20 % of the requests", "a part: open files: 10, then 90",
        "a part: threads: 2, then 80", "a part: children: 0, then 1",
    ]  # fmt: skip
