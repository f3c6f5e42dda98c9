"""Ordinary programs, the traces of which were read against their source: they end as in a plain run and stay whole.

Node.js of these tests runs no TypeScript: what such a program prints stands in its last line.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, faults

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.writer import encode_steps
from worldline.recording.collect import collect
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAMS = sorted(path for path in (Path(__file__).parent / "ordinary").iterdir() if path.is_file())


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_an_ordinary_program(recorder: SandboxWorker, path: Path) -> None:
    asked = collect(path, argv=(), call=None, entry=None, stdin="")
    trace = recorder.record(asked)
    data = recorder.in_language(asked.language).flow(asked)
    assert data is not None
    assert faults(trace, data) == []
    guide = Guide(asked, guard=True, table=read_table(data, asked))
    guide.feed_all(encode_steps(trace))
    assert guide.ended
    if path.suffix == ".ts":
        assert trace.output == asked.source.splitlines()[-1].removeprefix("// => ") + "\n"
    else:
        command = ["node", path.name]
        run = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120, check=False)
        assert as_in_a_plain_run(trace, run)
