"""Dynamic depth: a value that a model is unsure of is predicted again, alone and in smaller steps.

`deepen` takes finished rollouts. At the first step whose state is below the confidence threshold, the statement becomes
a small program (`statement`) that the same model predicts; if it is unsure of that as well, one with smaller steps. The
value of which it is surest counts. If that is another one than before, the prediction resumes after it, and all steps
before it stay. Then the search for unsure steps continues, within a budget. Nothing is executed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.turns import turns
from worldline.core.program import Program
from worldline.core.state import State
from worldline.core.trace import Step
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.edit import Edit, apply_edit
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.prediction import PredictionRequest
from worldline.predict.statement import statement_programs, statements_by_line

Roll = Callable[[Sequence[PredictionRequest]], Iterator[ForcedRollout]]


@dataclass(frozen=True, kw_only=True)
class DepthBudget:
    """When a value is predicted again, and how much that may cost.

    Attributes:
        threshold: Values with a lower probability than this are predicted again.
        accepted: A new value needs at least this probability, and a higher one than the first value.
        statements: At most this many statements of one program.
        statement_bytes: At most this many bytes for one prediction of a statement.
        resumed_bytes: After this many bytes that follow from new values, no more values are predicted again.
    """

    threshold: float = 0.97
    accepted: float = 0.7
    statements: int = 8
    statement_bytes: int = 1_000
    resumed_bytes: int = 1 << 12


def deepen(
    roll: Roll, requests: Sequence[PredictionRequest], rollouts: Sequence[ForcedRollout], budget: DepthBudget
) -> list[ForcedRollout]:
    """Predict unsure values of several rollouts again, and what follows from those that change.

    Args:
        roll: Predicts requests, with the confidence of each step.
        requests: The requests of the rollouts.
        rollouts: The finished rollouts.
        budget: When a value is predicted again, and what that may cost.

    Returns:
        The rollouts, each with the values of which the model is surest.
    """
    drafts = [_Draft(request, rolled, budget) for request, rolled in zip(requests, rollouts, strict=True)]
    while True:
        unsure = [(draft, request) for draft in drafts if (request := draft.next_request()) is not None]
        if not unsure:
            return [draft.finish() for draft in drafts]
        for (draft, request), rolled in zip(unsure, roll([request for _, request in unsure]), strict=True):
            draft.weigh(request, rolled)
        changed = [(draft, request) for draft, _ in unsure if (request := draft.decide()) is not None]
        for (draft, request), rolled in zip(changed, roll([request for _, request in changed]), strict=True):
            draft.resume(request, rolled)


@dataclass(frozen=True)
class _Value:
    """A predicted value, None if there is none, and its log-probability."""

    text: str | None
    logprob: float


@dataclass
class _Doubt:
    """A step whose value the model is unsure of, the programs that it may still predict, and its surest value."""

    step: int
    target: str
    programs: list[Program]
    surest: _Value


def _returned(request: PredictionRequest, rolled: ForcedRollout) -> _Value:
    """Return what the program of a statement returns; the probability is that of the whole prediction."""
    parsed = parse(rolled.prediction.text, request.prompt)
    last = parsed.steps[-1] if parsed.ended and parsed.malformed is None and parsed.steps else None
    if last is None or last.event != "return" or not rolled.sure:
        return _Value(None, -math.inf)
    return _Value(last.arg, math.fsum(step.logprob for step in rolled.sure))


class _Draft:
    """A rollout during its deepening. Its first `_settled` steps stay."""

    def __init__(self, request: PredictionRequest, rolled: ForcedRollout, budget: DepthBudget) -> None:
        self.rolled = rolled
        self._request, self._budget = request, budget
        self._statements_left, self._bytes_left = budget.statements, budget.resumed_bytes
        self._limit = math.log(budget.threshold)
        is_python = request.program.lang.is_default
        self._statements = statements_by_line(request.program.source) if is_python else {}
        self._parsed = self._parse()
        self._settled, self._state = 0, State()  # the state after the settled steps
        self._doubt: _Doubt | None = None

    def _parse(self) -> Parsed:
        return parse(self.rolled.prediction.text, self._request.prompt)

    def next_request(self) -> PredictionRequest | None:
        """Return the request for the next statement that is unsure; None if there is none, or the budget is spent."""
        self._doubt = self._doubt or self._next_doubt()
        if self._doubt is None:
            return None
        options = replace(self._request.options, hidden="predicted")
        program = self._doubt.programs.pop(0)
        return PredictionRequest(program=program, options=options, limit=self._budget.statement_bytes)

    def _next_doubt(self) -> _Doubt | None:
        steps, sure = self._parsed.steps, self.rolled.sure
        has_budget = self._statements_left > 0 and self._bytes_left > 0
        while has_budget and self._settled < min(len(steps), len(sure)):
            is_unsure = sure[self._settled].state < self._limit
            doubt = self._doubt_about(steps[self._settled]) if is_unsure else None
            if doubt is not None:
                self._statements_left -= 1
                return doubt
            self._settle()
        return None

    def _doubt_about(self, step: Step) -> _Doubt | None:
        """Return the doubt about a step of the main file; None if it has no value of its own."""
        statement, parsed = self._statements.get(step.line), self._parsed
        if statement is None or parsed.program is None or parsed.frames[step.frame].file != parsed.program.name:
            return None
        target = statement.target
        if step.event != ("line" if target else "return") or step.gone or any(name != target for name in step.delta):
            return None
        names = self._state.frames.get(step.frame, {})
        value = step.delta.get(target, names.get(target)) if target else step.arg
        programs = list(statement_programs(statement, names))
        return _Doubt(step.i, target, programs, _Value(value, self.rolled.sure[step.i].state)) if programs else None

    def weigh(self, request: PredictionRequest, rolled: ForcedRollout) -> None:
        """Compare the value that was predicted for a statement with the surest so far."""
        assert self._doubt is not None
        prediction, value = self.rolled.prediction, _returned(request, rolled)
        spent = replace(
            prediction,
            seconds=prediction.seconds + rolled.prediction.seconds,
            discarded=prediction.discarded + rolled.prediction.bytes_written,
        )
        self.rolled = replace(self.rolled, prediction=spent)
        is_accepted = value.text == self._doubt.surest.text or value.logprob >= math.log(self._budget.accepted)
        if is_accepted and value.logprob > self._doubt.surest.logprob:
            self._doubt.surest = value
        if value.logprob >= self._limit:
            self._doubt.programs.clear()

    def decide(self) -> PredictionRequest | None:
        """Settle a step that has been weighed; if its value changes, return the request that resumes after it."""
        doubt = self._doubt
        if doubt is None or doubt.programs:
            return None
        text, sure = self._with_value(doubt), list(self.rolled.sure)
        sure[doubt.step] = sure[doubt.step]._replace(state=doubt.surest.logprob)
        self.rolled, self._doubt = replace(self.rolled, sure=tuple(sure)), None
        if self.rolled.prediction.text.startswith(text):
            self._settle()
            return None
        return replace(self._request, given=text, limit=max(self._request.limit, len(text)))

    def resume(self, request: PredictionRequest, rolled: ForcedRollout) -> None:
        """Take the rollout that resumes after a new value; the confidences before it stay."""
        known = self.rolled.sure[: self._settled + 1]
        before = [StepConfidence(*new[:2], *old[2:]) for old, new in zip(known, rolled.sure, strict=False)]
        old, new = self.rolled.prediction, rolled.prediction
        self._bytes_left -= len(new.text) - len(request.given)
        spent = replace(
            new,
            seconds=old.seconds + new.seconds,
            discarded=old.discarded + new.discarded + max(len(old.text) - len(request.given), 0),
        )
        self.rolled = replace(rolled, prediction=spent, sure=(*before, *rolled.sure[len(before) :]))
        self._parsed = self._parse()
        self._settle()

    def finish(self) -> ForcedRollout:
        """Return the rollout; its log-probability is that of its steps."""
        prediction, sure = self.rolled.prediction, self.rolled.sure
        logprob = math.fsum(step.logprob for step in sure) if sure else prediction.logprob
        return replace(self.rolled, prediction=replace(prediction, logprob=logprob))

    def _settle(self) -> None:
        if self._settled < len(self._parsed.steps):
            self._state.apply(self._parsed.steps[self._settled])
        self._settled += 1

    def _with_value(self, doubt: _Doubt) -> bytes:
        """Return the text up to a step, with its surest value."""
        text, value = self.rolled.prediction.text, doubt.surest.text
        turn = turns(text)[doubt.step]
        if value is None:  # it had none, and has none
            return text[: turn.end]
        if doubt.target:
            return apply_edit(self._request, text, Edit(doubt.step, {doubt.target: value}))
        return text[: turn.state_start] + value.encode("utf-8", "surrogatepass") + b"\n"
