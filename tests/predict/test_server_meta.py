"""Meta's format asked for as text and in a conversation: what goes out, what is read; the worked example is true."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from worldline.analyze.flow.control import syntax
from worldline.codec.compact.parse import parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import SPECIAL
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.chat import EXAMPLE
from worldline.predict.servers.meta import FRAMES, MetaChat, MetaText, example, program_text
from worldline.predict.servers.prompt_styles import PromptStyle, Reply, Sampling, prediction
from worldline.predict.servers.tokens import stage
from worldline.recording.recorder import record

PROGRAM = Program(source="def f(n):\n    return n\n", call="f(1)")
ASK = PredictionRequest(program=PROGRAM)
OWN = (
    '<|call_sep|>{"n": "1"}<|action_sep|>def f(n):\n<|frame_sep|>'
    '<|line_sep|>{"n": ".."}<|action_sep|>    return n\n<|frame_sep|>'
    '<|return_sep|><|action_sep|>    return n\n<|arg_sep|>"1"<|frame_sep|>'
)
MAIN = '<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>"1"<|frame_sep|>'
END = "<|end_of_text|>"
STRIPPED = '{"n": "1"}def f(n):\n{"n": ".."}    return n\n    return n\n"1"    return f(1)\n"1"'


def test_the_worked_example_is_what_happens() -> None:
    program = parse(EXAMPLE).program
    assert program is not None
    trace = record(program)
    assert cwm.prompt(program.source, cwm.entry_line(trace)) + FRAMES == cwm.encode(trace)
    said = MetaChat().question(ASK, Sampling(logprobs=False))["messages"]
    assert [each["role"] for each in said] == ["system", "user", "assistant", "user"]
    assert (said[1]["content"], said[2]["content"]) == (example()[0], f"```\n{FRAMES}\n```")
    assert said[3]["content"] == program_text(PROGRAM)
    assert "def f(n):  # << START_OF_TRACE" in program_text(PROGRAM)
    assert MetaChat().template.count("{PROGRAM}") == 1


def test_the_prompt_is_that_of_the_token_ids() -> None:
    asked = MetaText().question(ASK, Sampling())
    assert asked["prompt"] == stage(PROGRAM).prompt
    assert asked["stop"] == [END]
    assert asked["skip_special_tokens"] is False


@pytest.mark.parametrize("said", [OWN + MAIN + END, OWN + MAIN, STRIPPED, (OWN + MAIN).replace("|><|", "|> <|")])
def test_a_continuation_is_read_however_it_was_decoded(said: str) -> None:
    found = prediction(MetaText(), ASK, Reply(said, False))
    if "|> <|" in said:  # spaces at some of the tokens alone are not a decoder's
        assert found.text != (OWN + END).encode()
    else:
        assert (found.text.decode(), found.status, found.codec) == (OWN + END, "ended", "cwm")


@pytest.mark.parametrize(
    "said",
    [f"```\n{OWN}{END}\n```", f"Sure.\n```text\n{OWN}```\nDone.", f"<think>no</think>Here:\n\n{OWN}{END}", STRIPPED],
)
def test_a_chat_s_reply_is_read(said: str) -> None:
    found = prediction(MetaChat(), ASK, Reply(said, False))
    assert (found.text.decode(), found.status) == (OWN + END, "ended")


@pytest.mark.parametrize("marker", ["", "  # << START_OF_TRACE"])
@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize("way", [MetaText(), MetaChat()])
def test_a_reply_that_says_its_opening_again(way: PromptStyle, is_plain: bool, marker: str) -> None:
    opening = stage(PROGRAM).opening.replace("def main():", f"def main():{marker}")
    said = SPECIAL.sub("", opening) + STRIPPED if is_plain else opening + OWN + MAIN + END
    found = prediction(way, ASK, Reply(said, False))
    assert (found.text.decode(), found.status) == (OWN + END, "ended")


def test_a_reply_that_is_cut_keeps_its_tail() -> None:
    text = OWN[:-30]
    found = prediction(MetaText(), ASK, Reply(text, True))
    assert (found.text.decode(), found.status) == (text, "budget")


def test_the_notation_is_an_option() -> None:
    for way in ("text", "chat"):
        assert load_model("server:http://h#some", {"way": way}).info.notation == "compact"
        assert load_model("server:http://h#some", {"way": way, "codec": "cwm"}).info.notation == "cwm"
        assert load_model("server:http://h#facebook/cwm", {"way": way}).info.notation == "cwm"
        assert load_model("server:http://h#cwm", {"way": way, "codec": "compact"}).info.notation == "compact"
    with pytest.raises(UsageError, match="way=tokens is for Meta's format only"):
        load_model("server:http://h#cwm", {"way": "tokens", "codec": "compact"})


def test_threads_may_parse_at_once() -> None:
    sources = [f"def f{i}(x):\n" + "    x = (x + 1)\n" * 200 for i in range(60)]
    with ThreadPoolExecutor(4) as pool:
        assert all(tree is not None for tree in pool.map(syntax, sources))
