"""Predictors around predictors: teacher forcing, votes and scratchpads, so that any suite runs with any of them.

The truth that a forcing feeds is what the interpreter predicts for the same requests. The forcings `next` and `both`
leave nothing to predict; the suite `states` measures those, step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.analyze.rewrite import rewrite
from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.limits import MAX_LIMITS, Limits
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.depth import DepthBudget
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.scratchpad import GROWTH, MODES, Scratchpad
from worldline.predict.vote import VoteOptions, among

NONE, ALL = "none", "all"
REWRITINGS = ("flatten", "chars")  # scratchpads that do not depend on the model
FORCED = ("actions", "states", "guard", "queries")
DEFAULT_QUERIES = 8  # true steps that a model may request per program


@dataclass(frozen=True)
class TeacherForced:
    """Another predictor under one forcing, with at most `queries` true steps per program."""

    predictor: Predictor
    force: str
    queries: int = DEFAULT_QUERIES
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        check_force(self.force)

    @property
    def info(self) -> ModelInfo:
        """The wrapped predictor's, with the forcing in its name."""
        info = self.predictor.info
        return replace(info, name=f"{info.name}, {self.force} forced", is_ground_truth=False)

    @property
    def capabilities(self) -> Capabilities:
        """Answers, samples and rollouts. Other requests for text would not be forced."""
        own = self.predictor.capabilities
        return Capabilities(answers_questions=own.answers_questions, rolls_out=self, samples=own.samples)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Predict under the forcing."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """Predict under the forcing, with the model's confidence in each step."""
        truths = list(Interpreter(limits=self.limits, codec=self.predictor.info.notation).predict(requests))
        return roll(self.predictor, requests, truths, force=self.force, budget=self.queries)


def check_force(force: str) -> None:
    """Raise a UsageError if a forcing is unknown or leaves nothing to predict."""
    if force not in FORCED:
        raise UsageError(f"force is one of {', '.join(FORCED)}, not {force!r}")


@dataclass(frozen=True)
class PredictionMode:
    """A scratchpad, a forcing and a vote.

    On a scratchpad, models vote on the rewritten program, and the forced truth is that of the rewritten program.
    `is_strict`: programs to which the scratchpad does not apply are refused, not predicted as they are.
    """

    scratchpad: str = NONE
    force: str | None = None
    queries: int = DEFAULT_QUERIES
    limits: Limits = field(default_factory=Limits)
    vote: VoteOptions = field(default_factory=VoteOptions)
    is_strict: bool = True

    def wrap(self, *predictors: Predictor) -> Predictor:
        """Return the predictor in this mode; several predictors vote."""
        predictor = among([self._forced(predictor) for predictor in predictors], self.vote)
        if self.scratchpad == NONE:
            return predictor
        # Forced steps are those of the true run: a text with values that were predicted again has no such run.
        depth = DepthBudget() if self.force is None else DepthBudget(statements=0)
        return Scratchpad(predictor, self.scratchpad, depth, is_strict=self.is_strict)

    def _forced(self, predictor: Predictor) -> Predictor:
        if self.force is None:
            return predictor
        limits = _grown(self.limits, self.scratchpad)
        return TeacherForced(predictor, self.force, queries=self.queries, limits=limits)


def modes_of(scratchpad: str | Sequence[str] | None) -> list[str | None]:
    """Return the scratchpad modes that an option names, in their usual order.

    Args:
        scratchpad: A mode, several modes, or `all`; None for the default.

    Returns:
        The modes; None among them stands for the default, which depends on the model (`choose_scratchpad`).

    Raises:
        UsageError: A mode is unknown, or the list is empty.
    """
    if scratchpad is None:
        return [None]
    named = [scratchpad] if isinstance(scratchpad, str) else list(scratchpad)
    unknown = [mode for mode in named if mode not in (*MODES, ALL)]
    if unknown or not named:
        problem = repr(unknown[0]) if unknown else "an empty list"
        raise UsageError(f"a scratchpad is one of {', '.join(MODES)}, or all, not {problem}")
    return [mode for mode in MODES if mode in named or ALL in named]


def rewritten_suite(suite: Suite, mode: str) -> Suite:
    """Return a suite whose programs are rewritten by a scratchpad mode.

    Raises:
        UsageError: The mode depends on the model.
    """
    if mode not in (NONE, *REWRITINGS):
        raise UsageError(
            f"scratchpad `{mode}` chooses how to rewrite a program by the model's confidence, and the suite "
            f"{suite.name} compares its steps under several forcings. Pass --scratchpad {' or '.join(REWRITINGS)}"
        )
    if mode == NONE:
        return suite
    return replace(suite, tasks=_rewritten(suite.tasks, mode), limits=_grown(suite.limits, mode))


def _grown(limits: Limits, mode: str) -> Limits:
    """The same limits, with more steps for a rewritten program."""
    growth = {NONE: 1, **GROWTH}.get(mode, GROWTH["flatten"])
    return replace(limits, steps=min(limits.steps * growth, MAX_LIMITS["steps"]))


def _rewritten(tasks: Iterable[Task], mode: str) -> Iterator[Task]:
    for task in tasks:
        program = task.program
        program.lang.require(Feature.SCRATCHPAD, program.name)
        rewriting = rewrite(program.source, flatten=mode == "flatten", chars=mode == "chars", call=program.call)
        yield replace(task, program=replace(program, source=rewriting.source))
