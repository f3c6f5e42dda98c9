"""What a recording must show: a program in a string, and facts about its trace. On every interpreter, by both cores."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from interpreters import FOUND

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import states
from worldline.core.trace import Step, Trace
from worldline.recording.recorder import record

Recording = Callable[..., Trace]
WHERE = [(version, core) for version in FOUND for core in ("native", "python")]


@pytest.fixture(params=WHERE, ids=lambda where: "-".join(where))
def rec(request: pytest.FixtureRequest) -> Recording:
    version, core = request.param

    def run(source: str, *, limits: Limits | None = None, **fields: object) -> Trace:
        program = Program(source=source, **fields)  # type: ignore[arg-type]
        return record(program, python=FOUND[version], core=core, limits=limits or Limits(wall=60))

    return run


def lines(trace: Trace, frame: int = 0) -> list[tuple[int, dict[str, str]]]:
    return [(s.line, s.delta) for s in trace.steps if s.event == "line" and s.frame == frame]


def events(trace: Trace) -> list[str]:
    return [step.event for step in trace.steps]


def test_a_call(rec: Recording) -> None:
    source = "def count(s, letter):\n    n = 0\n    for c in s:\n        n += int(c == letter)\n    return n\n"
    trace = rec(source, call="count('er', 'r')")
    assert (trace.outcome.kind, trace.outcome.detail) == ("returned", "1")
    assert trace[0].event == "call"
    assert trace[0].delta == {"s": "'er'", "letter": "'r'"}
    assert lines(trace) == [
        (2, {"n": "0"}),
        (3, {"c": "'e'"}),
        (4, {}),
        (3, {"c": "'r'"}),
        (4, {"n": "1"}),
        (3, {}),
        (5, {}),
    ]
    assert (trace[-1].event, trace[-1].arg) == ("return", "1")
    assert [step.i for step in trace.steps] == list(range(len(trace)))


def test_a_line_that_calls_owns_its_late_change(rec: Recording) -> None:
    trace = rec("def f(x):\n    return x + 1\ny = f(1)\nz = y\n")
    assert (3, {"y": "2"}) in lines(trace)
    call = next(step for step in trace.steps if step.event == "call" and step.frame == 1)
    assert call.depth == 1
    assert trace.frames[1].name == "f"
    assert trace.frames[1].parent == 0


def test_mutation_through_an_alias_shows_in_every_name(rec: Recording) -> None:
    trace = rec("a = [1]\nb = a\nb.append(2)\nc = (a, b)\nb = None\n")
    assert (3, {"a": "[1, 2]", "b": "[1, 2]"}) in lines(trace)
    steps = {step.line: step for step in trace.steps if step.event == "line"}
    assert steps[2].same == {"b": "a"}
    assert steps[5].same == {"b": None}
    assert (4, {"c": "(#1[1, 2], #1)"}) in lines(trace)


def test_mutation_by_a_callee(rec: Recording) -> None:
    trace = rec("def f(xs):\n    xs.append(1)\nitems = []\nf(items)\n")
    assert lines(trace, 1) == [(2, {"xs": "[1]"})]
    assert (4, {"items": "[1]"}) in lines(trace)


def test_instances_are_numbered_by_first_sight(rec: Recording) -> None:
    source = """
class Point:
    def __init__(self, x):
        self.x = x
        self.near = []
a = Point(1)
b = Point(2)
a.near.append(b)
b.near.append(a)
b.x += 5
"""
    trace = rec(source)
    final = dict(lines(trace))
    assert final[8]["a"] == "Point#1(x=1, near=[Point#2(x=2, near=[])])"
    assert final[9]["b"] == "Point#2(x=2, near=[Point#1(x=1, near=[Point#2])])"
    assert final[10]["a"] == "Point#1(x=1, near=[Point#2(x=7, near=[Point#1])])"


def test_reused_addresses_get_new_numbers(rec: Recording) -> None:
    trace = rec("class P:\n    def __init__(self, x): self.x = x\nfor i in range(5):\n    p = P(0)\n    del p\n")
    seen = [delta["p"] for line, delta in lines(trace) if line == 4]
    assert seen == [f"P#{n}(x=0)" for n in range(1, 6)]


def test_globals_written_by_a_function(rec: Recording) -> None:
    trace = rec("n = 0\nlog = []\ndef f():\n    global n\n    n += 1\n    log.append(n)\n    return n\n", call="f()")
    assert lines(trace) == [(5, {"n": "1"}), (6, {"log": "[1]"}), (7, {})]


def test_a_global_deleted_and_created(rec: Recording) -> None:
    trace = rec("def f():\n    global g\n    g = 1\n    del g\n    g = 2\n", call="f()")
    assert [(s.line, s.delta, s.gone) for s in trace.steps if s.event == "line"] == [
        (3, {"g": "1"}, ()), (4, {}, ("g",)), (5, {"g": "2"}, ()),
    ]  # fmt: skip


def test_closures(rec: Recording) -> None:
    trace = rec(
        "def outer():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n    inc()\n    return n\n",
        call="outer()",
    )
    assert (6, {"n": "1"}) in lines(trace)
    assert lines(trace, 1) == [(5, {"n": "1"})]
    assert trace.outcome.detail == "1"


def test_class_bodies(rec: Recording) -> None:
    trace = rec("class C:\n    size = 2\n    names = ['x'] * size\n")
    assert {line: delta for line, delta in lines(trace, 1) if delta} == {2: {"size": "2"}, 3: {"names": "['x', 'x']"}}
    assert lines(trace)[0][1] == {"C": "<class C>"}


def test_generators_yield_and_resume(rec: Recording) -> None:
    trace = rec("def g(n):\n    for i in range(n):\n        yield i * 10\n    return 'end'\n", call="list(g(2))")
    assert [(s.event, s.arg) for s in trace.steps if s.event in ("call", "yield", "resume", "return")] == [
        ("call", None), ("yield", "0"), ("resume", None), ("yield", "10"), ("resume", None), ("return", "'end'"),
    ]  # fmt: skip
    assert {step.frame for step in trace.steps} == {0}


def test_the_end_of_a_loop_is_no_exception(rec: Recording) -> None:
    source = """
def g():
    yield 1
    return 5
class Count:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 2:
            raise StopIteration
        return self.n
def f():
    total = 0
    for x in g():
        total += x
    for x in Count():
        total += x
    return total
"""
    trace = rec(source, call="f()")
    assert trace.outcome.detail == "4"
    assert [(s.frame, s.line) for s in trace.steps if s.event == "raise"] == [(6, 11)]


def test_throw_and_close(rec: Recording) -> None:
    source = """
def g():
    try:
        yield 1
    except ValueError as e:
        yield str(e)
def f():
    it = g()
    a = next(it)
    b = it.throw(ValueError('x'))
    it.close()
    return a, b
"""
    trace = rec(source, call="f()")
    assert trace.outcome.detail == "(1, 'x')"
    inside = [s.event for s in trace.steps if s.frame == 1 and s.event != "line"]
    assert inside[:5] == ["call", "yield", "resume", "raise", "yield"]


def test_exceptions_carry_their_chain(rec: Recording) -> None:
    source = "def f(k):\n    try:\n        return {}[k]\n"
    source += "    except KeyError as e:\n        raise ValueError('bad') from e\n"
    trace = rec(source, call="f('z')")
    assert trace.outcome.kind == "raised"
    assert trace.outcome.detail == "ValueError('bad', __cause__=KeyError('z'))"
    assert [s.arg for s in trace.steps if s.event == "raise"] == ["KeyError('z')", trace.outcome.detail]
    assert "return" not in events(trace)
    gone = [s.gone for s in trace.steps if s.event in ("line", "raise") and s.gone]
    assert gone == [("e",)]


def test_output_and_input_are_steps(rec: Recording) -> None:
    trace = rec("name = input('who? ')\nprint('hi', name)\n", stdin="Ann\nBob\n")
    assert trace.output == "who? hi Ann\n"
    assert [(s.event, s.line, s.arg) for s in trace.steps if s.event in ("input", "output")] == [
        ("output", 1, "'who? '"), ("input", 1, "'Ann\\n'"), ("output", 2, "'hi Ann\\n'"),
    ]  # fmt: skip
    assert [(h.kind, h.value) for h in trace.hidden] == [("input", "'Ann\\n'")]
    assert (1, {"name": "'Ann'"}) in lines(trace)


def test_output_and_input_of_one_line_keep_their_order(rec: Recording) -> None:
    trace = rec("print(input('a? '), input('b? '), sep=input('c? '))\nprint(1); print(2)\n", stdin="1\n2\n3\n")
    told = [(step.event, step.arg) for step in trace.steps if step.event in ("input", "output")]
    assert told == [
        ("output", "'a? '"), ("input", "'1\\n'"), ("output", "'b? '"), ("input", "'2\\n'"), ("output", "'c? '"),
        ("input", "'3\\n'"), ("output", "'132\\n'"), ("output", "'1\\n2\\n'"),
    ]  # fmt: skip
    assert trace.output == "a? b? c? 132\n1\n2\n"


def test_coroutines(rec: Recording) -> None:
    source = "import asyncio\nasync def one(x):\n    await asyncio.sleep(0)\n    return x\n"
    source += "async def f():\n    return await one(3)\n"
    trace = rec(source, call="asyncio.run(f())")
    assert trace.outcome.detail == "3"
    assert [frame.name for frame in trace.frames] == ["f", "one"]
    assert events(trace).count("yield") == events(trace).count("resume") == 2


def test_libraries_are_not_entered(rec: Recording) -> None:
    trace = rec("import json, textwrap\nx = json.dumps({'a': [1]}, indent=1)\ny = textwrap.fill(x, 3)\n")
    assert {step.frame for step in trace.steps} == {0}


def test_an_endless_loop_leaves_its_trace(rec: Recording) -> None:
    trace = rec("n = 0\nwhile True:\n    n += 1\n", limits=Limits(steps=500))
    assert (trace.outcome.kind, trace.outcome.detail) == ("limit", "steps")
    assert len(trace) == 500
    assert dict(lines(trace))[3] == {"n": "249"} or dict(lines(trace))[3] == {"n": "248"}


def test_a_trace_that_outgrows_its_budget_is_kept(rec: Recording) -> None:
    trace = rec(
        "s = ''\nwhile True:\n    s += 'x' * 50\n    if len(s) > 2000: s = ''\n", limits=Limits(trace_bytes=200_000)
    )
    assert (trace.outcome.kind, trace.outcome.detail) == ("limit", "bytes")
    assert len(trace) > 100


def test_sys_exit_is_an_exit(rec: Recording) -> None:
    trace = rec("import sys\nx = 1\nsys.exit(3)\n")
    assert (trace.outcome.kind, trace.outcome.detail) == ("exited", "3")
    assert (trace[-1].event, trace[-1].arg) == ("exit", "3")


def test_a_crash_loses_nothing(rec: Recording) -> None:
    trace = rec("import ctypes\nx = 41\ny = x + 1\nctypes.string_at(0)\n")
    assert trace.outcome.kind == "killed"
    assert trace.outcome.detail == "SIGSEGV"
    assert (3, {"y": "42"}) in lines(trace)
    assert trace[-1].line == 4


def test_events_switched_off_and_on_again_are_named(rec: Recording) -> None:
    source = """
import sys
m = getattr(sys, 'monitoring', None)
if m:
    events = m.get_events(4)
    m.set_events(4, 0)
    hidden = 1
    m.set_events(4, events)
"""
    trace = rec(source)
    assert trace.outcome.kind == ("returned" if trace.interpreter.version.startswith("3.11") else "tampered")


def test_a_syntax_error_is_unsupported(rec: Recording) -> None:
    trace = rec("def f(:\n")
    assert trace.outcome.kind == "unsupported"
    assert "line 1" in trace.outcome.detail


def test_large_and_odd_values(rec: Recording) -> None:
    source = """
big = list(range(2_000_000))
text = 'x' * 30_000_000
power = 1 << 200_000
nan = float('nan')
odd = 'a\\ud800\\x00\\u2028é'
cycle = [1]; cycle.append(cycle)
"""
    final = {name: value for _, delta in lines(rec(source)) for name, value in delta.items()}
    assert final["big"] == "...<list 2000000>"
    assert final["text"] == "...<str 30000000>"
    assert final["power"].startswith("0x1000")
    assert final["nan"] == "nan"
    assert final["odd"] == "'a\\ud800\\x00\\u2028é'"
    assert final["cycle"] == "#1[1, #1]"


def test_numbers_and_dates_of_the_library(rec: Recording) -> None:
    source = """
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
def f():
    d = Decimal('1.50')
    d += 1
    t = date(2020, 1, 31)
    t += timedelta(days=1, seconds=2)
    now = [datetime(2020, 1, 2, 3, 4), time(5, 6), timedelta(-1)]
    zoned = datetime(2020, 1, 2, tzinfo=timezone.utc)
    return d
"""
    trace = rec(source, call="f()")
    assert [delta for _, delta in lines(trace)][:6] == [
        {"d": "Decimal('1.50')"}, {"d": "Decimal('2.50')"}, {"t": "date(2020, 1, 31)"}, {"t": "date(2020, 2, 1)"},
        {"now": "[datetime(2020, 1, 2, 3, 4), time(5, 6), timedelta(days=-1)]"}, {"zoned": "<datetime>"},
    ]  # fmt: skip
    assert trace.outcome.detail == "Decimal('2.50')"


def test_folding_gives_the_true_final_state(rec: Recording) -> None:
    trace = rec(
        """
def f():
    a = [3, 1, 2]
    b = {}
    for x in a:
        b[x] = a[:x]
    a.sort()
    del x
    return b
""",
        call="f()",
    )
    *_, (last, state) = states(trace)
    assert isinstance(last, Step)
    assert state.frames[0] == {"a": "[1, 2, 3]", "b": "{3: [3, 1, 2], 1: [3], 2: [3, 1]}"}
