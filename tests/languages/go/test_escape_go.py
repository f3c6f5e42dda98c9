"""Go programs that try to leave the sandbox and print ESCAPED, or leave a mark outside, if they do: none may."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from go_runs import HAS_GO, GoRecorder, plain, recorder

PROBES = sorted((Path(__file__).parent / "escape").glob("*.go"))
SECRET = "canary-secret-6e1f"
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_GO, reason="there is no Go")]


@dataclass
class Outside:
    """A host with something to lose."""

    folder: Path
    port: int
    victim: subprocess.Popen[bytes]
    calls: list[str]

    @property
    def argv(self) -> tuple[str, ...]:
        paths = (self.folder / "canary", self.folder / "mark", self.port, self.victim.pid, self.folder / "socket")
        return tuple(map(str, paths))


def answer(server: socket.socket, calls: list[str]) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return
        calls.append("called")


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    with outside_of(tmp_path_factory.mktemp("outside")) as host:
        yield host


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
def go() -> Iterator[GoRecorder]:
    with pytest.MonkeyPatch.context() as patch, recorder() as opened:
        patch.setenv("WORLDLINE_CANARY", SECRET)  # before its sandbox is opened, by the first program
        yield opened


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.stem)
def test_nothing_gets_out(path: Path, go: GoRecorder, outside: Outside) -> None:
    trace = go.record(path.read_text(), argv=outside.argv)
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    assert "tried" in trace.output
    assert "ESCAPED" not in trace.output, trace.output
    assert SECRET not in trace.output + trace.stderr
    assert not (outside.folder / "mark").exists()
    assert (outside.folder / "canary").read_text() == SECRET
    assert outside.victim.poll() is None
    assert outside.calls == []


def test_parts_that_were_written_over_are_whole_again(go: GoRecorder, outside: Outside) -> None:
    source = (Path(__file__).parent / "escape" / "write_over_parts.go").read_text()
    first, second = (go.record(source, argv=outside.argv) for _ in range(2))
    assert (first.outcome, first.output) == (second.outcome, second.output)
    assert list(first.steps) == list(second.steps)


@pytest.mark.parametrize(
    "source",
    [
        'package main\n\nimport _ "embed"\n\n//go:embed /etc/passwd\nvar text string\n\nfunc main() { print(text) }\n',
        'package main\n\n//#include "/etc/passwd"\nimport "C"\n\nfunc main() {}\n',
        'package main\n\n//go:cgo_ldflag "-Wl,x"\n\nfunc main() {}\n',
    ],
)
def test_the_compiler_reads_no_other_file(go: GoRecorder, source: str) -> None:
    trace = go.record(source)
    assert (trace.outcome.kind, trace.outcome.detail.partition(":")[0]) == ("unsupported", "source")
    assert "root:" not in trace.stderr + trace.output


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["read_file", "tcp", "write_file", "spawn_cat", "host_files", "environment", "descriptors"]
)
def test_the_probes_can_tell(name: str, tmp_path: Path) -> None:
    """Without a sandbox they do get there: the same text, executed plainly, with a file open."""
    source = (Path(__file__).parent / "escape" / f"{name}.go").read_text()
    with outside_of(tmp_path) as host, (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        ran = plain(source, argv=host.argv, environment={"WORLDLINE_CANARY": SECRET}, keep=(file.fileno(),))
    assert "ESCAPED" in ran.stdout or SECRET in ran.stdout, ran


def test_there_are_enough() -> None:
    assert len(PROBES) >= 10
