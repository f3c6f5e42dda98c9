"""Programs in which each line draws hidden inputs of known kinds, and their runs under every control."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.hidden import Control, replaying
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.predict.table import table_of
from worldline.recording.recorder import SandboxWorker


@dataclass(frozen=True)
class DrawingLine:
    """A line of a program: its text, the kinds it draws, and whether two live runs draw something else."""

    text: str
    kinds: tuple[str, ...]
    varies: bool = True


def line(text: str, *kinds: str, varies: bool = True) -> DrawingLine:
    return DrawingLine(text, kinds, varies)


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "stderr", "hidden", "notes")}


def draws_by_line(trace: Trace) -> dict[int, list[tuple[str, str]]]:
    """The kind and value of each hidden input, by the line of the step that consumed it."""
    draws = defaultdict(list)
    for hidden in trace.hidden:
        draws[trace[hidden.step].line].append((hidden.kind, hidden.value))
    return draws


class ControlledRuns:
    """The runs of one program: under two seeds, live, and each replayed."""

    def __init__(self, worker: SandboxWorker, program: Program) -> None:
        self._worker, self.program = worker, program

    def run(self, control: Control | None) -> Trace:
        trace = self._worker.record(self.program, control=control)
        assert trace.outcome.kind != "unsupported", (trace.outcome, trace.stderr)
        return trace

    @cached_property
    def seeded(self) -> Trace:
        return self.run(Control(seed=5))

    @cached_property
    def other_seed(self) -> Trace:
        return self.run(Control(seed=6))

    @cached_property
    def live(self) -> tuple[Trace, Trace]:
        return self.run(Control(seed=None)), self.run(Control(seed=None))

    def assert_draws(self, expected: DrawingLine, at: int) -> None:
        """A line draws the inputs of its kinds, seeded and live; two live runs differ where they must."""
        runs = [draws_by_line(trace)[at] for trace in (self.seeded, *self.live)]
        assert [tuple(kind for kind, _ in draws) for draws in runs] == [expected.kinds] * 3
        if expected.varies:
            assert runs[1] != runs[2]

    def assert_seeds_decide(self) -> None:
        """The program returns, and another seed gives it other inputs."""
        assert self.seeded.outcome.kind == "returned", self.seeded.stderr
        assert [hidden.value for hidden in self.seeded.hidden] != [hidden.value for hidden in self.other_seed.hidden]

    def assert_repeatable(self) -> None:
        """One seed is one run, and every record replays, whatever the seed."""
        assert facts(self.run(Control(seed=5))) == facts(self.seeded)
        for first in (self.seeded, self.live[0]):
            again = self.run(replace(replaying(first.hidden), seed=99))
            assert facts(again) == facts(first)

    def assert_guided(self) -> None:
        """The guide accepts the true steps, byte by byte."""
        guide = Guide(self.program, Compact(), table=table_of(self.program), guard=True)
        guide.feed_all(encode_steps(self.seeded, Compact()))
