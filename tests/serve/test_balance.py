"""Several servers as one: the least busy is asked, one that fails rests, and the texts are those of one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from click.testing import CliRunner
from model_server import ModelServer, model_server

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.run.directory import newest
from worldline.predict.models import load_local, load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.balance import FIRST_PAUSE, BalancedServers
from worldline.predict.servers.client import Patience, ServerClient, Unanswered
from worldline.predict.servers.server import addresses

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")

ASKS = [
    PredictionRequest(program=Program(source=f"def f(n):\n    m = n + {k}\n    return m\n", call=f"f({k})"), limit=300)
    for k in range(8)
]


class Scripted:
    """A client of a server that answers its own name, or fails when it is told to."""

    def __init__(self, url: str, digest: str = "") -> None:
        self.url, self.patience, self.digest = url, Patience(timeout=60, retries=1), digest
        self.failing: Unanswered | None = None
        self.asked, self.under_way, self.most = 0, 0, 0
        self.gate: asyncio.Event | None = None

    def pause(self, attempt: int) -> float:
        return 0.0

    async def look(self, http: Any, path: str) -> dict[str, Any]:
        return {"data": [{"id": "m", "digest": self.digest}]}

    async def ask(self, http: Any, path: str, question: Any, read: Callable[[Any], Any], *, retries: int) -> Any:
        assert retries == 0
        self.asked += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.gate is not None:
            await self.gate.wait()
        self.under_way -= 1
        if self.failing is not None:
            raise self.failing
        return read(self.url)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def balanced(*clients: Scripted) -> tuple[BalancedServers, Clock]:
    clock = Clock()
    return BalancedServers(cast("list[ServerClient]", list(clients)), "m", clock=clock), clock


async def one(servers: BalancedServers) -> Any:
    return await servers.ask(cast("Any", None), "/completions", {}, lambda answer: answer)


def test_the_least_busy_is_asked() -> None:
    async def all_at_once() -> None:
        clients = [Scripted(name) for name in "abc"]
        gate = asyncio.Event()
        for client in clients:
            client.gate = gate
        servers, _ = balanced(*clients)
        asking = [asyncio.ensure_future(one(servers)) for _ in range(9)]
        while sum(client.under_way for client in clients) < 9:
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*asking)
        assert [client.most for client in clients] == [3, 3, 3]

    asyncio.run(all_at_once())


def test_one_that_fails_is_left_out_and_asked_again_later() -> None:
    first, second = Scripted("a"), Scripted("b")
    servers, clock = balanced(first, second)
    first.failing = Unanswered("status 503")
    assert [asyncio.run(one(servers)) for _ in range(5)] == ["b"] * 5
    assert first.asked == 1
    clock.now = FIRST_PAUSE
    assert asyncio.run(one(servers)) == "b"
    assert first.asked == 2
    clock.now += 1.5 * FIRST_PAUSE  # the second rest is longer
    assert asyncio.run(one(servers)) == "b"
    assert first.asked == 2
    first.failing = None
    clock.now += FIRST_PAUSE
    assert asyncio.run(one(servers)) == "a"
    assert asyncio.run(one(servers)) == "a"


def test_a_server_that_says_when_is_left_out_until_then() -> None:
    first, second = Scripted("a"), Scripted("b")
    servers, clock = balanced(first, second)
    first.failing = Unanswered("status 429", after=50.0)
    assert asyncio.run(one(servers)) == "b"
    clock.now = 49.0
    asyncio.run(one(servers))
    assert first.asked == 1
    clock.now = 50.0
    asyncio.run(one(servers))
    assert first.asked == 2


def test_when_all_fail_it_is_said_why_and_one_that_comes_back_is_asked() -> None:
    first, second = Scripted("a"), Scripted("b")
    servers, _ = balanced(first, second)
    first.failing = second.failing = Unanswered("status 500")
    with pytest.raises(Unanswered, match="status 500; 4 attempts, 2 servers"):
        asyncio.run(one(servers))
    second.failing = None
    assert asyncio.run(one(servers)) == "b"


def test_a_question_that_is_wrong_is_asked_once() -> None:
    first, second = Scripted("a"), Scripted("b")
    servers, _ = balanced(first, second)
    first.failing = Unanswered("status 400", again=False)
    with pytest.raises(Unanswered, match="status 400"):
        asyncio.run(one(servers))
    assert (first.asked, second.asked) == (1, 0)


def test_what_a_client_says_of_its_failure_reaches_the_balance(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is wrong is asked of one server, which is not left out for it; a Retry-After is kept."""
    asked: list[str] = []
    failure = Unanswered("status 400", again=False, context=True)

    async def attempt(self: ServerClient, *given: Any, **more: Any) -> Any:
        asked.append(self.url)
        raise failure

    async def look(self: ServerClient, *given: Any) -> dict[str, Any]:
        return {}

    monkeypatch.setattr(ServerClient, "_attempt", attempt)
    monkeypatch.setattr(ServerClient, "look", look)
    patience = Patience(timeout=60, retries=2)
    servers = BalancedServers([ServerClient(name, patience, Random(0)) for name in "ab"], "m", clock=Clock())
    for count in (1, 2):
        with pytest.raises(Unanswered, match=r"^status 400$") as refused:
            asyncio.run(one(servers))
        assert refused.value.context
        assert asked == ["a"] * count
    asked.clear()
    failure = Unanswered("status 429", after=500.0)  # longer than all attempts may take: nobody waits for it
    with pytest.raises(Unanswered, match="status 429; 2 attempts, 2 servers"):
        asyncio.run(one(servers))
    assert asked == ["a", "b"]


def test_other_weights_are_refused() -> None:
    first, second = Scripted("a", "one"), Scripted("b", "another")
    servers, _ = balanced(first, second)
    first.failing = Unanswered("status 500")
    with pytest.raises(Unanswered, match="b serves other weights of m"):
        asyncio.run(one(servers))


def test_addresses_are_parted_and_each_is_checked() -> None:
    urls, model = addresses("server:http://a:1,https://b/x,y,http://a:1#m/n")
    assert (urls, model) == (["http://a:1/v1", "https://b/x,y"], "m/n")
    with pytest.raises(UsageError, match="address of a server"):
        addresses("server:http://a:1,https://#m")


@pytest.fixture(scope="module")
def steady() -> Iterator[ModelServer]:
    with model_server() as found:
        yield found


@pytest.fixture(scope="module")
def texts() -> list[bytes]:
    return [found.text for found in load_local(extras={"threads": "1"}).predict(ASKS)]


@pytest.mark.long(reason="two servers of the shipped model, one of them killed")
def test_one_killed_in_the_middle_changes_nothing(steady: ModelServer, texts: list[bytes]) -> None:
    with model_server() as other:
        extras = {"way": "text", "concurrency": "2"}
        model = load_model(f"server:{other.url},{steady.url}#default", extras)
        coming = model.predict(ASKS)
        found = [next(coming)]
        other.kill()
        found += coming
    assert [each.status for each in found] == ["ended"] * len(ASKS)
    assert [each.text for each in found] == texts


@pytest.mark.long(reason="starts two model servers; scripted ones fail in make test")
def test_when_all_are_gone_it_is_a_fault_as_of_one() -> None:
    with model_server() as one, model_server() as other:
        one.kill()
        other.kill()
        extras = {"way": "text", "retries": "0"}
        (alone,) = load_model(one.scheme, extras).predict(ASKS[:1])
        (both,) = load_model(f"server:{one.url},{other.url}#default", extras).predict(ASKS[:1])
    assert (alone.status, both.status) == ("fault", "fault")
    assert alone.note.startswith("unreachable(no connection to ")
    assert both.note.startswith("unreachable(no connection to ")
    assert "2 servers" in both.note


@pytest.mark.long(reason="the shipped model behind two servers and in process")
def test_bench_gives_what_the_model_gives_in_this_process(steady: ModelServer, tmp_path: Path) -> None:
    def bench(out: str, *given: str) -> dict[int, Any]:
        command = [
            "bench",
            "generated",
            "--max-programs",
            "4",
            "--scratchpad",
            "none",
            "-o",
            str(tmp_path / out),
            *given,
        ]
        found = CliRunner().invoke(cli, command)
        assert found.exit_code == 0, found.output
        return newest(tmp_path / out)

    here = bench("here", "-M", "threads=1")
    there = bench("there", "--model", steady.scheme, "-M", "way=text", "-M", "modes=assigned,conditions")
    assert len(here) >= 4
    assert [(at, each.found.text, each.found.status) for at, each in there.items()] == [
        (at, each.found.text, each.found.status) for at, each in here.items()
    ]
    for one, other in zip(here.values(), there.values(), strict=True):
        assert other.found.logprob == pytest.approx(one.found.logprob, abs=1e-6)
