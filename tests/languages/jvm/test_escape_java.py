"""Java programs that try to get out of the box and print ESCAPED, or leave a mark outside, if they do: none may."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from java_runs import HAS_JDK, JavaRecorder, plain, recorder

from worldline.recording.languages import toolchain

PROBES = sorted((Path(__file__).parent / "escape").glob("*.java"))
SECRET = "canary-secret-6e1f"
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


@dataclass
class Outside:
    """A host with something to lose."""

    folder: Path
    port: int
    victim: subprocess.Popen[bytes]
    calls: list[str]

    @property
    def argv(self) -> tuple[str, ...]:
        names = (
            self.folder / "canary",
            self.folder / "mark",
            self.port,
            self.victim.pid,
            self.folder / "socket",
            ":".join(needed()),
        )
        return tuple(map(str, names))


def needed() -> list[str]:
    """The folders of the host that a box has: the interpreter's, its environment's and the JDK's."""
    found = toolchain.find("java")
    assert not isinstance(found, str)
    homes = [sys.prefix, sys.base_prefix]
    return [*homes, *map(os.path.realpath, homes), *found.directories]


def answer(server: socket.socket, calls: list[str]) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return
        calls.append("called")


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    with outside_of(tmp_path_factory.mktemp("outside")) as found:
        yield found


@contextmanager
def outside_of(folder: Path) -> Iterator[Outside]:
    """A host with its files in a folder."""
    calls = list[str]()
    (folder / "canary").write_text(SECRET)
    with ExitStack() as stack:
        servers = []
        for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, str(folder / "socket"))):
            server = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            server.bind(address)
            server.listen()
            threading.Thread(target=answer, args=(server, calls), daemon=True).start()
            servers.append(server)
        victim = stack.enter_context(subprocess.Popen(["sleep", "3600"]))
        stack.callback(victim.kill)
        yield Outside(folder, servers[0].getsockname()[1], victim, calls)


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with pytest.MonkeyPatch.context() as patch, recorder() as found:
        patch.setenv("WORLDLINE_CANARY", SECRET)  # before its box is opened, by the first program
        yield found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.stem)
def test_nothing_gets_out(path: Path, java: JavaRecorder, outside: Outside) -> None:
    trace = java.record(path.read_text(), argv=outside.argv)
    assert trace.outcome.kind in ("returned", "raised"), (trace.outcome, trace.stderr)
    assert "tried" in trace.output
    assert "ESCAPED" not in trace.output, trace.output
    assert SECRET not in trace.output + trace.stderr
    assert not (outside.folder / "mark").exists()
    assert (outside.folder / "canary").read_text() == SECRET
    assert outside.victim.poll() is None
    assert outside.calls == []


def test_parts_that_were_written_over_are_whole_again(java: JavaRecorder, outside: Outside) -> None:
    source = (Path(__file__).parent / "escape" / "write_over_parts.java").read_text()
    first, second = (java.record(source, argv=outside.argv) for _ in range(2))
    assert (first.outcome, first.output) == (second.outcome, second.output)
    assert list(first.steps) == list(second.steps)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["read_file", "tcp", "write_file", "spawn_cat", "host_folders", "environment", "descriptors"]
)
def test_the_probes_can_tell(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a box they do get there: the same text, run plainly, with a file open that the JDK has no need of."""
    source = (Path(__file__).parent / "escape" / f"{name}.java").read_text()
    with outside_of(tmp_path) as host, (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        ran = plain(source, argv=host.argv, environment={"WORLDLINE_CANARY": SECRET}, keep=(file.fileno(),))
    assert "ESCAPED" in ran.stdout or SECRET in ran.stdout, ran


def test_there_are_enough() -> None:
    assert len(PROBES) >= 10
