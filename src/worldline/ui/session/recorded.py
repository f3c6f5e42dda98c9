"""A session of one recorded run, without a model."""

from __future__ import annotations

from worldline.core.errors import NotStarted
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.interpreter import recorder
from worldline.ui.session.session import Session

DEFAULT_VIEW_STEPS = 50_000
"""Steps of a program that is recorded to be looked at."""


def record_session(program: Program, *, limits: Limits | None = None, control: Control | None = None) -> Session:
    """Record a program, and return a session of its run alone, which starts at the first step.

    Args:
        program: The program to execute in the sandbox.
        limits: Limits of the execution; by default `DEFAULT_VIEW_STEPS` steps.
        control: Decides the hidden inputs of the run.

    Raises:
        NotStarted: The program has no step: it does not compile, or its language is not available here.
    """
    trace = recorder(limits or Limits(steps=DEFAULT_VIEW_STEPS), containers=True)(program, control)
    if not len(trace):
        reason = trace.outcome.detail or trace.stderr.strip() or trace.outcome.kind
        raise NotStarted(f"{program.name} cannot be shown, because it did not start: {reason}")
    return Session.of_trace(trace, name=program.name, at=0)
