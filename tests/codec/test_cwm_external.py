"""Meta's format without its special tokens: the same frames, and what is cut, runs on or is not a trace."""

from __future__ import annotations

import gc
import runpy
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import cwm_sources
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.external.reading import KINDS, ExternalText, parse
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import SPECIAL
from worldline.codec.repetition import repetition
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

SOURCE = """\
def f(s):
    n = 0
    for c in s:
        n += c == 'a'
    try:
        k = int(s)
    except ValueError:
        k = n
    return any(x for x in range(k))

def main():
    return f('ab')
"""
TRACE = """\
{}def main(): # << START_OF_TRACE
{}    return f('ab')
{"s": "'ab'"}def f(s):
{"s": ".."}    n = 0
{"s": "..", "n": "0"}    for c in s:
{"s": "..", "n": "..", "c": "'a'"}        n += c == 'a'
{"s": "..", "n": "1", "c": ".."}    for c in s:
{"s": "..", "n": "..", "c": "'b'"}        n += c == 'a'
{"s": "..", "n": "..", "c": ".."}    for c in s:
{"s": "..", "n": "..", "c": ".."}    try:
{"s": "..", "n": "..", "c": ".."}        k = int(s)
        k = int(s)
"(<class 'ValueError'>, ValueError(\\"x\\"), <traceback object>)"{"s": "..", "n": "..", "c": ".."}    except ValueError:
{"s": "..", "n": "..", "c": ".."}        k = n
{"s": "..", "n": "..", "c": "..", "k": "1"}    return any(x for x in range(k))
{".0": "<range_iterator object>"}    return any(x for x in range(k))
{".0": ".."}    return any(x for x in range(k))
    return any(x for x in range(k))
"0"{".0": "<range_iterator object>", "x": "0"}    return any(x for x in range(k))
    return any(x for x in range(k))
"None"    return any(x for x in range(k))
"False"    return f('ab')
"False\""""
EVENTS = (
    "call line call line line line line line line line line raise line line line call line return call return return "
    "return"
)
LINES = [11, 12, 1, 2, 3, 4, 3, 4, 3, 5, 6, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 12]
EPILOGUE = "\n\nNow let us analyze the trace.\n\n[ANSWER]\nassert f('ab') == False\n[/ANSWER]"


def _traces(programs: Iterable[Program], steps: int = 1000) -> list[Trace]:
    return list(record_many(programs, python=sys.executable, trust=True, limits=Limits(steps=steps)))


def _generated(trace: Trace) -> tuple[str, int]:
    entry = cwm.entry_line(trace)
    return cwm.encode(trace).removeprefix(cwm.prompt(trace.program.source, entry)), entry


def _round_trip(traces: list[Trace]) -> None:
    assert traces
    for trace in traces:
        text, entry = _generated(trace)
        wanted = cwm_parse.parse(text, trace.program.source, entry=entry)
        for shown in (SPECIAL.sub("", text), text):
            read = parse(shown, trace.program.source, entry=entry)
            assert read.prediction == wanted, trace.program
            assert read.malformed is None
            assert read.kind == ("whole" if wanted.ended else "truncated")
            assert read.text == text


def _kinds(text: str, source: str = SOURCE) -> ExternalText:
    return parse(text, source)


def test_the_frames_of_a_stripped_text() -> None:
    read = _kinds(TRACE)
    assert read.kind == "whole"
    assert [frame.event for frame in read.prediction.frames] == EVENTS.split()
    assert [frame.line for frame in read.prediction.frames] == LINES
    assert all(frame.allowed for frame in read.prediction.frames)
    assert read.prediction.ended
    assert read.text.startswith("<|call_sep|>{}<|action_sep|>def main():\n<|frame_sep|><|line_sep|>{}<|action_sep|>")
    assert read.text.endswith('<|arg_sep|>"False"<|frame_sep|><|end_of_text|>')


def test_round_trip_on_every_statement_of_the_language() -> None:
    _round_trip(_traces(Program(source=cwm_sources.STATEMENTS, call=f"{name}()") for name in cwm_sources.TOPS))


def test_round_trip_on_humaneval() -> None:
    rows = cwm_sources.humaneval()
    if not rows:
        pytest.skip("no ../shared/data/HumanEval.jsonl.gz here")
    _round_trip(_traces([
        Program(source=row["prompt"] + row["canonical_solution"], call=call)
        for row in rows for call in cwm_sources.humaneval_calls(row)[:1]
    ], steps=400))  # fmt: skip


@pytest.mark.fuzz
def test_round_trip_on_random_programs() -> None:
    path = Path(__file__).parents[1] / "recording" / "fuzz_programs.py"
    generator = runpy.run_path(str(path))["program"]
    _round_trip(_traces(Program(source=generator(seed)) for seed in range(examples(6, 40))))


HARD = {
    "a nested def without names": "def f():\n    def g():\n        return 1\n    return g() + g()\n",
    "a lambda whose parameter is a local's name": "def f(s='ba'):\n    return sorted(s, key=lambda s: s)\n",
    "an exception that is returned": "def f():\n    return g()\n\ndef g():\n    return ValueError('x')\n",
    "an exception that is yielded": "def f():\n    return list(ValueError(n) for n in range(3))\n",
    "an exception kept in a name": (
        "def f():\n    try:\n        raise KeyError(1)\n    except KeyError as e:\n        k = e\n    return k\n"
    ),
    "an exception of the source's own": (
        "class Odd(Exception):\n    pass\n\ndef f():\n    try:\n        g()\n    except Odd:\n        return 0\n\n"
        "def g():\n    return h()\n\ndef h():\n    x = k()\n    return x\n\ndef k():\n    raise Odd(3)\n"
    ),
    "a line of a dict": "def f():\n    d = {\n'a': 1,\n}\n    return d\n",
    "lines that begin with a brace": "def f():\n    return [\n{'a': 1},\n{'b': g()},\n]\n\ndef g():\n    return {}\n",
    "lines that end in a string": 'def f():\n    x = "a" "b"\n    return x, "6"\n',
    "one line twice": "def f(n=2):\n    while n:\n        n -= 1\n    while n < 2:\n        n += 1\n    return n\n",
    "recursion with the same values": "def f(n=2, m=0):\n    return m if not n else f(n - 1, m)\n",
    "special tokens in the source": "def f():\n    x = '<|frame_sep|>'\n    return x + '<|call_sep|>'\n",
    "generators in step": (
        "def f():\n    return [a + b for a, b in zip(g(2), g(2))]\n\ndef g(n):\n    while n:\n        yield n\n"
        "        n -= 1\n"
    ),
    "a def in a loop": (
        "def f():\n    out = []\n    for i in range(3):\n        def g():\n            return i\n"
        "        out.append(g())\n    return out\n"
    ),
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", HARD)
def test_round_trip_where_structure_alone_is_ambiguous(name: str) -> None:
    _round_trip(_traces([Program(source=HARD[name], call="f()")]))


def test_lines_that_lost_their_newlines() -> None:
    glued = TRACE.replace("\n", "")
    read = _kinds(glued.replace(" # << START_OF_TRACE", ""))
    assert read.prediction == _kinds(TRACE).prediction
    assert read.kind == "whole"


def test_a_hallucinated_line_is_a_frame_that_is_not_allowed() -> None:
    read = _kinds(TRACE.replace('{"s": ".."}    n = 0', '{"s": ".."}    n = 7'))
    assert read.kind == "whole"
    assert [frame.line for frame in read.prediction.frames if not frame.allowed][:1] == [None]


FRAMES = TRACE[TRACE.index('{"') :]  # from the first that has a name on


@pytest.mark.parametrize(
    ("after", "kind", "answer"),
    [
        ("", "whole", None),
        ("\n", "whole", None),
        (EPILOGUE, "whole", "assert f('ab') == False"),
        (EPILOGUE + "\n\nNow solve this problem:\n\nPython function:\ndef g", "run-on", "assert f('ab') == False"),
        ("\n\nNow let us analyze the trace. The", "run-on", None),
        ("\n" + TRACE, "run-on", None),
        ("\n```\n", "whole", None),
        ("\n```\nand so on", "run-on", None),
        ("{}def main(): # << START_OF_TRACE\n", "run-on", None),
    ],
)  # fmt: skip
def test_what_follows_the_outermost_return(after: str, kind: str, answer: str | None) -> None:
    for before in (TRACE, _kinds(TRACE).text):
        read = _kinds(before + after)
        assert (read.kind, read.answer) == (kind, answer)
        assert read.prediction.ended
        assert (read.run_on is None) == (kind == "whole")


@pytest.mark.fuzz
def test_cut_anywhere_is_truncated_and_keeps_the_whole_frames() -> None:
    for text in (TRACE, _kinds(TRACE).text.removesuffix("<|frame_sep|><|end_of_text|>")):
        whole = _kinds(text).prediction.frames
        for end in range(1, len(text), examples(7, 1) + 4 * text.startswith("<")):
            read = _kinds(text[:end])
            shown = read.prediction.frames
            assert read.malformed is None, text[:end][-40:]
            assert read.kind in ("truncated", "empty"), text[:end][-40:]
            assert [frame.event for frame in shown] == [frame.event for frame in whole[: len(shown)]]


@pytest.mark.parametrize("text", ["", "\n \n", "<|begin_of_text|><|end_of_text|>", "<|end_of_text|>"])
def test_empty(text: str) -> None:
    assert _kinds(text).kind == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "I cannot predict this.\n",
        TRACE.replace('{"s": "..", "n": "0"}', '{"s": "..", "n": 0}'),
        TRACE.replace('{"s": "..", "n": "0"}', '{"s": "..", "s": "0"}'),
        TRACE.replace('"0"{', "0{"),
        TRACE[:200] + "\nI give up here.\nIt is too long.\n",
        '<|call_sep|>{}<|action_sep|>def main():\n<|frame_sep|><|line_sep|>{}    return f("ab")\n<|frame_sep|>',
        "<|return_sep|><|action_sep|>    return 1\n<|frame_sep|>",
        FRAMES.replace('"', "", 1),
    ],
)
def test_malformed(text: str) -> None:
    read = _kinds(text)
    assert read.kind == "malformed"
    assert read.malformed is not None
    assert 0 <= read.malformed.offset <= len(text)
    assert read.prediction.malformed is not None
    assert not read.prediction.ended


def test_a_repetition_is_not_a_long_trace() -> None:
    stuck = TRACE.partition('{"s": "..", "n": "1"')[0] + '{"s": "..", "n": ".."}    for c in s:\n' * 40
    read = _kinds(stuck)
    assert read.kind == "repetition"
    assert stuck.index('{"s": "..", "n": ".."}    for') - 40 <= (read.repeats or 0) < len(stuck) - 256
    inside = TRACE.partition('{"s": "\'ab\'"}')[0] + '{"s": "[\'9\', ' + "'9', " * 100
    assert _kinds(inside).kind == "repetition"
    counting = "".join(f'{{"s": "..", "n": "{n}"}}    for c in s:\n' for n in range(100))
    assert _kinds(TRACE.partition('{"s": "..", "n": "0"}')[0] + counting).kind == "truncated"


def test_a_first_call_that_the_prompt_had() -> None:
    for text in (TRACE, _kinds(TRACE).text):
        read = _kinds(text.replace("{}def main(): # << START_OF_TRACE\n", "", 1).replace(
            "<|call_sep|>{}<|action_sep|>def main():\n<|frame_sep|>", "", 1
        ))  # fmt: skip
        assert parse(text, SOURCE, entry=11).prediction.frames
        assert [frame.event for frame in read.prediction.frames][:3] == ["call", "line", "call"]


SHOT = (
    "Here is an example:\n\ndef f(a,b):\n    return a\n\ndef main(): # << START_OF_TRACE\n    return f(1,3)\n\n"
    '{}def main(): # << START_OF_TRACE\n{}    return f(1,3)\n{"a": "1", "b": "3"}def f(a,b):\n    return a\n"1"\n\n'
    "Now solve this problem:\n\n"
)


def test_a_prompt_before_the_trace_is_skipped() -> None:
    wanted = _kinds(TRACE).prediction
    tagged = _kinds(TRACE).text
    prompt = cwm.prompt(SOURCE, 11)
    shots = SHOT + SOURCE + "\n" + TRACE
    for text in (prompt + tagged, prompt.removeprefix("<|begin_of_text|>") + tagged, "<|frame_sep|>" + tagged, shots):
        assert _kinds(text).prediction == wanted
    assert _kinds(tagged.removesuffix("<|end_of_text|>")).prediction == wanted
    assert _kinds(tagged.removesuffix("<|frame_sep|><|end_of_text|>")).prediction == wanted
    assert _kinds(tagged.replace("\n<|", "<|")).prediction == wanted


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("<str_iterator object>", "<str_iterator>"),
        ("<list_iterator object at 0x7f57aa>", "<list_iterator>"),
        ("[<function f.<locals>.<lambda>>, '<zip object>']", "[<function <lambda>>, '<zip object>']"),
        ("<class 'collections.Counter'>", "<class Counter>"),
        ("<generator object f.<locals>.<genexpr> at 0x7f>", "<generator <genexpr>>"),
        ("<module 'math' (built-in)>", "<module math>"),
        ("<bound method A.f of <A of <b>>>", "<method f>"),
        ("[<Color.RED: '>'>, <Perm.R|W: 3>]", "[Color.RED, Perm.R|W]"),
        ("<re.Match object; span=(0, 1), match='>'>", "<Match>"),
        ("f.<locals>.P(x=<__main__.f.<locals>.Q object at 0x1>)", "P(x=<Q>)"),
        ("<3 of ♠>", "<3 of ♠>"),
        ("a < b", "a < b"),
        ("<module 'os.path' from '/usr/x.py'>", "<module os.path>"),
        ("<built-in method append of list object at 0x1>", "<builtin append>"),
        ("'a < b'", "'a < b'"),
        ("{'a': 1}", "{'a': 1}"),
    ],
)  # fmt: skip
def test_values_respelled(spelling: str, expected: str) -> None:
    assert respelled(spelling) == expected
    assert respelled(expected) == expected


def test_a_triple_is_an_exception_only_in_exception_frames() -> None:
    triple = "(<class 'GeneratorExit'>, GeneratorExit(), <traceback object>)"
    assert respelled(triple, raised=True) == "GeneratorExit()"
    assert respelled(triple) == "(<class GeneratorExit>, GeneratorExit(), <traceback>)"


BITS = st.sampled_from([
    "{}", '{"s": "1"}', '{"s": ".."}', '"None"', '"6"', "[[[", '{"', "\\", "\ud800", "\0", "\n", "[ANSWER]",
    "[/ANSWER]", "<|frame_sep|>", "<|call_sep|>", "<|line_sep|>", "<|return_sep|>", "<|action_sep|>", "<|arg_sep|>",
    "<|trace_context_start|>", "<|end_of_text|>", "<|", *(text + "\n" for text in SOURCE.splitlines()),
    *SOURCE.splitlines(),
])  # fmt: skip


def _check(read: ExternalText, length: int) -> None:
    assert read.kind in KINDS
    assert (read.kind == "malformed") == (read.malformed is not None)
    assert (read.kind in ("whole", "run-on")) == read.prediction.ended
    assert (read.kind in ("truncated", "repetition")) == read.cut
    for offset in (read.run_on, read.repeats, read.malformed and read.malformed.offset):
        assert offset is None or 0 <= offset <= length


@given(st.text() | st.lists(BITS).map("".join))
def test_any_text(text: str) -> None:
    _check(_kinds(text), len(text))


@given(st.integers(0, len(TRACE)), st.integers(0, 30), st.text(max_size=5) | BITS)
def test_a_trace_with_a_part_replaced(at: int, length: int, put: str) -> None:
    text = TRACE[:at] + put + TRACE[at + length :]
    _check(_kinds(text), len(text))


@given(st.text(alphabet="def fx():\n returntrywhil=1[]{}'\"#\\"), st.lists(BITS))
def test_any_source(source: str, parts: list[str]) -> None:
    text = "{}def main():\n" + "".join(parts)
    _check(_kinds(text, source), len(text))


@given(st.text())
def test_any_value(text: str) -> None:
    assert isinstance(respelled(text), str)


def _cpu_seconds(text: str) -> float:
    gc.disable()  # a collection of what other tests left behind takes longer than most of these texts
    try:
        began = time.process_time()
        _check(_kinds(text), len(text))
        return time.process_time() - began
    finally:
        gc.enable()


STEP = '{"s": "..", "c": ".."}        n += c == \'a\'\n{"s": "..", "c": ".."}    for c in s:\n'
LONG = [
    (TRACE.partition('{"s": "..", "n": "1"')[0], STEP, 2000), ("", "{}def main():\n", 10_000), ("", '{"', 100_000),
    ("", "[ANSWER]", 24_000), ("", '"', 160_000), ("{}def main():\n{}", " ", 160_000), ('{"a": "', "\\", 160_001),
    ("", "<|call_sep|>{", 16_000), ("", "<|frame_sep|>", 16_000), ("", "{}\n", 24_000), ("", '    return n\n"', 10_000),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.fuzz
@pytest.mark.parametrize(("head", "again", "times"), LONG, ids=range(len(LONG)))
def test_time_is_linear(head: str, again: str, times: int) -> None:
    """Eight times the text takes about eight times the CPU time, not 64 times, on a busy machine too."""
    times //= examples(4, 1)
    short, long = head + again * (times // 8), head + again * times
    assert _cpu_seconds(long) < 24 * max(_cpu_seconds(short), _cpu_seconds(short)) + 0.1


def test_a_repetition_is_found_in_a_long_text() -> None:
    assert repetition("ab" * 200_000) is not None
