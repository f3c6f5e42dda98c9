"""The seam between traces and the notations that they are written in.

A `Notation` writes a trace, reads a text back, cuts it into steps and says what may stand in it. `notation(name)` finds
one by its name; a new one is a folder `codec/NAME` whose module `notation` defines `NOTATION`, and an entry in
`names.NOTATIONS`. Code outside `codec` asks a notation what it can do and never compares its name.
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
    """What a text is about: a program, the mode of the compact notation, and the hidden inputs that a prompt gives.

    `flow_table` finds what is known of a program's control flow besides its source (of other languages than Python).
    """

    program: Program
    options: Compact = field(default_factory=Compact)
    hidden: tuple[Hidden, ...] = ()
    flow_table: Callable[[Program], FlowTable | None] = _no_table

    @property
    def table(self) -> FlowTable | None:
        """The flow table of the program."""
        return self.flow_table(self.program)


class StepSpan(Protocol):
    """The part of a text that one step adds, by offsets. `whole`: it has come to its end."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def whole(self) -> bool: ...
    @property
    def state_start(self) -> int:
        """Where the state of the step itself begins."""
        ...

    def action(self, text: bytes, /) -> bytes:
        """The bytes that say what happens."""
        ...

    def state(self, text: bytes, /) -> bytes:
        """The bytes that say what it did."""
        ...


class Notation(Protocol):
    """One way to write traces as text. Every method takes any bytes; only `edit` refuses some.

    Attributes:
        name: What options and files call it.
        title: What reports call it.
        end_mark: What a whole text ends with.
        unit_mark: What every line, or frame, ends with.
        special_tokens: Its special tokens by name, with their ids; none where it is plain bytes.
        has_modes: Whether the options of `Compact` apply to it.
        is_canonical: Whether a true text has one spelling, so that texts are compared as bytes.
        shows_io: Whether output, input and hidden inputs stand in it.
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
        """Write what a model is asked with: all but the steps."""
        ...

    def prompt_of(self, trace: Trace, options: Compact | None = None) -> bytes:
        """Write the prompt of a recorded trace."""
        ...

    def steps(self, trace: Trace, options: Compact | None = None, *, most: int | None = None) -> bytes:
        """Write the steps of a trace, all or those of the first `most` lines or frames."""
        ...

    def value_text(self, name: str | None, value: str) -> tuple[str, str, str]:
        """Write a value behind its name, or what a step gives back: what stands before it, it, and what follows."""
        ...

    def staged(self, program: Program) -> Program:
        """The program that is executed when a model is asked about this one."""
        ...

    # ---- reading

    def recognizes(self, text: str) -> bool:
        """Whether a text from elsewhere is certainly in this notation."""
        ...

    def steps_alone(self, context: TraceContext, text: bytes) -> bytes:
        """A text from elsewhere without its prompt, and with the special tokens that a decoder has taken away."""
        ...

    def read(self, context: TraceContext, text: bytes, *, status: str) -> Reading:
        """Read the events of a text whose writing stopped for this reason (`Prediction.status`)."""
        ...

    def split(self, text: bytes) -> Sequence[StepSpan]:
        """Cut a text into its steps; the last one may not be whole."""
        ...

    def count_steps(self, text: bytes) -> int:
        """How many whole steps a text has, its end not counted."""
        ...

    def locate(self, text: bytes, count: int) -> list[tuple[int, int]]:
        """The offsets, start and end, of at most `count` steps of a text that may begin with a prompt."""
        ...

    def depth(self, text: str) -> int | None:
        """How many frames are at most one inside another; None of a text without a call."""
        ...

    def own_text(self, text: bytes, skip: int) -> bytes:
        """What a model wrote itself: not the first `skip` bytes, nor a prompt that a text repeats."""
        ...

    # ---- forcing

    def edit(self, context: TraceContext, text: bytes, step: int, values: Mapping[str, str | None]) -> bytes:
        """Cut a text behind the state of a step, with other values in it.

        Raises:
            UsageError: There is no such step, or its state is not in the text.
        """
        ...

    def first_refused(self, context: TraceContext, text: bytes) -> int | None:
        """The offset of the first line or frame that control flow cannot lead to; None where there is none."""
        ...

    def first_other_action(self, text: bytes, truth: bytes) -> int | None:
        """The offset of the first step that does something else than the true one; None where there is none."""
        ...

    def differing_step(self, text: bytes, truth: bytes, step: int) -> int:
        """The number of the step in whose text step `step` is told wrong: changes may stand in a later one."""
        ...

    def resumable(self, text: bytes) -> bytes:
        """The longest beginning of a text that a model can continue."""
        ...


@cache
def notation(name: str) -> Notation:
    """Find a notation by its name; its modules are imported when it is first asked for.

    Args:
        name: One of `NOTATIONS`.

    Returns:
        The notation.

    Raises:
        UsageError: There is none of that name.
    """
    if name not in NOTATIONS:
        raise UsageError(f"a notation is one of {', '.join(NOTATIONS)}, not {name!r}")
    known: Notation = import_module(f"worldline.codec.{name}.notation").NOTATION
    return known


def recognized(text: str) -> str:
    """The name of the notation that a text from elsewhere is in; the default one where none is certain."""
    return next((name for name in NOTATIONS if notation(name).recognizes(text)), DEFAULT_NOTATION)


def deepest(moves: Iterable[bool]) -> int:
    """The highest level of moves up (True) and down."""
    level = highest = 0
    for is_up in moves:
        level += 1 if is_up else -1
        if level > highest:
            highest = level
    return highest
