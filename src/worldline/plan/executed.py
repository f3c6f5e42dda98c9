"""The interpreter as an oracle: every question is answered by a run in the box, and the answer is certain.

But for a program that draws, or reads a clock: of that a run tells what came once, and no probability is told with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from worldline.core.events import ENDED
from worldline.core.hidden import READ, Control, in_words
from worldline.core.language import Feature
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.text import plural
from worldline.core.trace import Trace
from worldline.plan.answer import RUN, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.question import Question
from worldline.plan.reading import read_answer
from worldline.recording.recorder import BoxWorker, Setup, prepare, record

FirstSteps = Callable[[Program, int], Trace]  # a program run as far as so many steps, and stopped there


@contextmanager
def sandboxed_world(*, limits: Limits | None = None, python: str | None = None) -> Iterator[ProgramRunner]:
    """The world of all programs, as long as its box stands: each is run in it, recorded, and ended."""
    setup = prepare(limits=limits or Limits(), python=python, core="auto", trust=False, controlled=True)
    worker = BoxWorker(setup)

    def world(program: Program) -> Trace:
        return worker.record(program, control=_live(program, setup))

    try:
        yield world
    finally:
        worker.close()


def limits_for(question: Question, limits: Limits | None = None) -> Limits | None:
    """The limits of a run that is to answer a question: whether it ends within N steps takes one step more than N."""
    if question.what != "ends":
        return limits
    return replace(limits or Limits(), steps=question.steps + 1)


def sandboxed_steps(*, limits: Limits | None = None, python: str | None = None) -> FirstSteps:
    """Runs a program's first steps in a box, and no more of it."""
    most = limits or Limits()
    setup = prepare(limits=most, python=python, core="auto", trust=False, controlled=True)

    def first(program: Program, steps: int) -> Trace:
        few = replace(most, steps=min(steps, most.steps))
        return record(program, limits=few, python=python, control=_live(program, setup))

    return first


def _live(program: Program, setup: Setup) -> Control | None:
    """Hidden inputs are the real ones, and told, where the recorder can tell them."""
    can_tell = program.lang.offers(Feature.CONTROL) and setup.plan.native is not None
    return Control(seed=None) if can_tell else None


@dataclass(frozen=True)
class ExecutedOracle:
    """Answers by running, an execution a question; `why` nothing else may answer, where that is worth saying."""

    world: ProgramRunner
    why: str = ""

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """What a run says; unknown where none is allowed, or where the run was stopped before it could tell."""
        if budget.executions < 1:
            return Answer(
                value=None,
                probability=None,
                spent=ExecutionCost(),
                how=UNKNOWN,
                why=_told(self.why, "no execution is allowed"),
            )
        answer = answer_of(question, self.world(program))
        return replace(answer, why=_told(self.why, answer.why))


def answer_of(
    question: Question, trace: Trace, spent: ExecutionCost | None = None, why: str = "it was run in a box"
) -> Answer:
    """The answer of a run that was made: certain, but for one that drew; or unknown with the reason."""
    paid = ExecutionCost(executions=1) if spent is None else spent
    value = read_answer(question, trace)
    drawn = drawn_in(trace)
    if value is not None and drawn is not None:
        why = f"{why}, once; the run hangs on {drawn}, so another run may tell otherwise"
        return Answer(value=value, probability=None, spent=paid, how=RUN, why=why)
    if value is not None:
        return Answer(value=value, probability=1.0, spent=paid, how=RUN, why=why)
    return Answer(value=None, probability=None, spent=paid, how=UNKNOWN, why=_why_not(trace))


def drawn_in(trace: Trace) -> str | None:
    """What a run hangs on that its text does not decide, in words: its first draw, or clock; None where nothing is."""
    return next((in_words(hidden.kind) for hidden in trace.hidden if hidden.kind != READ), None)


def _why_not(trace: Trace) -> str:
    """Why a run does not say."""
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind == "limit":
        return f"the run met its limit of {detail} after {plural(len(trace), 'step')}, and did not tell"
    return f"the run ended as {kind} {detail}".rstrip() if kind not in ENDED else "the run did not tell"


def _told(why: str, then: str) -> str:
    return f"{why}: {then}" if why else then
