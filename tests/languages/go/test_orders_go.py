"""The order of a map, and the ready case that `select` chooses, are the same in every recording."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import go_runs
import pytest

from worldline.recording.guests.go import build, runtime

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not go_runs.HAS_GO, reason="there is no Go")]
SOURCE = Path(__file__).parent / "orders" / "maps.go"
RECORDINGS = 5
RECORD = """
import sys
from pathlib import Path
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode
import go_runs

with go_runs.recorder() as recorder:
    sys.stdout.buffer.write(encode(recorder.record(Path(sys.argv[1]).read_text()), Compact(same=True)))
"""


def test_recordings_of_fresh_processes_are_equal() -> None:
    command = [sys.executable, "-c", RECORD, str(SOURCE)]
    traces = {
        subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, check=True, timeout=go_runs.DEADLINE
        ).stdout
        for _ in range(RECORDINGS)
    }
    assert len(traces) == 1


def test_an_order_is_one_that_go_may_draw() -> None:
    source = SOURCE.read_text()
    with go_runs.recorder() as recorder:
        trace = recorder.record(source)
        go_runs.check(trace, recorder.flow(trace))
    plain = go_runs.plain(source)
    assert (trace.output, go_runs.status_of(trace)) == (plain.stdout, plain.status) == (plain.stdout, 0)
    assert "order" not in trace.notes


def test_another_source_of_the_runtime_is_not_edited(tmp_path: Path) -> None:
    go = shutil.which("go")
    assert go is not None
    toolchain = Path(build.root(str(Path(go).resolve())))
    source = tmp_path / "toolchain" / "src" / "runtime"
    folder = tmp_path / "edited"
    source.parent.mkdir(parents=True)
    folder.mkdir()
    archive = tmp_path / runtime.ARCHIVE
    assert runtime.compile_runtime(go, source.parents[1], archive, folder, {}) == b""
    shutil.copytree(toolchain / "src" / "runtime", source, ignore=shutil.ignore_patterns("*_test.go"))
    (source / "map.go").write_text((source / "map.go").read_text().replace("uintptr(fastrand())", "drawStart()"))
    assert runtime.compile_runtime(go, source.parents[1], archive, folder, {}) == b""
    assert not any(folder.iterdir())
