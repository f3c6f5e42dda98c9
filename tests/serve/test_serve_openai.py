"""The package `openai` as a client of a real `worldline serve` process."""

from __future__ import annotations

import json
import signal
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, model_server

from worldline.core.program import Program
from worldline.predict.models import load_local
from worldline.predict.prediction import PredictionRequest

openai = pytest.importorskip("openai")
pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")

ASK = PredictionRequest(program=Program(source="def f(n):\n    m = n * 3\n    return m\n", call="f(2)"), limit=400)
OTHER = PredictionRequest(program=Program(source="def g(s):\n    return s + 'b'\n", call="g('a')"), limit=400)
PROMPT, KEY = ASK.prompt.decode(), "a key of this test"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server("--key-env", "SERVE_KEY", "--batch", "4", env={"SERVE_KEY": KEY}) as found:
        yield found


@pytest.fixture(scope="module")
def client(server: ModelServer) -> Iterator[Any]:
    with openai.OpenAI(base_url=server.url + "/v1", api_key=KEY, timeout=120, max_retries=0) as found:
        yield found


@pytest.fixture(scope="module")
def truths() -> list[str]:
    return [found.text.decode() for found in load_local(extras={"threads": "1"}).predict([ASK, OTHER])]


def test_a_completion_is_what_the_model_writes(client: Any, truths: list[str]) -> None:
    found = client.completions.create(model="default", prompt=PROMPT, max_tokens=400, temperature=0)
    (choice,) = found.choices
    assert (choice.text, choice.finish_reason) == (truths[0], "stop")
    assert (found.object, found.model) == ("text_completion", "default")
    assert found.usage.prompt_tokens == len(ASK.prompt)
    assert found.usage.completion_tokens == len(truths[0])


def test_several_prompts_and_several_texts_of_each(client: Any, truths: list[str]) -> None:
    prompts = [PROMPT, OTHER.prompt.decode()]
    found = client.completions.create(model="default", prompt=prompts, max_tokens=400, temperature=0, n=2)
    assert [(each.index, each.text) for each in found.choices] == list(enumerate([truths[0]] * 2 + [truths[1]] * 2))
    found = client.completions.create(model="default", prompt=list(OTHER.prompt), max_tokens=400, temperature=0)
    assert found.choices[0].text == truths[1]


def test_a_seed_draws_the_same_again(client: Any) -> None:
    def drawn(seed: int, **given: Any) -> list[str]:
        found = client.completions.create(
            model="default", prompt="abc", max_tokens=30, temperature=1.5, seed=seed, **given
        )
        return [each.text for each in found.choices]

    first = drawn(1, n=2)
    assert first[0] != first[1]
    assert drawn(1) == first[:1]
    assert drawn(2) == first[1:]


def test_logprobs_have_the_protocols_shape(client: Any, truths: list[str]) -> None:
    found = client.completions.create(model="default", prompt=PROMPT, max_tokens=400, temperature=0, logprobs=3)
    told = found.choices[0].logprobs
    assert "".join(told.tokens) == truths[0]
    assert told.text_offset == list(range(len(truths[0])))
    assert len(told.token_logprobs) == len(told.top_logprobs) == len(truths[0])
    for token, logprob, top in zip(told.tokens, told.token_logprobs, told.top_logprobs, strict=True):
        assert 1 <= len(top) <= 4
        assert top[token] == logprob == max(top.values()) <= 0


def test_a_stop_is_not_a_part_of_the_text(client: Any, truths: list[str]) -> None:
    found = client.completions.create(model="default", prompt=PROMPT, max_tokens=400, temperature=0, stop=["\n", "zz"])
    assert found.choices[0].text == truths[0].partition("\n")[0]
    assert found.choices[0].finish_reason == "stop"
    cut = client.completions.create(model="default", prompt=PROMPT, max_tokens=3, temperature=0)
    assert (cut.choices[0].text, cut.choices[0].finish_reason) == (truths[0][:3], "length")


def test_a_stream_is_the_same_text_in_pieces(client: Any, truths: list[str]) -> None:
    pieces = list(client.completions.create(
        model="default", prompt=PROMPT, max_tokens=400, temperature=0, stream=True, logprobs=0, stop="\n.",
        stream_options={"include_usage": True},
    ))  # fmt: skip
    *texts, last = pieces
    assert len(texts) > 2
    assert "".join(each.choices[0].text for each in texts) == truths[0].partition("\n.")[0]
    assert sum(len(each.choices[0].logprobs.tokens) for each in texts) == len(truths[0].partition("\n.")[0])
    assert [each.choices[0].finish_reason for each in texts[-2:]] == [None, "stop"]
    assert last.choices == []
    assert last.usage.total_tokens == last.usage.prompt_tokens + last.usage.completion_tokens


def test_a_stream_has_every_byte_of_characters_that_come_in_pieces(client: Any) -> None:
    given: dict[str, Any] = {
        "model": "default", "prompt": "h\u00e9\u20ac" * 5, "max_tokens": 60, "temperature": 1.5, "seed": 3,
        "logprobs": 0, "extra_body": {"return_token_ids": True},
    }  # fmt: skip
    (whole,) = client.completions.create(**given).choices
    pieces = [each.choices[0] for each in client.completions.create(stream=True, **given)]
    assert any(byte >= 0x80 for byte in whole.token_ids)
    assert [byte for each in pieces for byte in each.token_ids] == whole.token_ids
    assert [token for each in pieces for token in each.logprobs.tokens] == whole.logprobs.tokens
    assert "".join(each.text for each in pieces) == whole.text


def test_models_are_listed_with_their_digest(client: Any) -> None:
    (model,) = client.models.list().data
    assert model.id == "default"
    assert model.digest == load_local().info.digest
    assert client.models.retrieve("default") == model
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt")


def test_errors_are_the_protocols(server: ModelServer, client: Any) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        client.completions.create(model="gpt", prompt="a")
    assert unknown.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError, match="temperature is less than 0") as refused:
        client.completions.create(model="default", prompt="a", temperature=-1)
    assert refused.value.type == "invalid_request_error"
    with pytest.raises(openai.BadRequestError) as long:
        client.completions.create(model="default", prompt="a" * 70_000)
    assert long.value.code == "context_length_exceeded"
    with pytest.raises(openai.NotFoundError, match="/v1/completions"):
        client.chat.completions.create(model="default", messages=[{"role": "user", "content": "a"}])
    with pytest.raises(openai.NotFoundError, match="/v1/completions"):
        client.get(server.url + "/api/scenes", cast_to=object)
    with openai.OpenAI(base_url=server.url + "/v1", api_key="another", max_retries=0) as stranger:
        with pytest.raises(openai.AuthenticationError) as key:
            stranger.models.list()
        assert key.value.code == "invalid_api_key"


def test_many_at_once_get_what_one_gets(client: Any, truths: list[str]) -> None:
    found: dict[int, str] = {}

    def ask(number: int) -> None:
        prompt = (ASK, OTHER)[number % 2].prompt.decode()
        answer = client.completions.create(model="default", prompt=prompt, max_tokens=400, temperature=0)
        found[number] = answer.choices[0].text

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [found[number] for number in range(12)] == truths * 6


def test_a_client_that_leaves_frees_its_places(server: ModelServer, client: Any, truths: list[str]) -> None:
    """Every place is taken by texts without an end; when their client is gone there is one for another."""
    body = json.dumps({"model": "default", "prompt": "x = ", "max_tokens": 1 << 20, "n": 8}).encode()
    host, port = server.url.removeprefix("http://").split(":")
    head = f"POST /v1/completions HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {KEY}\r\n"
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        urllib.request.urlopen(
            urllib.request.Request(server.url + "/v1/models", headers={"Authorization": f"Bearer {KEY}"}), timeout=120
        ).close()
    found = client.completions.create(model="default", prompt=PROMPT, max_tokens=400, temperature=0)
    assert found.choices[0].text == truths[0]


def test_ctrl_c_ends_it_while_a_stream_is_under_way(tmp_path: Path) -> None:
    with (
        open(tmp_path / "stderr", "wb") as stderr,
        model_server(stderr=stderr) as server,
        openai.OpenAI(base_url=server.url + "/v1", api_key="none", timeout=120, max_retries=0) as client,
    ):
        stream = client.completions.create(model="default", prompt="abc", max_tokens=1 << 20, stream=True)
        assert next(iter(stream)).choices
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(120) == 0
    assert (tmp_path / "stderr").read_text() == ""
