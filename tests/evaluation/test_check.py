"""`check` against real servers: what they speak is found, and what is wrong with them is said with what to do."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from check_server import KEY, PROSE
from model_server import model_server

import worldline
from worldline.core.errors import NoModelError, ServerError, UsageError
from worldline.evaluation.check.programs import tiny_suite
from worldline.evaluation.check.result import ModelCheck, TriedWay
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.registry import WAYS, path_of, prompt_style

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytestmark = pytest.mark.usefixtures("sandbox")

COMMAND = [sys.executable, "-m", "worldline"]
MAX_REQUESTS = 26  # as the docstring of `check` promises


def truths() -> dict[str, str]:
    """The true compact texts of the tiny programs, by their calls."""
    programs = [task.program for task in tiny_suite().tasks]
    predictions = load_model("interpreter").predict([PredictionRequest(program=program) for program in programs])
    return {
        str(program.call): prediction.text.decode() for program, prediction in zip(programs, predictions, strict=True)
    }


class CheckedServer:
    """The server's process, by its port."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"

    def scheme(self, manner: str, model: str = "#m") -> str:
        return f"server:{self.origin}/{manner}/v1{model}"

    def log(self, manner: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.origin}/log", timeout=120) as answer:
            entries = json.load(answer)["log"]
        return [entry for entry in entries if entry["path"].startswith(f"/{manner}/")]


@contextmanager
def started(*arguments: str) -> Iterator[int]:
    script = Path(__file__).with_name("check_server.py")
    process = subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def server(sandbox: object) -> Iterator[CheckedServer]:
    with started(json.dumps(truths())) as port:
        yield CheckedServer(port)


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "200", **environment},
    )


def way(result: ModelCheck, **options: str) -> TriedWay:
    """The one way with these options."""
    (tried,) = (tried for tried in result.ways if tried.options == options)
    return tried


def test_every_way_that_exists_is_tried() -> None:
    paths = {(codec, style) for codec, styles in WAYS.items() for style in styles}
    assert len(paths) == 7
    for codec, style in paths - {("cwm", "tokens")}:  # whose vocabulary may not be installed
        assert prompt_style(style, codec, lambda: pytest.fail("no vocabulary")).path == path_of(style)


# ---- what a server speaks


def test_a_chat_server_that_speaks_the_compact_notation(server: CheckedServer) -> None:
    result = worldline.check(server.scheme("chat"))
    assert result.is_readable
    assert (result.best, result.options) == (way(result, way="chat"), {"way": "chat"})
    best = way(result, way="chat")
    assert (best.asked, best.readable, best.right, best.right_traces, best.reason) == (3, 3, 3, 3, "")
    assert best.example.startswith(r"(1 n=4\n2\n)8")
    prose = way(result, way="fewshot-chat")
    assert (prose.asked, prose.readable, prose.right) == (3, 0, 0)
    assert (prose.example, prose.reason) == (PROSE, "prose, not a trace in Meta's notation")
    unasked = way(result, way="text")
    assert (unasked.asked, unasked.reason) == (0, "the server has no /completions: status 404 (Not Found)")
    assert result.server is not None
    assert (result.server.models, result.server.endpoints["/completions"].is_usable) == (("m",), False)
    assert len(server.log("chat")) <= MAX_REQUESTS
    assert not [entry for entry in server.log("chat") if entry["path"].endswith("v1/completions")][1:]


def test_the_command_that_is_printed_works(server: CheckedServer, tmp_path: Path) -> None:
    result = worldline.check(server.scheme("chat"))
    words = shlex.split(result.command)
    assert words[:3] == ["worldline", "bench", "generated"]
    assert words[-2:] == ["-o", "runs/m-chat"]
    # This server knows three programs only, so they take the place of the suite.
    rows = [{"id": task.name, "source": task.program.source, "call": task.name} for task in tiny_suite().tasks]
    (tmp_path / "own.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = [str(tmp_path / "own.jsonl") if word == "generated" else word for word in words[1:-2]]
    done = command(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["trace"]["right"] == 3


def test_our_own_server_speaks_the_compact_notation_by_completions() -> None:
    pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")
    with model_server() as served:
        # Other ways of asking take a byte model minutes; the server is named without its model.
        result = worldline.check(f"server:{served.url}", extras={"codec": "compact"})
        done = command("check", served.scheme, "-M", "way=text", "-M", "codec=compact")
    assert result.model == f"server:{served.url}/v1#default"
    assert result.options == {"codec": "compact", "way": "text"}
    assert (way(result, way="text").right_traces, way(result, way="chat").asked) == (3, 0)
    assert done.returncode == 0, done.stderr
    assert "completions       yes, with log-probabilities" in done.stdout
    assert "Use -M way=text (the compact notation by completions, the prompt alone): 3 of 3" in done.stdout


def test_a_server_that_speaks_metas_format() -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
    script = Path(__file__).parents[1] / "predict" / "meta_server.py"
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/right/v1"
        result = worldline.check(f"server:{url}#facebook/cwm")
        other = worldline.check(f"server:{url}#renamed", extras={"way": "text"})
    finally:
        process.kill()
        process.communicate()
    assert result.options == {"way": "tokens"}  # of two that are equally right, the model's default
    assert [way(result, way=name).right_traces for name in ("tokens", "text")] == [3, 3]
    assert way(result, way="chat").readable == 0
    assert other.options == {"way": "text", "codec": "cwm"}


def test_prose_in_every_way_is_a_finding(server: CheckedServer) -> None:
    done = command("check", server.scheme("prose"), "--json")
    assert done.returncode == 1, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["readable"], printed["command"], printed["best"]) == (False, "", None)
    assert {tried["readable"] for tried in printed["ways"]} == {0}
    assert all(tried["example"].startswith(PROSE) for tried in printed["ways"] if tried["options"]["way"] != "tokens")
    shown = command("check", server.scheme("prose"), "-M", "way=chat")
    assert shown.returncode == 1
    assert f"came back  {PROSE}" in shown.stdout
    assert "why not    prose, not a trace in the compact notation" in shown.stdout
    assert "No answer can be read." in shown.stdout


def test_a_server_that_refuses_log_probabilities_is_asked_without(server: CheckedServer) -> None:
    result = worldline.check(server.scheme("nologprobs"), extras={"codec": "compact"})
    assert result.server is not None
    assert result.server.endpoints["/completions"].refuses_logprobs
    assert result.options == {"codec": "compact", "way": "text", "logprobs": "false"}
    assert result.best is not None
    assert result.best.right_traces == 3
    assert "-M logprobs=false" in result.command


def test_a_server_that_does_not_list_its_models_is_checked_by_name(server: CheckedServer) -> None:
    result = worldline.check(server.scheme("nolist"), extras={"way": "chat", "codec": "compact"})
    assert result.server is not None
    assert (result.server.models, result.ways[0].asked) == (None, 3)


def test_a_context_that_is_too_short_is_named(server: CheckedServer) -> None:
    result = worldline.check(server.scheme("context"), extras={"codec": "compact"})
    assert {tried.reason for tried in result.ways} == {"question and answer exceed the model's context"}
    assert not result.is_readable
    assert result.advice.startswith("Serve the model with a longer context.")


# ---- servers that fail


def test_a_key_is_asked_for_and_then_used(server: CheckedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServerError, match=r"status 401 \(missing or wrong key\)\. It needs an API key.*key_env=NAME"):
        worldline.check(server.scheme("key"))
    monkeypatch.setenv("CHECK_KEY", "sk-other")
    with pytest.raises(ServerError, match="The key in CHECK_KEY is not accepted"):
        worldline.check(server.scheme("key"), extras={"key_env": "CHECK_KEY"})
    monkeypatch.setenv("CHECK_KEY", KEY)
    result = worldline.check(server.scheme("key"), extras={"key_env": "CHECK_KEY", "way": "chat", "codec": "compact"})
    assert "-M key_env=CHECK_KEY" in result.command
    assert KEY not in json.dumps(result.as_json())


@pytest.mark.parametrize(
    ("manner", "model", "error", "why"),
    [
        ("forbidden", "#m", ServerError, r"status 403 \(your plan has no access\).*It needs an API key"),
        ("loading", "#m", ServerError, r"status 503 \(Loading model\).*wait until it has loaded its model"),
        ("unknown", "#qwem", NoModelError, r"no model 'qwem' on .*did you mean 'qwen'\? Available: mistral, qwen"),
        ("several", "", NoModelError, r"has several models: name one, server:.*#MODEL.*Available: first, second"),
        ("nolist", "", UsageError, r"does not list its models: name the one to check"),
        ("html", "#m", ServerError, r"a web page instead of an answer.*not the answer of an OpenAI-compatible server"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    server: CheckedServer, manner: str, model: str, error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        worldline.check(server.scheme(manner, model))


@pytest.mark.parametrize("path", ["/chat", "/chat/v1/chat/completions", "/chat/v1/models"])
def test_a_wrong_path_is_answered_by_the_right_one(server: CheckedServer, path: str) -> None:
    right = re.escape(f"use server:{server.origin}/chat/v1#m")
    with pytest.raises(ServerError, match=rf"status 404 .*The path is wrong.*{right}"):
        worldline.check(f"server:{server.origin}{path}#m")


def test_a_path_without_any_server_says_how_addresses_end(server: CheckedServer) -> None:
    with pytest.raises(ServerError, match="usually ends in /v1"):
        worldline.check(f"server:{server.origin}/x/y#m")


def test_a_server_that_does_not_answer_ends_in_time(server: CheckedServer) -> None:
    done = command("check", server.scheme("hang"), "--seconds", "1")
    assert done.returncode == 3
    assert re.match(r"error\[server\]: .*: no answer within \S+ s\. It may still load", done.stderr)
    assert done.stdout == ""


def test_a_server_that_is_too_slow_is_not_taken_for_one_that_speaks_no_format(server: CheckedServer) -> None:
    result = worldline.check(server.scheme("slow"), extras={"way": "chat", "codec": "compact", "timeout": "0.5"})
    (tried,) = result.ways
    assert (tried.asked, tried.answered, tried.reason) == (3, 0, "no answer within 0.5 s")
    assert result.advice.startswith("No request was answered. If the server is only slow, allow more time")


def test_nobody_listens() -> None:
    with socket.socket() as taken:  # bound and not listening, so that nobody else does
        taken.bind(("127.0.0.1", 0))
        done = command("check", f"server:http://127.0.0.1:{taken.getsockname()[1]}#m")
    assert done.returncode == 3
    assert re.match(r"error\[server\]: no connection to .*: .*\. Nothing listens there: start the server", done.stderr)


def test_tls_where_there_is_none_and_a_certificate_that_nobody_signed(server: CheckedServer, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"TLS: .*The server does not use TLS: write http, server:http://127"):
        worldline.check(server.scheme("chat").replace("http:", "https:"))
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate")
    path = tmp_path / "server.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", str(path)]
    subprocess.run([*make, "-out", str(tmp_path / "cert.pem")], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (tmp_path / "cert.pem").read_bytes())
    with started("{}", str(path)) as port, pytest.raises(ServerError, match=r"certificate is not trusted.*authority"):
        worldline.check(f"server:https://127.0.0.1:{port}/chat/v1#m")


def test_exit_codes_of_usage(server: CheckedServer) -> None:
    unknown = command("check", server.scheme("unknown"))
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("error[no-model]: no model 'm' on ")
    alone = command("check", f"{server.origin}/several/v1")  # as with `server:` before it
    assert alone.stderr == command("check", f"server:{server.origin}/several/v1").stderr
    assert "has several models: name one, server:" in alone.stderr
    contradiction = command("check", server.scheme("chat"), "-M", "way=tokens", "-M", "codec=compact")
    assert contradiction.returncode == 2
    assert "way=tokens is for Meta's format only" in contradiction.stderr


# ---- other models


def test_models_without_a_server(tmp_path: Path) -> None:
    shipped = worldline.check()
    assert (shipped.model, shipped.options, shipped.server) == ("default", {}, None)
    assert (shipped.ways[0].asked, shipped.ways[0].readable) == (3, 3)
    own = worldline.check(lambda prompt: "(1 n=4\n2\n)8\n.\n")
    assert (own.ways[0].asked, own.ways[0].right, own.command) == (3, 1, "")
    with pytest.raises(NoModelError):
        worldline.check(str(tmp_path / "nothing"))


def test_the_texts_of_a_file_are_read_and_not_judged(tmp_path: Path) -> None:
    trace = "(1 n=4\n2\n)8\n.\n"
    rows = [{"id": "1", "text": trace}, {"id": "2", "text": PROSE}]
    (tmp_path / "texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    result = worldline.check(f"replay:{tmp_path / 'texts.jsonl'}")
    (texts,) = result.ways
    assert (texts.asked, texts.readable, texts.right, texts.notation) == (2, 1, None, "compact")
    assert (texts.example, texts.reason) == (PROSE, "prose, not a trace")
    assert shlex.split(result.command)[2] == "SUITE"
