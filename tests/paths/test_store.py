"""Paths at rest: rows and traces come back, functions stand beside each other, damage is found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from worldline.cli import main
from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.data import manifest, shards
from worldline.plan.paths.path_class import PathReport
from worldline.plan.paths.search import paths
from worldline.plan.paths.store import find_problems, load_paths, read, store_paths

SOURCE = """\
def f(x: int) -> int:
    if x > 3:
        return 1
    return 0


def g(s: str) -> int:
    if s == "lone \\ud800":
        return 1
    return 0
"""


@pytest.fixture(scope="module")
def reports() -> dict[str, PathReport]:
    return {name: paths(Program(source=SOURCE), name, solver="never") for name in "fg"}


def test_rows_and_traces_come_back(reports: dict[str, PathReport], tmp_path: Path) -> None:
    assert store_paths(reports["f"], tmp_path) == 2
    for (row, trace), each in zip(load_paths(tmp_path), reports["f"].classes, strict=True):
        assert (row.call, row.found_by, row.inputs) == (each.call, each.found_by, each.inputs)
        assert (row.decisions, row.solved, row.uncovered) == (each.decisions, each.solved, ())
        assert trace.outcome == each.trace.outcome
    assert shards.verify(tmp_path) == []
    assert find_problems(tmp_path) == []


def test_newest_paths_of_each_function_are_stored(reports: dict[str, PathReport], tmp_path: Path) -> None:
    for name in "fgf":
        store_paths(reports[name], tmp_path)
    assert [row.function for row in read(tmp_path)] == ["g"] * len(reports["g"].classes) + ["f"] * 2
    assert find_problems(tmp_path) == []


def test_a_damaged_sidecar_and_a_lost_trace_are_found(reports: dict[str, PathReport], tmp_path: Path) -> None:
    store_paths(reports["f"], tmp_path)
    path = tmp_path / "paths.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError):
        read(tmp_path)
    assert main(["verify", str(tmp_path)]) == 1
    path.write_bytes(whole)
    assert main(["verify", str(tmp_path)]) == 0
    store_paths(reports["g"], tmp_path / "other")
    (tmp_path / "other" / "paths.parquet").write_bytes(whole)
    assert "is not in the shards" in find_problems(tmp_path / "other")[0]


def test_paths_of_version_1_stay_beside_new_ones(
    reports: dict[str, PathReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Traces of another release would be refused.
    monkeypatch.setattr(manifest, "code_version", lambda: "0.1.0")
    shutil.copytree(Path(__file__).parents[1] / "formats" / "paths-v1", tmp_path / "old")
    old = read(tmp_path / "old")
    store_paths(reports["g"], tmp_path / "old")
    rows = read(tmp_path / "old")
    assert rows[: len(old)] == old
    assert [row.function for row in rows[len(old) :]] == ["g"] * len(reports["g"].classes)
    columns = {
        is_old: {one.column for row in part for one in row.decisions}
        for is_old, part in ((True, rows[: len(old)]), (False, rows[len(old) :]))
    }
    assert columns == {True: {-1}, False: {7}}
    assert find_problems(tmp_path / "old") == []


def test_a_later_version_is_refused_by_name(reports: dict[str, PathReport], tmp_path: Path) -> None:
    store_paths(reports["f"], tmp_path)
    path = tmp_path / "paths.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"worldline.paths": "3"}), path)
    with pytest.raises(FormatError, match="version '3'; this worldline reads 1 and 2"):
        read(tmp_path)


def test_a_directory_without_paths_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="worldline paths -o"):
        read(tmp_path)


def test_the_verb_prints_and_stores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.py"
    file.write_text(SOURCE.replace("\\ud800", "wolf"))
    assert main(["paths", str(file), "--function", "f", "--solver", "never", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "2 classes found; every branch was tried both ways" in said
    assert "2:7 x > 3 → true" in said
    assert "2 of 2 arcs" in said
    assert len(list(load_paths(tmp_path / "out"))) == 2
    assert main(["paths", str(file), "--function", "g('lone wolf')", "--solver", "never", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {each["call"]: each["found_by"] for each in told["classes"]}["g('lone wolf')"] == "example"
    assert told["uncovered"] == []


def test_the_verb_says_what_is_not_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.py"
    file.write_text("def f(x: int) -> int:\n    if x * 7 == 700007:\n        return 1\n    return 0\n")
    assert main(["paths", str(file), "--function", "f", "--solver", "never"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1 class found; 1 branch not tried; CrossHair was not asked")
    assert "not reached: 2:7 x * 7 == 700007 → true" in said
    assert main(["paths", str(file), "--function", "nothing"]) == 2
    assert "has no function 'nothing'" in capsys.readouterr().err
