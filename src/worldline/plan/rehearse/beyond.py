"""Rehearse a script past what is missing: with the user's stubs, the model's values, or unknown values, in branches.

Each branch executes the script again, with other decisions about conditions on unknown values. The number of branches
is bounded. What a branch shows is predicted, never executed.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path

from worldline.codec.compact.parse import parse
from worldline.core.errors import UsageError
from worldline.core.language import language_of
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import State
from worldline.plan.imagined import PROMPT_OPTIONS
from worldline.plan.rehearse.branch import (
    BY_MODEL,
    BY_NOBODY,
    AssumedBranch,
    Assumption,
    assumptions_of,
    called_lines,
    decisions_of,
    events_before,
    printed_after,
)
from worldline.plan.rehearse.effect import ASSUMED, ScriptEffect, effects_of
from worldline.plan.rehearse.rehearse import Rehearsal, StagedScript
from worldline.plan.rehearse.stubs import unused_stubs
from worldline.plan.rehearse.visible import visible
from worldline.predict.confidence import step_confidences
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.rehearsal.run import AssumedAnswers, RehearsedRun

MIN_PROBABILITY = 0.9  # of a value that the model predicts; below it, the model does not know
MAX_SOURCE_BYTES = 20_000  # the model is not asked about longer scripts
LOOP_SHARE = 8  # a loop may take one eighth of the time limit
_OUT_OF_TIME = "the time to finish"


@dataclass(frozen=True, kw_only=True)
class ModelValues:
    """Values that a model predicts for what is missing, by what the script asks for, and their probabilities."""

    values: Mapping[str, str] = field(default_factory=dict)
    probabilities: Mapping[str, float] = field(default_factory=dict)


def with_branches(
    rehearsal: Rehearsal,
    staged: StagedScript,
    answers: AssumedAnswers,
    predictor: Callable[[], Predictor | None],
    *,
    limits: Limits,
    limit: int,
    branches: int,
) -> Rehearsal:
    """Add what the script would do past what it lacks, in at most `branches` branches."""
    if _OUT_OF_TIME in rehearsal.missing:
        answers = replace(answers, loop_seconds=limits.wall / LOOP_SHARE)
    first = staged.run(limits=limits, assume=answers)
    if first.outcome.kind == "unsupported":
        raise UsageError(f"{first.outcome.detail}: correct the stub, an expression that is evaluated in the sandbox")
    values = _model_values(first, staged, predictor, limit)

    def branch_of(planned: tuple[bool, ...]) -> AssumedBranch:
        assume = replace(answers, decisions=planned)
        return _branch(rehearsal, staged.run(limits=limits, assume=assume) if planned else first, staged, values)

    # The model's values have a branch of their own: a wrong one would hide the branches that unknown values show.
    has_values = bool(values.values)
    results, has_more = _explore(branch_of, branches - has_values if branches > 1 else branches)
    if has_values and branches > 1:
        run = staged.run(limits=limits, assume=replace(answers, predicted=values.values))
        branch = _branch(rehearsal, run, staged, values)
        results += [branch] if branch.consequences not in {result.consequences for result in results} else []
    unused = [f"the stub {name} was not used: nothing asked for it" for name in unused_stubs(answers, results)]
    unseen = (*rehearsal.unseen, *unused)
    return replace(rehearsal, branches=tuple(results), has_more_branches=has_more, unseen=unseen)


def _explore(branch_of: Callable[[tuple[bool, ...]], AssumedBranch], most: int) -> tuple[list[AssumedBranch], bool]:
    """Execute one branch after the other; each flips one decision of an earlier one. The same result is shown once."""
    waiting, distinct, executed = deque[tuple[bool, ...]]([()]), dict[object, AssumedBranch](), 0
    while waiting and executed < most:
        planned = waiting.popleft()
        executed += 1
        branch = branch_of(planned)
        decided = tuple(decision.holds for decision in branch.decisions)
        if not branch.assumptions or decided[: len(planned)] != planned:
            continue
        distinct.setdefault(branch.consequences, branch)
        waiting.extend((*decided[:at], not decided[at]) for at in range(len(planned), len(decided)))
    return list(distinct.values()), bool(waiting)


def _branch(rehearsal: Rehearsal, run: RehearsedRun, staged: StagedScript, values: ModelValues) -> AssumedBranch:
    after = staged.read(run)
    before = effects_of(events_before(run), staged.names)
    known = {_action(effect) for effect in (*rehearsal.effects, *before)}
    effects = [_assumed(effect) for effect in after.effects if _action(effect) not in known]
    reported = {(effect.kind, effect.line) for effect in after.effects}
    effects += [effect for effect in _named_effects(run, staged) if (effect.kind, effect.line) not in reported]
    return AssumedBranch(
        assumptions=tuple(_with_probability(item, values) for item in assumptions_of(run, staged.names)),
        decisions=decisions_of(run, staged.names),
        outcome=run.outcome,
        line=run.line,
        effects=tuple(effects),
        changes=tuple(change for change in after.changes if change not in rehearsal.changes),
        output=printed_after(run),
        stderr=run.stderr,
    )


def _named_effects(run: RehearsedRun, staged: StagedScript) -> Iterator[ScriptEffect]:
    """Yield the effects that the names of unknown calls show, such as `frame.to_csv("out.csv")`."""
    lines = {line for file, line in called_lines(run, staged.names) if file.endswith(Path(staged.file).name)}
    for effect in visible(staged.script.source, language_of(staged.file)):
        if effect.line in lines:
            yield replace(effect, seen=ASSUMED, detail="by the name of the call")


def _assumed(effect: ScriptEffect) -> ScriptEffect:
    """An effect of a branch; on an unknown path it does not fail, because the real one might exist."""
    has_unknown_target = "<" in effect.target and effect.failed == "FileNotFoundError"
    return replace(effect, seen=ASSUMED, failed="" if has_unknown_target else effect.failed)


def _action(effect: ScriptEffect) -> tuple[str, str, str, int]:
    return effect.kind, effect.target.rstrip("/"), effect.file, effect.line


def _with_probability(assumption: Assumption, values: ModelValues) -> Assumption:
    if assumption.by != BY_MODEL:
        return assumption
    return replace(assumption, probability=values.probabilities.get(assumption.what))


def _model_values(
    run: RehearsedRun, staged: StagedScript, load: Callable[[], Predictor | None], limit: int
) -> ModelValues:
    """Ask the model for the values that the script keeps in a name, where it lacks the real ones."""
    wanted = list(_kept_in_names(assumptions_of(run, staged.names), staged))
    predictor = load() if wanted and len(staged.script.source) <= MAX_SOURCE_BYTES else None
    decoder = None if predictor is None else predictor.capabilities.decodes_bytes
    if predictor is None or decoder is None:
        return ModelValues()
    script = staged.script
    program = Program(source=script.source, name=staged.file, argv=script.argv, stdin=script.stdin)
    options = predictor.info.options_for(program, PROMPT_OPTIONS)
    ask = PredictionRequest(program=program, options=options, limit=limit)
    settled = decoder.settled()
    prediction = next(iter(settled.predict([ask])))
    confidences = step_confidences(ask, prediction, settled.logprobs)
    parsed, state = parse(prediction.text, ask.prompt, loose=True), State()
    values, probabilities = dict[str, str](), dict[str, float]()
    for step, confidence in zip(parsed.steps, confidences, strict=False):
        state.apply(step)
        for assumption, name in wanted:
            if step.event != "line" or step.line != assumption.line or assumption.what in values:
                continue
            text, chance = state.frames.get(step.frame, {}).get(name, ""), exp(min(0.0, confidence.state))
            if chance >= MIN_PROBABILITY and _is_usable(assumption.what, text):
                values[assumption.what], probabilities[assumption.what] = text, chance
    return ModelValues(values=values, probabilities=probabilities)


def _kept_in_names(assumptions: Sequence[Assumption], staged: StagedScript) -> Iterator[tuple[Assumption, str]]:
    """Yield each unknown value that a statement `name = ...` of the script asks for, and the name."""
    names = {
        node.lineno: node.targets[0].id
        for node in ast.walk(ast.parse(staged.script.source))
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and _is_request(node.value)
    }
    for assumption in assumptions:
        if assumption.by == BY_NOBODY and assumption.line in names and not assumption.what.startswith("int("):
            yield assumption, names[assumption.line]


def _is_request(value: ast.expr) -> bool:
    """Whether an expression is itself what is missing, and not made from it: `os.environ["A"]`, `module.call(...)`."""
    inner = value.value if isinstance(value, ast.Subscript) else value.func if isinstance(value, ast.Call) else None
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return isinstance(inner, ast.Name)


def _is_usable(what: str, text: str) -> bool:
    """Whether a predicted text is a plain value of the type that the script would get."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    if what.startswith("os.environ"):
        return isinstance(value, str)
    return not what.startswith("open(") and value is not None
