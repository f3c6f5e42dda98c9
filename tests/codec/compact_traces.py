"""Traces for the compact codec's tests: arbitrary valid ones, and real ones by a small settrace recorder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from random import Random
from types import CodeType, FrameType
from typing import Any

from written_columns import columns_of

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Frame, Hidden, InterpreterInfo, Outcome, Step, Trace
from worldline.core.value import canonical, quote

NAMES = ("a", "b", "xs", "n1", "été", ".0", "a b", "it's", "-x", "", "if", "a=1")
VALUES = (
    "None", "True", "0", "-1", "17", "1.5", "nan", "inf", "'ab'", "'a b=1'", '"it\'s"', "'\\n'", "b'\\x00'", "[]",
    "[1, 2, 3]", "()", "(1,)", "{}", "{'k': 1}", "{'k': [1], (1, 2): 'x'}", "set()", "{1, 2}", "{1, 'a'}",
    "frozenset({1})", "bytearray(b'ab')", "deque([1, 2], maxlen=4)", "range(0, 5)", "slice(None, 1, None)",
    "#1[1, #1]", "P#1(x=1, y=[2])", "Counter#2({'a': 1})", "Color.RED", "ValueError('x')", "<function f>",
    "<list_iterator>", "...<list 2000000>", "complex(1.0, -0.0)", "'😀é'",
)  # fmt: skip


def make_trace(
    steps: Sequence[Step],
    frames: Sequence[Frame],
    *,
    program: Program | None = None,
    hidden: Sequence[Hidden] = (),
    outcome: str = "returned",
) -> Trace:
    """A trace of these steps."""
    run = program or Program(source="def f():\n    pass\n", call="f()")
    interpreter = InterpreterInfo("cpython", "3.11", "python")
    return Trace(run, interpreter, Limits(), Outcome(outcome), columns_of(steps), list(frames), hidden=tuple(hidden))


class Machine:
    """Runs imaginary programs: every event that a trace can hold, in any order that makes sense."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps: list[Step] = []
        self.frames: list[Frame] = []
        self.hidden: list[Hidden] = []
        self.stack: list[int] = []
        self.suspended: list[int] = []
        self.states: dict[int, dict[str, str]] = {}
        self.lines: dict[int, int] = {}
        self.files = ("program.py", "lib/a.py", "<string>")

    def run(self, count: int) -> Trace:
        """A trace of about `count` steps."""
        acts = [
            self.line, self.line, self.line, self.call, self.call, self.leave, self.suspend, self.resume,
            self.resume, self.catch, self.fail, self.slip, self.speak, self.throw, self.stray,
        ]  # fmt: skip
        for _ in range(count):
            if self.random.random() < 0.05:
                self.hidden.append(
                    Hidden(len(self.steps), self.random.choice(("random", "a b")), self.random.choice((*VALUES, "?")))
                )
            self.random.choice(acts)()
        files = (("lib/a.py", "x = 1\n\ny = 2"),)
        program = Program(source="def f():\n    pass\n", call="f(1)", files=files, argv=("a b",), stdin="1\n2\n")
        outcome = self.random.choice(("returned", "raised", "limit", "killed"))
        return make_trace(self.steps, self.frames, program=program, hidden=self.hidden, outcome=outcome)

    def add(self, event: str, frame: int, arg: bool = False, changes: bool = True) -> None:
        """One step, with random changes."""
        random = self.random
        if event in ("line", "call") or random.random() < 0.2:
            self.lines[frame] = random.randint(1, 12)
        names = self.states.setdefault(frame, {})
        delta: dict[str, str] = {}
        gone: tuple[str, ...] = ()
        same: dict[str, str | None] = {}
        if changes and random.random() < 0.6:
            if names and random.random() < 0.2:
                gone = (random.choice(list(names)),)
            for name in random.sample(NAMES, random.randint(0, 3)):
                value = self.value(names.get(name))
                if name not in gone and names.get(name) != value:
                    delta[name] = value
            for name in gone:
                names.pop(name)
            names.update(delta)
            if random.random() < 0.1:
                same = {random.choice(NAMES): random.choice((None, "a", "a b"))}
        depth = self.frames[frame].depth
        value_text = random.choice(VALUES) if arg else None
        self.steps.append(Step(len(self.steps), event, frame, depth, self.lines[frame], delta, gone, same, value_text))

    def value(self, old: str | None) -> str:
        """A value, often one close to the old one."""
        random = self.random
        if old is None or random.random() < 0.3:
            return random.choice(VALUES)
        return near(random, old)

    def line(self) -> None:
        if self.stack:
            self.add("line", self.stack[-1])

    def call(self, parent: int | None = None) -> None:
        if parent is None:
            parent = self.stack[-1] if self.stack else -1
        depth = self.frames[parent].depth + 1 if parent >= 0 else 0
        serial = len(self.frames)
        self.frames.append(Frame(serial, "f", self.random.choice(self.files), parent, depth))
        self.stack.append(serial)
        self.add("call", serial)

    def leave(self) -> None:
        if self.stack:
            self.add("return", self.stack.pop(), arg=True, changes=False)

    def suspend(self) -> None:
        if self.stack:
            self.suspended.append(self.stack[-1])
            self.add("yield", self.stack.pop(), arg=True)

    def resume(self) -> None:
        if self.suspended:
            self.stack.append(self.suspended.pop(self.random.randrange(len(self.suspended))))
            self.add("resume", self.stack[-1])

    def catch(self) -> None:
        if self.stack:
            self.add("raise", self.stack[-1], arg=True)
            self.line()

    def fail(self) -> None:
        if self.stack:
            self.add("raise", self.stack[-1], arg=True, changes=self.random.random() < 0.2)
            self.stack.pop()

    def slip(self) -> None:
        """A frame is left after a `finally`: nothing is seen of it."""
        if self.stack and self.random.random() < 0.3:
            self.stack.pop()

    def speak(self) -> None:
        if self.steps:
            frame = self.stack[-1] if self.stack else self.steps[-1].frame
            self.add(self.random.choice(("output", "input", "exit")), frame, arg=True, changes=False)

    def throw(self) -> None:
        """An exception arrives in a suspended frame that is not resumed."""
        if self.suspended and self.random.random() < 0.3:
            self.stack.append(self.suspended.pop(self.random.randrange(len(self.suspended))))
            self.add("raise", self.stack[-1], arg=True)

    def stray(self) -> None:
        """What threads do: any living frame goes on, or starts another."""
        if not self.stack or self.random.random() < 0.7:
            return
        if self.random.random() < 0.3:
            return self.call(self.random.choice([-1, *self.stack]))
        frame = self.random.choice(self.stack)
        self.stack.remove(frame)
        self.stack.append(frame)
        return self.line()


def near(random: Random, old: str) -> str:
    """The text of a value a small change away, where it is a simple container; else another value."""
    value = _python(old)
    if isinstance(value, list):
        act = random.randrange(4)
        at = random.randrange(len(value) + 1)
        if act == 0:
            value.append(random.randrange(100))
        elif act == 1:
            value.insert(at, [at, "x"])
        elif value:
            value[at - 1 : at] = [] if act == 2 else [near_atom(random)]
        return _text(value)
    if isinstance(value, dict):
        if value and random.random() < 0.3:
            value.pop(random.choice(list(value)))
        value[random.choice(["k", "j", 3])] = [near_atom(random)] * 3
        return _text(value)
    if isinstance(value, set):
        return _text(value ^ {random.randrange(5)})
    if isinstance(value, str):
        at = random.randrange(len(value) + 1)
        return _text(value[:at] + random.choice(["", "x", "'", "é\n"]) + value[at + random.randrange(2) :])
    return random.choice(VALUES)


def near_atom(random: Random) -> Any:
    """An atom or a small list."""
    return random.choice([1, "it's", [1, 2, 3], None, 2.5])


def _python(text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _text(value: Any) -> str:
    text = canonical(repr(value))
    assert isinstance(text, str)
    return text


class Spy:
    """A recorder by sys.settrace, for tests: the frames of one file, values as canonical(repr)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.steps: list[Step] = []
        self.frames: list[Frame] = []
        self.serials: dict[int, int] = {}
        self.kept: list[FrameType] = []
        self.seen: dict[int, dict[str, str]] = {}
        self.pending: dict[int, int] = {}

    def record(self) -> Trace:
        """Runs the program's call in this process and returns its trace."""
        code = compile(self.program.source, self.program.name, "exec")
        space: dict[str, Any] = {"__name__": "program"}
        if self.program.call is None:
            return self._run(lambda: _run_code(code, space))
        _run_code(code, space)
        call = compile(self.program.call, "<call>", "eval")
        return self._run(lambda: _run_code(call, space))

    def _run(self, act: Callable[[], object]) -> Trace:
        outcome = "returned"
        sys.settrace(self._global)
        try:
            act()
        except Exception:
            outcome = "raised"
        finally:
            sys.settrace(None)
        return make_trace(self.steps, self.frames, program=self.program, outcome=outcome)

    def _global(self, frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != self.program.name:
            return None
        if id(frame) in self.serials:
            self._add(frame, "resume")
            return self._local
        serial, outer = len(self.frames), frame.f_back
        while outer is not None and id(outer) not in self.serials:
            outer = outer.f_back
        parent = self.serials[id(outer)] if outer is not None else -1
        depth = self.frames[parent].depth + 1 if parent >= 0 else 0
        self.serials[id(frame)] = serial
        self.kept.append(frame)
        self.frames.append(Frame(serial, frame.f_code.co_name, self.program.name, parent, depth))
        self._add(frame, "call")
        return self._local

    def _local(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self._add(frame, "line")
        elif event == "exception" and arg[0] not in (StopIteration, GeneratorExit):
            if not (self.steps[-1].event == "raise" and self.steps[-1].frame == self.serials[id(frame)]):
                self._add(frame, "raise", _render(arg[1]))
        elif event == "return":
            suspends = frame.f_code.co_flags & 0x20 and frame.f_lasti >= 0 and _is_yield(frame)
            left = self.steps[-1].event == "raise" and self.steps[-1].frame == self.serials[id(frame)]
            if suspends:
                self._add(frame, "yield", _render(arg))
            elif not (left and arg is None):
                self._add(frame, "return", _render(arg))
        return self._local

    def _add(self, frame: FrameType, event: str, arg: str | None = None) -> None:
        serial = self.serials[id(frame)]
        names = frame.f_locals if frame.f_code.co_name != "<module>" else {
            name: value for name, value in frame.f_locals.items() if not name.startswith("__")
        }  # fmt: skip
        now = {name: _render(value) for name, value in names.items()}
        before = self.seen.get(serial, {})
        delta = {name: text for name, text in now.items() if before.get(name) != text}
        gone = tuple(name for name in before if name not in now)
        self.seen[serial] = now
        step = Step(len(self.steps), event, serial, self.frames[serial].depth, frame.f_lineno, {}, (), {}, arg)
        self.steps.append(step)
        target = step if event == "call" else self.steps[self.pending[serial]]
        delta = {**target.delta, **delta}
        self.steps[target.i] = Step(
            target.i, target.event, serial, target.depth, target.line, delta, gone, {}, target.arg
        )
        self.pending[serial] = step.i


def _run_code(code: CodeType, space: dict[str, Any]) -> object:
    return eval(code, space)


def _is_yield(frame: FrameType) -> bool:
    import dis

    return any(at.offset == frame.f_lasti and at.opname == "YIELD_VALUE" for at in dis.get_instructions(frame.f_code))


def _render(value: object) -> str:
    """Canonical text by repr where that is a literal; an opaque or an object otherwise."""
    if isinstance(value, BaseException):
        return f"{type(value).__name__}({', '.join(_render(part) for part in value.args)})"
    if hasattr(value, "__dict__") and not callable(value):
        fields = ", ".join(f"{name}={_render(item)}" for name, item in vars(value).items())
        return f"{type(value).__name__}#1({fields})"
    text = canonical(repr(value))
    return text if isinstance(text, str) else f"<{type(value).__name__.replace('_', '')}>"


__all__ = ["NAMES", "VALUES", "Machine", "Spy", "make_trace", "near", "quote"]
