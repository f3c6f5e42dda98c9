"""Programs of several files and with flags by the protocol: a breakpoint in another file, and the state there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dapclient import Adapter

from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """An adapter that must end well."""
    with Adapter() as opened:
        yield opened


def test_a_second_source_and_a_flag_of_c(adapter: Adapter, tmp_path: Path) -> None:
    if isinstance(missing := toolchain.find("c"), str):
        pytest.skip(missing)
    (tmp_path / "main.c").write_text("int twice(int n);\nint main(void) {\n    return twice(SIZE);\n}\n")
    (tmp_path / "util.c").write_text("int twice(int n) {\n    int r = n * 2;\n    return r;\n}\n")
    adapter.launch(
        program="main.c", cwd=str(tmp_path), files=["util.c"], flags=["-DSIZE=4"], model="interpreter", stopOnEntry=True
    )
    adapter.stopped()
    names = []
    for _ in range(4):
        frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
        names.append((Path(frame["source"].get("path", frame["source"]["name"])).name, frame["name"], frame["line"]))
        adapter.ask("stepIn", threadId=1)
        adapter.stopped()
    assert ("util.c", "twice", 2) in names
    assert names[0][:2] == ("main.c", "main")
