"""Reading predictions: what is resolved, what stays open, and where malformed text stops."""

from __future__ import annotations

import pytest

from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm.text import TOKENS, quoted
from worldline.core.malformed import Malformed

pytestmark = pytest.mark.unit


def call(names: str, line: str) -> str:
    """A call frame."""
    return f"<|call_sep|>{names}<|action_sep|>{line}\n<|frame_sep|>"


def line(names: str, text: str) -> str:
    """A line frame."""
    return f"<|line_sep|>{names}<|action_sep|>{text}\n<|frame_sep|>"


def left(text: str, value: str, event: str = "return") -> str:
    """A return or exception frame."""
    return f"<|{event}_sep|><|action_sep|>{text}\n<|arg_sep|>{quoted(value)}<|frame_sep|>"


F = "def f(a):\n    b = a\n    return b\n"
START = call('{"a": "1"}', "def f(a):")


def test_a_prediction_with_and_without_its_prompt() -> None:
    text = START + line('{"a": ".."}', "    b = a") + "<|end_of_text|>"
    whole = f"<|begin_of_text|><|trace_context_start|>{F}<|frame_sep|>{text}"
    assert cwm_parse.parse(text, F) == cwm_parse.parse(whole, F)
    assert [(f.line, f.locals) for f in cwm_parse.parse(text, F).frames] == [(1, {"a": "1"}), (2, {"a": "1"})]
    assert cwm_parse.parse(text, F).ended


def test_control_flow_distinguishes_equal_lines() -> None:
    source = "def f(x):\n    x += 1\n    x += 1\n    return x\n"
    text = call('{"x": "0"}', "def f(x):") + line('{"x": ".."}', "    x += 1") + line('{"x": "1"}', "    x += 1")
    assert [frame.line for frame in cwm_parse.parse(text, source).frames] == [1, 2, 3]


BRANCHES = "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 1\n    return b\n"


def test_ambiguous_lines_stay_open() -> None:
    text = START + line('{"a": ".."}', "    if a:") + line('{"a": ".."}', "        b = 1")
    frame = cwm_parse.parse(text, BRANCHES).frames[-1]
    assert (frame.line, frame.candidates, frame.allowed) == (None, (3, 5), True)
    after = cwm_parse.parse(text + line('{"a": "..", "b": "1"}', "    return b"), BRANCHES).frames
    assert [f.line for f in after] == [1, 2, None, 6]


def test_later_frames_settle_ambiguous_lines() -> None:
    source = "def f(a):\n    if a:\n        b = 1\n        c = 2\n    else:\n        b = 1\n    return b\n"
    text = START + line('{"a": ".."}', "    if a:") + line('{"a": ".."}', "        b = 1")
    assert cwm_parse.parse(text, source).frames[-1].candidates == (3, 6)
    settled = cwm_parse.parse(text + line('{"a": "..", "b": "1"}', "        c = 2"), source).frames
    assert [f.line for f in settled] == [1, 2, 3, 4]


def test_a_line_that_the_flow_does_not_allow_is_still_a_line() -> None:
    text = START + line('{"a": ".."}', "    return b") + line("{}", "    no such line")
    wrong, unknown = cwm_parse.parse(text, F).frames[1:]
    assert (wrong.line, wrong.allowed) == (3, False)
    assert (unknown.line, unknown.candidates, unknown.allowed) == (None, (), False)


def test_unchanged_is_resolved_past_calls_and_returns() -> None:
    source = "def f(a):\n    b = g(a)\n    return b\ndef g(a):\n    return a\n"
    text = (
        START + line('{"a": ".."}', "    b = g(a)") + call('{"a": "7"}', "def g(a):")
        + line('{"a": ".."}', "    return a") + left("    return a", "7")
        + line('{"a": "..", "b": "7"}', "    return b")
    )  # fmt: skip
    frames = cwm_parse.parse(text, source).frames
    assert [f.locals for f in frames] == [{"a": "1"}, {"a": "1"}, {"a": "7"}, {"a": "7"}, {}, {"a": "1", "b": "7"}]
    assert [f.scope for f in frames] == [0, 0, 1, 1, 1, 0]


def test_unchanged_names_without_a_value_are_reported() -> None:
    frame = cwm_parse.parse(START + line('{"a": "..", "z": ".."}', "    b = a"), F).frames[-1]
    assert frame.unknown == ("z",)
    assert frame.locals == {"a": "1", "z": ".."}


def test_an_exception_may_leave_with_or_without_a_return() -> None:
    source = "def f():\n    try:\n        g()\n    except E:\n        x = 1\ndef g():\n    raise E\n"
    head = call("{}", "def f():") + line("{}", "    try:") + line("{}", "        g()") + call("{}", "def g():")
    raised = line("{}", "    raise E") + left("    raise E", "E()", "exception")
    tail = left("        g()", "E()", "exception") + line("{}", "    except E:") + line("{}", "        x = 1")
    with_return = cwm_parse.parse(head + raised + left("    raise E", "None") + tail, source)
    without = cwm_parse.parse(head + raised + tail, source)
    assert [f.line for f in without.frames] == [1, 2, 3, 6, 7, 7, 3, 4, 5]
    assert [f.line for f in with_return.frames] == [1, 2, 3, 6, 7, 7, 7, 3, 4, 5]
    assert all(f.allowed for f in (*with_return.frames, *without.frames))


def test_the_marker_names_the_entry() -> None:
    source = "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass  # << START_OF_TRACE\n"
    text = call('{"self": "<x>"}', "    def f(self): pass")
    assert cwm_parse.parse(text, source).frames[0].line == 4
    assert cwm_parse.parse(text, source, entry=2).frames[0].line == 2
    unmarked = cwm_parse.parse(text, source.replace("  # << START_OF_TRACE", "")).frames[0]
    assert (unmarked.line, unmarked.candidates) == (None, (2, 4))
    repeated = call('{"self": "<x>"}', "    def f(self): pass  # << START_OF_TRACE")
    assert cwm_parse.parse(repeated, source).frames[0].line == 4


def test_a_source_that_is_not_python_here_resolves_single_lines_only() -> None:
    text = call("{}", "def f(:") + line("{}", "    a") + line("{}", "    b")
    frames = cwm_parse.parse(text, "def f(:\n    a\n    b\n    a\n").frames
    assert [(f.line, f.candidates) for f in frames] == [(1, ()), (None, (2, 4)), (3, ())]


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("x", 0, "an event or <|end_of_text|>"),
        ("<|frame_sep|>", 0, "an event or <|end_of_text|>"),
        ("<|begin_of_text|>x", 17, "an event or <|end_of_text|>"),
        ("<|trace_context_start|>def f", 28, "<|frame_sep|>"),
        ("<|call_sep|>", 12, "a JSON object"),
        ("<|call_sep|>[", 12, "a JSON object"),
        ("<|call_sep|>{", 13, "a JSON string"),
        ('<|call_sep|>{"a', 13, "a JSON string"),
        ('<|call_sep|>{"a"', 16, ":"),
        ('<|call_sep|>{"a": 1}', 18, "a JSON string"),
        ('<|call_sep|>{"a": "1"', 21, ", or }"),
        ('<|call_sep|>{"a": "1",}', 22, "a JSON string"),
        ('<|call_sep|>{"a": "1", "a": "2"}', 23, "another name"),
        ('<|call_sep|>{"a": "\n"}', 18, "a JSON string"),
        ('<|call_sep|>{"a": "\\x"}', 18, "a JSON string"),
        ("<|call_sep|>{} {}", 15, "a special token"),
        ("<|call_sep|>{}", 14, "<|action_sep|>"),
        ("<|call_sep|>{}<|action_sep|>def f", 33, "<|frame_sep|>"),
        ("<|call_sep|>{}<|action_sep|><|arg_sep|>", 28, "<|frame_sep|>"),
        ("<|line_sep|>{}<|action_sep|>x<|frame_sep|>", 0, "<|call_sep|>"),
        ("<|return_sep|>{}", 14, "<|action_sep|>"),
        ("<|return_sep|><|action_sep|>x<|frame_sep|>", 29, "<|arg_sep|>"),
        ("<|return_sep|><|action_sep|>x<|arg_sep|>1<|frame_sep|>", 40, "a JSON string"),
        ('<|return_sep|><|action_sep|>x<|arg_sep|>"1"', 43, "<|frame_sep|>"),
    ],
)
def test_malformed(text: str, offset: int, expected: str) -> None:
    assert cwm_parse.parse(text, F) == cwm_parse.CwmPrediction((), False, Malformed(offset, expected))
    later = cwm_parse.parse(START + text, F)
    if not text.startswith(("<|line", "<|begin", "<|trace")):
        assert later.malformed == Malformed(len(START) + offset, expected)
        assert [frame.line for frame in later.frames] == [1]


def test_nothing_after_the_end_is_read() -> None:
    read = cwm_parse.parse(START + "<|end_of_text|>anything<|call_sep|>", F)
    assert (len(read.frames), read.ended, read.malformed) == (1, True, None)


def test_text_may_end_between_frames_without_being_malformed() -> None:
    assert cwm_parse.parse("", F) == cwm_parse.CwmPrediction((), False, None)
    assert cwm_parse.parse(START, F).malformed is None
    assert not cwm_parse.parse(START, F).ended


def _ids(text: str) -> list[int]:
    """One token a byte, the special ones apart."""
    ids: list[int] = []
    while text:
        name = next((name for name in TOKENS if text.startswith(f"<|{name}|>")), None)
        ids += [TOKENS[name]] if name else list(text[0].encode("utf-8", "surrogatepass"))
        text = text[len(name) + 4 if name else 1 :]
    return ids


def _byte(number: int) -> bytes | None:
    return bytes([number]) if 0 <= number < 256 else None


def test_token_ids_read_like_their_text() -> None:
    text = START + line('{"a": "..", "é": "\'é\'"}', "    b = a") + left("    b = a", "1") + "<|end_of_text|>"
    assert cwm_parse.parse(_ids(text), F, decode=_byte) == cwm_parse.parse(text, F)


def test_letters_of_a_special_token_are_text_among_ids() -> None:
    source = "def f(a):  # <|frame_sep|>\n    return a\n"
    ids = [TOKENS["call_sep"], *b'{"a": "<|call_sep|>"}', TOKENS["action_sep"]]
    ids += [*b"def f(a):  # <|frame_sep|>\n", TOKENS["frame_sep"]]
    frame = cwm_parse.parse(ids, source, decode=_byte).frames[0]
    assert (frame.line, frame.locals) == (1, {"a": "<|call_sep|>"})


@pytest.mark.parametrize(
    ("ids", "offset", "expected"),
    [
        ([TOKENS["call_sep"], 999], 1, "a token of the vocabulary"),
        ([TOKENS["call_sep"], -1], 1, "a token of the vocabulary"),
        ([TOKENS["call_sep"], None], 1, "a token of the vocabulary"),
        ([TOKENS["call_sep"], 0x7B, 0xFF, 0x7D], 2, "UTF-8"),
        ([TOKENS["call_sep"], 0x7B, 0x78], 2, "a JSON string"),
        ([TOKENS["call_sep"], *'{"é": 1}'.encode()], 8, "a JSON string"),
        ([TOKENS["call_sep"], *b"{}"], 3, "<|action_sep|>"),
    ],
)
def test_malformed_ids_are_placed_by_token(ids: list[int], offset: int, expected: str) -> None:
    assert cwm_parse.parse(ids, F, decode=_byte).malformed == Malformed(offset, expected)


def test_a_decoder_that_fails_is_an_unknown_token() -> None:
    table = {65: b"A"}
    assert cwm_parse.parse([66], F, decode=table.__getitem__).malformed == Malformed(0, "a token of the vocabulary")
    assert cwm_parse.parse([66], F).malformed == Malformed(0, "a token of the vocabulary")
