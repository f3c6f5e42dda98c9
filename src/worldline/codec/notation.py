"""The interface between traces and the notations in which they are written.

A `Notation` writes a trace, reads a text back, splits it into steps and defines what may stand in it.
`notation(name)` returns one by name. A new notation is a folder `codec/NAME` whose module `notation` defines
`NOTATION`, and an entry in `names.NOTATIONS`. Code outside `codec` asks a notation what it can do and never
compares its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Protocol

from worldline.analyze.flow.table import FlowTable
from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.reading import Reading
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace


def _no_table(program: Program) -> FlowTable | None:
    return None


@dataclass(frozen=True, kw_only=True)
class TraceContext:
    """What a text is about: a program, the options of the compact notation, and the hidden inputs of a prompt.

    `flow_table` returns what is known about the control flow of a program that is not Python.
    """

    program: Program
    options: Compact = field(default_factory=Compact)
    hidden: tuple[Hidden, ...] = ()
    flow_table: Callable[[Program], FlowTable | None] = _no_table

    @property
    def table(self) -> FlowTable | None:
        """The flow table of the program, if there is one."""
        return self.flow_table(self.program)


class StepSpan(Protocol):
    """The part of a text that one step adds, as offsets. `whole`: the step is complete."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def whole(self) -> bool: ...
    @property
    def state_start(self) -> int:
        """Where the state of the step starts."""

    def action(self, text: bytes, /) -> bytes:
        """Return the bytes that say what happens."""

    def state(self, text: bytes, /) -> bytes:
        """Return the bytes that say what it changed."""


class Notation(Protocol):
    """One way to write traces as text. Every method accepts any bytes; only `edit` refuses some.

    Attributes:
        name: The name in options and files.
        title: The name in reports.
        end_mark: What a complete text ends with.
        unit_mark: What every line, or frame, ends with.
        special_tokens: Its special tokens by name, with their ids; empty if it is plain bytes.
        has_modes: Whether the options of `Compact` apply to it.
        is_canonical: Whether a true text has one spelling, so that texts are compared as bytes.
        shows_io: Whether it shows output, input and hidden inputs.
        resumes_anywhere: Whether a model can continue a text from any byte, and not only between tokens.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def end_mark(self) -> bytes: ...
    @property
    def unit_mark(self) -> bytes: ...
    @property
    def special_tokens(self) -> Mapping[str, int]: ...
    @property
    def has_modes(self) -> bool: ...
    @property
    def is_canonical(self) -> bool: ...
    @property
    def shows_io(self) -> bool: ...
    @property
    def resumes_anywhere(self) -> bool: ...

    # ---- writing

    def prompt(self, context: TraceContext) -> bytes:
        """Write the prompt of a program: everything except the steps."""

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        """Write the prompt of a recorded trace."""

    def steps(self, trace: Trace, options: Compact | None = None, *, limit: int | None = None) -> bytes:
        """Write the steps of a trace: all, or those of the first `limit` lines or frames."""

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        """Write a value after its name, or as a result: the text before it, the value, and the text after it."""

    def staged(self, program: Program) -> Program:
        """Return the program that is executed when a model predicts this one."""

    def posed(self, program: Program) -> Program:
        """Return the program whose steps a model writes: the one to record, to ask for and to judge by."""

    def sent_and_written(self, trace: Trace, options: Compact | None = None) -> tuple[bytes, bytes]:
        """Return the prompt that a model is sent for a recorded program, and the true text that continues it.

        Raises:
            UsageError: The trace lacks steps that a model has to write.
        """

    # ---- reading

    def recognizes(self, text: str) -> bool:
        """Whether an external text is certainly in this notation."""

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """Return an external text without its prompt, and with special tokens that a decoder removed."""

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        """Read the events of a text. `status` says why its writing stopped (`Prediction.status`)."""

    def split(self, text: bytes) -> Sequence[StepSpan]:
        """Split a text into its steps; the last one may be incomplete."""

    def count_steps(self, text: bytes) -> int:
        """Return the number of complete steps, without the end mark."""

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        """Return start and end of at most `count` steps of a text that may start with a prompt."""

    def depth(self, text: str) -> int | None:
        """Return the maximum nesting depth of the frames, or None for a text without a call."""

    def own_text(self, text: bytes, skip: int) -> bytes:
        """Return what the model wrote itself, without the first `skip` bytes or a repeated prompt."""

    # ---- forcing

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        """Cut a text after the state of a step, with other values in it.

        Raises:
            UsageError: There is no such step, or its state is not in the text.
        """

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        """Return the offset of the first line or frame that control flow cannot reach, or None."""

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        """Return the offset of the first step whose action differs from the true one, or None."""

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """Return the step whose text holds the error of step `step`: changes may stand in a later step."""

    def resumable(self, text: bytes) -> bytes:
        """Return the longest beginning of a text that a model can continue."""


@cache
def notation(name: str) -> Notation:
    """Return a notation by its name, importing it on first use. Raises UsageError for an unknown name."""
    if name not in NOTATIONS:
        raise UsageError(f"unknown notation {name!r}: choose one of {', '.join(NOTATIONS)}")
    known: Notation = import_module(f"worldline.codec.{name}.notation").NOTATION
    return known


def recognized(text: str) -> str:
    """Return the name of the notation of an external text; the default one if none is certain."""
    return next((name for name in NOTATIONS if notation(name).recognizes(text)), DEFAULT_NOTATION)


def deepest(moves: Iterable[bool]) -> int:
    """Return the highest level that moves up (True) and down reach."""
    level = highest = 0
    for is_up in moves:
        level += 1 if is_up else -1
        if level > highest:
            highest = level
    return highest
