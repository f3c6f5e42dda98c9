"""Changes of a run under way: what follows is what CPython does, what came before is untouched, and what cannot be done
is told. The law, over generated programs: a change is the assignment, inserted into the source at its place."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping

import pytest
from changed_programs import AUXILIARY, cases, rows
from fuzz_programs import program as random_program
from hypothesis import given
from interpreters import FOUND
from strategies import OBJECTS, VALUE_TEXTS
from tiers import examples

from worldline.core.change import Change
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import state_at
from worldline.core.trace import Outcome, Trace
from worldline.core.value import kind
from worldline.recording.constructible import acts, encode_change
from worldline.recording.guests.apply_change import build
from worldline.recording.guests.canonical import Renderer
from worldline.recording.recorder import SandboxWorker, prepare, record

COUNT = examples(24, 60, "WORLDLINE_FUZZ") // 4
LIMITS = Limits(steps=1500, wall=60)
OLD = [version for version in FOUND if version == "3.11"]  # where a function's variable can be taken away


@pytest.fixture(scope="module", params=FOUND)
def worker(request: pytest.FixtureRequest) -> Iterator[SandboxWorker]:
    made = SandboxWorker(prepare(limits=LIMITS, python=FOUND[request.param], core="python", trust=False))
    yield made
    made.close()


@pytest.fixture(scope="module")
def old() -> Iterator[SandboxWorker]:
    if not OLD:
        pytest.skip("no Python 3.11 here")
    made = SandboxWorker(prepare(limits=LIMITS, python=FOUND[OLD[0]], core="python", trust=False))
    yield made
    made.close()


def changed(worker: SandboxWorker, program: Program, change: Change) -> Trace:
    """The trace of a change that is to be made, with the laws that every such trace keeps."""
    wanted = encode_change(change)
    assert not isinstance(wanted, str), wanted
    plain, trace = worker.record(program), worker.record(program, wanted)
    assert trace.notes == ("changed",), trace.outcome
    newest = {step.frame: step.i for step in plain.steps if step.i <= change.step and step.event not in AUXILIARY}
    for step in map(plain.__getitem__, range(change.step + 1)):
        got = trace[step.i]
        assert (got.event, got.frame, got.line, got.arg) == (step.event, step.frame, step.line, step.arg)
        assert newest[step.frame] == step.i or got == step  # what is not done yet may end otherwise
    shown = state_at(trace, trace.shown_at[change.step]).frames
    own = trace[change.step].frame
    for name, value in change.values.get(own, {}).items():
        assert shown[own].get(name) == value
    return trace


def refused(worker: SandboxWorker, program: Program, change: Change) -> str:
    """Why a change is not made."""
    wanted = encode_change(change)
    if isinstance(wanted, str):
        return wanted
    trace = worker.record(program, wanted)
    assert (trace.outcome.kind, trace.notes) == ("unsupported", ())
    return trace.outcome.detail.removeprefix("change: ")


def at(trace: Trace, line: int, event: str = "line", nth: int = 0) -> int:
    """The number of a step."""
    return [step.i for step in trace.steps if (step.line, step.event) == (line, event)][nth]


@pytest.mark.fuzz
def test_a_change_is_an_inserted_assignment(worker: SandboxWorker) -> None:
    gone = worker.setup.plan.python.version.startswith("3.11")
    tried = 0
    for seed in range(COUNT):
        plain = worker.record(Program(source=random_program(seed)))
        for case in cases(plain, random.Random(seed), 2, gone=gone):
            wanted = encode_change(case.change)
            assert not isinstance(wanted, str)
            got = worker.record(plain.program, wanted)
            want = worker.record(Program(source=case.source))
            assert "changed" in got.notes, (seed, case, got.outcome)
            if "limit" in (got.outcome.kind, want.outcome.kind):
                continue
            found, expected = rows(got), rows(want, case.line)
            first = next((pair for pair in zip(found, expected, strict=False) if pair[0] != pair[1]), None)
            assert first is None, (seed, case, first)
            assert len(found) == len(expected), (seed, case)
            assert (got.outcome, got.output) == (want.outcome, want.output), (seed, case)
            tried += 1
    assert tried > COUNT


FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(3)"
)


@pytest.mark.parametrize(
    ("step", "values", "result"),
    [
        (0, {0: {"n": "2"}}, "2"),  # a call: other arguments
        (1, {0: {"n": "5"}}, "120"),
        (2, {0: {"r": "10"}}, "30"),  # behind a call that the line makes
        (5, {1: {"n": "7"}, 0: {"n": "10"}}, "70"),  # a frame that waits in the middle of its line
        (7, {0: {"n": "100"}}, "200"),
        (12, {0: {"n": "9"}}, "6"),  # too late: the value is there
        (1, {0: {"r": "4"}}, "6"),
    ],
)
def test_names_of_live_frames(
    worker: SandboxWorker, step: int, values: Mapping[int, Mapping[str, str]], result: str
) -> None:
    trace = changed(worker, FACT, Change(step, values))
    assert trace.outcome.detail == result


def test_a_frame_that_waits_shows_it_in_its_late_changes(worker: SandboxWorker) -> None:
    trace = changed(worker, FACT, Change(7, {0: {"n": "100"}}))
    assert trace[2].delta == {"n": "100", "r": "2"}
    assert (trace[7].delta, trace[7].gone) == ({}, ())


LOOP = Program(
    source=(
        "def f(xs):\n    t = 0\n    for x in xs:\n        if x > 2:\n            t += 10\n        t += x\n"
        "    else:\n        t += 1000\n    try:\n        t += 1\n    finally:\n        t += 100\n    return t\n"
    ),
    call="f([1, 2, 3])",
)


@pytest.mark.parametrize(
    ("line", "nth", "target", "result"),
    [
        (4, 0, 5, "1127"),  # the other branch
        (4, 2, 6, "1107"),
        (6, 0, 13, "1"),  # out of the loop, and past the rest
        (6, 0, 2, "1117"),  # everything anew
        (4, 1, 3, "1118"),  # the loop's head: CPython begins the loop anew
        (5, 0, 5, "1127"),  # once more
        (12, 0, 10, "1218"),  # into a block
        (2, 0, 13, "0"),
        (2, 0, 3, "1117"),  # where it goes anyway
    ],
)
def test_the_next_line(worker: SandboxWorker, line: int, nth: int, target: int, result: str) -> None:
    step = at(worker.record(LOOP), line, nth=nth)
    trace = changed(worker, LOOP, Change(step, line=target))
    assert (trace[step + 1].event, trace[step + 1].line) == ("line", target)
    assert trace.outcome.detail == result


def test_a_value_and_a_line(worker: SandboxWorker) -> None:
    trace = changed(worker, LOOP, Change(at(worker.record(LOOP), 4), {0: {"t": "-5", "x": "50"}}, 5))
    assert trace.outcome.detail == "1171"


def test_a_line_in_a_loop_of_one_line(worker: SandboxWorker) -> None:
    source = "def f():\n    n = 0\n    for i in range(4): n += i\n    return n\n"
    program = Program(source=source, call="f()")
    step = at(worker.record(program), 3, nth=2)
    trace = changed(worker, program, Change(step, line=4))
    assert (trace[step + 1].line, trace.outcome.detail) == (4, "3")


def test_variables_that_a_jump_leaves_out(worker: SandboxWorker) -> None:
    source = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return sorted(locals())\n"
    program = Program(source=source, call="f()")
    trace = changed(worker, program, Change(1, line=4))
    newer = worker.setup.plan.python.version > "3.12"
    assert trace.outcome.detail == ("['a', 'b', 'c']" if newer else "['a', 'c']")
    assert trace[1].delta == {"a": "1"} | ({"b": "None", "c": "None"} if newer else {})
    assert trace.stderr == ""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Change(1, line=5), "no jump to line 5: can't jump into the body of a for loop"),
        (Change(1, line=1), "no jump to line 1: there f begins"),
        (Change(1, line=7), "line 7 is no line of f"),
        (Change(1, line=99), "line 99 is no line of f"),
        (Change(1, {0: {"q": "1"}}), "f has no name q"),
        (Change(1, {4: {"t": "1"}}), "frame 4 is not live when step 1 is done"),
        (Change(999, {0: {"t": "1"}}), "step 999 is never reached: the run has 19 steps"),
        (Change(17, line=2), "no jump to line 2: can only jump from a 'line' trace event"),
        (Change(18, {0: {"t": "1"}}), "step 18 (return) has no names to change"),
        (Change(1, {0: {"t": "P#1(x=1)"}}), "t=P#1(x=1): an object (P) cannot be built from its text"),
        (Change(1, {0: {"t": "[P#1]"}}), "t=[P#1]: an object seen before (P#1) cannot be built from its text"),
        (Change(1, {0: {"t": "...<list 9>"}}), "t=...<list 9>: a cut (...<list 9>) cannot be built from its text"),
        (Change(1, {0: {"t": "<function f>"}}), "t=<function f>: opaque (<function f>) cannot be built from its text"),
        (Change(1, {0: {"t": "C.RED"}}), "t=C.RED: a member of an enum (C.RED) cannot be built from its text"),
        (Change(1, {0: {"t": "{[1]}"}}), "t={[1]}: TypeError: unhashable type: 'list'"),
        (Change(1, {0: {"t": "{1: 1, True: 2}"}}), "t={1: 1, True: 2}: it would be {1: 2}"),
        (Change(1, {0: {"t": "#2[]"}}), "t=#2[]: it would be []"),
        (Change(1, {0: {"t": "[#1]"}}), "t=[#1]: KeyError: 1"),
        (Change(1, {0: {"__t__": "1"}}), "__t__ is a name that the language gives; no trace shows it"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(worker: SandboxWorker, change: Change, why: str) -> None:
    assert refused(worker, LOOP, change) == why


def test_values_beyond_the_limits_are_told(worker: SandboxWorker) -> None:
    deep = "[" * 200 + "]" * 200
    assert refused(worker, LOOP, Change(1, {0: {"t": deep}})).startswith("t=[[[")
    long = repr("x" * (LIMITS.value_bytes + 1))
    assert refused(worker, LOOP, Change(1, {0: {"t": long}})).endswith("it would be ...<str 65537>")


def test_text_that_is_no_value_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="not a canonical value"):
        Change(1, {0: {"t": "[1,2]"}})
    with pytest.raises(UsageError, match="at least 0"):
        Change(-1)
    with pytest.raises(UsageError, match="native core"):
        record(FACT, change=Change(1), core="native")


def test_names_that_go(old: SandboxWorker) -> None:
    trace = changed(old, FACT, Change(4, {1: {"n": None}}))
    assert (trace[4].gone, trace.outcome.detail[:18]) == (("n",), "UnboundLocalError(")
    trace = changed(old, FACT, Change(0, {0: {"n": None}}))
    assert (trace[0].delta, trace[0].gone) == ({}, ("n",))


def test_names_that_go_where_they_cannot(worker: SandboxWorker) -> None:
    if worker.setup.plan.python.version < "3.12":
        pytest.skip("there they can")
    assert "cannot take" in refused(worker, FACT, Change(4, {1: {"n": None}}))
    assert changed(worker, FACT, Change(4, {1: {"r": None}})).outcome.detail == "6"  # it has none yet


SCRIPT = Program(
    source=(
        "a = [1]\nb = a\nclass C:\n    x = 1\n    y = x + 1\ndef f():\n    global g\n    g += 1\n"
        "g = 5\nf()\nprint(a, b, g, C.y)\n"
    )
)


def test_modules_classes_globals_and_aliases(worker: SandboxWorker) -> None:
    plain = worker.record(SCRIPT)
    assert plain.output == "[1] [1] 6 2\n"
    trace = changed(worker, SCRIPT, Change(at(plain, 2), {0: {"b": "[1]", "fresh": "0"}}))
    assert trace[at(trace, 2)].same == {}  # no longer one object
    frame = plain[at(plain, 4)].frame
    assert changed(worker, SCRIPT, Change(at(plain, 4), {frame: {"x": "40"}})).output == "[1] [1] 6 41\n"
    step = at(plain, 6, "call")
    trace = changed(worker, SCRIPT, Change(step, {plain[step].frame: {"g": "70"}}))
    assert trace.output == "[1] [1] 71 2\n"
    trace = changed(worker, SCRIPT, Change(at(plain, 9), {0: {"g": None, "a": "'z'"}}))
    assert (trace[at(trace, 9)].gone, trace.outcome.kind) == ((), "raised")
    assert trace.outcome.detail == """NameError("name 'g' is not defined")"""


def test_closures(worker: SandboxWorker) -> None:
    source = (
        "def f(k):\n    n = 1\n    def g():\n        nonlocal n\n        n += k\n        return n\n"
        "    a = g()\n    b = g()\n    return a, b, n, k\n"
    )
    program = Program(source=source, call="f(10)")
    plain = worker.record(program)
    assert plain.outcome.detail == "(11, 21, 21, 10)"
    assert (
        changed(worker, program, Change(at(plain, 2), {0: {"n": "100", "k": "5"}})).outcome.detail
        == "(105, 110, 110, 5)"
    )
    inner = plain[at(plain, 5)].frame
    trace = changed(worker, program, Change(at(plain, 3, "call"), {inner: {"n": "50", "k": "3"}}))
    assert trace.outcome.detail == "(53, 56, 56, 3)"


def test_generators_awake_and_asleep(worker: SandboxWorker) -> None:
    source = (
        "def gen(n):\n    while n:\n        got = yield n\n        n -= 1\n"
        "def f():\n    t = []\n    for x in gen(3):\n        t.append(x)\n    return t\n"
    )
    program = Program(source=source, call="f()")
    plain = worker.record(program)
    assert plain.outcome.detail == "[3, 2, 1]"
    generator = plain[at(plain, 3, "yield")].frame
    asleep = changed(worker, program, Change(at(plain, 8), {generator: {"n": "10"}, 0: {"t": "['z']"}}))
    assert asleep.outcome.detail == "['z', 9, 8, 7, 6, 5, 4, 3, 2, 1]"
    assert asleep[at(asleep, 3, "yield")].delta == {"n": "10"}
    awake = changed(worker, program, Change(at(plain, 3, "yield"), {generator: {"n": "2"}}))
    assert awake.outcome.detail == "[3, 1]"
    assert "'line' trace event" in refused(worker, program, Change(at(plain, 3, "yield"), line=4))
    resumed = changed(worker, program, Change(at(plain, 3, "resume"), line=2))
    assert resumed.outcome.detail == "[3, 3, 2, 1]"


def test_a_generator_that_is_never_resumed(worker: SandboxWorker) -> None:
    source = (
        "def gen():\n    yield 1\n    yield 2\ndef f():\n    import builtins\n"
        "    builtins.kept = gen()\n    return next(builtins.kept)\n"
    )
    program = Program(source=source, call="f()")
    step = at(worker.record(program), 2, "yield")
    why = refused(worker, program, Change(step, {1: {}}, 3))
    assert why == f"step {step} is never done: its frame has no event behind it"


def test_behind_an_exception(worker: SandboxWorker) -> None:
    source = "def f(d):\n    try:\n        return d['a']\n    except KeyError as e:\n        return str(e)\n"
    program = Program(source=source, call="f({})")
    step = at(worker.record(program), 3, "raise")
    trace = changed(worker, program, Change(step, {0: {"d": "{'a': 1}"}}, 3))
    assert (trace[step + 1].line, trace.outcome.detail) == (3, "1")  # tried again, and now it is there
    trace = changed(worker, program, Change(step + 1, {0: {"e": "'z'"}}))
    assert trace.outcome.detail == "'z'"


def test_output_and_input_have_no_names(worker: SandboxWorker) -> None:
    program = Program(source="print(1)\nx = input()\n", stdin="a\n")
    plain = worker.record(program)
    for event in ("output", "input"):
        step = next(step.i for step in plain.steps if step.event == event)
        assert (
            refused(worker, program, Change(step, {0: {"x": "1"}})) == f"step {step} ({event}) has no names to change"
        )


def test_a_run_that_ends_before_it_is_noted() -> None:
    early = record(Program(source="import os\nos._exit(3)\nx = 1\n"), change=Change(7, {0: {"x": "1"}}))
    assert (early.outcome.kind, early.notes) == ("exited", ("unchanged",))
    endless = record(Program(source="while True:\n    pass\n"), change=Change(99, line=1), limits=Limits(steps=50))
    assert (endless.outcome, endless.notes) == (Outcome("limit", "steps"), ("unchanged",))
    never = record(FACT, change=Change(1, {0: {"n": "<class P>"}}))
    assert (never.outcome.kind, never.notes, len(never)) == ("unsupported", ("unchanged",), 0)


def test_the_program_does_not_see_it(worker: SandboxWorker) -> None:
    source = (
        "def f():\n    x = 1\n    import sys\n"
        "    names = [n for n in sys.modules if 'ctypes' in n or 'worldline' in n]\n"
        "    import ctypes\n    return x, names, ctypes.c_int(3).value, sys.gettrace() is None\n"
    )
    program = Program(source=source, call="f()")
    plain = worker.record(program).outcome.detail
    wanted = encode_change(Change(1, {0: {"x": "2"}}))
    assert not isinstance(wanted, str)
    assert worker.record(program, wanted).outcome.detail == plain.replace("(1,", "(2,")


PLAIN = (
    "0", "-7", str(10**300), hex(1 << 5000), "-" + hex(1 << 5000), "1.5", "-0.0", "inf", "-inf", "nan",
    "nan(fff8000000000001)", "complex(1.0, nan)", "'\\ud83d\\ude00'", "'\\ud800'", "\"it's\"", "'é\\n\\\\'", "b'\\xff'",
    "bytearray(b'a')", "range(1, 9, 2)", "slice(None, 1, [2])", "()", "(1,)", "[]", "{}", "set()", "frozenset()",
    "{1, 'a'}", "frozenset({(1, 2)})", "deque([1, 2], maxlen=3)", "deque([])", "{'a': {'b': [None]}}", "Ellipsis",
    "NotImplemented", "#1[#1]", "[#1[], #1]", "#1{'me': #1}", "[#1bytearray(b''), #1]", "#1[(#1,), #2{}, #2]",
)  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_a_value_arrives_as_it_is_written(worker: SandboxWorker, text: str) -> None:
    source = "def f():\n    x = 1\n    return x\n"
    trace = changed(worker, Program(source=source, call="f()"), Change(1, {0: {"x": text}}))
    assert (trace[1].delta["x"], trace.outcome.detail) == (text, text)


@given(OBJECTS)
def test_what_the_interpreter_showed_can_be_built_again(value: object) -> None:
    text = Renderer(1 << 20, 100).render(value)
    found = acts(text)
    assert not isinstance(found, str)
    assert Renderer(1 << 20, 100).render(build(found)) == text


@given(VALUE_TEXTS)
def test_any_text_is_built_or_told(text: str) -> None:
    found = acts(text)
    if isinstance(found, str):
        assert "cannot be built from its text" in found
        return
    with contextlib.suppress(TypeError, KeyError):  # unhashable, or a reference to nothing: told by the guest
        assert kind(Renderer(1 << 20, 100).render(build(found))) == kind(text)
