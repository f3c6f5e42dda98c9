"""What a benchmark is made of: tasks, each a program in one mode of the codec. Pure data; `run` asks and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from worldline.codec.compact.prompt import Compact
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program


@dataclass(frozen=True, kw_only=True)
class Task:
    """A program whose trace is to be predicted.

    `answer` is canonical text where the benchmark itself says what is right; elsewhere the recording does. `group`
    is the row of `by_length` that the task counts in, where the number of true steps is not what matters. `folded`:
    its truth is told by statements, as a prediction made on a scratchpad is. `control` decides the hidden inputs of its
    run; None: nobody does, and only what it reads is recorded.
    """

    program: Program
    options: Compact = field(default_factory=Compact)
    name: str = ""
    answer: str | None = None
    group: str = ""
    folded: bool = False
    control: Control | None = None

    def __repr__(self) -> str:
        return f"<Task {self.name or self.program.call or self.program.name} of {self.program!r}>"


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tasks, perhaps without end; how many of them are asked where nobody says; what recording one may use."""

    name: str
    tasks: Iterable[Task]
    count: int | None = None
    limits: Limits = field(default_factory=Limits)

    def __repr__(self) -> str:
        return f"<Suite {self.name}, {'without end' if self.count is None else f'{self.count:,} tasks'}>"

    def told(self, advance: Callable[[int], None]) -> Suite:
        """The same tasks; `advance` is told of each as it is taken."""

        def taken() -> Iterator[Task]:
            for task in self.tasks:
                advance(1)
                yield task

        return replace(self, tasks=taken())

    def for_scratchpads(self) -> Suite:
        """The same tasks, each truth told by statements."""
        return replace(self, tasks=(replace(task, folded=True) for task in self.tasks))
