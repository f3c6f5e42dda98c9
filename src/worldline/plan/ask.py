"""One question about a run: answered by a prediction where that is sure enough, and by an execution where not."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.answer import Answer, Budget, Oracle
from worldline.plan.executed import ExecutedOracle, limits_for, sandboxed_steps, sandboxed_world
from worldline.plan.mixed import NO_MODEL, MixedOracle
from worldline.plan.question import Question, read_question
from worldline.predict.models import DEFAULT, AnyModel, load_model

DEFAULT_BYTES = 1 << 13


def ask(
    program: Program,
    what: str | Question = "return",
    *,
    executions: int = 1,
    true_steps: int = 0,
    sure: float = 0.95,
    max_bytes: int = DEFAULT_BYTES,
    journal: str | Path | None = None,
    model: AnyModel = DEFAULT,
    extras: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> Answer:
    """Answer one question about a run: predicted where that is sure enough, executed in the sandbox where not.

    Args:
        program: The program that is asked about.
        what: The question: `return`, `raises`, `passes`, `line:12`, `name:x@9` or `ends:500`.
        executions: The most executions; 0 for none.
        true_steps: The most single true steps that a prediction may ask for.
        sure: The probability that an answer must have that was not executed.
        max_bytes: The most bytes to predict.
        journal: The folder of what was executed of this code so far, which calibrates the model. It is created and
            added to; without it, the model is not even loaded, and the program is executed.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, where `model` is a name.
        limits: Limits of one execution.

    Returns:
        The answer, how it came about, its probability and what it cost.

    Raises:
        UsageError: The question cannot be read.
    """
    question = read_question(what) if isinstance(what, str) else what
    budget = Budget(executions=executions, steps=true_steps, bytes=max_bytes, sure=sure)
    limits = limits_for(question, limits)
    with ExitStack() as stack:

        def world(executed: Program) -> Trace:
            return stack.enter_context(sandboxed_world(limits=limits))(executed)

        oracle: Oracle = ExecutedOracle(world, NO_MODEL)
        if journal is not None:
            predictor = load_model(model, extras)
            oracle = MixedOracle(world, predictor, journal=journal, first=sandboxed_steps(limits=limits))
        return oracle.ask(program, question, budget)
