"""Sources as people have them: empty, without `main`, with line ends and bytes of another system."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.limits import Limits
from worldline.core.trace import Outcome, Trace
from worldline.recording.collect import collect
from worldline.recording.languages import toolchain
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")


def recorded(folder: Path, name: str, data: bytes) -> Trace:
    (folder / name).write_bytes(data)
    program = collect(folder / name)
    if isinstance(why := toolchain.find(program.language), str):
        pytest.skip(why)
    return record(program, limits=Limits(wall=120))


@pytest.mark.parametrize("name", ["a.c", "a.cpp"])
@pytest.mark.parametrize("data", [b"", b"int f(void) { return 1; }\n"], ids=["empty", "no main"])
def test_what_has_no_main_does_not_run(tmp_path: Path, name: str, data: bytes) -> None:
    assert recorded(tmp_path, name, data).outcome == Outcome("unsupported", "source: there is no function main")


@pytest.mark.parametrize("name", ["a.c", "a.cpp"])
def test_bytes_of_a_source_arrive_as_they_are(tmp_path: Path, name: str) -> None:
    source = b'#include <string.h>\nint main(void) {\n    int n = strlen("\xe9");\n    return n;\n}\n'
    assert recorded(tmp_path, name, source).outcome == Outcome("exited", "1")


def test_windows_line_ends_change_no_step(tmp_path: Path) -> None:
    source = b"int main(void) {\n    int n = 2;\n    return n;\n}\n"
    one = recorded(tmp_path, "a.c", source)
    other = recorded(tmp_path, "a.c", b"\xef\xbb\xbf" + source.replace(b"\n", b"\r\n"))
    assert list(one.steps) == list(other.steps)
    assert len(one) > 3
