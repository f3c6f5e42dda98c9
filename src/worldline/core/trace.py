"""A trace: what a program did, as flat columns. `Step` and `Frame` are views that are created on demand.

Nothing here records, decodes, stores or judges. Values are canonical text (docs/reference/format.md).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, overload

from worldline.core.events import EVENTS, shown_at
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.text import shortened

NO_TEXT = 0xFFFFFFFF


@dataclass(frozen=True)
class Outcome:
    """How an execution ended. `detail` is canonical text (returned, raised), a code (exited) or a reason."""

    kind: str
    detail: str = ""

    @property
    def lacks_toolchain(self) -> bool:
        """Whether this machine cannot execute the program's language."""
        return self.kind == "unsupported" and self.detail.startswith("toolchain:")


@dataclass(frozen=True)
class InterpreterInfo:
    """Which interpreter executed the program, and with which recorder core (`native` or `python`)."""

    name: str
    version: str
    core: str


@dataclass(frozen=True)
class Frame:
    """One activation of a function: its number, function, file, and the number of its caller (-1: none)."""

    serial: int
    name: str
    file: str
    parent: int
    depth: int


@dataclass(frozen=True)
class Hidden:
    """An input that the source does not determine, and the step that consumed it."""

    step: int
    kind: str
    value: str

    @property
    def thread(self) -> int | None:
        """The thread that continues, if the kind is a choice of threads; otherwise None."""
        word, *numbers = self.kind.split(" ")
        is_choice = word == "thread" and self.value in numbers and _is_number(self.value)
        return int(self.value) if is_choice else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10 and (text[0] != "0" or text == "0")


class ConditionalJump(NamedTuple):
    """A decision of the machine: the instruction of a frame at `offset`, and the offset at which the frame continued.

    `step` is the newest step of the frame. `column` is the instruction's; -1 if it is not known.
    """

    step: int
    frame: int
    offset: int
    target: int
    column: int


@dataclass(frozen=True)
class Step:
    """One event: the line that executed, and what it had changed at the next event of its frame."""

    i: int
    event: str
    frame: int
    depth: int
    line: int
    delta: dict[str, str]
    gone: tuple[str, ...]
    same: dict[str, str | None]
    arg: str | None
    thread: int = 0

    def __repr__(self) -> str:
        values = [f"{name}={value}" for name, value in self.delta.items()]
        values += [f"-{name}" for name in self.gone]
        values += [] if self.arg is None else [self.arg]
        shown = shortened(" ".join(values[:20]), 100)
        return f"<Step {self.i}: {self.event} {self.line}{f', {shown}' if shown else ''}>"

    def as_json(self) -> dict[str, Any]:
        """The step as `record --json` prints it; `same` and `thread` only if they are set."""
        row: dict[str, Any] = {"i": self.i, "event": self.event, "frame": self.frame, "depth": self.depth}
        row |= {"line": self.line, "delta": self.delta, "gone": list(self.gone), "arg": self.arg}
        row |= {"same": self.same} if self.same else {}
        row |= {"thread": self.thread} if self.thread else {}
        return row


class _Event(NamedTuple):
    """The event of a step, without its changes."""

    frame: int
    event: str


@dataclass
class Columns:
    """The steps of one trace as parallel buffers.

    `change_*[change_at[i]:change_at[i + 1]]` are the changes of step i: a name and its value, or NO_TEXT for a
    deleted name. `same_*` likewise: a name and the earlier name bound to the same object, or NO_TEXT if there is
    none any more. Text ids index `texts`, which holds every distinct text once, except that a large value that
    changed is a splice of the value before (`core.texts.spliced`).
    """

    event: bytearray = field(default_factory=bytearray)
    frame: array[int] = field(default_factory=lambda: array("I"))
    line: array[int] = field(default_factory=lambda: array("I"))
    arg: array[int] = field(default_factory=lambda: array("I"))
    change_at: array[int] = field(default_factory=lambda: array("I", [0]))
    change_name: array[int] = field(default_factory=lambda: array("I"))
    change_value: array[int] = field(default_factory=lambda: array("I"))
    same_at: array[int] = field(default_factory=lambda: array("I", [0]))
    same_name: array[int] = field(default_factory=lambda: array("I"))
    same_value: array[int] = field(default_factory=lambda: array("I"))
    texts: Sequence[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.event)


@dataclass(frozen=True)
class Trace:
    """The recorded execution of a program: its columns, its outcome, and everything that decided it."""

    program: Program
    interpreter: InterpreterInfo
    limits: Limits
    outcome: Outcome
    columns: Columns
    frames: Sequence[Frame]
    output: str = ""
    stderr: str = ""
    hidden: tuple[Hidden, ...] = ()
    notes: tuple[str, ...] = ()
    held: Mapping[tuple[int, str], tuple[int, ...]] | None = field(default=None, compare=False, repr=False)
    """By step and name, the numbers of the containers that a value holds, in the order of its text; "" is the result.

    None unless the trace was recorded with `containers`; it is not stored. A name without an entry holds what it held.
    """
    jumps: tuple[ConditionalJump, ...] | None = field(default=None, compare=False, repr=False)
    """The conditional jumps in order. None unless the trace was recorded with `jumps`; they are not stored."""

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, i: int) -> Step:
        columns, texts = self.columns, self.columns.texts
        if not -len(columns) <= i < len(columns):
            raise IndexError(f"step {i} of a trace of {len(columns)}")
        i %= len(columns)
        delta: dict[str, str] = {}
        gone: list[str] = []
        for at in range(columns.change_at[i], columns.change_at[i + 1]):
            name, value = texts[columns.change_name[at]], columns.change_value[at]
            if value == NO_TEXT:
                gone.append(name)
            else:
                delta[name] = texts[value]
        same: dict[str, str | None] = {}
        for at in range(columns.same_at[i], columns.same_at[i + 1]):
            other = columns.same_value[at]
            same[texts[columns.same_name[at]]] = None if other == NO_TEXT else texts[other]
        frame, arg = columns.frame[i], columns.arg[i]
        event, arg_text = EVENTS[columns.event[i]], None if arg == NO_TEXT else texts[arg]
        depth, line, thread = self.frames[frame].depth, columns.line[i], self.thread_at(i)
        return Step(i, event, frame, depth, line, delta, tuple(gone), same, arg_text, thread)

    def __repr__(self) -> str:
        program, end = self.program, self.outcome
        name = shortened(program.name if program.call is None else program.call)
        outcome = f"{end.kind} {shortened(end.detail)}".rstrip()
        return f"<Trace of {name}: {len(self):,} steps, {outcome}>"

    @property
    def steps(self) -> Steps:
        """Every step, in order: `trace.steps[2]`, `trace.steps[-1]`, `for step in trace.steps`."""
        return Steps(self)

    @cached_property
    def _turns(self) -> tuple[list[int], list[int]]:
        """The steps before which a thread was chosen, and the chosen threads."""
        turns = [(hidden.step, hidden.thread) for hidden in self.hidden if hidden.kind.startswith("thread ")]
        chosen = [(step, thread) for step, thread in turns if thread is not None]
        return [step for step, _ in chosen], [thread for _, thread in chosen]

    def thread_at(self, i: int) -> int:
        """Return the thread of step i: 0 is the main thread, the others are numbered as they were started."""
        steps, numbers = self._turns
        at = bisect_right(steps, i) if steps else 0
        return numbers[at - 1] if at else 0

    @property
    def threads(self) -> tuple[int, ...]:
        """The numbers of the threads that have a step."""
        steps, numbers = self._turns
        ends = [*steps[1:], len(self)]
        ran = {number for step, end, number in zip(steps, ends, numbers, strict=False) if step < end}
        return tuple(sorted(ran | ({0} if not steps or steps[0] > 0 else set())))

    @cached_property
    def shown_at(self) -> Sequence[int]:
        """For each step, the step with which people see its changes: see `core.events.shown_at`."""
        columns = self.columns
        events = (_Event(frame, EVENTS[event]) for frame, event in zip(columns.frame, columns.event, strict=True))
        threads = [self.thread_at(i) for i in range(len(self))] if self._turns[0] else None
        return array("I", shown_at(events, threads))

    @cached_property
    def _waited(self) -> dict[int, list[int]]:
        """By step, the earlier steps whose changes it shows, the newest first."""
        waited: dict[int, list[int]] = {}
        for i in range(len(self) - 1, -1, -1):
            if self.shown_at[i] != i:
                waited.setdefault(self.shown_at[i], []).append(i)
        return waited

    def makers_shown(self, i: int) -> tuple[Step, ...]:
        """Return the steps whose changes people see with step i: itself, and lines that waited for it, newest first."""
        own = (i,) if self.shown_at[i] == i else ()
        return tuple(self[step] for step in (*own, *self._waited.get(i, ())))

    def as_json(self) -> dict[str, Any]:
        """The object that `record --json` prints."""
        program = self.program
        return {
            "program": {
                "name": program.name,
                "source": program.source,
                "call": program.call,
                "argv": list(program.argv),
                "stdin": program.stdin,
                "files": dict(program.files),
                **({"flags": list(program.flags)} if program.flags else {}),
                **({"vm_flags": list(program.vm_flags)} if program.vm_flags else {}),
                "digest": program.digest,
            },
            "interpreter": dict(self.interpreter.__dict__),
            "limits": dict(self.limits.__dict__),
            "outcome": dict(self.outcome.__dict__),
            "frames": [dict(frame.__dict__) for frame in self.frames],
            "steps": [step.as_json() for step in self.steps],
            "output": self.output,
            "stderr": self.stderr,
            "hidden": [dict(hidden.__dict__) for hidden in self.hidden],
            "notes": list(self.notes),
        }


class Steps(Sequence[Step]):
    """The steps of a trace as a sequence. Each step is created when it is accessed."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __len__(self) -> int:
        return len(self._trace)

    @overload
    def __getitem__(self, i: int) -> Step: ...

    @overload
    def __getitem__(self, i: slice) -> list[Step]: ...

    def __getitem__(self, i: int | slice) -> Step | list[Step]:
        if isinstance(i, slice):
            return [self._trace[at] for at in range(*i.indices(len(self._trace)))]
        return self._trace[i]

    def __iter__(self) -> Iterator[Step]:
        return (self._trace[i] for i in range(len(self._trace)))

    def __repr__(self) -> str:
        return f"<{len(self):,} steps>"
