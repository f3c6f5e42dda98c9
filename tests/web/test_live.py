"""Live work over a real server: typed programs, branches that grow, streams that come and go; and its bounds."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from serving import Served, make_run, serving
from wire import get, post, read_reply, request, talk

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction
from worldline.ui.http.errors import Refusal
from worldline.ui.http.threads import ThreadGate
from worldline.ui.session.rollout import RolloutProgress
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import Session
from worldline.ui.web import service as web_service
from worldline.ui.web import session_cache
from worldline.ui.web.service import LiveBranches, Opening, Service
from worldline.ui.web.session_cache import CachedSession

SHORT = {"source": "def f(n):\n    m = n + 1\n    return m * 2\n", "call": "f(3)"}
LONG = {
    "source": "def f(n):\n    t = 0\n    for i in range(n):\n        t = (t * 7 + i) % 1000\n    return t\n",
    "call": "f(200)",
}
SAMPLE = "/api/runs/0/samples/5"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    """A server with the shipped model and the interpreter."""
    run = make_run(tmp_path_factory.mktemp("runs") / "small", count=6)
    with serving(run, models=["default", "interpreter"]) as found:
        yield found
        assert found.complaints() == ""


@contextmanager
def stream(served: Served, target: str) -> Iterator[Iterator[tuple[str, Any]]]:
    """The events of a branch, as they come."""
    with socket.create_connection((served.host, served.port), timeout=120) as line:
        line.sendall(request(served, f"{target}/events"))
        file = line.makefile("rb")
        status = int(file.readline().split()[1])
        head = [text.strip().lower() for text in iter(file.readline, b"\r\n")]
        assert status == 200
        assert b"content-type: text/event-stream; charset=utf-8" in head
        assert b"cache-control: no-store" in head
        yield _events(file)


def _events(file: Any) -> Iterator[tuple[str, Any]]:
    name = ""
    for text in file:
        field, _, value = text.decode().strip().partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def watched(served: Served, target: str) -> list[tuple[str, Any]]:
    """Every event of a branch, to its end."""
    with stream(served, target) as events:
        return list(events)


def test_a_typed_program_is_recorded_imagined_and_told(served: Served) -> None:
    reply = post(served, "/api/programs", SHORT)
    assert (reply.status, reply.json["run"]) == (201, "live")
    target = f"/api/runs/live/samples/{reply.json['at']}"
    events = watched(served, f"{target}/branches/0")
    assert [name for name, _ in events[:-1]] == ["progress"] * (len(events) - 1)
    assert [set(told) for _, told in events[:-1]] == [{"stage", "bytes", "steps", "rows", "note", "ahead"}] * (
        len(events) - 1
    )
    name, branch = events[-1]
    assert (name, branch["status"], branch["answer"]["truth"]) == ("done", "done", ["return", "8"])
    session = get(served, target).json
    assert (session["program"]["source"], session["branches"][0]) == (SHORT["source"], branch)
    chunk = get(served, f"{target}/chunks/0").json
    assert len(chunk["rows"]) == branch["rows"]
    assert get(served, f"{target}/timeline").json["rows"] == branch["rows"]
    listed = get(served, "/api/runs/live/samples?q=RETURN%20M").json
    assert listed["samples"][-1]["at"] == reply.json["at"]
    assert get(served, "/api/runs").json["runs"][-1]["id"] == "live"
    assert get(served, "/api/runs/live/overview").json["n"] == get(served, "/api/runs/live/samples").json["total"]


def test_an_intervention_grows_a_branch(served: Served) -> None:
    edit = {"kind": "edit", "step": 1, "name": "y", "value": "3"}
    reply = post(served, f"{SAMPLE}/branches", {"parent": 0, "intervention": edit})
    assert reply.status == 201
    name, branch = watched(served, f"{SAMPLE}/branches/{reply.json['branch']}")[-1]
    assert (name, branch["status"], branch["intervention"]) == ("done", "done", edit)
    assert branch["answer"]["truth"] == ["return", "6"]
    assert get(served, SAMPLE).json["branches"][reply.json["branch"]] == branch
    rows = get(served, f"{SAMPLE}/chunks/0?branch={reply.json['branch']}").json["rows"]
    assert len(rows) == branch["rows"]


def test_a_branch_that_is_done_is_told_at_once(served: Served) -> None:
    assert [name for name, _ in watched(served, f"{SAMPLE}/branches/0")] == ["done"]


def test_who_leaves_a_stream_does_not_stop_the_branch_and_who_stops_it_does(served: Served) -> None:
    at = post(served, "/api/programs", LONG).json["at"]
    target = f"/api/runs/live/samples/{at}"
    with stream(served, f"{target}/branches/0") as events:
        assert next(events)[0] == "progress"
    assert get(served, target).json["branches"][0]["status"] == "running"
    busy = post(served, f"{target}/branches", {"intervention": {"kind": "budget", "limit": 99999}})
    assert (busy.status, busy.json["error"]["slug"]) == (409, "busy")
    with stream(served, f"{target}/branches/0") as events:
        assert any(told["stage"] == "model" and told["bytes"] > 0 for name, told in events if name == "progress")
        stopped = talk(served, request(served, f"{target}/branches/0", method="DELETE"))
        assert (stopped.status, stopped.json["branch"]) == (200, 0)
        assert list(events)[-1][0] == "done"
    branch = get(served, target).json["branches"][0]
    assert branch["status"] == "stopped"
    assert branch["cost"]["found_bytes"] > 0
    again = talk(served, request(served, f"{target}/branches/0", method="DELETE"))
    assert again.json == {"branch": 0, "status": "stopped"}


def test_a_program_of_no_syntax_or_with_no_such_call_is_told_in_words(served: Served) -> None:
    for body in ({"source": "def f(:\n"}, {"source": "x = 1\n", "call": "g("}, {"source": "a\0b"}):
        reply = post(served, "/api/programs", {**body, "model": "interpreter"})
        assert reply.status in (201, 422)
        if reply.status == 201:
            name, branch = watched(served, f"/api/runs/live/samples/{reply.json['at']}/branches/0")[-1]
            assert name == "done"
            assert branch["status"] in ("done", "failed")


def test_streams_are_few(served: Served) -> None:
    at = post(served, "/api/programs", LONG).json["at"]
    target = f"/api/runs/live/samples/{at}/branches/0"
    lines = [socket.create_connection((served.host, served.port), timeout=120) for _ in range(20)]
    try:
        for line in lines:
            line.sendall(request(served, f"{target}/events"))
        statuses = [read_reply(line).status for line in lines]
        assert sorted(set(statuses)) == [200, 429]
        assert statuses.count(200) == 16
    finally:
        for line in lines:
            line.close()
        talk(served, request(served, target, method="DELETE"))


def test_without_a_model_nothing_can_be_asked(shown: Served) -> None:
    assert get(shown, "/api/runs").json["live"] is False
    reply = post(shown, "/api/programs", SHORT)
    assert (reply.status, reply.json["error"]["slug"]) == (403, "not-live")
    reply = post(shown, "/api/runs/0/samples/0/branches", {"intervention": {"kind": "budget", "limit": 9}})
    assert reply.status == 403


# The thread by itself


def growing(gate: threading.Event, *, branch: int = 0) -> Callable[[Callable[[], bool]], Iterator[RolloutProgress]]:
    """A branch that grows until it is let go or stopped."""

    def predict_branch(stop: Callable[[], bool]) -> Iterator[RolloutProgress]:
        yield RolloutProgress(branch, "truth")
        while not gate.wait(0.01) and not stop():
            yield RolloutProgress(branch, "model")
        yield RolloutProgress(branch, "done", note="stopped" if stop() else "")

    return predict_branch


@pytest.fixture
def live() -> Iterator[LiveBranches]:
    """A thread of its own."""
    found = LiveBranches({"interpreter": Interpreter})
    yield found
    found.close()


def test_so_many_wait_and_no_more(live: LiveBranches) -> None:
    gate = threading.Event()
    jobs = [live.begin(("live", n, ""), growing(gate)) for n in range(web_service.MAX_WAITING + 1)]
    with pytest.raises(Refusal) as refused:
        live.begin(("live", 99, ""), growing(gate))
    assert refused.value.status == 429
    gate.set()
    assert all(job.finished.wait(120) for job in jobs)
    assert live.begin(("live", 99, ""), growing(gate)).finished.wait(120)


def test_a_program_that_has_to_be_refused_leaves_nothing_behind() -> None:
    service = Service(Opening(models={"interpreter": Interpreter}))
    assert service.live is not None
    for n in range(web_service.MAX_WAITING + 1):
        service.live.begin(("live", 100 + n, ""), growing(threading.Event()))
    with pytest.raises(Refusal, match="waiting"):
        service.type(SHORT)
    assert service.sessions.typed() == []
    service.close()


def test_what_is_opened_must_be_possible() -> None:
    program = Program(source="x = 1\n")
    with pytest.raises(UsageError, match="at most"):
        Service(Opening(programs=(program,) * 20, models={"interpreter": Interpreter}))


def test_what_cannot_be_is_said_at_once_and_takes_no_place(live: LiveBranches) -> None:
    def predict_branch(stop: Callable[[], bool]) -> Iterator[RolloutProgress]:
        raise Refusal(422, "no")

    for _ in range(web_service.MAX_WAITING * 2):
        with pytest.raises(Refusal):
            live.begin(("live", 0, ""), predict_branch)


def test_the_end_stops_what_is_at_work_and_what_waits(live: LiveBranches) -> None:
    jobs = [live.begin(("live", n, ""), growing(threading.Event())) for n in range(4)]
    live.close()
    assert all(job.finished.is_set() for job in jobs)
    assert all(job.latest.note == "stopped" for job in jobs)
    with pytest.raises(Refusal):
        live.begin(("live", 9, ""), growing(threading.Event()))


def test_a_fault_of_ours_ends_its_job_and_no_other(live: LiveBranches, caplog: pytest.LogCaptureFixture) -> None:
    def predict_branch(stop: Callable[[], bool]) -> Iterator[RolloutProgress]:
        yield RolloutProgress(0, "truth")
        raise ZeroDivisionError("a fault of ours")

    assert live.begin(("live", 0, ""), predict_branch).finished.wait(120)
    assert "a fault of ours" in caplog.text
    gate = threading.Event()
    gate.set()
    assert live.begin(("live", 1, ""), growing(gate)).finished.wait(120)


def test_a_model_is_loaded_once_and_only_when_asked_for() -> None:
    loaded: list[int] = []

    def load() -> Interpreter:
        loaded.append(1)
        return Interpreter()

    found = LiveBranches({"one": load})
    assert loaded == []
    assert found.model("one") is found.model("one")
    assert loaded == [1]
    with pytest.raises(Refusal, match="unknown model"):
        found.model("two")
    found.close()


# A pair of a branch that grows


def test_a_young_pair_is_read_again_and_an_old_one_or_that_of_a_branch_that_is_over_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = Program(source="def f(n):\n    m = n\n    return m\n", call="f(1)")
    session = Session.new(program, model="one")
    cached = CachedSession(("live", 0, ""), session)
    text = b"(1 n=1\n2 m=1\n3\n)1\n.\n"

    def grown(size: int, status: str = "running") -> RunDiff:
        found = Prediction(text=text[:size], status="ended")
        session.put(session.branches[0], found=found, status=status)
        return cached.run_diff()

    monkeypatch.setattr(session_cache, "REUSE_SECONDS", 60.0)
    first = grown(7)
    assert grown(13) is first
    assert len(grown(len(text), "done").rows) == 4
    monkeypatch.setattr(session_cache, "REUSE_SECONDS", 0.0)
    assert [len(grown(size).rows) for size in (7, 13)] == [1, 2]


# Work beside the loop


def test_what_is_computed_beside_the_loop_comes_back_or_fails_there() -> None:
    async def main() -> None:
        in_thread = ThreadGate(2, lambda: False)
        assert await asyncio.gather(*(in_thread(pow, n, 2) for n in range(20))) == [n * n for n in range(20)]
        with pytest.raises(ZeroDivisionError):
            await in_thread(divmod, 1, 0)

    asyncio.run(main())


def test_the_end_does_not_wait_for_what_is_computed() -> None:
    ends, stuck = threading.Event(), threading.Event()

    async def main() -> None:
        waiting = asyncio.create_task(ThreadGate(1, ends.is_set)(stuck.wait))
        await asyncio.sleep(0)
        ends.set()
        with pytest.raises(Refusal) as refused:
            await waiting
        assert refused.value.status == 503

    asyncio.run(main())
    stuck.set()
