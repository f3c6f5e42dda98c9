"""Every probe under escape/ tries to get out of the box, or into the recorder: none may. That they could is shown."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from node_runs import plain, program

from worldline.core.limits import Limits
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
PROBES = sorted((Path(__file__).parent / "escape").glob("*.js"))
SECRET = "canary-of-node-probes"


class Outside:
    """A host with something to lose: a secret, a folder, a server, a process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, 0
        (folder / "canary").write_text(SECRET)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.victim = subprocess.Popen(["sleep", "600"])
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.calls += 1
            connection.close()

    def close(self) -> None:
        self.server.close()
        self.victim.kill()
        self.victim.wait()

    def told(self, source: str) -> str:
        """A probe that knows where things are."""
        names = {
            "CANARY": str(self.folder / "canary"), "FOLDER": str(self.folder), "SECRET": SECRET,
            "PORT": str(self.server.getsockname()[1]), "VICTIM": str(self.victim.pid),
        }  # fmt: skip
        for name, value in names.items():
            source = source.replace(name, value)
        return source


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    with tempfile.TemporaryDirectory(prefix="wl-probes-") as folder:
        found = Outside(Path(folder))
        yield found
        found.close()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60, steps=200_000), python=None, core="auto", trust=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_OF_HOST", SECRET)  # before its box is opened, by the first program
        yield worker
    worker.close()


def test_there_are_enough() -> None:
    assert len(PROBES) >= 10


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", PROBES, ids=lambda path: path.stem)
def test_a_probe_stays_inside(path: Path, outside: Outside, sandbox: SandboxWorker) -> None:
    trace = sandbox.record(program(outside.told(path.read_text())))
    assert trace.outcome.kind not in ("host-fault", "unsupported"), (trace.outcome, trace.stderr)
    assert trace.outcome.kind != "limit", "it was cut before it had tried all"
    assert "escaped" not in trace.output
    assert not (outside.folder / "mark").exists()
    assert outside.victim.poll() is None
    assert outside.calls == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["read_host", "network", "child_process", "environment"])
def test_the_probes_can_tell(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a box they do get there: the same text, run plainly."""
    monkeypatch.setenv("TOKEN_OF_HOST", SECRET)
    host = Outside(tmp_path)
    try:
        source = (Path(__file__).parent / "escape" / f"{name}.js").read_text()
        assert "escaped" in plain(host.told(source), "probe.js", tmp_path).stdout
    finally:
        host.close()
