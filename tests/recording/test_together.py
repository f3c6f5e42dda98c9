"""Programs recorded together have the traces they have alone."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.programs import tasks
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import bundle, record_all, stretched

POINT = "class P:\n    def __init__(self, x):\n        self.x = x\n"
PROGRAMS = [
    Program(source="def f(n):\n    return [i * i for i in range(n)]\n", call="f(4)"),
    Program(source=POINT + "def f(a):\n    p = P(a)\n    return [P('K#9'), p, p]\n", call="f(3)"),
    Program(source=POINT + "def f(a):\n    p = P(P(a))\n    raise ValueError(p, 'it\\'s #3')\n", call="f('P#1')"),
    Program(
        source="def g(n):\n    for i in range(n):\n        yield i\ndef f(n):\n    print(n)\n    return list(g(n))\n",
        call="f(3)",
    ),
    Program(source="x = 1\nprint(__name__)\nfor i in range(2):\n    x += i\n"),
    Program(source="def f(n):\n    n += 1\n    return g(n)\n", call="f(1)"),
    Program(source="import math\ndef f(n):\n    return math.floor(n)\n", call="f(2.5)"),
    Program(source="count = 0\ndef f(n):\n    global count\n    count += n\n    return count\n", call="f(2)"),
    Program(source="count = 0\ndef f(n):\n    global count\n    count += n\n    return count\n", call="f(f(2))"),
]  # fmt: skip


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[SandboxWorker, SandboxWorker]]:
    alone = SandboxWorker(prepare(limits=DOCUMENT_LIMITS, python=None, core="auto", trust=True))
    together = SandboxWorker(prepare(limits=stretched(DOCUMENT_LIMITS, 16), python=None, core="auto", trust=True))
    yield alone, together
    alone.close()
    together.close()


def facts(trace: Trace | None) -> object:
    assert trace is not None
    outcome = trace.outcome.kind, trace.outcome.detail if trace.program.call != "f(f(2))" else ""
    return trace.program, outcome, list(trace.steps), list(trace.frames), trace.notes


def test_each_is_as_if_alone(workers: tuple[SandboxWorker, SandboxWorker]) -> None:
    alone, together = workers
    rng = random.Random(5)
    programs = PROGRAMS + [tasks.program(rng) for _ in range(20)]
    rng.shuffle(programs)
    for program, trace in zip(programs, record_all(together, programs), strict=True):
        assert facts(trace) == facts(alone.record(program))


def test_one_that_does_not_end_takes_no_other_with_it(workers: tuple[SandboxWorker, SandboxWorker]) -> None:
    endless = Program(source="def f():\n    while True:\n        pass\n", call="f()")
    broken = Program(source="def f(:\n", call="f()")
    quits = Program(source="def f():\n    raise SystemExit(3)\n", call="f()")
    programs = [PROGRAMS[0], endless, PROGRAMS[1], broken, quits, PROGRAMS[2]]
    traces = record_all(workers[1], programs)
    assert [trace is None for trace in traces] == [False, True, False, True, True, False]
    assert facts(traces[5]) == facts(workers[0].record(PROGRAMS[2]))


def test_programs_with_stdin_run_alone(workers: tuple[SandboxWorker, SandboxWorker]) -> None:
    asks = Program(source="def f():\n    return input()\n", call="f()", stdin="hello\n")
    with pytest.raises(UsageError):
        bundle([asks])
    (trace,) = record_all(workers[1], [asks])
    assert trace is not None
    assert trace.outcome.detail == "'hello'"
