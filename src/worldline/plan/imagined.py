"""A model as an oracle: a prediction is an answer if a gate fitted on this code gives it enough confidence.

The score of a prediction is the natural log-probability of the text that the answer is read from. Without a gate the
model's own probability is not trusted, and the answer is unknown. Nothing here executes a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.plan.answer import IMAGINED, UNKNOWN, Answer, Budget, ExecutionCost
from worldline.plan.gate import Gate
from worldline.plan.question import Question
from worldline.plan.reading import read_imagined
from worldline.predict.confidence import StepConfidence, step_confidences
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

PROMPT_OPTIONS = Compact(bare=True)  # lines that can never run are left out; the others keep their numbers
UNGATED = "the model is not calibrated on this code yet"


@dataclass(frozen=True, kw_only=True)
class PredictedAnswer:
    """The answer that a model predicts, its score (None if the model has none), and the text it wrote.

    `sure` is the confidence in each step, if it was requested.
    """

    value: str | None
    score: float | None
    ask: PredictionRequest
    prediction: Prediction
    sure: tuple[StepConfidence, ...] = ()

    @property
    def spent(self) -> ExecutionCost:
        """The cost of the prediction."""
        return ExecutionCost(bytes=self.prediction.bytes_written - len(self.ask.given))

    def probability(self, gate: Gate | None) -> float | None:
        """Return the gate's bound for the prediction; None without a gate or a score."""
        return None if gate is None or self.score is None else gate.probability(self.score)


@dataclass(frozen=True)
class ImaginedOracle:
    """Answers by prediction alone, where the gate allows it."""

    predictor: Predictor
    gate: Gate | None = None

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """Predict the answer; unknown if the confidence is lower than the budget asks."""
        (predicted,) = predict_answers(self.predictor, [program], question, limit=budget.bytes)
        return judge_prediction(predicted, self.gate, budget.sure)


def predict_answers(
    predictor: Predictor, programs: Sequence[Program], question: Question, *, limit: int, fine: bool = False
) -> Iterator[PredictedAnswer]:
    """Predict the answer of each program, in order; a local model predicts several at once."""
    options_for = predictor.info.options_for
    asks = [
        PredictionRequest(program=program, options=options_for(program, PROMPT_OPTIONS), limit=limit)
        for program in programs
    ]
    return predict_from(predictor, asks, question, fine=fine)


def predict_from(
    predictor: Predictor, asks: Sequence[PredictionRequest], question: Question, *, fine: bool = False
) -> Iterator[PredictedAnswer]:
    """Predict from requests whose text may have a given start, which counts as certain.

    With `fine`, the confidence of each step is computed too.
    """
    decoder = predictor.capabilities.decodes_bytes
    if decoder is None or not (fine or question.what in ("line", "ends")):
        for ask, prediction in zip(asks, predictor.predict(asks), strict=True):
            yield _predicted_answer(question, ask, prediction, prediction.logprob)
        return
    settled = decoder.settled()
    for ask, prediction in zip(asks, settled.predict(asks), strict=True):
        end = read_imagined(question, ask, prediction).end - len(ask.given)
        sure = tuple(step_confidences(ask, prediction, settled.logprobs)) if fine else ()
        yield _predicted_answer(question, ask, prediction, float(sum(settled.logprobs[: max(0, end)])), sure)


def _predicted_answer(
    question: Question,
    ask: PredictionRequest,
    prediction: Prediction,
    score: float | None,
    sure: tuple[StepConfidence, ...] = (),
) -> PredictedAnswer:
    value = None if prediction.status == "fault" else read_imagined(question, ask, prediction).value
    return PredictedAnswer(
        value=value, score=score if value is not None else None, ask=ask, prediction=prediction, sure=sure
    )


def judge_prediction(predicted: PredictedAnswer, gate: Gate | None, sure: float) -> Answer:
    """Turn a prediction into an answer: predicted with its probability, or unknown with the reason."""
    probability = predicted.probability(gate)
    if (why := explain_doubt(predicted, gate, sure)) is None:
        assert gate is not None
        why = f"predicted, not executed; calibrated on {gate.described}"
        return Answer(value=predicted.value, probability=probability, spent=predicted.spent, how=IMAGINED, why=why)
    return Answer(value=None, probability=probability, spent=predicted.spent, how=UNKNOWN, why=why)


def explain_doubt(predicted: PredictedAnswer, gate: Gate | None, sure: float) -> str | None:
    """Say why a prediction is not an answer; None if it is one."""
    if predicted.value is None:
        note = predicted.prediction.note if predicted.prediction.status == "fault" else "its text does not end"
        return f"the model predicts no answer: {note or 'the tool failed'}"
    if gate is None:
        return UNGATED
    if predicted.score is None:
        return "the model reports no confidence"
    chance = gate.probability(predicted.score)
    return None if chance >= sure else f"at least {chance:.0%} confidence, where {sure:.0%} is required"
