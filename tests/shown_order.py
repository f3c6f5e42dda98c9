"""Programs whose lines call, and the order in which people see their changes, by its definition: slow, and plain."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import pytest
from foreign_runs import LANGUAGES, foreign_run

from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.trace import Step, Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import record

State = dict[int, dict[str, str]]

CALLS = Program(
    source="""def square(x):
    y = x * x
    return y

def f(n):
    a = square(n)
    b = square(a) + square(square(n))
    c = max(square(1), a)
    return a + b + c
""",
    call="f(3)",
)
RECURSION = Program(
    source="""def fact(n):
    if n < 2:
        return 1
    r = fact(n - 1)
    return r * n
""",
    call="fact(4)",
)
GENERATORS = Program(
    source="""def pairs(xs):
    for x in xs:
        sent = yield x, x + 1
        xs.append(sent) if sent else None

def f():
    seen = [1]
    g = pairs(seen)
    total = next(g)[1]
    total += g.send(5)[0]
    for a, b in pairs([7]):
        total += a * b
    return total, seen, [sum(p) for p in g]
""",
    call="f()",
)
EXCEPTIONS = Program(
    source="""def deep(n):
    try:
        m = 10 // n
    finally:
        n = -n
    return m

def middle(n):
    k = deep(n) + 1
    return k

def f():
    got = []
    for n in (2, 0):
        try:
            got.append(middle(n))
        except ZeroDivisionError as error:
            got = [*got, len(str(error))]
    return got
""",
    call="f()",
)
INPUT = Program(
    source="""def ask(prompt):
    answer = input(prompt)
    return answer.upper()

name = input('name? ')
print(input('colour? '), ask('size? '))
both = ask('one: ') + ask('two: ')
""",
    stdin="Ada\nred\nbig\n1\n2\n",
)
SHARED = Program(
    source="""class Box:
    def __init__(self, items):
        self.items = items

    def put(self, item):
        self.items.append(item)
        return self

def fill(box, n):
    box.put(n).put(n + 1)
    del n
    return len(box.items)

def f():
    items = []
    box = Box(items)
    twin = box
    size = fill(box, 1) + fill(twin, 5)
    return items, size
""",
    call="f()",
)
INNER = Program(
    source="""class Meter:
    def __init__(self, log):
        self.log = log

    @property
    def last(self):
        self.log.append('read')
        return self.log[-1]

    def __enter__(self):
        self.log.append('in')
        return len(self.log)

    def __exit__(self, *error):
        self.log.append('out')
        return True

def counted(function):
    calls = 0
    def inner(*args):
        nonlocal calls
        calls += 1
        result = function(*args)
        return result + calls
    return inner

@counted
def add(x, y=1): return x + y

def f(n):
    log = []
    with Meter(log) as size, Meter(log) as twice:
        seen = [add(i) for i in range(n) if add(i, size) % 2]
        table = {i: sorted((add(j) for j in range(i)), key=lambda k: -k) for i in seen}
        last = Meter(log).last + str(add(add(1), y=add(twice)))
        raise KeyError(last)
    return seen, table, log
""",
    call="f(3)",
)
THREADS = Program(
    source="""import threading

def work(out, n):
    m = double(n)
    out.append(m)

def double(n):
    k = n * 2
    return k

out = []
workers = [threading.Thread(target=work, args=(out, n)) for n in (1, 2)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
total = double(sum(out))
"""
)
PYTHON_PROGRAMS = {
    "calls": CALLS, "recursion": RECURSION, "generators": GENERATORS, "exceptions": EXCEPTIONS, "input": INPUT,
    "shared": SHARED, "inner": INNER,
}  # fmt: skip


class ShownRow(NamedTuple):
    """A row as people should see it: the steps whose changes it shows, and the names of every frame after it."""

    makers: list[Step]
    state: State


def naive_shown(trace: Trace, step: Step) -> int:
    """The row of a step's changes: the last of its thread before the frame continues; its own if it never does."""
    if step.event in ("call", *CHANGELESS):
        return step.i
    last = step.i
    for later in trace.steps[step.i + 1 :]:
        if later.frame == step.frame and later.event not in CHANGELESS:
            return last
        last = later.i if later.thread == step.thread else last
    return step.i


def naive_rows(trace: Trace) -> list[ShownRow]:
    """Every row of a trace."""
    rows: list[ShownRow] = []
    shown = [naive_shown(trace, step) for step in trace.steps]
    state: State = {}
    for i in range(len(trace)):
        makers = [trace[maker] for maker in range(i, -1, -1) if shown[maker] == i]
        for maker in makers:
            names = state.setdefault(maker.frame, {})
            for name in maker.gone:
                names.pop(name)
            names.update(maker.delta)
        rows.append(ShownRow(makers, {frame: dict(names) for frame, names in state.items()}))
    return rows


def naive_changes(trace: Trace, i: int, row: ShownRow) -> list[str]:
    """The changes of a row in words; those of another frame after the line that made them."""
    words: list[str] = []
    for maker in row.makers:
        texts = [f"{name}={value}" for name, value in maker.delta.items()]
        texts += [f"del {name}" for name in maker.gone]
        if texts and maker.frame != trace[i].frame:
            function = trace.frames[maker.frame].name.split("<locals>.")[-1]
            texts[0] = f"line {maker.line}{'' if function == '<module>' else f' in {function}'}: {texts[0]}"
        words += texts
    return words


@lru_cache
def recorded(name: str) -> tuple[Trace, list[ShownRow]]:
    """A program's trace, and its rows as people should see them."""
    if name in LANGUAGES and isinstance(missing := toolchain.find(name), str):
        pytest.skip(missing)
    program = PYTHON_PROGRAMS.get(name) or foreign_run(name).program
    if name == "cpp":
        program = replace(program, source=program.source.replace("int twice", "#include <vector>\nint twice", 1))
    trace = record(program)
    assert trace.outcome.kind == "returned", trace.outcome
    assert any(trace.shown_at[i] != i for i in range(len(trace))), "no line of it waits for another"
    return trace, naive_rows(trace)
