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
from worldline.plan.futures.draws import find_draws
from worldline.plan.reach.machine import CommandMachine
from worldline.plan.reach.predicted_machine import ASKS, ENDED, LOST, RAISED, names_after
from worldline.predict.prediction import PredictionRequest

MAX_STEPS = 2_000  # a machine that draws keeps drawing after the plan
EXTRA_STEPS = 4  # after the last command: where changes are written depends on the next event

# Executes a program whose draws the control decides.
MachineWorld = Callable[[Program, Control | None], Trace]


@contextmanager
def sandboxed_machine() -> Iterator[MachineWorld]:
    """Open a warm sandbox and yield a function that executes machines in it."""
    from worldline.recording.recorder import SandboxWorker, prepare

    worker = SandboxWorker(prepare(limits=Limits(steps=MAX_STEPS), python=None, core="auto", trust=False))
    try:
        yield lambda program, control: worker.record(program, control=control)
    finally:
        worker.close()


@dataclass(frozen=True)
class MachineStop:
    """An execution after a command: its true text so far, the names, and whether it asks, ended or raised."""

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
            raise UsageError(f"the machine cannot be executed: {trace.outcome.kind} {trace.outcome.detail}".rstrip())
        text = _text_up_to(trace, len(plan) + 1)
        places = find_draws(text)
        strange = {hidden.kind for hidden in trace.hidden} - {self.machine.kind}
        if strange:
            raise UsageError(
                f"commands must be the only hidden input of a machine; this one also has {sorted(strange)[0]!r}"
            )
        ends = [place.line for place in places][: len(plan) + 1]
        stops = [MachineStop(text[:end], names_after(text[:end], self._prompt), ASKS) for end in ends]
        if len(stops) <= len(plan):
            way = {"returned": ENDED, "exited": ENDED, "raised": RAISED}.get(trace.outcome.kind, LOST)
            stops.append(MachineStop(text, names_after(text, self._prompt), way))
        return stops


def _text_up_to(trace: Trace, hidden: int) -> bytes:
    """The text of an execution up to its n-th hidden input and EXTRA_STEPS more steps."""
    taken = trace.hidden[:hidden]
    last = taken[-1].step + EXTRA_STEPS if len(taken) == hidden else len(trace)
    steps = [trace[i] for i in range(min(last, len(trace)))]
    whole = len(steps) == len(trace) and trace.outcome.kind in WHOLE
    return write(RecordedSteps(trace.program, steps, list(trace.frames), taken, whole), Compact())


def state_key(names: Mapping[str, str], ignored: str) -> tuple[tuple[str, str], ...]:
    """Return a key that equal states share: every name except the one that holds the command."""
    return tuple(sorted((name, text) for name, text in names.items() if name != ignored))
