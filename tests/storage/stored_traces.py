"""Traces made by hand for the storage tests: small ones by number, any by their steps, and generated ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from worldline.core.events import EVENTS, OUTCOMES
from worldline.core.limits import MAX_LIMITS, Limits
from worldline.core.program import Program
from worldline.core.trace import NO_TEXT, Columns, Frame, Hidden, InterpreterInfo, Outcome, Step, Trace
from worldline.data import manifest, shards

INTERPRETER = InterpreterInfo("cpython", "3.11.7", "native")
FINGERPRINT = manifest.fingerprint(limits=Limits(), interpreter=INTERPRETER, recipe={"name": "test"})


def columns(steps: Iterable[Step]) -> Columns:
    """Steps as a trace keeps them."""
    made, ids = Columns(), dict[str, int]()

    def number(text: str | None) -> int:
        return NO_TEXT if text is None else ids.setdefault(text, len(ids))

    for step in steps:
        made.event.append(EVENTS.index(step.event))
        made.frame.append(step.frame)
        made.line.append(step.line)
        made.arg.append(number(step.arg))
        for name, value in [*((name, None) for name in step.gone), *step.delta.items()]:
            made.change_name.append(number(name))
            made.change_value.append(number(value))
        made.change_at.append(len(made.change_name))
        for name, other in step.same.items():
            made.same_name.append(number(name))
            made.same_value.append(number(other))
        made.same_at.append(len(made.same_name))
    made.texts = list(ids)
    return made


def trace(n: int, *, length: int = 3, **changes: Any) -> Trace:
    """The nth small trace: every n is another program."""
    steps = [Step(0, "call", 0, 0, 1, {"n": str(n)}, (), {}, None)]
    for i in range(1, length - 1):
        same: dict[str, str | None] = {"b": "a"} if i == 1 else {}
        gone = ("n",) if i == 2 else ()
        steps.append(Step(i, "line", 0, 0, 2 + i % 3, {"a": f"[{n}, {i}]"}, gone, same, None))
    steps.append(Step(length - 1, "return", 0, 0, 9, {}, (), {}, str(n)))
    facts: dict[str, Any] = {
        "program": Program(source=f"def f(n):\n    return n  # {n}\n", call=f"f({n})"),
        "interpreter": INTERPRETER, "limits": Limits(), "outcome": Outcome("returned", str(n)),
        "columns": columns(steps), "frames": [Frame(0, "f", "program.py", -1, 0)], "output": f"{n}\n",
    }  # fmt: skip
    return Trace(**facts | changes)


def facts(trace: Trace) -> dict[str, Any]:
    """Everything a trace says, in its order; only how its texts are numbered is left out."""
    steps = [(step, list(step.delta.items()), list(step.same.items())) for step in trace.steps]
    return {**trace.__dict__, "columns": steps, "frames": list(trace.frames)}


def store(directory: Path, traces: Iterable[Trace], *, rows_per_shard: int = 2, fsync: bool = False) -> None:
    """A directory of these traces."""
    with shards.ShardWriter(directory, fingerprint=FINGERPRINT, rows_per_shard=rows_per_shard, fsync=fsync) as writer:
        for trace in traces:
            writer.add(trace)


any_text = st.text(st.characters(), max_size=8) | st.sampled_from(["", "\x00", "\ud800", "a\udcff\n", "\U0001f600"])
utf8 = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
number = st.integers(0, 2**32 - 1)


@st.composite
def _frames(draw: st.DrawFn) -> list[Frame]:
    depths: list[int] = []
    frames = []
    for serial in range(draw(st.integers(1, 4))):
        parent = draw(st.integers(-1, serial - 1))
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        frames.append(Frame(serial, draw(utf8), draw(utf8), parent, depths[-1]))
    return frames


@st.composite
def any_trace(draw: st.DrawFn) -> Trace:
    """Any trace at all."""
    frames = draw(_frames())
    steps = []
    for i in range(draw(st.integers(0, 6))):
        names = draw(st.lists(utf8, unique=True, max_size=4))
        cut = draw(st.integers(0, len(names)))
        frame = draw(st.sampled_from(frames))
        steps.append(Step(
            i, draw(st.sampled_from(EVENTS)), frame.serial, frame.depth, draw(number),
            {name: draw(utf8) for name in names[cut:]}, tuple(names[:cut]),
            draw(st.dictionaries(utf8, st.none() | utf8, max_size=2)), draw(st.none() | utf8),
        ))  # fmt: skip
    return Trace(
        program=draw(st.builds(
            Program, source=any_text, name=any_text, call=st.none() | any_text, stdin=any_text,
            argv=st.lists(any_text, max_size=2).map(tuple),
            files=st.lists(st.tuples(any_text, any_text), max_size=2).map(tuple),
        )),
        interpreter=draw(st.builds(InterpreterInfo, utf8, utf8, utf8)),
        limits=draw(st.builds(
            Limits, steps=st.integers(1, MAX_LIMITS["steps"]), wall=st.floats(0.001, MAX_LIMITS["wall"]),
        )),
        outcome=draw(st.builds(Outcome, st.sampled_from(OUTCOMES), any_text)),
        columns=columns(steps),
        frames=frames,
        output=draw(any_text),
        stderr=draw(any_text),
        hidden=draw(st.lists(st.builds(Hidden, number, utf8, any_text), max_size=2).map(tuple)),
        notes=draw(st.lists(any_text, max_size=2).map(tuple)),
    )  # fmt: skip
