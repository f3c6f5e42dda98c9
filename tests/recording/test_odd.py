"""Programs made to break a recorder, one weak place each: both cores survive them and write the same trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
from interpreters import FOUND, HERE
from odd_programs import PROGRAMS

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record, record_many

# The readable core keeps values alive longer, and needs levels of the recursion limit: docs/reference/limits.md.
NATIVE_ONLY = ("finalisers", "deep")
RAISES = ("long_detail",)
LIMITS = Limits(wall=300)  # it only guards against hanging
TIGHT = ({"value_bytes": 60}, {"value_bytes": 200, "value_depth": 2})


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "hidden", "notes")}


def first_difference(a: Trace, b: Trace) -> object:
    return next(((x, y) for x, y in zip(a.steps, b.steps, strict=False) if x != y), (a.outcome, b.outcome))


@pytest.mark.parametrize(
    ("version", "limits"), [*((version, {}) for version in FOUND), *((HERE, limits) for limits in TIGHT)]
)
def test_cores_agree_on_odd_programs(version: str, limits: dict[str, int]) -> None:
    bounds = replace(LIMITS, **limits)
    programs = [Program(source=source) for source in PROGRAMS.values()]
    native = record_many(programs, python=FOUND[version], core="native", limits=bounds)
    readable = record_many(programs, python=FOUND[version], core="python", limits=bounds)
    for name, a, b in zip(PROGRAMS, native, readable, strict=True):
        assert a.outcome.kind == ("raised" if name in RAISES else "returned"), (name, a.outcome, a.stderr)
        if name not in NATIVE_ONLY:
            assert facts(a) == facts(b), (name, first_difference(a, b))


@pytest.mark.parametrize("version", FOUND)
def test_two_functions_of_one_code_watch_their_own_globals(version: str) -> None:
    trace = record(Program(source=PROGRAMS["two_namespaces"]), python=FOUND[version], limits=LIMITS)
    assert trace.interpreter.core == "native"
    seen = [
        step.delta["bag"]
        for step in trace.steps
        if trace.frames[step.frame].name == "step" and step.event == "line" and "bag" in step.delta
    ]
    assert seen[:4] == ["['main']", "[0, 'other']", "['main', 'again']", "[0, 'other', 'again']"]


@pytest.mark.parametrize("version", FOUND)
def test_globals_are_watched_in_a_function_first_called_at_the_recursion_limit(version: str) -> None:
    trace = record(Program(source=PROGRAMS["deep"]), python=FOUND[version], core="native", limits=LIMITS)
    late = [step.delta for step in trace.steps if trace.frames[step.frame].name == "late"]
    assert {"mark": "[0]"} in late


# From 3.12 on the readable core's own callback may be where the interpreter takes its time to collect.
@pytest.mark.parametrize(
    ("version", "core"), [*((version, "native") for version in FOUND), (next(iter(FOUND)), "python")]
)
def test_no_finaliser_runs_unseen_inside_the_recorder(version: str, core: str) -> None:
    source = """
class D:
    def __init__(self): self.me = self
    def __del__(self):
        global count
        count += 1
class P: pass
count = 0
def f():
    for i in range(1500):
        D()
        o = P(); o.x = i; o.y = [o]
        q = [P(), P()]
f()
import gc; gc.collect()
print(count)
"""
    trace = record(Program(source=source), python=FOUND[version], core=core, limits=LIMITS)
    calls = sum(s.event == "call" and trace.frames[s.frame].name == "D.__del__" for s in trace.steps)
    assert (calls, trace.output) == (1500, "1500\n")


@pytest.mark.parametrize("version", FOUND)
def test_a_generator_at_the_address_of_one_that_was_dropped(version: str) -> None:
    source = """
import _thread
def small():
    yield 1
    yield 2
def big():
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = [0]
    yield 1
def run(act, *args):
    lock = _thread.allocate_lock()
    lock.acquire()
    def body():
        act(*args)
        lock.release()
    _thread.start_new_thread(body, ())
    lock.acquire()
box = []
def make(n):
    for _ in range(n):
        g = small(); next(g); box.append(g)
for k in range(3):
    gs = [big() for _ in range(30)]
    for g in gs: next(g)
    gs = g = None
    run(make, 300)
    for q in box: next(q)
    box.clear()
"""
    trace = record(Program(source=source), python=FOUND[version], core="native", limits=LIMITS)
    assert trace.outcome.kind == "returned"
    lines = {step.line for step in trace.steps if trace.frames[step.frame].name == "big"}
    assert lines == {6, 7, 8} or lines == {7, 8, 9}


@pytest.mark.parametrize("version", [version for version in FOUND if version != "3.11"])
def test_events_taken_away_and_given_back_are_named(version: str) -> None:
    source = """
import sys
m = sys.monitoring
def mid(x):
    p = q = r = s = t = u = v = w = a = b = c = d = [x]
    m.set_events(4, 0)
    return p
def tiny():
    m.set_events(4, ev)
    z = 1
    return z
ev = m.get_events(4)
mid([1])
tiny()
"""
    trace = record(Program(source=source), python=FOUND[version], core="native", limits=LIMITS)
    assert trace.outcome.kind == "tampered"
    assert {step.line for step in trace.steps if trace.frames[step.frame].name == "mid"} == {4, 5, 6}
