"""Meta's format by token ids: the staged program, its frames taken off, and ids that mean what they are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import TOKENS
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.prompt_styles import Reply, Sampling, Tokens, prediction
from worldline.predict.servers.tokens import is_meta, llama3, spelled, stage
from worldline.recording.recorder import record

PROGRAMS = {
    "call": Program(source="def f(n):\n    x = n + 1\n    return x\n", call="f(1)"),
    "raises": Program(source="def f(n):\n    return 1 // n\n", call="f(0)"),
    "caught": Program(
        source="def f(n):\n    try:\n        return 1 // n\n    except ZeroDivisionError:\n        return n",
        call="f(0)",
    ),
    "helper": Program(
        source="def g(a):\n    return a * 2\n\ndef f(n):\n    main = g(n)\n    return main\n", call="f([1])"
    ),
    "nested": Program(source="def g(n):\n    return n\ndef f(n):\n    return n\n", call="f(g(2))"),
    "generator": Program(
        source="def f(n):\n    return sum(i for i in range(n))\n", call="f(\n  2\n)"
    ),
    "letters": Program(source="def f(s):\n    t = '<|frame_sep|>' + s\n    return t\n", call="f('<|x|>')"),
    "no arguments": Program(source="def main():\n    return 1\n", call="main()"),
    "script": Program(source="x = 1\ny = x + 1\n"),
}  # fmt: skip


class Characters:
    """A vocabulary of one id for each character, beside Meta's special ids."""

    def ids(self, text: str, /) -> list[int]:
        return [ord(char) for char in text]

    def data(self, ids: Sequence[int], /) -> bytes:
        return "".join(map(chr, ids)).encode()


def truth(program: Program) -> bytes:
    (found,) = Interpreter(codec="cwm").predict([PredictionRequest(program=program)])
    assert (found.codec, found.status) == ("cwm", "ended")
    return found.text


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_staged_run_less_its_stage_is_the_run(name: str) -> None:
    program = PROGRAMS[name]
    staged = stage(program)
    entry = None if staged.entry == 0 else program.call
    if staged.closing is not None:
        entry = staged.source.split("\n")[staged.entry - 1].removeprefix("def ").removesuffix(":")
    text = cwm.encode(record(Program(source=staged.source, call=entry)))
    assert text.startswith(staged.prompt)
    assert staged.without_closing(text.removeprefix(staged.prompt)).encode() == truth(program)


@pytest.mark.parametrize("name", PROGRAMS)
def test_ids_and_spelling_are_each_other_s_way_back(name: str) -> None:
    frames, vocabulary = truth(PROGRAMS[name]).decode(), Characters()
    staged = stage(PROGRAMS[name])
    ids = staged.ids(vocabulary, frames.encode())
    head = staged.ids(vocabulary)
    assert ids[: len(head)] == head
    assert spelled(ids[len(head) :], vocabulary) == frames
    assert ids.count(TOKENS["frame_sep"]) == staged.prompt.count("<|frame_sep|>") + frames.count("<|frame_sep|>")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_perfect_model_s_reply_is_the_truth(name: str) -> None:
    program, vocabulary = PROGRAMS[name], Characters()
    staged, wanted = stage(program), truth(program)
    closing = ""
    if staged.closing is not None:
        line = f"<|action_sep|>{staged.closing}\n<|arg_sep|>"
        closing = f'<|return_sep|>{line}"None"<|frame_sep|>'
        if name == "raises":
            closing = f'<|exception_sep|>{line}"ZeroDivisionError()"<|frame_sep|>' + closing
    whole = wanted.decode().replace("<|end_of_text|>", closing)
    empty = len(staged.ids(vocabulary))
    ids = tuple(staged.ids(vocabulary, whole.encode())[empty:])
    for reply in (Reply("", False, None, ids), Reply("", False, None, (*ids, TOKENS["end_of_text"]))):
        found = prediction(Tokens(vocabulary), PredictionRequest(program=program), reply)
        assert (found.text, found.status, found.codec) == (wanted, "ended", "cwm")
    spelt = prediction(Tokens(vocabulary), PredictionRequest(program=program), Reply(whole, False, None))
    assert spelt.text == wanted


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_reply_that_says_its_prompt_again_is_the_truth(name: str) -> None:
    program, vocabulary = PROGRAMS[name], Characters()
    ids = tuple(stage(program).ids(vocabulary, truth(program)))
    for reply in (Reply("", False, None, ids), Reply(spelled(ids, vocabulary), False, None)):
        assert prediction(Tokens(vocabulary), PredictionRequest(program=program), reply).text == truth(program)


def test_a_cut_reply_has_no_end() -> None:
    program = PROGRAMS["call"]
    found = prediction(Tokens(Characters()), PredictionRequest(program=program), Reply("<|call_sep|>{", True, None))
    assert (found.text, found.status) == (b"<|call_sep|>{", "budget")


def test_what_is_given_is_asked_behind_and_comes_first() -> None:
    program = PROGRAMS["call"]
    wanted = truth(program)
    given = wanted[: wanted.index(b"<|frame_sep|>") + len(b"<|frame_sep|>")]
    ask = PredictionRequest(program=program, given=given)
    question = Tokens(Characters()).question(ask, Sampling())
    assert question["prompt"] == stage(program).ids(Characters(), given)
    rest = wanted.decode().removeprefix(given.decode())
    assert prediction(Tokens(Characters()), ask, Reply(rest, False, None)).text == wanted


def test_llama_3_s_ids_are_meta_s() -> None:
    pytest.importorskip("tiktoken")
    pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")
    vocabulary = llama3()
    program = PROGRAMS["letters"]
    ids = stage(program).ids(vocabulary)
    assert ids[:2] == [128000, 128107]
    # Behind the source and the two frames of `main`: none of the source's letters.
    assert ids.count(128100) == 3
    assert b"'<|frame_sep|>' + s" in vocabulary.data(ids)
    assert vocabulary.data([999_999]) == b"<|999999|>"
    frames = truth(program)
    assert spelled(stage(program).ids(vocabulary, frames)[len(ids) :], vocabulary).encode() == frames


@pytest.mark.parametrize(
    ("name", "meta"),
    [("facebook/cwm", True), ("cwm-sft", True), ("/models/CWM", True), ("cwmish", False), ("gpt", False)],
)
def test_meta_s_model_is_known_by_name(name: str, meta: bool) -> None:
    assert is_meta(name) == meta
