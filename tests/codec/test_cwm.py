"""Traces in Meta's format: the exact text, and reading it back gives every frame with its true line."""

from __future__ import annotations

import glob
import json
import os
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path

import cwm_sources
import pytest

from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import MARKER, TOKENS, listing, marked
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
SEPARATORS = {f"<|{name}|>" for name in TOKENS}


def _traces(programs: Iterable[Program], version: str = HERE, steps: int = 3000) -> list[Trace]:
    path = sys.executable
    if version != HERE:
        interpreters = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
        if not interpreters:
            pytest.skip(f"no Python {version} here")
        path = interpreters[-1]
    return list(record_many(programs, python=path, trust=True, limits=Limits(steps=steps)))


def _trace(source: str, call: str | None = None, version: str = HERE) -> Trace:
    (trace,) = _traces([Program(source=source, call=call)], version)
    assert trace.outcome.kind in ("returned", "raised"), trace.outcome
    return trace


def _law(trace: Trace) -> None:
    """Reading the text gives exactly the frames, every line number the true one."""
    read = cwm_parse.parse(cwm.encode(trace), trace.program.source)
    assert read.malformed is None
    assert list(read.frames) == cwm.frames(trace)
    assert read.ended == (trace.outcome.kind in ("returned", "raised", "exited"))


COUNT = """\
def count(s, letter):
    n = 0
    for c in s:
        n += int(c == letter)
    return n
"""


def test_the_exact_text() -> None:
    assert cwm.encode(_trace(COUNT, "count('ab', 'b')")) == (
        "<|begin_of_text|><|trace_context_start|>def count(s, letter):  # << START_OF_TRACE\n"
        "    n = 0\n    for c in s:\n        n += int(c == letter)\n    return n\n<|frame_sep|>"
        '<|call_sep|>{"s": "\'ab\'", "letter": "\'b\'"}<|action_sep|>def count(s, letter):\n<|frame_sep|>'
        '<|line_sep|>{"s": "..", "letter": ".."}<|action_sep|>    n = 0\n<|frame_sep|>'
        '<|line_sep|>{"s": "..", "letter": "..", "n": "0"}<|action_sep|>    for c in s:\n<|frame_sep|>'
        '<|line_sep|>{"s": "..", "letter": "..", "n": "..", "c": "\'a\'"}<|action_sep|>'
        "        n += int(c == letter)\n<|frame_sep|>"
        '<|line_sep|>{"s": "..", "letter": "..", "n": "..", "c": ".."}<|action_sep|>    for c in s:\n<|frame_sep|>'
        '<|line_sep|>{"s": "..", "letter": "..", "n": "..", "c": "\'b\'"}<|action_sep|>'
        "        n += int(c == letter)\n<|frame_sep|>"
        '<|line_sep|>{"s": "..", "letter": "..", "n": "1", "c": ".."}<|action_sep|>    for c in s:\n<|frame_sep|>'
        '<|line_sep|>{"s": "..", "letter": "..", "n": "..", "c": ".."}<|action_sep|>    return n\n<|frame_sep|>'
        '<|return_sep|><|action_sep|>    return n\n<|arg_sep|>"1"<|frame_sep|><|end_of_text|>'
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_law_on_every_statement_of_the_language(version: str) -> None:
    source = cwm_sources.STATEMENTS
    programs = [Program(source=source, call=f"{name}()") for name in cwm_sources.TOPS]
    traces = _traces([*programs, Program(source=source + "\nprint(branches(), finals())\n")], version)
    assert len(traces) == len(programs) + 1
    for trace in traces:
        assert trace.outcome.kind == "returned", (trace.program.call, trace.outcome)
        _law(trace)


@pytest.mark.parametrize("version", ["3.11", "3.12"])
def test_law_on_humaneval(version: str) -> None:
    rows = cwm_sources.humaneval()
    if not rows:
        pytest.skip("no ../shared/data/HumanEval.jsonl.gz here")
    programs = [
        Program(source=row["prompt"] + row["canonical_solution"], call=call)
        for row in rows[:: 1 if version == "3.11" else 4]
        for call in cwm_sources.humaneval_calls(row)[:1]
    ]
    assert len(programs) > 30
    for trace in _traces(programs, version, steps=400):
        _law(trace)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_law_on_random_programs(version: str) -> None:
    path = Path(__file__).parents[1] / "recording" / "fuzz_programs.py"
    generator = runpy.run_path(str(path))["program"]
    for trace in _traces([Program(source=generator(seed)) for seed in range(30)], version, steps=1000):
        _law(trace)


def test_unchanged_names_stay_unchanged_across_a_call() -> None:
    source = "def f(a):\n    b = g(a)\n    return b\n\ndef g(x):\n    return x + 1\n"
    trace = _trace(source, "f(1)")
    assert '<|line_sep|>{"a": "..", "b": "2"}<|action_sep|>    return b\n' in cwm.encode(trace)
    _law(trace)


def test_each_activation_shows_all_its_names() -> None:
    source = "def f(n):\n    if n:\n        f(n - 1)\n    return n\n"
    text = cwm.encode(_trace(source, "f(2)"))
    assert [f'"n": "{n}"' in part for n, part in zip((2, 1, 0), text.split("<|call_sep|>")[1:], strict=True)] == [
        True
    ] * 3


def test_a_deleted_name_is_left_out_and_returns_with_its_value() -> None:
    source = "def f():\n    a = 1\n    del a\n    b = 2\n    a = 1\n    return a\n"
    trace = _trace(source, "f()")
    assert [frame.locals for frame in cwm.frames(trace) if frame.event == "line"] == [
        {}, {"a": "1"}, {}, {"b": "2"}, {"b": "2", "a": "1"},
    ]  # fmt: skip
    assert '{"b": "..", "a": "1"}' in cwm.encode(trace)
    _law(trace)


def test_yields_read_as_returns_and_resumptions_as_calls() -> None:
    source = "def g(n):\n    for i in range(n):\n        yield i\n\ndef f():\n    return list(g(2))\n"
    frames = cwm.frames(_trace(source, "f()"))
    assert [(f.event, f.line, f.arg) for f in frames if f.scope == 1] == [
        ("call", 1, None), ("line", 2, None), ("line", 3, None), ("return", 3, "0"),
        ("call", 3, None), ("line", 2, None), ("line", 3, None), ("return", 3, "1"),
        ("call", 3, None), ("line", 2, None), ("return", 2, "None"),
    ]  # fmt: skip
    assert '<|call_sep|>{"n": "2", "i": "0"}<|action_sep|>        yield i\n' in cwm.encode(_trace(source, "f()"))


def test_a_frame_left_by_an_exception_returns_none() -> None:
    source = """\
def f():
    try:
        g()
    except ValueError:
        return 1

def g():
    raise ValueError('x')
"""
    frames = cwm.frames(_trace(source, "f()"))
    assert [(f.event, f.scope, f.line, f.arg) for f in frames if f.event in ("raise", "return")] == [
        ("raise", 1, 8, "ValueError('x')"), ("return", 1, 8, "None"),
        ("raise", 0, 3, "ValueError('x')"), ("return", 0, 5, "1"),
    ]  # fmt: skip


def test_an_exception_that_leaves_the_program_ends_every_frame() -> None:
    trace = _trace("def f(n):\n    if not n:\n        raise KeyError(n)\n    f(n - 1)\n", "f(1)")
    assert [f.event for f in cwm.frames(trace)][-4:] == ["raise", "return", "raise", "return"]
    assert cwm.encode(trace).endswith('<|arg_sep|>"None"<|frame_sep|><|end_of_text|>')
    _law(trace)


def test_globals_are_not_locals() -> None:
    source = "n = 0\ndef f(a):\n    global n\n    n += a\n    n += a\n    return n\n"
    trace = _trace(source, "f(2)")
    assert {name for frame in cwm.frames(trace) for name in frame.locals} == {"a"}
    _law(trace)


def test_a_script_is_marked_above_its_first_line() -> None:
    trace = _trace('"""Docs."""\nx = 1\nprint(x)\n')
    text = cwm.encode(trace)
    assert text.startswith('<|begin_of_text|><|trace_context_start|># << START_OF_TRACE\n"""Docs."""\nx = 1\n')
    assert "<|frame_sep|><|call_sep|>{}<|action_sep|>\n<|frame_sep|>" in text
    assert "print" in text
    assert "output" not in text
    _law(trace)


def test_a_trace_that_stops_early_has_no_end() -> None:
    (trace,) = _traces([Program(source="def f():\n    while True:\n        x = 1\n", call="f()")], steps=50)
    assert trace.outcome.kind == "limit"
    assert not cwm.encode(trace).endswith("<|end_of_text|>")
    _law(trace)


def test_text_like_a_special_token_is_escaped() -> None:
    source = "def f(s):\n    t = s + '<|frame_sep|>' + '<\\\\|arg_sep|>'\n    return t  # <|end_of_text|>\n"
    trace = _trace(source, "f('<|call_sep|>')")
    frames = cwm.frames(trace)
    assert frames[-1].arg == "'<|call_sep|><|frame_sep|><\\\\|arg_sep|>'"
    assert cwm.encode(trace).count("<|frame_sep|>") == len(frames) + 1
    _law(trace)


def test_methods_of_the_same_text_are_distinguished_by_their_class() -> None:
    source = """\
class A:
    def __init__(self, x):
        self.x = x

class B:
    def __init__(self, x):
        self.x = x

class C(A):
    def __init__(self, x):
        super().__init__(x)

def f():
    return A(1).x + B(2).x + C(3).x
"""
    trace = _trace(source, "f()")
    lines = [frame.line for frame in cwm_parse.parse(cwm.encode(trace), source).frames if frame.event == "call"]
    assert lines == [13, 2, 6, 10, 2]
    _law(trace)


def test_generators_of_the_same_text_are_distinguished() -> None:
    source = """\
def evens():
    x = 0
    while x < 3:
        yield x
        x += 2

def odds():
    y, x = 1, 1
    while x < 4:
        yield x
        x += 2

def f():
    return list(zip(evens(), odds(), evens()))
"""
    _law(_trace(source, "f()"))


COMPREHENSIONS = """\
def f(xs, k, text, table):
    a = [x * k for x in xs]
    b = {c for c in text if c != 'a'}
    d = {key: value + k for key, value in table.items()}
    e = [p for p in ()]
    r = [i for i in range(k) if i]
    s = [(n, g(v)) for n, v in enumerate(xs)]
    for _ in range(2):
        t = [q for q in table]
    return [a[j] for j in range(len(a))]

def g(v):
    return -v
"""


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_comprehensions_have_the_frames_of_3_11(version: str) -> None:
    call = "f([1, 2], 3, 'aé', {'k': 5})"
    (old,), (new,) = (_traces([Program(source=COMPREHENSIONS, call=call)], v) for v in ("3.11", version))
    assert cwm.frames(new) == cwm.frames(old)
    assert cwm.encode(new) == cwm.encode(old)
    assert sum(frame.event == "call" for frame in cwm.frames(new)) == 1 + 9 + 2
    _law(new)


def test_a_comprehension_whose_value_is_not_seen_stays_inline() -> None:
    trace = _trace("def f(xs):\n    return sum([x for x in xs])\n", "f([1, 2])", "3.12")
    assert [(f.event, f.scope, f.locals.get("x")) for f in cwm.frames(trace)] == [
        ("call", 0, None), ("line", 0, None), ("line", 0, "1"), ("line", 0, "2"), ("return", 0, None),
    ]  # fmt: skip
    _law(trace)


@pytest.mark.parametrize(
    ("source", "entry", "expected"),
    [
        ("def f(): return 1\n", 1, "def f(): return 1  # << START_OF_TRACE\n"),
        ("def f(a,\n      b): pass", 1, "def f(a,  # << START_OF_TRACE\n      b): pass"),
        ("if 1:\n    def f(): return '''\n'''\n", 2, "if 1:\n    # << START_OF_TRACE\n    def f(): return '''\n'''\n"),
        ("def \\\nf(): pass\n", 1, "# << START_OF_TRACE\ndef \\\nf(): pass\n"),
        ("x = 1\r\ny = 2", 0, "# << START_OF_TRACE\nx = 1\ny = 2"),
        (f"def f(): pass {MARKER}\n", 1, "def f(): pass  # << START_OF_TRACE\n"),
    ],
)
def test_where_the_marker_goes(source: str, entry: int, expected: str) -> None:
    assert marked(source, entry) == expected


def test_the_marker_is_a_suffix_and_not_a_set_of_letters() -> None:
    lines = listing(f"def f(STATE):  {MARKER}\n    return STATE\n")
    assert lines.lines[1:3] == ("def f(STATE):", "    return STATE")
    assert lines.entry == 1


def test_the_entry_of_a_decorated_function_is_its_def() -> None:
    source = "import functools\n@functools.cache\ndef f(x):\n    return g(x)\n\ndef g(x):\n    return x\n"
    text = cwm.encode(_trace(source, "f(g(1))"))
    assert "def f(x):  # << START_OF_TRACE\n" in text
    assert text.count(MARKER) == 1
    _law(_trace(source, "f(g(1))"))


def test_values_are_json_strings_in_ascii() -> None:
    trace = _trace("def f(s):\n    return s\n", "f('é\\n\\ud800\"')")
    text = cwm.encode(trace)
    assert text.isascii()
    value = text.rpartition("<|arg_sep|>")[2].partition("<|frame_sep|>")[0]
    assert json.loads(value) == trace.outcome.detail
    _law(trace)
