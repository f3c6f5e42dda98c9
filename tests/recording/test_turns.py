"""Threads that take turns at accesses: the same schedule is the same run in both cores, and a replay too."""

from __future__ import annotations

import pytest
from interpreters import FOUND

from worldline.core.hidden import SCHEDULE, Control, TurnPlan, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.data.control import choose_control
from worldline.plan.futures.races import RaceSearch
from worldline.recording.recorder import SandboxWorker, prepare

# Two threads with two updates each. 11: the second update of one has read before the other's last one.
UPDATES = """\
import threading
x = 0
def add(k):
    global x
    x += k
    x += k
ts = [threading.Thread(target=add, args=(k,)) for k in (1, 10)]
for t in ts: t.start()
for t in ts: t.join()
print(x)
"""
CORES = ("native", "python")
EVERY_RESULT = {"2\n", "11\n", "12\n", "20\n", "21\n", "22\n"}
# Operands at every depth, with handlers, comprehensions, generators and calls of all kinds around them.
OPERANDS = """\
import threading
log, d, xs = [], {'a': [1, 2]}, [3, 4]
class Box:
    size = 2
    def __init__(self): self.n, self.parts = 0, {}
    def add(self, *args, **kwargs):
        self.n += sum(args) + len(kwargs)
        return self
def numbers():
    for k in range(2):
        got = yield k + len(xs)
        log.append(got)
def work(name):
    box = Box()
    try:
        with lock:
            log.append([name, *[x + y for x in xs for y in d['a']], f'{xs!r:>10}'])
        box.add(1, *xs, k=2, **{'j': 3}).add(box.size).parts[name, 1] = xs[0:1] + d['a'][-1:]
        a, *rest = xs
        d[name] = (a < rest[0] <= 9) and not box.parts.get('none')
        del d[name]
        g = numbers()
        next(g); g.send(name)
        raise KeyError(name)
    except KeyError as error:
        log.append(str(error.args[0]))
    finally:
        log.append(box.n)
lock = threading.Lock()
ts = [threading.Thread(target=work, args=(c,)) for c in 'ab']
for t in ts: t.start()
for t in ts: t.join()
print(log)
"""


def worker(version: str, core: str) -> SandboxWorker:
    return SandboxWorker(prepare(limits=Limits(), python=FOUND[version], core=core, trust=False, controlled=True))


def by_schedule(text: str) -> Control:
    return Control(given=(Hidden(0, SCHEDULE, repr(text)),))


def facts(trace: Trace) -> tuple[object, ...]:
    return trace.outcome, trace.columns, trace.frames, trace.output, trace.hidden, trace.notes


@pytest.mark.sampled(2)
@pytest.mark.parametrize("version", FOUND)
def test_every_result_is_found_by_each_interpreter(version: str) -> None:
    sandbox = worker(version, "auto")
    search = RaceSearch(lambda control: sandbox.record_turns(Program(source=UPDATES), control))
    runs = [run for run in search if run.trace is not None]
    assert {run.trace.output for run in runs if run.trace is not None} == EVERY_RESULT
    assert search.is_complete
    eleven = next(run for run in runs if run.trace is not None and run.trace.output == "11\n")
    traces = [
        worker(version, core).record(Program(source=UPDATES), control=by_schedule(eleven.schedule)) for core in CORES
    ]
    assert facts(traces[0]) == facts(traces[1])
    assert traces[0].output == "11\n"
    sandbox.close()


@pytest.mark.parametrize("version", FOUND)
def test_observing_operands_changes_nothing(version: str) -> None:
    sandbox = worker(version, "auto")
    plain = sandbox.record(Program(source=OPERANDS), control=Control())
    trace, log = sandbox.record_turns(Program(source=OPERANDS), Control(turns=TurnPlan(is_logged=True)))
    assert plain.outcome.kind == "returned"
    assert (trace.outcome, trace.output, trace.stderr) == (plain.outcome, plain.output, "")
    assert "doubt" not in log
    alone = sandbox.record(Program(source=OPERANDS), control=by_schedule("1:3,0:1,1:5,0:2"))
    assert facts(sandbox.record(Program(source=OPERANDS), control=replaying(alone.hidden))) == facts(alone)
    sandbox.close()


def test_a_schedule_that_cannot_be_followed_is_noted() -> None:
    sandbox = worker("3.11", "auto")
    plan = TurnPlan(schedule="7:1", is_logged=True)
    trace, log = sandbox.record_turns(Program(source=UPDATES), Control(turns=plan))
    assert trace.outcome.kind == "returned"
    assert log["astray"] == "0"
    sandbox.close()


def test_a_schedule_is_chosen_by_text() -> None:
    control = choose_control(schedule="1:2,0:1")
    assert control == Control(seed=0, given=(Hidden(0, SCHEDULE, "'1:2,0:1'"),))
