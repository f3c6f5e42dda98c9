"""What a guest makes once for a toolchain: kept, used by every box that prepares, and made anew when damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.languages import toolchain, tools, worker
from worldline.recording.languages.toolchain import Toolchain
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCES = {
    "c": ("a.c", "int main(void) {\n    return 0;\n}\n"),
    "cpp": ("a.cpp", '#include <iostream>\nint main() {\n    std::cout << "a\\n";\n}\n'),
    "rust": ("a.rs", 'fn main() {\n    println!("a");\n}\n'),
}


def found(language: str) -> Toolchain:
    """The toolchain, or the test is skipped."""
    what = toolchain.find(language)
    if isinstance(what, str):
        pytest.skip(what)
    return what


def outcomes(language: str, comments: tuple[str, ...]) -> list[str]:
    """How a program ends that is compiled anew for each comment, all by one worker."""
    name, source = SOURCES[language]
    recorder = SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))
    try:
        traces = [recorder.record(Program(source=f"{source}// {said}\n", name=name)) for said in comments]
    finally:
        recorder.close()
    assert all(len(trace) for trace in traces)
    return [trace.outcome.kind for trace in traces]


def times(kept: Path) -> dict[str, int]:
    """When each file came to be: the date that they show is always the same."""
    return {path.name: path.stat().st_ctime_ns for path in kept.iterdir()}


def test_a_slow_build_is_announced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(worker, "SECONDS_BEFORE_NOTICE", 0.0)
    found("c")
    assert outcomes("c", ("1", "2")) == ["returned", "returned"]
    assert capfd.readouterr().err.count("compiling the recorder for gcc") == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", list(SOURCES))
def test_it_is_made_once_and_used_by_other_boxes(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    digest = tools.key(found(language))
    assert tools.find(digest) is None
    assert outcomes(language, ("1",)) == ["returned"]
    kept = tools.find(digest)
    assert kept is not None
    made = times(kept)
    assert "runtime.c.o" in made
    assert outcomes(language, ("2", "3")) == ["returned", "returned"]
    assert times(kept) == made


@pytest.mark.long(reason="compiles the runtime for C twice; test_tools.py has what is not whole")
def test_what_is_not_whole_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    digest = tools.key(found("c"))
    outcomes("c", ("1",))
    (tools.folder() / digest / "runtime.c.o").write_bytes(b"cut")
    assert tools.find(digest) is None
    assert outcomes("c", ("2",)) == ["returned"]
    assert tools.find(digest) is not None


@pytest.mark.long(reason="compiles the runtime for C in a cache of its own")
def test_a_program_cannot_write_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = tools.folder() / tools.key(found("c"))
    outcomes("c", ("1",))
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    source = f"""#include <stdio.h>
int main(void) {{
    const char *all[] = {{"{kept}/runtime.c.o", "/worldline/tools/runtime.c.o"}};
    int opened = 0;
    for (int i = 0; i < 2; i++) {{
        opened += fopen(all[i], "r+") != NULL;
        opened += remove(all[i]) == 0;
    }}
    return opened;
}}
"""
    worker = SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))
    try:
        trace = worker.record(Program(source=source, name="writes.c"))
    finally:
        worker.close()
    assert trace.outcome.kind == "returned", trace.outcome
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == before
