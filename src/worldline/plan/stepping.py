"""Single true steps, told where a model is least sure: the interpreter runs so far, and the model imagines the rest.

To tell a step, the interpreter runs the program from its beginning up to that step, in the box, and stops there. All
that it ran on the way is known then, so the text up to there is the truth's; what follows is the model's. How often it
was asked is what is counted. Where to ask never depends on the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.trace import Trace
from worldline.plan.executed import FirstSteps, drawn_in
from worldline.plan.imagined import PredictedAnswer, think_on
from worldline.plan.question import Question
from worldline.plan.reading import read_answer
from worldline.predict.predictor import Predictor


@dataclass(frozen=True, kw_only=True)
class SteppedPrediction:
    """A thought behind true steps: how often the interpreter was asked, how many steps it ran, bytes imagined.

    `known`: how many of those asks the thought itself stands behind. `trace` is there where the steps that were run
    answer the question themselves; `drawn` says what they drew, if they did: no other run has the same steps then.
    """

    thought: PredictedAnswer
    told: int
    known: int
    ran: int
    bytes: int
    trace: Trace | None = None
    drawn: str | None = None


def ask_steps(
    predictor: Predictor,
    first: FirstSteps,
    thought: PredictedAnswer,
    question: Question,
    *,
    most: int,
    enough: Callable[[PredictedAnswer], bool],
) -> SteppedPrediction:
    """A thought corrected by at most so many true steps, until it is good enough."""
    if predictor.capabilities.decodes_bytes is None:
        raise UsageError(
            f"{predictor.info.name} does not say how sure it is of each step: steps cannot be asked for"
        )
    told, behind, ran, written = 0, 0, 0, thought.spent.bytes
    trace, drawn = None, None
    while told < most and not enough(thought):
        number = _least_sure(thought)
        if number is None:
            break
        # what a step changes is known when the next one begins
        trace = first(thought.ask.program, number + 2)
        told, ran, drawn = told + 1, max(ran, len(trace)), drawn_in(trace)
        known = _up_to(number, trace, thought)
        if read_answer(question, trace) is not None or drawn is not None or known is None:
            break
        (thought,) = think_on(predictor, [replace(thought.ask, given=known)], question, fine=True)
        behind, written = told, written + thought.spent.bytes
    telling = trace if trace is not None and read_answer(question, trace) is not None else None
    return SteppedPrediction(
        thought=thought, told=told, known=behind, ran=ran, bytes=written, trace=telling, drawn=drawn
    )


def _least_sure(thought: PredictedAnswer) -> int | None:
    """The number of the least sure step behind those that are known; None where there is none."""
    known = len(thought.ask.given)
    open_ = [(step.logprob, number) for number, step in enumerate(thought.sure) if step.start >= known]
    return min(open_)[1] if open_ else None


def _up_to(number: int, trace: Trace, thought: PredictedAnswer) -> bytes | None:
    """The true text up to a step; None where the run did not come so far, or it does not fit."""
    text = encode_steps(trace, thought.ask.options)
    ends = turns(text)
    if trace.outcome.kind != "limit" or len(ends) <= number:
        return None
    known = text[: ends[number].end]
    return known if len(known) < thought.ask.limit else None
