"""Java programs that try to get out of the box and print ESCAPED, or leave a mark outside, if they do: none may."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from java_runs import HAS_JDK, JavaRecorder, recorder

PROBES = sorted((Path(__file__).parent / "escape").glob("*.java"))
SECRET = "canary-secret-6e1f"
pytestmark = [pytest.mark.usefixtures("box"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


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
        )
        return tuple(map(str, names))


def answer(server: socket.socket, calls: list[str]) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return
        calls.append("called")


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    folder, calls = tmp_path_factory.mktemp("outside"), list[str]()
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
    with recorder() as found:
        yield found


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


def test_there_are_enough() -> None:
    assert len(PROBES) >= 10
