"""Threads under a control: traced, scheduled at lines and waits, the same by the same seed, replayed to the bit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from interpreters import FOUND, HERE
from thread_programs import COUNTER, DEADLOCK, LOOPS, PROGRAMS
from tiers import examples

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.recording.recorder import SandboxWorker, prepare, record

LIMITS = Limits(wall=60)
CORES = ("native", "python")


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "stderr", "hidden", "notes")}


def worker(version: str, core: str, limits: Limits = LIMITS) -> SandboxWorker:
    return SandboxWorker(prepare(limits=limits, python=FOUND[version], core=core, trust=False, controlled=True))


@pytest.mark.fuzz
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("version", FOUND)
def test_the_seeds_of_a_racing_counter_are_replayed_exactly(version: str, core: str) -> None:
    sandbox, results = worker(version, core), set[str]()
    seeds = examples(10, 40)
    for seed in range(seeds):
        trace = sandbox.record(Program(source=COUNTER), control=Control(schedule=seed))
        assert trace.outcome.kind == "returned"
        assert trace.threads == (0, 1, 2, 3)
        assert trace.notes == ()
        again = sandbox.record(Program(source=COUNTER), control=replaying(trace.hidden))
        assert facts(again) == facts(trace), seed
        results.add(trace.output)
    sandbox.close()
    assert len(results) > seeds // 8  # the seeds find different races


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("name", "version"),
    [
        (name, version)
        for at, name in enumerate([*PROGRAMS, *LOOPS])
        for turn, version in enumerate(FOUND)
        if version == HERE or at % len(FOUND) == turn  # on the others each has its turn
    ],
)
def test_the_same_seed_is_the_same_run_in_both_cores_and_a_replay_too(name: str, version: str) -> None:
    program, sandboxes = (Program(source={**PROGRAMS, **LOOPS}[name]), [worker(version, core) for core in CORES])
    for control in (Control(schedule=1), Control() if name != "daemon" else Control(seed=5, schedule=8)):
        runs = [sandbox.record(program, control=control) for sandbox in (sandboxes[0], *sandboxes)]
        assert runs[0].outcome.kind == ("exited" if name == "exit" else "returned"), runs[0].stderr
        assert runs[0].notes == (("sockets",) if name in LOOPS else ())
        assert facts(runs[1]) == facts(runs[0])
        assert facts(runs[2]) == facts(runs[0])
        for sandbox in sandboxes:
            again = sandbox.record(program, control=replaying(runs[0].hidden))
            assert facts(again) == facts(runs[0])
    for sandbox in sandboxes:
        sandbox.close()


def test_the_frames_of_a_thread_are_its_own() -> None:
    trace = record(Program(source=COUNTER), control=Control(schedule=3), limits=LIMITS)
    of = {frame.serial: {step.thread for step in trace.steps if step.frame == frame.serial} for frame in trace.frames}
    assert all(len(threads) == 1 for threads in of.values())
    outermost = [frame.serial for frame in trace.frames if frame.parent == -1]
    assert sorted(next(iter(of[serial])) for serial in outermost) == [0, 1, 2, 3]


def test_without_a_control_only_the_main_thread_is_recorded() -> None:
    trace = record(Program(source=COUNTER), limits=LIMITS)
    assert trace.threads == (0,)
    assert trace.notes == ("threads",)
    assert not trace.hidden


def test_without_a_schedule_a_thread_goes_on_until_it_waits_or_ends() -> None:
    trace = record(Program(source=COUNTER), control=Control(), limits=LIMITS)
    assert trace.output == "18\n"
    assert [hidden.kind for hidden in trace.hidden] == [
        "thread 1",
        "thread 0",
        "thread 2",
        "thread 0",
        "thread 3",
        "thread 0",
    ]


def test_a_given_choice_switches_before_its_step_and_the_rest_follows_the_rule() -> None:
    plain = record(Program(source=COUNTER), control=Control(), limits=LIMITS)
    at = next(step.i for step in plain.steps if step.thread == 1 and step.event == "line" and step.line == 6)
    before = tuple(hidden for hidden in plain.hidden if hidden.step < at)
    for given in ((*before, Hidden(at, "thread 0 1", "0")), (Hidden(at, "thread 0 1", "0"),)):
        trace = record(Program(source=COUNTER), control=Control(given=given), limits=LIMITS)
        assert trace[at - 1] == replace(plain[at - 1], delta=trace[at - 1].delta)
        assert trace[at].thread == 0
        assert Hidden(at, "thread 0 1", "0") in trace.hidden
        again = record(Program(source=COUNTER), control=replaying(trace.hidden), limits=LIMITS)
        assert facts(again) == facts(trace)


@pytest.mark.parametrize("value", ["2", "7"])
def test_a_choice_that_is_impossible_is_a_parting(value: str) -> None:
    plain = record(Program(source=COUNTER), control=Control(), limits=LIMITS)
    at = next(step.i for step in plain.steps if step.thread == 1 and step.line == 6)
    given = (*(hidden for hidden in plain.hidden if hidden.step < at), Hidden(at, "thread 0 1", value))
    trace = record(Program(source=COUNTER), control=replaying(given), limits=LIMITS)
    assert trace.outcome.kind == "returned"
    assert trace.notes[0].startswith("parted at draw 2")


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("version", FOUND)
def test_a_deadlock_ends_the_run_and_is_named(version: str, core: str) -> None:
    trace = record(Program(source=DEADLOCK), control=Control(), limits=LIMITS, python=FOUND[version], core=core)
    assert (trace.outcome.kind, trace.outcome.detail) == ("limit", "deadlock")
    assert trace.notes == ("deadlock",)
    assert trace.threads == (0, 1)
    again = record(
        Program(source=DEADLOCK), control=replaying(trace.hidden), limits=LIMITS, python=FOUND[version], core=core
    )
    assert facts(again) == facts(trace)


MANY = """\
import threading
lock, seen = threading.Lock(), []
def work(k):
    with lock:
        seen.append(k)
ts = [threading.Thread(target=work, args=(k,)) for k in range(50)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(sorted(seen) == list(range(50)))
"""
ENDLESS = """\
import threading
def work():
    while True:
        x = 1
threading.Thread(target=work).start()
"""
WAITING = """\
import threading, os
r, w = os.pipe()
t = threading.Thread(target=os.read, args=(r, 1))
t.start()
os.write(w, b'x')
t.join()
"""
LEAVING = """\
import os, threading
def work():
    os._exit(3)
threading.Thread(target=work).start()
while True:
    x = 1
"""
BARE = """\
import _thread
lock = _thread.allocate_lock()
lock.acquire()
def work(k):
    try:
        return 1 // k
    finally:
        lock.release()
_thread.start_new_thread(work, (0,))
lock.acquire()
_thread.start_new_thread(lambda: (lock.release(), _thread.exit()), ())
lock.acquire()
"""
FORKING = """\
import os, threading
lock = threading.Lock()
def work():
    with lock:
        pid = os.fork()
        if not pid:
            with threading.Lock():
                os._exit(len(threading.enumerate()))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
t = threading.Thread(target=work)
t.start()
t.join()
"""


def test_fifty_threads() -> None:
    sandbox = worker("3.11", "native")
    traces = [sandbox.record(Program(source=MANY), control=Control(schedule=2)) for _ in range(2)]
    again = sandbox.record(Program(source=MANY), control=replaying(traces[0].hidden))
    sandbox.close()
    assert traces[0].output == "True\n"
    assert traces[0].threads == tuple(range(51))
    assert facts(traces[0]) == facts(traces[1]) == facts(again)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("control", [Control(), Control(schedule=1)])
@pytest.mark.parametrize("version", FOUND)
def test_a_thread_that_never_ends_meets_the_limit(version: str, control: Control, core: str) -> None:
    sandbox = worker(version, core, Limits(wall=60, steps=2000))
    trace = sandbox.record(Program(source=ENDLESS), control=control)
    sandbox.close()
    assert (trace.outcome.kind, trace.outcome.detail, len(trace)) == ("limit", "steps", 2000)


@pytest.mark.parametrize("version", FOUND)
def test_what_waits_in_a_call_that_is_not_scheduled_ends_by_the_deadline(version: str) -> None:
    trace = record(Program(source=WAITING), control=Control(), limits=Limits(wall=3), python=FOUND[version])
    assert (trace.outcome.kind, trace.outcome.detail) == ("limit", "time")


@pytest.mark.parametrize("version", FOUND)
def test_what_leaves_a_bare_thread_is_told_as_the_interpreter_tells_it(version: str) -> None:
    trace = record(Program(source=BARE), control=Control(), limits=LIMITS, python=FOUND[version])
    head, _, where, *_, last = trace.stderr.splitlines()
    assert re.fullmatch("Exception ignored in thread started by:? <function work at 0x[0-9a-f]+>:?", head)
    assert where.endswith('/program.py", line 6, in work')
    assert last == "ZeroDivisionError: integer division or modulo by zero"


@pytest.mark.parametrize("version", FOUND)
def test_a_thread_may_end_the_process_and_fork(version: str) -> None:
    sandbox = worker(version, "native")
    left = sandbox.record(Program(source=LEAVING), control=Control(schedule=1))
    forked = sandbox.record(Program(source=FORKING), control=Control(schedule=1))
    sandbox.close()
    assert left.outcome.kind in ("killed", "exited")
    assert left.outcome.detail.endswith("3")
    assert (forked.outcome.kind, forked.output) == ("returned", "1\n"), forked.stderr
    assert forked.notes == ("processes",)


SLEEPER = """\
import threading, time
log = []
def work():
    time.sleep(5)
    log.append('slept')
t = threading.Thread(target=work)
t.start()
log.append('a')
log.append('b')
t.join()
print(log)
"""


def test_in_a_replay_a_time_has_come_where_it_had_come_when_the_run_was_live() -> None:
    plain = record(Program(source=SLEEPER), control=Control(), limits=LIMITS)
    assert plain.output == "['a', 'b', 'slept']\n"
    at = next(step.i for step in plain.steps if step.line == 9 and step.event == "line")
    given = (*(hidden for hidden in plain.hidden if hidden.step < at), Hidden(at, "thread 0 1", "1"))
    trace = record(Program(source=SLEEPER), control=replaying(given), limits=LIMITS)
    assert trace.output == "['a', 'slept', 'b']\n"
    assert trace.hidden[: len(given)] == given
    again = record(Program(source=SLEEPER), control=replaying(trace.hidden), limits=LIMITS)
    assert facts(again) == facts(replace(trace, notes=()))
    loose = record(Program(source=SLEEPER), control=Control(given=given), limits=LIMITS)
    assert loose.output == plain.output  # it cannot go on, as far as this run knows


SPIN = """\
import threading
stop = False
def spin():
    while not stop:
        pass
t = threading.Thread(target=spin)
t.start()
stop = True
t.join()
print("done")
"""


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("seed", [1, None])
def test_a_thread_that_spins_lets_the_others_on(core: str, seed: int | None) -> None:
    trace = record(Program(source=SPIN), control=Control(seed=seed), core=core, limits=LIMITS)
    assert (trace.outcome.kind, trace.output) == ("returned", "done\n")
    again = record(Program(source=SPIN), control=replaying(trace.hidden), core=core, limits=LIMITS)
    assert again == trace
