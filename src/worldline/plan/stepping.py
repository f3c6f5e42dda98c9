"""Execute single steps where the model is least confident, and predict the rest.

For one true step the interpreter executes the program from its start up to that step, in the sandbox, and stops. The
text up to there is true; what follows is predicted. The cost counts these requests. The choice of a step never depends
on the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.trace import Trace
from worldline.plan.executed import FirstSteps, first_draw
from worldline.plan.imagined import PredictedAnswer, predict_from
from worldline.plan.question import Question
from worldline.plan.reading import read_answer
from worldline.predict.predictor import Predictor


@dataclass(frozen=True, kw_only=True)
class SteppedPrediction:
    """A prediction after true steps: the requests for true steps, the steps executed, and the predicted bytes.

    `known` counts the requests whose steps the prediction starts with. `trace` is set if the executed steps answer the
    question themselves. `drawn` names what they drew, if anything: another execution may then differ.
    """

    predicted: PredictedAnswer
    told: int
    known: int
    ran: int
    bytes: int
    trace: Trace | None = None
    drawn: str | None = None


def ask_steps(
    predictor: Predictor,
    first: FirstSteps,
    predicted: PredictedAnswer,
    question: Question,
    *,
    most: int,
    enough: Callable[[PredictedAnswer], bool],
) -> SteppedPrediction:
    """Correct a prediction by at most `most` true steps, until it is good enough."""
    if predictor.capabilities.decodes_bytes is None:
        raise UsageError(
            f"{predictor.info.name} reports no confidence per step, so single true steps are not available"
        )
    told, used, ran, written = 0, 0, 0, predicted.spent.bytes
    trace, drawn = None, None
    while told < most and not enough(predicted):
        number = _least_confident_step(predicted)
        if number is None:
            break
        # The changes of a step are known when the next one starts.
        trace = first(predicted.ask.program, number + 2)
        told, ran, drawn = told + 1, max(ran, len(trace)), first_draw(trace)
        known = _true_text_up_to(number, trace, predicted)
        if read_answer(question, trace) is not None or drawn is not None or known is None:
            break
        (predicted,) = predict_from(predictor, [replace(predicted.ask, given=known)], question, fine=True)
        used, written = told, written + predicted.spent.bytes
    decisive = trace if trace is not None and read_answer(question, trace) is not None else None
    return SteppedPrediction(
        predicted=predicted, told=told, known=used, ran=ran, bytes=written, trace=decisive, drawn=drawn
    )


def _least_confident_step(predicted: PredictedAnswer) -> int | None:
    """Return the least confident step after the known ones; None without one."""
    known = len(predicted.ask.given)
    unknown = [(step.logprob, number) for number, step in enumerate(predicted.sure) if step.start >= known]
    return min(unknown)[1] if unknown else None


def _true_text_up_to(number: int, trace: Trace, predicted: PredictedAnswer) -> bytes | None:
    """Return the true text up to a step; None if the run ended before it, or the text is too long."""
    text = encode_steps(trace, predicted.ask.options)
    ends = turns(text)
    if trace.outcome.kind != "limit" or len(ends) <= number:
        return None
    known = text[: ends[number].end]
    return known if len(known) < predicted.ask.limit else None
