"""Every probe tries to get out of the box and leaves a mark outside if it does: none may.

That the marks can be seen at all is shown by running some probes without a box.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import worldline.recording.cgroup
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import record_many

HERE = Path(__file__).parent
PROBES = sorted((HERE / "probes").glob("*.py"))
FORGERY = "forge_exit"


class Outside:
    """A host with something to lose: a secret, a file, servers, a process."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.secret = folder, f"canary-secret-{secrets.randbelow(10**12):012}"
        self.mark, self.canary = folder / "mark", folder / "canary"
        self.canary.write_text(self.secret)
        self.token = f"wl-{secrets.token_hex(4)}"
        self.calls: list[str] = []
        self.port = self._serve_ip(stack)
        self._serve(stack, socket.AF_UNIX, str(folder / "socket"))
        self._serve(stack, socket.AF_UNIX, "\0" + self.token)
        self.victim = stack.enter_context(subprocess.Popen(["sleep", "600"]))
        stack.callback(self.victim.kill)
        self.host_name = socket.gethostname()

    def _serve(self, stack: ExitStack, family: int, address: object, kind: int = socket.SOCK_STREAM) -> socket.socket:
        server = stack.enter_context(socket.socket(family, kind))
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen()
        threading.Thread(target=self._answer, args=(server,), daemon=True).start()
        return server

    def _serve_ip(self, stack: ExitStack) -> int:
        port: int = self._serve(stack, socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
        self._serve(stack, socket.AF_INET, ("127.0.0.1", port), socket.SOCK_DGRAM)
        if socket.has_ipv6:
            with suppress(OSError):  # where the host has none, the probe finds nothing to connect to
                self._serve(stack, socket.AF_INET6, ("::1", port))
        return port

    def _answer(self, server: socket.socket) -> None:
        while True:
            try:
                if server.type == socket.SOCK_DGRAM:
                    server.sendto(b"heard", server.recvfrom(100)[1])
                else:
                    server.accept()[0].close()
            except OSError:
                return
            self.calls.append(str(server.family))

    @property
    def argv(self) -> tuple[str, ...]:
        names = (self.mark, self.canary, Path.home(), self.port, self.folder / "socket", self.token)
        return (*map(str, names), str(self.victim.pid), self.token)

    def survivors(self) -> list[int]:
        """Processes of the host that carry the probes' name."""
        pids = []
        for entry in os.listdir("/proc"):
            # A process may end at any moment.
            with suppress(OSError):
                if entry.isdecimal() and Path("/proc", entry, "comm").read_text().strip() == self.token:
                    pids.append(int(entry))
        return pids

    def marks(self, said: str) -> list[str]:
        """Everything that a probe may have left, and has."""
        return [
            *(line for line in said.splitlines() if line.startswith("escaped:")),
            *(["the secret was printed"] if self.secret in said else []),
            *(["a file was made"] if self.mark.exists() else []),
            *(["the canary is changed"] if self.canary.read_text() != self.secret else []),
            *[f"a call came in: {call}" for call in self.calls],
            *(["the victim is dead"] if self.victim.poll() is not None else []),
            *[f"process {pid} lives" for pid in self.survivors()],
            *(["the host has another name"] if socket.gethostname() != self.host_name else []),
        ]


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    with ExitStack() as stack:
        made = Outside(tmp_path, stack)
        monkeypatch.setenv("WORLDLINE_CANARY", made.secret)
        yield made
        for pid in made.survivors():
            os.kill(pid, signal.SIGKILL)


def programs(outside: Outside) -> list[Program]:
    files = (("outside.py", (HERE / "outside.py").read_text()),)
    return [Program(source=path.read_text(), name=path.name, argv=outside.argv, files=files) for path in PROBES]


def findings(outside: Outside) -> dict[str, list[str]]:
    """What each probe managed, or that it never tried."""
    found = {}
    for trace in record_many(programs(outside), limits=Limits(wall=30, steps=200_000)):
        marks = outside.marks(trace.output + trace.stderr)
        if "attempted" not in trace.output or trace.outcome.kind == "host-fault":
            marks.append(f"never tried: {trace.outcome} {trace.stderr[-500:]}")
        if trace.program.name == f"{FORGERY}.py" and trace.outcome.kind != "exited":
            marks.append(f"forged {trace.outcome}")
        if marks:
            found[trace.program.name] = marks
        outside.calls.clear()
        outside.mark.unlink(missing_ok=True)
    return found


def test_there_are_probes_enough() -> None:
    assert len(PROBES) >= 40


@pytest.mark.usefixtures("provider")
def test_no_probe_escapes(outside: Outside) -> None:
    assert findings(outside) == {}


@pytest.mark.usefixtures("provider")
def test_no_probe_escapes_where_no_cgroup_can_be_had(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(worldline.recording.cgroup, "make", none)
    assert findings(outside) == {}


UNBOXED: dict[str, Callable[[list[str]], bool]] = {
    "read_passwd": lambda marks: any("read" in mark for mark in marks),
    "read_canary": lambda marks: "the secret was printed" in marks,
    "own_environment": lambda marks: "the secret was printed" in marks,
    "write_outside": lambda marks: "a file was made" in marks,
    "symlink_out": lambda marks: "the secret was printed" in marks and "a file was made" in marks,
    "rename_over": lambda marks: "the canary is changed" in marks,
    "tcp_loopback": lambda marks: any("call" in mark for mark in marks),
    "udp_loopback": lambda marks: any("call" in mark for mark in marks),
    "unix_socket": lambda marks: any("call" in mark for mark in marks),
    "abstract_socket": lambda marks: any("call" in mark for mark in marks),
    "host_processes": lambda marks: any("processes" in mark for mark in marks),
    "kill_victim": lambda marks: "the victim is dead" in marks,
    "daemon": lambda marks: any(mark.endswith("lives") for mark in marks),
    "stubborn": lambda marks: any(mark.endswith("lives") for mark in marks),
}


@pytest.mark.parametrize("name", sorted(UNBOXED))
def test_the_same_probe_succeeds_without_a_box(name: str, outside: Outside) -> None:
    source = HERE / "probes" / f"{name}.py"
    text = source.read_text().replace('os.replace, "mine", "/usr/bin/env"', 'os.replace, "mine", "here"')
    (outside.folder / "probe.py").write_text(text)
    with open(outside.folder / "said", "wb") as said:
        subprocess.run(
            [sys.executable, outside.folder / "probe.py", *outside.argv],
            cwd=outside.folder,
            env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=said,
            stderr=said,
            timeout=120,
            check=False,
        )
    if name == "kill_victim":
        outside.victim.wait(120)
    assert UNBOXED[name](outside.marks((outside.folder / "said").read_text(errors="replace")))
