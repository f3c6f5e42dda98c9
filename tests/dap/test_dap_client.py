"""Microsoft's own client drives the adapter, over standard streams and over a port; the schema reads along.

Needs node and `npm ci --prefix tests/dap`, which set-up does.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dapclient import SECONDS, check
from test_dap_session import EXAMPLES, replayed

from worldline.core.errors import UsageError
from worldline.ui.dap.server import is_own, serve_port
from worldline.ui.dap.wire import frame

HERE = Path(__file__).parent
COMMAND = Path(sys.executable).with_name("worldline")  # what an editor starts
pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def node() -> str:
    """Node, with the client installed; a machine without either has nothing to say here."""
    found = shutil.which("node")
    if found is None or not (HERE / "node_modules").is_dir():
        pytest.skip("no node, or no `npm ci --prefix tests/dap`")
    return found


def run(node: str, script: str, folder: Path, **config: object) -> None:
    """Run one script; every message that went over the wire must fit the schema."""
    transcript = folder / "transcript.jsonl"
    known = {name: str(EXAMPLES / f"{name}.py") for name in ("count", "factorial", "primes")}
    done = subprocess.run(
        [node, str(HERE / script), str(COMMAND), "dap", str(transcript), json.dumps(known | config)],
        capture_output=True, text=True, timeout=3 * SECONDS, check=False,
    )  # fmt: skip
    complaints = [line for line in done.stdout.splitlines() if not line.startswith("error[interrupted]")]
    if done.returncode == 0 and complaints and complaints[0].startswith("skip: "):
        pytest.skip(complaints[0].removeprefix("skip: "))
    # An interruption is no complaint: the client ends the adapter by a signal.
    assert (done.returncode, complaints) == (0, []), done.stdout + done.stderr
    messages = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    for message in messages:
        check(message)
    kinds = {message["type"] for message in messages}
    assert kinds == {"request", "response", "event"}


def test_divergences_and_branches(node: str, tmp_path: Path) -> None:
    wrong = replayed(tmp_path, "count('berry', 'r')", (b"7 n=1", b"7 n=5"))
    run(node, "changing.mjs", tmp_path, wrong=wrong)


@pytest.mark.long(reason="the shipped model predicts up to four programs")
def test_the_shipped_model(node: str, tmp_path: Path) -> None:
    run(node, "predicting.mjs", tmp_path)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A port that the adapter listens on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "worldline", "dap", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said.startswith("listening on 127.0.0.1:"), said
    yield int(said.rpartition(":")[2])
    assert process.poll() is None
    process.terminate()
    assert process.communicate(timeout=SECONDS)[1].startswith("error[interrupted]: ")


def test_steps_on_a_port_that_serves_one_client_after_the_other(node: str, port: int, tmp_path: Path) -> None:
    run(node, "stepping.mjs", tmp_path, port=port)


def answered(port: int, data: bytes) -> bytes:
    """What comes back until the adapter hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(4096), b""))


def test_a_port_takes_no_http_request(port: int) -> None:
    body = frame({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}})
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
    for request in (head % (port, len(body)) + body, body.replace(b"\r\n\r\n", b"\r\nOrigin: http://evil\r\n\r\n", 1)):
        assert b'"command":"initialize"' not in answered(port, request)
    assert b'"success":true' in answered(port, body), "the next client is served"


@pytest.mark.parametrize(
    ("host", "number", "why"),
    [
        ("0.0.0.0", 0, "only loopback addresses"),
        ("::", 0, "only loopback addresses"),
        ("example.org", 0, "an address"),
        ("127.0.0.1", -1, "--port"),
    ],
)
def test_a_port_listens_on_the_loopback_only(host: str, number: int, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        serve_port(number, host=host)


def test_connections_of_other_users_are_refused(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        ours, theirs = client.getpeername(), client.getsockname()
        assert is_own(ours, theirs)
        assert not is_own(ours, (theirs[0], theirs[1] ^ 1))
        assert not is_own((ours[0], 1), theirs)
