"""The futures of a program: its sandbox, its model and its time are set up here, and `build_report` does the rest."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass

from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.futures.future_report import DEFAULT_RUNS, DEFAULT_TEXTS, Effort, FutureReport, build_report
from worldline.plan.futures.subject import Subject
from worldline.plan.futures.walk import ProgramRunner
from worldline.predict.models import AnyModel, load_model
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import SandboxWorker, prepare

DEFAULT_SECONDS = 60.0


def futures(
    program: Program,
    *,
    at: str | None = None,
    name: str = "",
    paths: bool = False,
    exact: bool = False,
    sampled_runs: int | None = None,
    model: AnyModel | None = None,
    extras: Mapping[str, str] | None = None,
    texts: int = DEFAULT_TEXTS,
    seed: int = 0,
    runs: int = DEFAULT_RUNS,
    seconds: float | None = DEFAULT_SECONDS,
    limits: Limits | None = None,
    progress: Callable[[str], None] | None = None,
) -> FutureReport:
    """Find everything that a program could do, the probability of each outcome, and what a model believes.

    Args:
        program: The program. Its random draws and thread schedules are explored.
        at: Ask about step `12`, or about line 7 when it last runs (`L7`); by default about the end.
        name: Ask for the value of this name there; by default for the result.
        paths: Ask which lines run, in their order.
        exact: Explore every draw, and bound the mass that the budget leaves.
        sampled_runs: Sample this many runs instead.
        model: A model whose belief is compared: a name, a predictor or a function.
        extras: Options of the model, if `model` is a name.
        texts: How many texts the model writes.
        seed: The first seed of samples and texts.
        runs: At most this many executions.
        seconds: Time for everything; None for no bound.
        limits: Limits of one execution.
        progress: Called with a line of progress.

    Returns:
        The distribution of results, the results of thread schedules, and the belief of the model.

    Raises:
        UsageError: The arguments exclude each other, or `at` is neither a step nor a line.
    """
    until = time.monotonic() + (seconds or float("inf"))
    effort = Effort(
        exact=exact,
        samples=sampled_runs,
        runs=runs,
        texts=texts,
        seed=seed,
        fresh=_reseeded(model, extras or {}, seed),
        enough=lambda: time.monotonic() > until,
        progress=progress or (lambda text: None),
    )
    subject, believer = _subject(at, name, paths), _believer(model, extras or {}, seed)
    with sandboxed_program(program, limits=limits) as world:
        return build_report(world, program, subject, effort=effort, model=believer)


def _subject(at: str | None, name: str, paths: bool) -> Subject:
    place = re.fullmatch(r"(L?)([0-9]{1,9})", at or "")
    if at is not None and place is None:
        raise UsageError(f"--at {at}: expected a step such as 12, or a line such as L7")
    where = {} if place is None else {"line" if place[1] else "step": int(place[2])}
    return Subject(path=paths, name=name, **where)


def _believer(model: AnyModel | None, extras: Mapping[str, str], seed: int) -> Predictor | None:
    """Load the model; one that samples does so at temperature 1."""
    if model is None:
        return None
    has_own_draws = not isinstance(model, str) or model == "interpreter"
    if has_own_draws or (isinstance(model, str) and model.startswith(("replay:", "python:"))):
        return load_model(model, extras)
    return load_model(model, {"temperature": "1", "seed": str(seed), **extras})


def _reseeded(model: AnyModel | None, extras: Mapping[str, str], seed: int) -> Callable[[int], Predictor] | None:
    """A server has one seed for all texts: return a predictor with another seed for each."""
    if not isinstance(model, str) or not model.startswith("server:"):
        return None
    return lambda number: load_model(model, {"temperature": "1", **extras, "seed": str(seed + number)})


@contextmanager
def sandboxed_program(
    program: Program, *, limits: Limits | None = None, python: str | None = None
) -> Iterator[ProgramRunner]:
    """Open a sandbox and yield a function that executes the program under a control."""
    setup = prepare(limits=limits or Limits(), python=python, core="auto", trust=False)
    with closing(SandboxWorker(setup)) as worker:
        yield _SandboxedProgram(worker, program)


@dataclass(frozen=True)
class _SandboxedProgram:
    """Executes a program in one sandbox."""

    worker: SandboxWorker
    program: Program

    def __call__(self, control: Control) -> Trace:
        return self.worker.record(self.program, control=control)

    def run_turns(self, control: Control) -> tuple[Trace, Mapping[str, str]]:
        """Execute the program by the plan of turns in the control."""
        return self.worker.record_turns(self.program, control)
