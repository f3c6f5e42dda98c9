"""Suites and their tasks: programs, each in one mode of the compact notation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldline.codec.compact.prompt import Compact
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.predictor import ModelInfo
from worldline.programs.split import program_key, split_of


@dataclass(frozen=True, kw_only=True)
class Task:
    """A program whose trace is to be predicted.

    Attributes:
        options: The mode of the compact notation.
        answer: The benchmark's own answer as canonical text; by default the recording decides.
        is_raised: The benchmark's answer is an exception that is raised.
        group: The task's row in `by_length`; by default the number of true steps decides.
        folded: The truth is folded to statements, like a prediction on a scratchpad.
        control: Decides the hidden inputs of its execution; None records only what the program reads.
    """

    program: Program
    options: Compact = field(default_factory=Compact)
    name: str = ""
    answer: str | None = None
    is_raised: bool = False
    group: str = ""
    folded: bool = False
    control: Control | None = None

    def __repr__(self) -> str:
        return f"<Task {self.name or self.program.call or self.program.name} of {self.program!r}>"


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tasks, possibly endless, with the default number of programs and the limits of a recording.

    `left_out` names what the data has and is not a task, by the reason.
    """

    name: str
    tasks: Iterable[Task]
    count: int | None = None
    limits: Limits = field(default_factory=Limits)
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Suite {self.name}, {'endless' if self.count is None else f'{self.count:,} tasks'}>"

    def for_scratchpads(self) -> Suite:
        """Return the same tasks with their truths folded to statements."""
        return replace(self, tasks=(replace(task, folded=True) for task in self.tasks))

    def in_modes_of(self, model: ModelInfo) -> Suite:
        """Return the same tasks in the modes of the notation that a model predicts best in."""
        if not model.modes:
            return self
        tasks = (replace(task, options=model.options_for(task.program, task.options)) for task in self.tasks)
        return replace(self, tasks=tasks)

    def posed_in(self, codec: str) -> Suite:
        """Return the same tasks with the programs that a prompt in a notation shows, which are recorded and asked."""
        written = notation(codec)
        return replace(self, tasks=(replace(task, program=written.posed(task.program)) for task in self.tasks))


def draw_held_out(draw: Callable[[], Program], seen: set[str]) -> Program:
    """Draw programs until one is of the test split and not yet in `seen`, and add its key there."""
    while True:
        program = draw()
        key = program_key(program)
        if key not in seen and split_of(key) == "test":
            seen.add(key)
            return program


def choose(names: str | Sequence[str] | None, known: Iterable[str], noun: str) -> tuple[str, ...]:
    """Return the names that an option lists, or all known ones if it is None.

    Raises:
        UsageError: A name is unknown, or the list is empty.
    """
    known = tuple(known)
    chosen = known if names is None else (names,) if isinstance(names, str) else tuple(names)
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise UsageError(f"a {noun} is one of {', '.join(known)}, not {', '.join(unknown) or 'none'}")
    return chosen


def to_tuple(numbers: int | Sequence[int]) -> tuple[int, ...]:
    """Return one number or several as a tuple."""
    return (numbers,) if isinstance(numbers, int) else tuple(numbers)
