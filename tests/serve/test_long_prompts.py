"""Long prompts of a real `worldline serve` process delay nobody, end with their client, and are read once."""

from __future__ import annotations

import http.client
import json
import re
import signal
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from model_server import ModelServer, model_server

from worldline.core.program import Program
from worldline.predict.models import load_local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.prompt_states import SNAPSHOT_BYTES
from worldline.ui.serve.request import MAX_CHOICES, MAX_PROMPT_BYTES

pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")

PATIENCE = 120.0
ASK = PredictionRequest(program=Program(source="def f(n):\n    m = n * 3\n    return m\n", call="f(2)"), limit=400)
# Prompts of one request that take the fastest machine many minutes: none of these tests can wait for their end.
ENDLESS = [chr(ord("a") + n % 26) * 50_000 + str(n) for n in range(MAX_CHOICES)]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server("--batch", "4") as process:
        yield process


@pytest.fixture(scope="module")
def truth() -> str:
    (prediction,) = load_local(extras={"threads": "1"}).predict([ASK])
    return prediction.text.decode()


def connect(server: ModelServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE)


def post(connection: http.client.HTTPConnection, prompt: str | list[str], **options: Any) -> None:
    """Send a request and do not wait for its answer."""
    body = {"model": "default", "prompt": prompt, "max_tokens": 400, "temperature": 0, **options}
    connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})


def complete(server: ModelServer, prompt: str, **options: Any) -> dict[str, Any]:
    with closing(connect(server)) as connection:
        post(connection, prompt, **options)
        response = connection.getresponse()
        answer = json.load(response)
    assert response.status == 200, answer
    choice: dict[str, Any] = answer["choices"][0]
    return choice


def metrics(server: ModelServer) -> dict[str, int]:
    """The server's metrics; labels are part of the names."""
    with closing(connect(server)) as connection:
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        text = response.read().decode()
    assert response.getheader("content-type", "").startswith("text/plain; version=0.0.4")
    rows = (re.fullmatch(r'worldline_(\w+)(?:\{\w+="(\w+)"\})? (\d+)', line) for line in text.splitlines())
    return {" ".join(filter(None, row.group(1, 2))): int(row[3]) for row in rows if row}


def wait_until_reading(server: ModelServer) -> dict[str, int]:
    """Poll the metrics until a prompt is being read: each answer comes from the server's event loop."""
    before = metrics(server)
    name = "prompt_bytes_read_total"
    while not ((now := metrics(server))["texts reading"] and now[name] > before[name]):
        assert server.process.poll() is None
    return now


def wait_until_idle(server: ModelServer) -> dict[str, int]:
    while any((now := metrics(server))[f"texts {state}"] for state in ("reading", "writing", "waiting")):
        assert server.process.poll() is None
    return now


def test_a_short_request_beside_long_prompts_is_answered(server: ModelServer, truth: str) -> None:
    with closing(connect(server)) as long:
        post(long, ENDLESS)
        before = wait_until_reading(server)
        assert complete(server, ASK.prompt.decode())["text"] == truth
        after = metrics(server)
        assert after["texts reading"] == before["texts reading"] > 0
        assert after["texts_ended_total stop"] == before["texts_ended_total stop"] + 1
    # The short text needs a pass per byte at most, and between two passes prompts are read for a moment.
    assert after["prompt_bytes_read_total"] - before["prompt_bytes_read_total"] < MAX_PROMPT_BYTES


def test_a_client_that_leaves_frees_the_engine(server: ModelServer) -> None:
    with closing(connect(server)) as long:
        post(long, ENDLESS)
        before = wait_until_reading(server)
    after = wait_until_idle(server)
    assert after["texts_ended_total left"] >= before["texts_ended_total left"] + MAX_CHOICES
    assert after["prompt_bytes_read_total"] < sum(map(len, ENDLESS))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_the_process_while_a_prompt_is_read(number: signal.Signals) -> None:
    with model_server() as server, closing(connect(server)) as long:
        post(long, ENDLESS)
        wait_until_reading(server)
        server.process.send_signal(number)
        assert server.process.wait(PATIENCE) in (0, 128 + number, -number)
        response = long.getresponse()
        assert (response.status, json.load(response)["error"]["message"]) == (503, "the server is shutting down")


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_that_finds_no_place_is_refused(stream: bool) -> None:
    with model_server("--batch", "1", "--queue-seconds", "0.5") as server, closing(connect(server)) as endless:
        post(endless, "abc", max_tokens=1 << 20, stream=True)
        assert endless.getresponse().readline().startswith(b"data: ")  # it has the only place
        with closing(connect(server)) as connection:
            post(connection, "abc", stream=stream)
            response = connection.getresponse()
            error = json.load(response)["error"]
        assert (response.status, response.getheader("retry-after")) == (503, "1")
        assert (error["code"], error["type"]) == ("full", "server_error")
        assert error["message"].startswith("no place was free within 0.5 s: try again later")
        counts = metrics(server)
        assert (counts["texts_ended_total late"], counts["texts writing"], counts["texts waiting"]) == (1, 1, 0)


def test_a_shared_beginning_is_read_once_and_changes_no_text(server: ModelServer) -> None:
    source = "".join(f"def f{n}(x):\n    return x * {n} + {n % 7}\n" for n in range(14))
    prompts = [PredictionRequest(program=Program(source=source, call=f"f{n}({n})")).prompt.decode() for n in range(3)]
    with model_server("--cache-bytes", "0") as plain:
        expected = [complete(plain, prompt, max_tokens=12, logprobs=1) for prompt in prompts]
        assert metrics(plain)["prompt_bytes_read_total"] == sum(map(len, prompts))
        assert metrics(plain)["cache_bytes"] == 0
    before = metrics(server)
    assert [complete(server, prompt, max_tokens=12, logprobs=1) for prompt in prompts] == expected
    after = metrics(server)
    read, reused = (after[name] - before[name] for name in ("prompt_bytes_read_total", "prompt_bytes_cached_total"))
    assert read + reused == sum(map(len, prompts))
    # The first prompt is read whole, the second from the last snapshot on, the third from where they diverge.
    assert read < len(prompts[0]) + len(prompts[1]) % SNAPSHOT_BYTES + 64
    assert after["cache_bytes"] > before["cache_bytes"]


def test_texts_of_one_prompt_read_it_once(server: ModelServer) -> None:
    prompt = PredictionRequest(program=Program(source="def g(s):\n    return s + 'b'\n" * 9, call="g('a')")).prompt
    before = metrics(server)
    complete(server, prompt.decode(), n=8, max_tokens=5)
    after = metrics(server)
    assert after["prompt_bytes_read_total"] - before["prompt_bytes_read_total"] == len(prompt)
    assert after["prompt_bytes_cached_total"] - before["prompt_bytes_cached_total"] == 7 * len(prompt)
