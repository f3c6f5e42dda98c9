"""Everything a server may do wrong, done by a real one: it becomes a fault with its reason, in time, and no more."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faulty_server import LIES

from worldline.core.errors import NoModelError, UsageError
from worldline.core.program import Program
from worldline.predict.models import load_model
from worldline.predict.prediction import Decoding, Prediction, PredictionRequest
from worldline.predict.vote import Vote, VoteOptions

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")

ASK = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"))
KEY = "sk-very-secret-1234"


class Faulty:
    """The misbehaving server's process."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports

    def url(self, fault: str) -> str:
        return f"server:http://127.0.0.1:{self.ports[0]}/{fault}/v1#m"

    def log(self, fault: str) -> list[dict[str, Any]]:
        """What was asked of it under a fault's name."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[0]}/log", timeout=120) as answer:
            entries = json.load(answer)["log"]
        return [entry for entry in entries if entry["path"].startswith(f"/{fault}/")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    certificate = _certificate(tmp_path_factory.mktemp("tls"))
    script = Path(__file__).with_name("faulty_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script), *certificate], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Faulty([int(port) for port in process.stdout.readline().split()])
    finally:
        process.kill()
        process.communicate()


def _certificate(folder: Path) -> list[str]:
    """A certificate that nobody signed, where openssl can make one."""
    if shutil.which("openssl") is None:
        return []
    path = folder / "server.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", path]
    subprocess.run([*command, "-out", folder / "cert.pem"], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (folder / "cert.pem").read_bytes())
    return [str(path)]


def ask(scheme: str, *asks: PredictionRequest, **extras: object) -> list[Prediction]:
    """The predictions of a server, asked in the plainest way unless said otherwise."""
    settled = {"way": "text", "timeout": 120, "retries": 1} | extras
    return list(load_model(scheme, {key: str(value) for key, value in settled.items()}).predict(asks or [ASK]))


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("fault", "why", "attempts"),
    [
        ("500", r"status 500 \(no way\); 2 attempts", 2),
        ("502", r"status 502 \(no way\); 2 attempts", 2),
        ("503", r"status 503 \(no way\); 2 attempts", 2),
        ("429", r"status 429 \(no way\), and no time for another attempt", 1),
        ("400", r"status 400 \(no way\)", 1),
        ("404", r"status 404 \(no way\)", 2),  # the question, and the list of models
        ("html", "a web page instead of an answer; 2 attempts", 2),
        ("notjson", "not JSON; 2 attempts", 2),
        ("deep", "not JSON; 2 attempts", 2),
        ("list", "not a JSON object; 2 attempts", 2),
        ("nochoices", "without `choices`; 2 attempts", 2),
        ("notext", "without a text; 2 attempts", 2),
        ("nofinish", "the finish_reason 'None'; 2 attempts", 2),
        ("filtered", "the finish_reason 'content_filter'", 1),
        ("othermodel", "the model 'another', not 'm'", 1),
        ("stream", "a stream, which was not requested", 1),
        ("redirect", "redirected to http://127.0.0.2: use", 1),
        ("gzip", "a compressed answer", 1),
        ("garbage", "while it answered; 2 attempts", 2),
        ("cut", "while it answered; 2 attempts", 2),
        ("huge", "an answer of more than 64 MiB", 1),
    ],
)
def test_a_fault_is_named_and_never_a_prediction(server: Faulty, fault: str, why: str, attempts: int) -> None:
    (found,) = ask(server.url(fault), timeout=120)
    assert (found.status, found.text, found.logprob) == ("fault", b"", None)
    assert re.fullmatch(r"unreachable\(.*" + why + r".*\)", found.note), found.note
    assert len(server.log(fault)) == attempts


GOOD = "number-", "logprobs-", "ids-", "text-"  # an answer all the same, without what is odd about it
ANSWERED = {
    "http-9", "key-id", "key-id-long", "key-id-deep", "key-model", "key-model-list", "key-error", "charset",
    "charset-odd", "mark", "type-odd",
}  # fmt: skip
NO_TEXT = {"text-number", "text-true", "text-object"}


@pytest.mark.sampled(72)
@pytest.mark.parametrize(
    ("lie", "way"),
    [
        *((lie, "text") for lie in sorted(LIES)),
        *((lie, way) for lie in sorted(LIES) if lie.startswith(GOOD) for way in ("chat", "tokens")),
    ],
)
def test_an_invalid_answer_is_a_fault_with_its_reason(server: Faulty, lie: str, way: str) -> None:
    if way == "tokens":
        pytest.importorskip("tiktoken")
        pytest.importorskip("llama_models")
    (found,) = ask(server.url(lie), way=way, timeout=120, retries=0)
    assert found.logprob is None or (isinstance(found.logprob, float) and -1e9 < found.logprob <= 0)
    if found.status == "fault":
        assert re.fullmatch(r"unreachable\([^\n]{3,400}\)", found.note), found.note
        assert found.note.isprintable()
        assert "pw" not in found.note
    is_answer = lie in ANSWERED or (lie.startswith(GOOD) and lie not in NO_TEXT)
    assert (found.status != "fault") == is_answer, found


@pytest.mark.parametrize("lie", ["endless-head", "endless-chunks"])
def test_an_endless_answer_is_cut(server: Faulty, lie: str) -> None:
    (found,) = ask(server.url(lie), timeout=120, retries=0)
    assert found.status == "fault"
    assert "no answer within" not in found.note


@pytest.mark.parametrize("fault", ["slow", "hang"])
def test_a_deadline_bounds_every_attempt(server: Faulty, fault: str) -> None:
    began = time.perf_counter()
    (found,) = ask(server.url(fault), timeout=5, retries=1)
    assert found.note == "unreachable(no answer within 5 s; 2 attempts)"
    assert 9.9 < time.perf_counter() - began < 120  # the server would take minutes
    assert len(server.log(fault)) == 2


@pytest.mark.parametrize("fault", ["flaky", "stall"])
def test_every_question_is_tried_again_however_many_run_at_once(server: Faulty, fault: str) -> None:
    asks = programs(*(f"f{n}" for n in range(48)))
    found = ask(server.url(fault), *asks, concurrency=32, retries=5, timeout=15 if fault == "stall" else 120)
    assert {each.note for each in found if each.status == "fault"} == set()
    wanted = [f"(1 n={len(each.prompt)}\n2\n)1\n.\n".encode() for each in asks]
    assert [each.text for each in found] == wanted
    assert len(server.log(fault)) >= 48 * (3 if fault == "flaky" else 2)


@pytest.mark.parametrize("way", ["text", "chat"])
def test_a_stream_is_read_as_it_comes(server: Faulty, way: str) -> None:
    (found,) = ask(server.url("streaming"), way=way, stream="true", timeout=120)
    assert (found.status, found.text, found.note) == ("ended", b"(1 n=1\n2\n)1\n.\n", "answer streamed-1")
    assert found.logprob == -1.5
    assert server.log("streaming")[-1]["question"]["stream"] is True


def test_a_stream_cut_by_its_deadline_keeps_what_arrived(server: Faulty) -> None:
    (found,) = ask(server.url("begun"), stream="true", timeout=5, retries=3)
    assert (found.status, found.text) == ("budget", b"(1 n=1\n2")
    assert found.note == "answer streamed-1, cut by the deadline of 5 s"
    assert len(server.log("begun")) == 1


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("torn", "the finish_reason 'None'; 2 attempts"),
        ("oddstream", "an event that is not JSON; 2 attempts"),
        ("failstream", r"the stream reports: out of memory; 2 attempts"),
        ("500", r"status 500 \(no way\); 2 attempts"),
    ],
)
def test_a_stream_that_breaks_is_a_fault(server: Faulty, fault: str, why: str) -> None:
    (found,) = ask(server.url(fault), stream="true", timeout=120)
    assert found.status == "fault"
    assert re.search(why, found.note), found.note


def test_a_server_that_does_not_stream_is_read_all_the_same(server: Faulty) -> None:
    (found,) = ask(server.url("good"), stream="true", timeout=120)
    assert found.status == "ended"


def test_a_refused_connection() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (found,) = ask(f"server:http://127.0.0.1:{port}#m", retries=2)
    assert found.status == "fault"
    where = f"http://127.0.0.1:{port}/v1"
    assert re.fullmatch(rf"unreachable\(no connection to {where}: .*; 3 attempts\)", found.note)


def test_a_plain_server_at_an_https_address_is_a_fault(server: Faulty) -> None:
    before = server.log("good")
    (found,) = ask(server.url("good").replace("http:", "https:"))
    assert found.note.startswith("unreachable(TLS: ")
    assert server.log("good") == before


def test_a_self_signed_certificate_is_a_fault(server: Faulty) -> None:
    if len(server.ports) < 2:
        pytest.skip("no openssl here to make a certificate")
    (found,) = ask(f"server:https://127.0.0.1:{server.ports[1]}/signed/v1#m")
    assert found.note == "unreachable(TLS: certificate verify failed)"
    assert server.log("signed") == []


@pytest.mark.parametrize("fault", ["nologprobs", "oddlogprobs"])
def test_tokens_without_log_probabilities_are_a_prediction_without(server: Faulty, fault: str) -> None:
    (found,) = ask(server.url(fault))
    assert (found.status, found.text, found.logprob) == ("ended", b"(1 n=1\n2\n)1\n.\n", None)


def test_an_answer_that_changes_between_retries_says_which_it_is(server: Faulty) -> None:
    (found,) = ask(server.url("busy"), retries=3, seed=7, temperature=0.5)
    assert (found.status, found.note) == ("ended", "answer answer-3")
    asked = [entry["question"] for entry in server.log("busy")]
    assert asked[0] == asked[1] == asked[2]
    assert (asked[0]["seed"], asked[0]["temperature"]) == (7, 0.5)


def test_a_text_may_have_its_own_temperature_and_seed(server: Faulty) -> None:
    before = len(server.log("good"))
    drawn = replace(ASK, decoding=Decoding(temperature=0.5, seed=7))
    ask(server.url("good"), ASK, drawn, seed=3, concurrency=1)
    asked = [entry["question"] for entry in server.log("good")[before:]]
    assert [(question["temperature"], question["seed"]) for question in asked] == [(0.0, 3), (0.5, 7)]


def test_the_samples_of_a_server_vote(server: Faulty) -> None:
    before = len(server.log("nologprobs"))
    model = load_model(server.url("nologprobs"), {"way": "text", "concurrency": "1"})
    (found,) = Vote((model,), VoteOptions(samples=3)).predict([ASK])
    assert (found.text, found.logprob) == (b"(1 n=1\n2\n)1\n.\n", None)
    assert found.note.endswith("vote: 3 of 3 texts, 100 % of the weight")
    asked = [entry["question"] for entry in server.log("nologprobs")[before:]]
    assert [(question["temperature"], question["seed"]) for question in asked] == [(0.0, 0), (0.8, 1), (0.8, 2)]


def test_a_model_that_the_server_does_not_have_is_an_error_of_usage(server: Faulty) -> None:
    reason = r"no model 'm' on http://127.*/unknown/v1: status 404 \(The model `m` does not exist\.\)"
    with pytest.raises(NoModelError, match=reason):
        ask(server.url("unknown"))


def test_the_empty_and_the_cut_have_their_own_status(server: Faulty) -> None:
    assert [each.status for each in ask(server.url("empty"))] == ["empty"]
    (found,) = ask(server.url("length"))
    assert (found.status, found.text) == ("budget", b"(1 n=1\n2")
    (found,) = ask(server.url("good"), PredictionRequest(program=ASK.program, limit=5))
    assert (found.status, len(found.text)) == ("budget", 5)


def programs(*names: str) -> list[PredictionRequest]:
    return [
        PredictionRequest(program=Program(source=f"def {name}(n):\n    return n\n", call=f"{name}(1)"))
        for name in names
    ]


def test_predictions_come_in_the_order_asked(server: Faulty) -> None:
    asks = programs("f", "ff", "fff", "ffff", "fffff")
    wanted = [f"(1 n={len(each.prompt)}\n2\n)1\n.\n".encode() for each in asks]
    assert [each.text for each in ask(server.url("late"), *asks, concurrency=4)] == wanted


def test_one_that_fails_does_not_stop_the_others(server: Faulty) -> None:
    found = ask(server.url("mixed"), *programs("a", "broken", "b", "c", "broken"), retries=0)
    assert [each.status for each in found] == ["ended", "fault", "ended", "ended", "fault"]


def test_a_prediction_is_yielded_before_the_rest_is_ready(server: Faulty) -> None:
    model = load_model(server.url("good"), {"way": "text", "concurrency": "1"})
    coming = iter(model.predict(programs(*(f"f{n}" for n in range(300)))))
    assert next(coming).status == "ended"
    coming.close()  # type: ignore[attr-defined]
    assert len(server.log("good")) < 300


def test_a_server_that_is_down_is_not_asked_over_and_over() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = ask(f"server:http://127.0.0.1:{port}#m", *[ASK] * 200, retries=1, concurrency=4)
    assert [each.status for each in found] == ["fault"] * 200
    assert sum("; 2 attempts" in each.note for each in found) < 20


def test_the_key_is_sent_and_never_kept(server: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDLINE_TEST_KEY", KEY)
    for fault in ("echo", "leak"):
        model = load_model(server.url(fault), {"way": "text", "key_env": "WORLDLINE_TEST_KEY"})
        (found,) = model.predict([ASK])
        assert server.log(fault)[0]["headers"]["authorization"] == f"Bearer {KEY}"
        kept = repr(found) + repr(model) + repr(vars(model)) + json.dumps(model.info.config)
        assert KEY not in kept
        assert "[key]" in repr(found)


@pytest.mark.parametrize(
    ("scheme", "extras", "match"),
    [
        ("server:ftp://host#m", {}, "must be http"),
        ("server:host#m", {}, "must be http"),
        ("server:http://host:99999#m", {}, "must be http"),
        ("server:http://u:p@host#m", {}, "must not have a user, password or query"),
        ("server:http://host/v1?key=x#m", {}, "must not have a user, password or query"),
        ("server:http://127.0.0.1:1", {}, "use --model server:http://127.0.0.1:1/v1#MODEL"),
        ("server:http://host#m", {"key_env": "NO_SUCH_KEY_HERE"}, "NO_SUCH_KEY_HERE is not set"),
        ("server:http://host#m", {"key_env": "sk-12"}, "the name of an environment variable"),
        ("server:http://host#m", {"way": "telepathy"}, "text or tokens or chat"),
        ("server:http://host#m", {"timeout": "0"}, "more than 0"),
        ("server:http://host#m", {"retries": "-1"}, "0 to 100"),
        ("server:http://host#m", {"key": "x"}, "no option 'key'"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(scheme: str, extras: dict[str, str], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        load_model(scheme, extras)


def test_questions_in_plain_words_are_answered_or_are_faults(server: Faulty) -> None:
    frank = load_model(server.url("good"), {"way": "chat", "timeout": "5"})
    found = list(frank.answer(["What is f?", "And now?"], limit=40))  # type: ignore[attr-defined]
    assert [one.status for one in found] == ["ended", "ended"]
    asked = [entry["question"] for entry in server.log("good")][-2:]
    assert sorted(body["messages"][0]["content"] for body in asked) == ["And now?", "What is f?"]
    assert {body["max_tokens"] for body in asked} == {40}
    broken = load_model(server.url("html"), {"way": "chat", "timeout": "1.2", "retries": "0"})
    assert [one.status for one in broken.answer(["Hm?"], limit=40)] == ["fault"]  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="way=chat"):
        load_model(server.url("good"), {"way": "text"}).answer(["Hm?"], limit=40)  # type: ignore[attr-defined]


def test_a_question_beyond_the_context_is_a_budget(server: Faulty) -> None:
    (found,) = ask(server.url("context"), timeout=120)
    assert (found.status, found.text, found.note) == ("budget", b"", "budget(context)")
    assert len(server.log("context")) == 1
