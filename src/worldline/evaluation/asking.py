"""How a model is asked: a predictor around a predictor. Where it runs and how it is judged is not known here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.analyze.rewrite import rewrite
from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.limits import MAX_LIMITS, Limits
from worldline.evaluation.forced import QUERIES, Forced
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import GROWTH, MODES, Scratchpad

NONE, ALL = "none", "all"
REWRITINGS = ("flatten", "chars")  # scratchpads that do not depend on the model


@dataclass(frozen=True)
class Asking:
    """A scratchpad and a forcing. On a scratchpad, what is forced is the truth of the rewritten program."""

    scratchpad: str = NONE
    force: str | None = None
    queries: int = QUERIES
    limits: Limits = field(default_factory=Limits)

    def around(self, predictor: Predictor) -> Predictor:
        """Return the predictor, asked in this way."""
        if self.force is not None:
            predictor = Forced(
                predictor, self.force, queries=self.queries, limits=_grown(self.limits, self.scratchpad)
            )
        return predictor if self.scratchpad == NONE else Scratchpad(predictor, self.scratchpad)


def modes_of(scratchpad: str | Sequence[str]) -> list[str]:
    """Return the scratchpad modes that are meant, in their usual order.

    Args:
        scratchpad: A mode, several modes, or `all`.

    Raises:
        UsageError: A mode is unknown, or none is named.
    """
    named = [scratchpad] if isinstance(scratchpad, str) else list(scratchpad)
    strange = [mode for mode in named if mode not in (*MODES, ALL)]
    if strange or not named:
        problem = repr(strange[0]) if strange else "an empty list"
        raise UsageError(f"a scratchpad is one of {', '.join(MODES)}, or all, not {problem}")
    return [mode for mode in MODES if mode in named or ALL in named]


def rewritten_suite(suite: Suite, mode: str) -> Suite:
    """Return a suite with each program rewritten: a suite of steps measures those that a model writes."""
    if mode not in (NONE, *REWRITINGS):
        raise UsageError(
            f"scratchpad `{mode}` chooses how to rewrite a program by the model's confidence, and the suite "
            f"{suite.name} compares its steps under several forcings. Pass --scratchpad {' or '.join(REWRITINGS)}"
        )
    if mode == NONE:
        return suite
    return replace(suite, tasks=_rewritten(suite.tasks, mode), limits=_grown(suite.limits, mode))


def _grown(limits: Limits, mode: str) -> Limits:
    """The same limits, with room for the further steps of a rewritten program."""
    growth = {NONE: 1, **GROWTH}.get(mode, GROWTH["flatten"])
    return replace(limits, steps=min(limits.steps * growth, MAX_LIMITS["steps"]))


def _rewritten(tasks: Iterable[Task], mode: str) -> Iterator[Task]:
    for task in tasks:
        program = task.program
        program.lang.require(Feature.SCRATCHPAD, program.name)
        done = rewrite(program.source, flatten=mode == "flatten", chars=mode == "chars", call=program.call)
        yield replace(task, program=replace(program, source=done.source))
