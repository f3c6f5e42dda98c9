"""A trace in a terminal: every step, the source beside it, all text escaped."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from specimen import EVIL, SOURCE, specimen, step
from thread_programs import COUNTER

from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.state import state_at
from worldline.core.text import printable, printable_lines
from worldline.recording.recorder import record
from worldline.ui.terminal.source import STYLES, HighlightedSource
from worldline.ui.terminal.state import print_state
from worldline.ui.terminal.table import print_trace

ANSI = re.compile("\x1b\\[[0-9;]*m")


def shown(show: object, *arguments: object, width: int = 120, colour: bool = False, **options: object) -> str:
    """What a view prints on a console of some width."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    show(console, *arguments, **options)  # type: ignore[operator]
    return file.getvalue()


def test_the_table_has_a_row_a_step_with_its_source_and_its_changes() -> None:
    lines = shown(print_trace, specimen()).splitlines()
    assert lines[0].startswith("f(1)  cpython 3.11.7, python core")
    assert re.search(r"^ +0 +1 +def f\(n\): +│ call f  n=1$", lines[1])
    assert re.search(r"^ +1 +2 +xs = \[n\].* │ \S+: 1  xs=\[1\]  zs=\[1\]  zs is xs$", lines[2])  # a hidden input
    assert re.search(r"^ +4 +5 +│ +del ys +│ del ys$", lines[5])
    assert re.search(r"^ +6 +6 +│ +return 1 +│ return 1$", lines[7])
    assert lines[-1] == "returned 1  8 steps"


@pytest.mark.parametrize("width", [20, 40, 80, 300])
@pytest.mark.parametrize("colour", [False, True])
def test_nothing_steers_the_terminal_at_any_width(width: int, colour: bool) -> None:
    trace = specimen(outcome={"kind": "raised", "detail": EVIL})
    text = shown(print_trace, trace, width=width, colour=colour) + shown(print_state, trace, 4, width=width)
    bare = ANSI.sub("", text) if colour else text
    assert printable(bare.replace("\n", "")) == bare.replace("\n", "")
    assert r"\x1b" in bare


def test_colour_is_used_and_shows_the_same_text() -> None:
    coloured = shown(print_trace, specimen(), colour=True)
    assert ANSI.search(coloured)
    assert ANSI.sub("", coloured) == shown(print_trace, specimen())


def test_a_value_that_looks_like_markup_stands_as_itself() -> None:
    trace = specimen(steps=[step(0, "call", 0, 1, delta={"n": "'[bold]:smile:[/bold]'"})])
    assert "n='[bold]:smile:[/bold]'" in shown(print_trace, trace)
    assert "'[bold]:smile:[/bold]'" in shown(print_state, trace, 0)


def test_a_long_trace_shows_its_first_and_last_rows() -> None:
    trace = specimen(steps=[step(i, "line", 0, 2, delta={"n": str(i)}) for i in range(1000)])
    text = shown(print_trace, trace, rows=8)
    assert [int(i) for i in re.findall(r"n=(\d+)$", text, re.MULTILINE)] == [0, 1, 2, 3, 4, 5, 998, 999]
    assert "992 steps not shown" in text
    assert len(re.findall(r"n=\d+$", shown(print_trace, trace, rows=0), re.MULTILINE)) == 1000


def test_a_trace_without_steps_still_says_how_it_ended() -> None:
    trace = specimen(steps=[], frames=[], outcome={"kind": "unsupported", "detail": "source"})
    assert "unsupported source  0 steps" in shown(print_trace, trace)


def test_the_state_has_every_name_of_every_live_frame_whole() -> None:
    long = "[" + ", ".join(map(str, range(500))) + "]"
    steps = specimen().as_json()["steps"]
    steps[1]["delta"]["zs"] = long
    text = shown(print_state, specimen(steps=steps), 3)
    assert re.search(r"frame 0  f .*frame 1  g ", text, re.DOTALL)
    assert re.sub(r"\s", "", long) in re.sub(r"\s", "", text)
    assert re.search(r"^ *\* ys +\[1\] *$", text, re.MULTILINE)
    assert re.search(r"^ +n +1 *$", text, re.MULTILINE)


def test_a_line_that_waits_for_a_call_has_changed_nothing_yet() -> None:
    rows = [step(0, "call", 0, 1, delta={"n": "1"}), step(1, "line", 0, 2, delta={"r": "7"})]
    rows += [step(2, "call", 1, 4, delta={"ys": "[1]"}), step(3, "return", 1, 6, "7"), step(4, "line", 0, 3)]
    trace = specimen(steps=rows)
    assert state_at(trace, 1).frames == {0: {"n": "1"}}
    assert state_at(trace, 2).frames == {0: {"n": "1"}, 1: {"ys": "[1]"}}
    assert state_at(trace, 3).frames == {0: {"n": "1", "r": "7"}, 1: {"ys": "[1]"}}
    assert state_at(trace, 4).frames == {0: {"n": "1", "r": "7"}}


def test_a_frame_that_returned_or_was_left_is_not_live_and_a_suspended_one_is() -> None:
    frames = [
        {"serial": n, "name": "f", "file": "program.py", "parent": -1 if n == 0 else 0, "depth": int(n > 0)}
        for n in range(4)
    ]
    rows = [step(0, "call", 0, 1), step(1, "call", 1, 1), step(2, "yield", 1, 1, "1"), step(3, "call", 2, 1)]
    rows += [
        step(4, "return", 2, 1, "1"),
        step(5, "call", 3, 1),
        step(6, "raise", 3, 1, "KeyError()"),
        step(7, "line", 0, 1),
    ]
    trace = specimen(frames=frames, steps=[{**row, "depth": int(row["frame"] > 0)} for row in rows])
    assert list(state_at(trace, 7).frames) == [0, 1]
    assert list(state_at(trace, 5).frames) == [0, 1, 3]


@given(st.text())
def test_printable_is_one_safe_line_and_idempotent(text: str) -> None:
    once = printable(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]", once)
    assert printable(once) == once
    once.encode("utf-8")


@given(st.text(alphabet="a\n\r\t\f\v\x1c\u2028é"))
def test_lines_are_counted_as_python_counts_them(text: str) -> None:
    assert len(printable_lines(text)) == len(re.split("\r\n|\r|\n", text))


def test_source_lines_are_those_of_their_file() -> None:
    sources = HighlightedSource(Program(source=SOURCE, files=(("m.py", "x = 1\n"),)))
    assert sources.line("program.py", 1).plain == "def f(n):"
    assert sources.line("program.py", 2).plain == "    xs = [n]  # \\u202eevil\\x1b[2J"
    assert sources.line("m.py", 1).plain == "x = 1"
    assert sources.line("m.py", 99).plain == sources.line("nowhere.py", 1).plain == ""


@pytest.mark.parametrize("source", ["", "\n\n\nx = 1", '"""\n\n\n"""\nx', "x = 1\r\n\r\ny = 2\r\n", "\x0c\nx = (\n"])
def test_colouring_moves_no_line(source: str) -> None:
    sources = HighlightedSource(Program(source=source))
    for number, line in enumerate(printable_lines(source), 1):
        assert sources.line("program.py", number).plain == line


def test_each_file_is_coloured_in_its_own_language() -> None:
    sources = HighlightedSource(Program(source="let x = null; // why", name="a.js", files=(("b.py", "def f(): pass"),)))
    js, python = sources.line("a.js", 1), sources.line("b.py", 1)
    painted = {js.plain[item.start : item.end]: item.style for item in js.spans}
    assert {painted["let"], painted["null"]} == {STYLES["keyword"]}
    assert painted["// why"] == STYLES["comment"]
    assert {python.plain[item.start : item.end] for item in python.spans} == {"def", "f", "pass"}


def test_the_legend_is_of_values_alone() -> None:
    """Not of names that are words elsewhere, nor of what a function without a value gives back."""
    program = Program(source="void inf() {\n}\n", name="inf.c")
    about: dict[str, object] = {
        "name": "inf.c",
        "source": program.source,
        "call": None,
        "argv": [],
        "stdin": "",
        "files": {},
    }
    calls = [step(0, "call", 0, 1, delta={"inf": "1"}), step(1, "return", 0, 2, "None")]
    frames = [{"serial": 0, "name": "inf", "file": "inf.c", "parent": -1, "depth": 0}]
    built = {"program": {**about, "digest": program.digest}, "frames": frames}
    assert "in C:" not in shown(print_trace, specimen(**built, steps=calls))
    pointer = step(1, "line", 0, 2, delta={"p": "None"})
    lines = shown(print_trace, specimen(**built, steps=[calls[0], pointer, {**calls[1], "i": 2}]))
    assert "in C: None is NULL" in lines


def test_the_thread_of_a_step_is_shown_where_there_are_several() -> None:
    trace = record(Program(source=COUNTER), control=Control(schedule=1))
    console = Console(file=io.StringIO(), width=100)
    print_trace(console, trace)
    rows = console.file.getvalue().splitlines()[1 : len(trace) + 1]
    assert all(re.search(rf" │ {step.thread}(  |$)", row) for row, step in zip(rows, trace.steps, strict=True))
    console = Console(file=io.StringIO(), width=100)
    at = next(step.i for step in trace.steps if step.thread == 2)
    print_state(console, trace, at)
    assert f"step {at} of {len(trace)}  thread 2  " in console.file.getvalue()
