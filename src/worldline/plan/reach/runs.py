"""Real executions of a machine: plans are executed in the sandbox, counted, and show the state after each command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import RecordedSteps, write
from worldline.core.errors import UsageError
from worldline.core.events import ENDED as WHOLE
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.futures.draws import draw_places
from worldline.plan.reach.imagination import ASKS, ENDED, LOST, RAISED, names_behind
from worldline.plan.reach.machine import CommandMachine
from worldline.predict.prediction import PredictionRequest

STEPS = 2_000  # of one run: a machine that draws goes on drawing when the plan is over
BEYOND = 4  # steps behind the last command's asking: where changes are written depends on the next event

MachineWorld = Callable[
    [Program, Control | None], Trace
]  # a program and who decides its draws in, what it did out


@contextmanager
def sandboxed_machine() -> Iterator[MachineWorld]:
    """Open a warm sandbox and yield a function that executes machines in it."""
    from worldline.recording.recorder import BoxWorker, prepare

    worker = BoxWorker(prepare(limits=Limits(steps=STEPS), python=None, core="auto", trust=False))
    try:
        yield lambda program, control: worker.record(program, control=control)
    finally:
        worker.close()


@dataclass(frozen=True)
class MachineStop:
    """A run after a command: its true text so far, the names, and whether it asked, ended or raised."""

    text: bytes
    names: Mapping[str, str]
    way: str


class MachineRuns:
    """Executions of one machine, counted."""

    def __init__(self, world: MachineWorld, machine: CommandMachine) -> None:
        self.machine, self._world = machine, world
        self.executions = 0
        self._prompt = PredictionRequest(program=machine.program).prompt

    def after(self, plan: tuple[int, ...]) -> list[MachineStop]:
        """Execute a plan; return the state before the first command and after each one it took."""
        self.executions += 1
        trace = self._world(*self.machine.run(plan))
        if trace.outcome.kind not in (*WHOLE, "limit"):
            raise UsageError(
                f"the machine cannot be run: {trace.outcome.kind} {trace.outcome.detail}".rstrip()
            )
        text = _begun(trace, len(plan) + 1)
        places = draw_places(text)
        strange = {hidden.kind for hidden in trace.hidden} - {self.machine.kind}
        if strange:
            raise UsageError(
                f"a machine has no hidden input but its commands; this one has {sorted(strange)[0]!r}"
            )
        ends = [place.line for place in places][: len(plan) + 1]
        stops = [MachineStop(text[:end], names_behind(text[:end], self._prompt), ASKS) for end in ends]
        if len(stops) <= len(plan):
            way = {"returned": ENDED, "exited": ENDED, "raised": RAISED}.get(trace.outcome.kind, LOST)
            stops.append(MachineStop(text, names_behind(text, self._prompt), way))
        return stops


def _begun(trace: Trace, hidden: int) -> bytes:
    """The text of a run up to its hidden input of this number, and a little more: all that follows is not looked at."""
    taken = trace.hidden[:hidden]
    last = taken[-1].step + BEYOND if len(taken) == hidden else len(trace)
    steps = [trace[i] for i in range(min(last, len(trace)))]
    whole = len(steps) == len(trace) and trace.outcome.kind in WHOLE
    return write(RecordedSteps(trace.program, steps, list(trace.frames), taken, whole), Compact())


def state_key(names: Mapping[str, str], ignored: str) -> tuple[tuple[str, str], ...]:
    """What makes two states the same: every name but the command's own."""
    return tuple(sorted((name, text) for name, text in names.items() if name != ignored))
