"""A world without a box: a Python function of its draws as a program, each draw at a step of its own."""

from __future__ import annotations

import random
from collections.abc import Callable

from worldline.core.events import EVENTS
from worldline.core.hidden import Control, values
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Columns, Frame, Hidden, InterpreterInfo, Outcome, Trace

Draw = Callable[[str], str]


def world(program: Callable[[Draw], object]) -> Callable[[Control], Trace]:
    """A program that asks `draw(kind)` for canonical values, as a world; `world.runs` counts."""

    def run(control: Control) -> Trace:
        generator, taken = random.Random(control.seed), list[Hidden]()

        def draw(kind: str) -> str:
            i = len(taken)
            given = control.given[i] if i < len(control.given) and _follows(control, taken) else None
            if given is not None and given.kind == kind:
                value = given.value
            else:
                value = repr(generator.random()) if kind == "float" else generator.choice(list(values(kind)))
            taken.append(Hidden(i + 1, kind, value))
            return value

        return trace_of(repr(program(draw)), taken)

    return run


def _follows(control: Control, taken: list[Hidden]) -> bool:
    return all(one.kind == given.kind for one, given in zip(taken, control.given, strict=False))


def trace_of(answer: str, hidden: list[Hidden], lines: int | None = None) -> Trace:
    """A call, so many lines (one for each draw, unless said), and a return; by thread 0 where that is told."""
    columns = Columns()
    texts = columns.texts
    texts.append(answer)
    count = len(hidden) if lines is None else lines
    for event, line in [("call", 1), *(("line", 2 + i) for i in range(count)), ("return", 99)]:
        columns.event.append(EVENTS.index(event))
        columns.frame.append(0)
        columns.line.append(line)
        columns.arg.append(0 if event == "return" else 0xFFFFFFFF)
        columns.change_at.append(0)
        columns.same_at.append(0)
    return Trace(
        program=Program(source="def f():\n    ...\n", call="f()"),
        interpreter=InterpreterInfo("fake", "3.11", "python"),
        limits=Limits(),
        outcome=Outcome("returned", answer),
        columns=columns,
        frames=[Frame(0, "f", "program.py", -1, 0)],
        hidden=tuple(hidden),
    )
