"""One question about an execution: answered by a prediction if its confidence is high enough, else by executing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.answer import Answer, Budget
from worldline.plan.executed import ExecutedOracle, limits_for, sandboxed_steps, sandboxed_world
from worldline.plan.imagined import PROMPT_OPTIONS
from worldline.plan.mixed import NO_MODEL, MixedOracle
from worldline.plan.question import Question, read_question
from worldline.plan.uninstalled import MissingDependency, answer_without, require_dependencies
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import Scratchpad, choose_scratchpad
from worldline.predict.vote import load_vote

DEFAULT_BYTES = 1 << 13
FOLDABLE = ("return", "raises", "passes")  # questions whose answer does not depend on how steps are counted


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
    samples: int = 1,
    voters: Sequence[AnyModel] = (),
    scratchpad: str | None = None,
    limits: Limits | None = None,
) -> Answer:
    """Answer one question about an execution: predicted if confidence is high enough, executed otherwise.

    A program that needs a module which is not installed is executed without it if the call cannot reach it, and
    predicted otherwise.

    Args:
        program: The program.
        what: The question: `return`, `raises`, `passes`, `line:12`, `name:x@9` or `ends:500`.
        executions: At most this many executions; 0 for none.
        true_steps: At most this many single true steps.
        sure: The confidence that a prediction needs.
        max_bytes: At most this many predicted bytes.
        journal: The folder with the calibration data of this code. It is created and added to. Without it, the model is
            not loaded, and the program is executed.
        model: A predictor, a function, or a name that `load_model` knows.
        extras: Options of the model, if `model` is a name.
        samples: Maximum number of predictions by each model, whose answers vote; the first one if it is sure.
        voters: Other models that vote, loaded with the same `extras`.
        scratchpad: The simpler form in which the model predicts: none, flatten, chars or auto. By default auto for
            what is returned or raised, without `true_steps`; other questions are about the steps as they are.
        limits: Limits of one execution.

    Returns:
        The answer, how it is known, its probability and its cost.

    Raises:
        UsageError: The question cannot be read, or needs steps that a scratchpad does not have.
    """
    question = read_question(what) if isinstance(what, str) else what
    if scratchpad not in (None, "none") and (question.what not in FOLDABLE or true_steps):
        raise UsageError(f"on a scratchpad a model predicts {', '.join(FOLDABLE)}, without true steps")
    budget = Budget(executions=executions, steps=true_steps, bytes=max_bytes, sure=sure)
    limits = limits_for(question, limits)
    with ExitStack() as stack:

        def world(executed: Program) -> Trace:
            trace = stack.enter_context(sandboxed_world(limits=limits))(executed)
            return require_dependencies(executed, trace)

        def load() -> Predictor:
            bare = load_model(model, extras)
            predictor = load_vote(bare, extras, samples=samples, voters=voters)
            needs_steps = question.what not in FOLDABLE or true_steps > 0
            mode = choose_scratchpad(scratchpad, bare, options=PROMPT_OPTIONS, program=program, resumes=needs_steps)
            return predictor if mode == "none" else Scratchpad(predictor, mode)

        oracle: ExecutedOracle | MixedOracle = ExecutedOracle(world, NO_MODEL)
        if journal is not None:
            oracle = MixedOracle(world, load(), journal=journal, first=sandboxed_steps(limits=limits))
        try:
            return oracle.ask(program, question, budget)
        except MissingDependency as missing:
            gate = oracle.calibration(program, question).gate if isinstance(oracle, MixedOracle) else None
            return answer_without(missing, program, question, budget, world=world, load=load, gate=gate)
