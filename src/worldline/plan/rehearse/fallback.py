"""Rehearse any script: executed in the sandbox if possible, otherwise read and predicted, and labelled so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

from worldline.codec.compact.parse import parse
from worldline.core.errors import NoSandbox, UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.rehearse.beyond import with_branches
from worldline.plan.rehearse.effect import IMAGINED, ScriptEffect
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, runs, source_of, stage
from worldline.plan.rehearse.stubs import read_stubs
from worldline.plan.rehearse.visible import visible
from worldline.predict.models import DEFAULT, AnyModel, load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor

MAX_SOURCE_BYTES = 20_000  # longer scripts are not predicted, only read
_PREDICTED = "nothing was executed: PREDICTED lines are those that a model expects to be reached; it may be wrong"
_REST = "the rest was not executed: PREDICTED lines are those that a model expects to be reached; it may be wrong"
_TEXT = "calls IN THE SOURCE are found by name: those under other names, in libraries or generated code are missing"


def read_and_predicted(
    file: Path, staging: Staging, predictor: Predictor | None, *, why: str, limit: int = 2048
) -> Rehearsal:
    """List what a script could touch by its text, and what a model predicts; `why` it was not executed."""
    source = source_of(file)
    program = Program(source=source, name=file.name, argv=staging.argv, stdin=staging.stdin)
    return Rehearsal(
        script=str(file),
        folder=str(staging.folder),
        source=source,
        outcome=None,
        why_not_run=why,
        effects=tuple(supposed(program, predictor, limit)),
        unseen=(_PREDICTED, _TEXT),
    )


def completed(rehearsal: Rehearsal, staging: Staging, predictor: Predictor | None, *, limit: int) -> Rehearsal:
    """Complete a rehearsal that was cut short by what the rest of its text could touch, labelled so."""
    program = Program(source=rehearsal.source, name=Path(rehearsal.script).name, argv=staging.argv, stdin=staging.stdin)
    reached = [*rehearsal.effects, *(effect for branch in rehearsal.branches for effect in branch.effects)]
    known = {effect.line for effect in reached if effect.line}
    rest = [effect for effect in supposed(program, predictor, limit) if effect.line not in known]
    caveats = [_REST] if any(effect.seen == IMAGINED for effect in rest) else []
    caveats += [_TEXT] if rest else []
    return replace(rehearsal, effects=(*rehearsal.effects, *rest), unseen=(*rehearsal.unseen, *caveats))


def supposed(program: Program, predictor: Predictor | None, limit: int) -> list[ScriptEffect]:
    """List the calls in a program's text; those on a predicted line are labelled so."""
    calls = visible(program.source, program.language)
    if predictor is None or not calls or len(program.source) > MAX_SOURCE_BYTES:
        return calls
    lines, probability = _reached(program, predictor, limit)
    return [
        replace(effect, seen=IMAGINED, probability=probability) if effect.line in lines else effect for effect in calls
    ]


def _reached(program: Program, predictor: Predictor, limit: int) -> tuple[set[int], float | None]:
    """Return the lines of a predicted trace, and the model's probability of it."""
    ask = PredictionRequest(program=program, limit=limit)
    prediction = next(iter(predictor.predict([ask])))
    parsed = parse(prediction.text, ask.prompt, loose=True)
    lines = {step.line for step in parsed.steps if step.event == "line" and step.line is not None}
    sure = None if prediction.logprob is None else exp(min(0.0, prediction.logprob))
    return lines, sure


DEFAULT_BYTES = 2048
DEFAULT_BRANCHES = 6


def rehearse(
    file: str | Path,
    *,
    argv: Sequence[str] = (),
    folder: str | Path = ".",
    exclude: Sequence[str] = (),
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    python: str | None = None,
    wall: float | None = None,
    run: bool = True,
    model: AnyModel = DEFAULT,
    extras: Mapping[str, str] | None = None,
    max_bytes: int = DEFAULT_BYTES,
    stubs: Sequence[str] = (),
    stubs_file: str | Path | None = None,
    branches: int = DEFAULT_BRANCHES,
) -> Rehearsal:
    """Find out what a script would read, write, delete, start or send. It does not prove that the script is safe.

    The script is executed in the sandbox, without a network, over a copy of a folder, which itself stays as it is.
    Past a refused connection, a missing module, file or variable, or the time limit, a Python script goes on with
    assumed answers, in branches. What follows an assumed answer is predicted, and labelled so.

    Args:
        file: The script.
        argv: Its arguments.
        folder: The folder that is copied.
        exclude: Names that are not copied, such as `.venv`.
        stdin: The text that the script reads from its standard input.
        env: Variables of its environment; yours is not in the sandbox.
        python: The Python interpreter that executes it.
        wall: Limit: seconds of the run.
        run: Execute it; otherwise its text is read and a model predicts which lines are reached.
        model: Who predicts if the script cannot be executed: a name, a predictor or a function.
        extras: Options of the model, where `model` is a name.
        max_bytes: The most bytes to predict; 0 reads the text alone.
        stubs: Answers to assume, such as `requests.get=lambda url: ...`; the expressions are evaluated in the sandbox.
        stubs_file: A Python file that defines more of them, in a dictionary `STUBS`.
        branches: The most branches that are executed with assumed answers; 0 for none.

    Returns:
        The effects, each marked as executed, predicted or found in the text, the branches that follow assumed answers,
        and what could not be seen.

    Raises:
        UsageError: The file cannot be read, or is not a script, or a stub cannot be evaluated.
    """
    path = Path(file)
    staging = Staging(
        folder=Path(folder),
        leave_out=tuple(exclude),
        argv=tuple(argv),
        stdin=stdin,
        environment=tuple((env or {}).items()),
        python=python,
    )

    answers = read_stubs(stubs, stubs_file)

    def predictor() -> Predictor | None:
        return load_model(model, extras) if max_bytes else None

    why_not = runs(path) if run else "--no-run"
    if why_not:
        return read_and_predicted(path, staging, predictor(), why=why_not, limit=max_bytes)
    limits = Limits() if wall is None else replace(Limits(), wall=wall)
    try:
        staged = stage(path, staging)
        rehearsal = staged.read(staged.run(limits=limits))
    except NoSandbox as error:
        return read_and_predicted(path, staging, predictor(), why=f"no sandbox: {error}", limit=max_bytes)
    outcome = rehearsal.outcome
    if outcome and outcome.kind == "unsupported":
        raise UsageError(f"{file} cannot be executed as a script: {outcome.detail}")
    has_stubs = bool(answers.stubs or answers.stubs_source)
    if branches and rehearsal.listened and (rehearsal.missing or has_stubs):
        rehearsal = with_branches(
            rehearsal, staged, answers, predictor, limits=limits, limit=max_bytes, branches=branches
        )
    return _with_text(rehearsal, staging, predictor, max_bytes)


def _with_text(
    rehearsal: Rehearsal, staging: Staging, predictor: Callable[[], Predictor | None], limit: int
) -> Rehearsal:
    """Add the calls that the source shows, where the execution was cut short and no branch has reached them."""
    if not rehearsal.is_cut:
        return rehearsal
    outcome = rehearsal.outcome
    lacks_module = outcome and outcome.detail.startswith(("ModuleNotFoundError(", "ImportError("))
    guess = predictor() if lacks_module and not rehearsal.branches else None
    return completed(rehearsal, staging, guess, limit=limit)
