"""The server as a whole: where it listens and for whom, what it does with the slow and the many, and how it ends."""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serving import Served, end, make_run, serving
from wire import POLICY, get, post, read_reply, request, talk

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.ui.http.errors import Refusal
from worldline.ui.http.listening import listen
from worldline.ui.http.policy import policy, settle_token
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.web import session_cache
from worldline.ui.web.index.index import build
from worldline.ui.web.server import TRIES, place, serve
from worldline.ui.web.service import Opening
from worldline.ui.web.session_cache import SessionCache

LONG = "def f(n):\n    total = 0\n    for i in range(n):\n        total = (total * 7 + i) % 1000\n    return total\n"
PATIENCE = 120.0  # seconds; more than a busy machine needs


def until(ready: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    last = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < last, "it did not come"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Path:
    """A run of sixteen samples."""
    return make_run(tmp_path_factory.mktemp("runs") / "small", count=16)


# Where it listens, and for whom (hostile.md 79)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.test", ""])
def test_another_host_than_the_loopback_needs_a_token_that_was_said(host: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        serve(Opening(), host=host)
    assert settle_token(host, "a-token-that-was-said") == "a-token-that-was-said"


@pytest.mark.parametrize("token", ["", "short", "with space in the middle", "a" * 129, "über-token-is-not-ascii"])
def test_a_token_is_long_and_plain(token: str) -> None:
    with pytest.raises(UsageError, match="token"):
        settle_token("127.0.0.1", token)


def test_a_random_token_is_another_each_time() -> None:
    assert len({settle_token("127.0.0.1", None) for _ in range(100)}) == 100
    assert len(settle_token("localhost", None)) >= 32


@pytest.mark.parametrize(
    ("bound", "host", "is_ours"),
    [
        ("127.0.0.1", "127.0.0.1:8000", True),
        ("127.0.0.1", "localhost:8000", True),
        ("127.0.0.1", "[::1]:8000", True),
        ("127.0.0.1", "192.0.2.7:8000", False),
        ("::1", "[::1]:8000", True),
        ("::1", "[::2]:8000", False),
        ("192.0.2.7", "192.0.2.7:8000", True),
        ("192.0.2.7", "localhost:8000", False),
        ("2001:db8::1", "[2001:db8::1]:8000", True),
        ("0.0.0.0", "192.0.2.7:8000", True),
        ("0.0.0.0", "[2001:db8::1]:8000", True),
        ("0.0.0.0", "192.0.2.7:8001", False),
        ("0.0.0.0", "2001:db8::1:8000", False),
        ("0.0.0.0", "[192.0.2.7]:8000", False),
        ("0.0.0.0", "evil.test:8000", False),
        ("::", "localhost:8000", True),
    ],
)
def test_a_name_that_was_rebound_is_not_ours(bound: str, host: str, is_ours: bool) -> None:
    rules = policy(bound, 8000, "t" * 16)
    assert rules.is_host(host) is is_ours
    assert rules.is_origin(f"http://{host}") is is_ours
    assert not rules.is_origin(f"https://{host}")


def test_the_token_is_not_in_what_is_printed_of_a_policy() -> None:
    assert "secret-token-0123" not in repr(policy("127.0.0.1", 8000, "secret-token-0123"))


def test_a_port_that_is_taken_leads_to_the_next() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with listen("127.0.0.1", port, tries=TRIES) as second:
            assert port < second.getsockname()[1] <= port + 100


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 70_000), ("203.0.113.1", 0)])
def test_what_cannot_be_listened_at_is_said(host: str, port: int) -> None:
    with pytest.raises(UsageError):
        listen(host, port)


def test_another_port_is_said() -> None:
    code = "from worldline.ui.web.server import serve; from worldline.ui.web.service import Opening; import sys;"
    code += "serve(Opening(), port=int(sys.argv[1]), say=lambda text: print(text, flush=True))"
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        words = [sys.executable, "-c", code, str(port)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            said, where = process.stdout.readline(), process.stdout.readline()
        finally:
            assert end(process) == 0
    assert said.startswith(f"port {port} is taken")
    assert where.startswith("http://127.0.0.1:")
    assert f":{port}/" not in where


def test_a_single_program_is_what_the_address_shows(tmp_path: Path) -> None:
    program = Program(source="x = 1\n")
    assert place(Opening(programs=(program,))) == "/run/live/view/0"
    assert place(Opening(programs=(program, program))) == place(Opening(programs=(program,), runs=(tmp_path,))) == ""


def test_only_this_machine_reaches_it(hasty: Served) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        with contextlib.suppress(OSError):
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which address would be ours
        address = probe.getsockname()[0]
        if address in ("0.0.0.0", "127.0.0.1"):
            pytest.skip("this machine has no other address")
        with pytest.raises(OSError):  # noqa: PT011
            socket.create_connection((address, hasty.port), timeout=2).close()


# The slow and the many (hostile.md 80)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Served]:
    """A server with short deadlines and few places."""
    bounds = {"header_seconds": 1.5, "body_seconds": 1.5, "write_seconds": 1.5, "connections": 12}
    with serving(models=["interpreter"], bounds=bounds) as served:
        yield served
        assert served.complaints() == ""


def drip(line: socket.socket, data: bytes) -> None:
    """A byte at a time, until the other side has had enough."""
    with contextlib.suppress(OSError):
        for at in range(len(data)):
            line.sendall(data[at : at + 1])
            time.sleep(0.05)


def test_headers_that_drip_are_cut_off(hasty: Served) -> None:
    with socket.create_connection((hasty.host, hasty.port), timeout=PATIENCE) as line:
        drip(line, request(hasty)[:60])
        reply = read_reply(line)
        assert reply.status == 408
        assert {key: reply.headers.get(key) for key in POLICY} == POLICY
        assert line.recv(1) == b""
    until(lambda: get(hasty, "/api/runs").status == 200)


def test_a_connection_that_says_nothing_is_cut_off(hasty: Served) -> None:
    with socket.create_connection((hasty.host, hasty.port), timeout=PATIENCE) as line:
        assert read_reply(line).status == 408
        assert line.recv(1) == b""


def test_a_second_request_that_drips_is_cut_off(hasty: Served) -> None:
    with socket.create_connection((hasty.host, hasty.port), timeout=PATIENCE) as line:
        line.sendall(request(hasty).replace(b"Connection: close\r\n", b""))
        assert read_reply(line).status == 200
        drip(line, request(hasty)[:60])
        assert read_reply(line).status == 408
        assert line.recv(1) == b""


@pytest.mark.parametrize("target", ["/api/programs", "/api/runs", "/nothing"])
def test_a_body_that_drips_is_cut_off(hasty: Served, target: str) -> None:
    """Also behind an answer that is out already: nobody is listened to for ever."""
    head = request(hasty, target, method="POST", headers=["Content-Type: application/json", "Content-Length: 90"])
    with socket.create_connection((hasty.host, hasty.port), timeout=PATIENCE) as line:
        line.sendall(head)
        drip(line, b"{" * 60)
        with contextlib.suppress(OSError):
            assert read_reply(line).status in (0, 400, 404, 405, 408)
            assert line.recv(1) == b""
    until(lambda: get(hasty, "/api/runs").status == 200)


def test_who_does_not_read_is_cut_off(hasty: Served) -> None:
    """Eleven hold places and never read megabytes; a place is free again without any of them leaving."""
    asked = request(hasty, "/app.js", token="").replace(b"Connection: close\r\n", b"") * 3000
    with contextlib.ExitStack() as stack:
        for _ in range(12):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.settimeout(0.05)
            line.connect((hasty.host, hasty.port))
            with contextlib.suppress(OSError):
                line.sendall(asked)
        until(lambda: get(hasty, "/api/runs").status == 200)


def test_too_many_are_told_so_and_the_others_stay(hasty: Served) -> None:
    with contextlib.ExitStack() as stack:
        lines = [
            stack.enter_context(socket.create_connection((hasty.host, hasty.port), timeout=PATIENCE)) for _ in range(30)
        ]
        statuses = [read_reply(line).status for line in lines]
        assert statuses.count(503) >= 18
        assert set(statuses) <= {503, 408, 0}
    until(lambda: get(hasty, "/api/runs").status == 200)


@pytest.mark.long(reason="opens 10,000 connections")
def test_ten_thousand_connections(small: Path) -> None:
    """As many as this machine allows to open: the owner is served all the while."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    with serving(small) as served:
        with contextlib.ExitStack() as stack:
            for _ in range(min(10_000, soft - 300)):
                line = stack.enter_context(socket.socket())
                line.setblocking(False)
                line.connect_ex((served.host, served.port))
            assert get(served, "/api/runs").status == 200
        assert get(served, "/api/runs").status == 200
        assert served.complaints() == ""


PLACES = 256  # `Policy.connections`
WAITING = {"header_seconds": 3600.0, "body_seconds": 3600.0, "write_seconds": 3600.0, "idle_seconds": 3600}
STRANGERS: dict[str, Callable[[Served], bytes]] = {
    "say nothing": lambda served: b"",
    "drip": lambda served: request(served)[:20],
    "do not know the token": lambda served: kept(request(served, token="another-token-of-somebody")),
    "look at the page": lambda served: kept(request(served, "/app.js", token="")),
    "begin a body": lambda served: kept(request(served, "/x", method="POST", token="", headers=["Content-Length: 90"])),
}


def kept(asked: bytes) -> bytes:
    """The same request on a connection that stays open."""
    return asked.replace(b"Connection: close\r\n", b"")


def crowd(stack: contextlib.ExitStack, served: Served, count: int, sent: bytes) -> list[socket.socket]:
    """So many connections that are held, each of which has sent something."""
    lines = []
    for _ in range(count):
        lines.append(stack.enter_context(socket.create_connection((served.host, served.port), PATIENCE)))
        with contextlib.suppress(OSError):  # it may have lost its place by now
            lines[-1].sendall(sent)
    return lines


def is_open(line: socket.socket) -> bool:
    """Whether the other side still holds a connection; what it has answered is passed over."""
    line.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            try:
                if not line.recv(1 << 20):
                    return False
            except ConnectionError:
                return False
    return True


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("what", "count"), [*((what, 300) for what in STRANGERS), ("say nothing", 2_000)])
def test_the_owner_is_answered_while_a_crowd_holds_every_place(what: str, count: int) -> None:
    """No deadline helps here: each would come in an hour."""
    with serving(bounds=WAITING) as served, contextlib.ExitStack() as stack:
        lines = crowd(stack, served, count, STRANGERS[what](served))
        assert [get(served, "/api/runs").status for _ in range(5)] == [200] * 5
        held = sum(map(is_open, lines))
        assert 0 < held <= PLACES  # most are there still, and some had to make room
        assert what != "say nothing" or held > PLACES - 10
        assert served.complaints() == ""


def test_who_has_shown_the_token_keeps_the_place() -> None:
    with serving(bounds=WAITING) as served, contextlib.ExitStack() as stack:
        (own,) = crowd(stack, served, 1, kept(request(served)))
        assert read_reply(own).status == 200
        strangers = crowd(stack, served, 600, b"")
        until(lambda: not is_open(strangers[0]))
        own.sendall(request(served))
        assert read_reply(own).status == 200


def test_those_with_the_token_are_too_many_too() -> None:
    with serving(bounds=WAITING | {"connections": 8}) as served, contextlib.ExitStack() as stack:
        owners = crowd(stack, served, 8, kept(request(served)))
        assert [read_reply(line).status for line in owners] == [200] * 8
        assert get(served, "/api/runs").status == 503
        owners[0].close()
        until(lambda: get(served, "/api/runs").status == 200)
        assert all(map(is_open, owners[1:]))


# How it ends


def children(pid: int) -> list[int]:
    """The processes below one."""
    found = [int(text) for path in Path(f"/proc/{pid}/task").glob("*/children") for text in _words(path)]
    return [each for child in found for each in [child, *children(child)]]


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:  # it has just ended
        return []


def test_it_ends_on_ctrl_c_with_a_stream_open_and_a_model_at_work(small: Path) -> None:
    with serving(small, models=["default"]) as served:
        at = post(served, "/api/programs", {"source": LONG, "call": "f(300)"}).json["at"]
        with socket.create_connection((served.host, served.port), timeout=PATIENCE) as line:
            line.sendall(request(served, f"/api/runs/live/samples/{at}/branches/0/events"))
            data = b""
            while b'"stage":"model"' not in data:
                data += line.recv(4096)
            assert get(served, f"/api/runs/live/samples/{at}").json["branches"][0]["status"] == "running"
            below = children(served.process.pid)
            assert end(served.process) == 0
            while line.recv(65536):
                pass
        assert served.complaints() == ""
        assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []


def test_it_ends_on_ctrl_c_while_a_program_runs_in_its_box(small: Path) -> None:
    with serving(small, models=["interpreter"]) as served:
        post(served, "/api/programs", {"source": "while True:\n    pass\n"})
        until(lambda: children(served.process.pid) != [])
        below = children(served.process.pid)
        assert end(served.process) == 0
        until(lambda: [pid for pid in below if Path(f"/proc/{pid}").exists()] == [])
        assert served.complaints() == ""


def test_it_ends_on_two_ctrl_c_with_a_connection_that_waits() -> None:
    with serving() as served, socket.create_connection((served.host, served.port), timeout=PATIENCE) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        served.process.send_signal(signal.SIGINT)
        assert end(served.process) == 0
        assert served.complaints() == ""


def test_it_ends_on_sigterm() -> None:
    with serving() as served:
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(PATIENCE) == -signal.SIGTERM
        assert served.complaints() == ""


# What is kept open


def test_sessions_are_kept_in_bounds(small: Path) -> None:
    sessions = SessionCache([build(small)])
    first = sessions.get("0", 0)
    for at in range(1, 16):
        sessions.get("0", at)
    assert len(sessions._cached) == session_cache.BOUNDS["plain"][0]
    assert sessions.get("0", 0) is not first
    assert sessions.get("0", 0) is sessions.get("0", 0)


def test_heavy_sessions_are_kept_one_at_a_time(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(session_cache.BOUNDS, "plain", (12, 100))
    sessions = SessionCache([build(small)])
    for at in range(4):
        assert sessions.get("0", at) is sessions.get("0", at)
    assert list(sessions._cached) == [("0", 3, "")]


def test_sessions_with_branches_are_kept(small: Path) -> None:
    sessions = SessionCache([build(small)])
    worked = sessions.get("0", 0)
    root = worked.session.branches[0]
    branch = worked.session.add(0, BranchEdit(kind="budget", limit=9), root.ask, at=0, confidences=(), codec="compact")
    worked.session.put(branch, status="stopped")
    for at in range(1, 16):
        sessions.get("0", at)
    assert sessions.get("0", 0) is worked


def test_another_run_is_beside_only_where_it_has_the_program(small: Path, tmp_path: Path, sandbox: None) -> None:
    sessions = SessionCache([build(small), build(make_run(tmp_path / "short", count=3, every=2))])
    assert sessions.has_same_program("0", 2, "1")
    assert not sessions.has_same_program("0", 3, "1")
    assert not sessions.has_same_program("0", 2, "0")
    assert sessions.get("0", 2, "1").session.run_names == ("truth", "found", "other")
    with pytest.raises(Refusal):
        sessions.get("0", 3, "1")


def test_a_line_that_changed_on_disk_is_refused_not_shown(tmp_path: Path, sandbox: None) -> None:
    run = make_run(tmp_path / "run", count=2)
    with serving(run) as served:
        records = run / "records.jsonl"
        records.write_bytes(records.read_bytes().replace(b"sample 0", b"sample X"))
        reply = get(served, "/api/runs/0/samples/0")
        assert (reply.status, reply.json["error"]["slug"]) == (409, "digest")
        assert get(served, "/api/runs/0/samples/1").status == 200
        records.unlink()
        assert get(served, "/api/runs/0/samples/0").status == 409
        assert talk(served, request(served)).status == 200
        assert served.complaints() == ""
