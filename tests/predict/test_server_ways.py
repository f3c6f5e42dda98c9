"""What is asked and what is read: the chat's worked example is true, and a reply is read as it was meant."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.chat import EXAMPLE, example, messages, template
from worldline.predict.servers.client import Patience, ServerClient, Unanswered
from worldline.predict.servers.prompt_styles import (
    Chat,
    PromptStyle,
    Reply,
    Sampling,
    Text,
    Tokens,
    prediction,
    read_reply,
)
from worldline.predict.servers.server import Server
from worldline.recording.recorder import record

ASK = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"))
STEPS = "(1 n=1\n2\n)1\n.\n"


@pytest.mark.parametrize(
    "options", [Compact(), Compact(delta="element"), Compact(reveal=3), Compact(reveal=0), Compact(bare=True)]
)
def test_the_worked_example_is_what_happens(options: Compact) -> None:
    program = parse(EXAMPLE).program
    assert program is not None
    assert example(options)[1] == encode_steps(record(program), options)
    said = messages(PredictionRequest(program=ASK.program, options=options))
    assert said[2]["content"] == f"```\n{example(options)[1].decode()}```"
    assert ASK.program.call is not None
    assert said[3]["content"].endswith(">f(1)\n```")


def test_the_template_has_a_place_for_the_program() -> None:
    assert template().count("{PROGRAM}") == 1
    assert f"```\n{example(Compact())[1].decode()}```" in template()


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (f"```\n{STEPS}```", STEPS),
        (f"Sure!\n```text\n{STEPS}```\nDone.", STEPS),
        (f"<think>\n```\nno\n```</think>\n\n```\n{STEPS}```", STEPS),
        (f"```\nfirst try\n```\nNo:\n```\n{STEPS}\n```", STEPS),
        (STEPS.rstrip("\n"), STEPS),
        (f"```\n{STEPS}", STEPS),
        (f"{STEPS}and so on\n", STEPS),
        ("I cannot do that", "I cannot do that\n"),
        ("", ""),
        ("<think>for ever", ""),
    ],
)
def test_the_trace_is_taken_out_of_what_a_chat_says(said: str, text: str) -> None:
    found = prediction(Chat(), ASK, Reply(said, False))
    assert found.text.decode() == text
    assert found.status == ("ended" if text else "empty")


def test_a_chat_is_told_what_is_given() -> None:
    ask = PredictionRequest(program=ASK.program, given=b"(1 n=1\n")
    assert messages(ask)[3]["content"].endswith("go on from there:\n\n```\n(1 n=1\n```")
    assert prediction(Chat(), ask, Reply("```\n2\n)1\n.\n```", False)).text.decode() == STEPS


@pytest.mark.parametrize(
    ("reply", "text", "status"),
    [
        (Reply("(1 n=1\n2\n)1", False, "\n.\n"), STEPS, "ended"),  # stopped at the mark, which is left out
        (Reply("(1 n=1\n2\n)1", False), STEPS, "ended"),  # a server that does not say what stopped it
        (Reply("(1 n=1\n2\n)1", False, None), "(1 n=1\n2\n)1", "ended"),  # its own end, before the mark
        (Reply("(1 n=1\n2\n)1", True), "(1 n=1\n2\n)1", "budget"),
        (Reply(STEPS + "1|def g", True), STEPS, "ended"),  # ended before the budget did
        (Reply("", False), "", "empty"),
    ],
)
def test_the_end_mark_is_the_text_s_end(reply: Reply, text: str, status: str) -> None:
    found = prediction(Text(), ASK, reply)
    assert (found.text.decode(), found.status) == (text, status)


class Letters:
    """A vocabulary of characters."""

    def ids(self, text: str, /) -> list[int]:
        """Their numbers."""
        return list(map(ord, text))

    def data(self, ids: Sequence[int], /) -> bytes:
        """Their bytes."""
        return "".join(map(chr, ids)).encode()


def answer(**choice: Any) -> dict[str, Any]:
    return {"id": "a\nb", "model": "m", "choices": [{"finish_reason": "stop", "text": "x", **choice}]}


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        ({}, Reply("x", False, "", (), None, "a b")),
        ({"finish_reason": "length"}, Reply("x", True, "", (), None, "a b")),
        ({"stop_reason": None}, Reply("x", False, None, (), None, "a b")),
        ({"stop_reason": "\n.\n"}, Reply("x", False, "\n.\n", (), None, "a b")),
        ({"matched_stop": 128001}, Reply("x", False, None, (), None, "a b")),
        ({"token_ids": [1, 128001]}, Reply("x", False, "", (1, 128001), None, "a b")),
        ({"token_ids": [1, -2]}, Reply("x", False, "", (), None, "a b")),
        ({"token_ids": [True]}, Reply("x", False, "", (), None, "a b")),
        ({"logprobs": {"token_logprobs": [-1, -0.5]}}, Reply("x", False, "", (), -1.5, "a b")),
        (
            {"logprobs": {"content": [{"id": 7, "logprob": -2}]}},
            Reply("x", False, "", (7,), -2.0, "a b", (("", -2.0),)),
        ),
        (
            {"logprobs": {"token_logprobs": [-1, -0.5], "tokens": ["<|line_sep|>", "{"]}},
            Reply("x", False, "", (), -1.5, "a b", (("line_sep", -1.0), ("", -0.5))),
        ),
        (
            {"token_ids": [128104, 5, 128100], "logprobs": {"token_logprobs": [-1, -0.5]}},
            Reply(
                "x", False, "", (128104, 5, 128100), -1.5, "a b", (("line_sep", -1.0), ("", -0.5), ("frame_sep", 0.0))
            ),
        ),
        ({"logprobs": {"content": [{"logprob": float("nan")}]}}, Reply("x", False, "", (), None, "a b")),
        ({"message": {"content": "y"}}, Reply("y", False, "", (), None, "a b")),
        ({"message": {"content": [{"type": "text", "text": "y"}, 5]}}, Reply("y", False, "", (), None, "a b")),
        ({"message": {"content": None, "reasoning": "..."}}, Reply("", False, "", (), None, "a b")),
    ],
)
def test_a_reply_in_any_shape(choice: dict[str, Any], wanted: Reply) -> None:
    assert read_reply(answer(**choice), "m") == wanted


FRAME = "<|line_sep|>{}<|action_sep|>    return n\n<|frame_sep|>"


@pytest.mark.parametrize(
    ("reply", "text", "status"),
    [
        (Reply(FRAME, False, None), FRAME, "budget"),  # with what it stopped at
        (Reply(FRAME.removesuffix("<|frame_sep|>"), False, None), FRAME, "budget"),  # without it
        (Reply(FRAME + FRAME, False, None), FRAME + FRAME + "<|end_of_text|>", "ended"),  # it knows no stop
        (Reply("<|end_of_text|>", False, None), "<|end_of_text|>", "ended"),
        (Reply("", False, None), "", "budget"),
        (Reply("<|line_sep|>{", True, None), "<|line_sep|>{", "budget"),
    ],
)
def test_an_ask_for_one_frame_ends_behind_it(reply: Reply, text: str, status: str) -> None:
    ask = PredictionRequest(program=ASK.program, stop="frame_sep")
    assert Tokens(Letters()).question(ask, Sampling())["stop_token_ids"] == [128001, 128100]
    found = prediction(Tokens(Letters()), ask, reply)
    assert (found.text.decode(), found.status) == (text, status)


def test_each_frame_has_its_log_probabilities() -> None:
    names = [
        "line_sep",
        "",
        "",
        "action_sep",
        "",
        "frame_sep",
        "return_sep",
        "action_sep",
        "",
        "arg_sep",
        "",
        "frame_sep",
    ]
    told = tuple((name, -float(2**at)) for at, name in enumerate(names))
    found = prediction(
        Tokens(Letters()), PredictionRequest(program=ASK.program), Reply(FRAME, False, None, tokens=told)
    )
    assert found.sure == ((-(1.0 + 8 + 16 + 32), -6.0), (-(64.0 + 128 + 256 + 512 + 2048), -1024.0))


@pytest.mark.parametrize(
    ("named", "asked", "same"),
    [
        ("m", "m", True),
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("/models/facebook/cwm", "facebook/cwm", True),
        ("cwm", "facebook/cwm", True),
        ("smol.gguf", "smol", True),
        ("smaller", "small", False),
        ("cwm", "cwm-sft", False),
        ("gpt-4o-mini", "gpt-4o", False),
    ],
)
def test_a_model_s_name_with_what_servers_add(named: str, asked: str, same: bool) -> None:
    found = {**answer(), "model": named}
    if same:
        assert read_reply(found, asked).text == "x"
    else:
        with pytest.raises(Unanswered, match="an answer of the model") as problem:
            read_reply(found, asked)
        assert not problem.value.again


def test_the_limit_bounds_the_tokens_asked_for() -> None:
    ask = PredictionRequest(program=ASK.program, limit=30, given=b"(1 n=1\n")
    question = Sampling(max_tokens=100).question("m", ask.max_new_bytes)
    assert (question["max_tokens"], question["seed"], question["stream"]) == (23, 0, False)
    assert Sampling(max_tokens=100).question("m", ASK.max_new_bytes)["max_tokens"] == 100


@pytest.mark.parametrize(("way", "codec"), [(Text(), "compact"), (Chat(), "compact"), (Tokens(Letters()), "cwm")])
def test_a_server_says_which_notation_it_writes(way: PromptStyle, codec: str) -> None:
    client = ServerClient("http://127.0.0.1:9/v1", Patience(), Random(0))
    assert Server(client, "m", style=way, sampling=Sampling()).info.notation == codec
