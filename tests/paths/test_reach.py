"""Mining asks the search for branches that its own calls miss."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from worldline.core.program import Program
from worldline.data.mine.mine import mine
from worldline.plan.paths import symbolic
from worldline.plan.paths.search import MissingBranchSearch
from worldline.recording.recorder import record

SOURCE = """\
def checked(code: int) -> str:
    total = code * 13 + 7
    if total == 1_300_013 + 20:
        kind = "special"
        total += 1
        return kind
    kind = "plain"
    return kind


def counted(n: int):
    for i in range(min(n, 3)):
        yield i
    if n * 11 == 5555506:
        yield "rare"
"""
solved = pytest.mark.skipif(not symbolic.is_installed(), reason="the extra `paths` is not installed")


def mined(tmp_path: Path, reach: MissingBranchSearch | None) -> set[str]:
    (tmp_path / "place").mkdir(parents=True)
    (tmp_path / "place" / "codes.py").write_text(SOURCE)
    out = tmp_path / "mined.xz"
    mine([str(tmp_path / "place")], out=out, reach=reach)
    return {json.loads(line)["call"] for line in lzma.open(out, "rb")}


@solved
def test_a_branch_that_drawn_arguments_miss_is_mined(tmp_path: Path) -> None:
    plain, more = mined(tmp_path / "without", None), mined(tmp_path / "with", MissingBranchSearch(60.0))
    assert plain < more
    assert more - plain == {"checked(100002)", "list(counted(505046))"}


def test_no_search_if_no_branch_is_missing() -> None:
    source = "def f(x):\n    return x + 1\n"
    trace = record(Program(source=source, call="f(1)"))
    assert MissingBranchSearch(60.0)(trace.program, {"f(1)": trace}) == []


def test_a_call_of_nothing_known_is_left_alone() -> None:
    trace = record(Program(source="x = [1]\n", call="len(x)"))
    assert MissingBranchSearch(60.0)(trace.program, {"len(x)": trace}) == []
