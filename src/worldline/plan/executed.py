"""The interpreter as an oracle: every question is answered by an execution in the sandbox, and the answer is certain.

The exception is a program that draws random numbers or reads a clock. One execution shows one of its results, so the
answer has no probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from worldline.core.events import ENDED
from worldline.core.hidden import READ, Control, in_words
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.text import plural
from worldline.core.trace import Trace
from worldline.plan.answer import RUN, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.question import Question
from worldline.plan.reading import read_answer
from worldline.recording.recorder import SandboxWorker, Setup, prepare, record

FirstSteps = Callable[[Program, int], Trace]
"""Executes the first N steps of a program and stops there."""


@contextmanager
def sandboxed_world(*, limits: Limits | None = None, python: str | None = None) -> Iterator[ProgramRunner]:
    """Open a sandbox and yield a function that executes and records a program in it."""
    setup = prepare(limits=limits or Limits(), python=python, core="auto", trust=False, controlled=True)
    with closing(SandboxWorker(setup)) as worker:
        yield lambda program: worker.record(program, control=_real_inputs(program, setup))


def limits_for(question: Question, limits: Limits | None = None) -> Limits | None:
    """Return the limits of an execution that answers the question: `ends:N` needs N + 1 steps."""
    if question.what != "ends":
        return limits
    return replace(limits or Limits(), steps=question.steps + 1)


def sandboxed_steps(*, limits: Limits | None = None, python: str | None = None) -> FirstSteps:
    """Return a function that executes only the first steps of a program, in the sandbox."""
    maximum = limits or Limits()
    setup = prepare(limits=maximum, python=python, core="auto", trust=False, controlled=True)

    def first(program: Program, steps: int) -> Trace:
        limited = replace(maximum, steps=min(steps, maximum.steps))
        return record(program, limits=limited, python=python, control=_real_inputs(program, setup))

    return first


def _real_inputs(program: Program, setup: Setup) -> Control | None:
    """Use the real hidden inputs, and record them where the recorder can."""
    can_record = not program.lang.runs_in_interpreter or setup.plan.native is not None
    return Control(seed=None) if can_record else None


@dataclass(frozen=True)
class ExecutedOracle:
    """Answers by execution, one per question. `why` is the optional reason why nothing is predicted."""

    world: ProgramRunner
    why: str = ""

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """Execute the program; unknown if no execution is allowed, or if it was stopped too early."""
        if budget.executions < 1:
            return Answer(
                value=None,
                probability=None,
                spent=ExecutionCost(),
                how=UNKNOWN,
                why=_with_reason("no execution is allowed", self.why),
            )
        answer = read_executed_answer(question, self.world(program))
        return replace(answer, why=_with_reason(answer.why, self.why))


def read_executed_answer(
    question: Question, trace: Trace, spent: ExecutionCost | None = None, why: str = "executed in the sandbox"
) -> Answer:
    """Read the answer from a trace: certain unless the program drew, or unknown with the reason."""
    cost = ExecutionCost(executions=1) if spent is None else spent
    value = read_answer(question, trace)
    drawn = first_draw(trace)
    if value is not None and drawn is not None:
        why = f"{why}, once; the result depends on {drawn}, so another execution may differ"
        return Answer(value=value, probability=None, spent=cost, how=RUN, why=why)
    if value is not None:
        return Answer(value=value, probability=1.0, spent=cost, how=RUN, why=why)
    return Answer(value=None, probability=None, spent=cost, how=UNKNOWN, why=_why_not(trace))


def first_draw(trace: Trace) -> str | None:
    """Name the first draw or clock that an execution depends on; None without one."""
    return next((in_words(hidden.kind) for hidden in trace.hidden if hidden.kind != READ), None)


def _why_not(trace: Trace) -> str:
    """Say why a trace does not answer the question."""
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind == "limit":
        return f"the execution hit its limit of {detail} after {plural(len(trace), 'step')}: the answer is not known"
    return f"the execution ended as {kind} {detail}".rstrip() if kind not in ENDED else "the trace does not say"


def _with_reason(result: str, why: str) -> str:
    return f"{result}: {why}" if why else result
