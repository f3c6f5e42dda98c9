"""A model as an oracle: what it imagines is an answer where a gate, fitted on the code at hand, is sure enough of it.

The score that goes into a gate is the natural log-probability of the text that the answer stands on. Without a gate a
model's own probability is not trusted: nothing is answered. Nothing here runs a program.
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

OPTIONS = Compact(bare=True)  # lines that can never run are not read: the others keep their numbers
UNGATED = "no gate is fitted for this code, so how sure the model is means nothing"


@dataclass(frozen=True, kw_only=True)
class PredictedAnswer:
    """What a model imagines the answer to be; its score, None where it has none; the text that it wrote.

    `sure` is how sure it was of each step, where that was asked for.
    """

    value: str | None
    score: float | None
    ask: PredictionRequest
    found: Prediction
    sure: tuple[StepConfidence, ...] = ()

    @property
    def spent(self) -> ExecutionCost:
        """What it took."""
        return ExecutionCost(bytes=len(self.found.text) - len(self.ask.given))


@dataclass(frozen=True)
class ImaginedOracle:
    """Answers by imagining alone, where the gate lets it."""

    predictor: Predictor
    gate: Gate | None = None

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """What the model imagines, if it is as sure as the budget asks; unknown otherwise."""
        (thought,) = think(self.predictor, [program], question, limit=budget.bytes)
        return judged(thought, self.gate, budget.sure)


def think(
    predictor: Predictor, programs: Sequence[Program], question: Question, *, limit: int, fine: bool = False
) -> Iterator[PredictedAnswer]:
    """What a model imagines of each program, in their order; a local model imagines several at once."""
    asks = [PredictionRequest(program=program, options=OPTIONS, limit=limit) for program in programs]
    return think_on(predictor, asks, question, fine=fine)


def think_on(
    predictor: Predictor, asks: Sequence[PredictionRequest], question: Question, *, fine: bool = False
) -> Iterator[PredictedAnswer]:
    """The same of asks, of which a part may be given: what is given counts as certain. `fine`: by step, too."""
    decoder = predictor.capabilities.decodes_bytes
    if decoder is None or not (fine or question.what in ("line", "ends")):
        for ask, prediction in zip(asks, predictor.predict(asks), strict=True):
            yield _thought(question, ask, prediction, prediction.logprob)
        return
    teller = decoder.settled()
    for ask, prediction in zip(asks, teller.predict(asks), strict=True):
        end = read_imagined(question, ask, prediction).end - len(ask.given)
        sure = tuple(step_confidences(ask, prediction, teller.logprobs)) if fine else ()
        yield _thought(question, ask, prediction, float(sum(teller.logprobs[: max(0, end)])), sure)


def _thought(
    question: Question,
    ask: PredictionRequest,
    prediction: Prediction,
    score: float | None,
    sure: tuple[StepConfidence, ...] = (),
) -> PredictedAnswer:
    value = None if prediction.status == "fault" else read_imagined(question, ask, prediction).value
    return PredictedAnswer(
        value=value, score=score if value is not None else None, ask=ask, found=prediction, sure=sure
    )


def judged(thought: PredictedAnswer, gate: Gate | None, sure: float) -> Answer:
    """A thought as an answer: imagined with its probability, or unknown with the reason."""
    if (why := unsure(thought, gate, sure)) is None:
        assert gate is not None
        assert thought.score is not None
        return Answer(
            value=thought.value,
            probability=gate.probability(thought.score),
            spent=thought.spent,
            how=IMAGINED,
            why=f"it was not run; the gate stands on {gate.n} recorded runs",
        )
    chance = None if gate is None or thought.score is None else gate.probability(thought.score)
    return Answer(value=None, probability=chance, spent=thought.spent, how=UNKNOWN, why=why)


def unsure(thought: PredictedAnswer, gate: Gate | None, sure: float) -> str | None:
    """Why a thought is no answer; None where it is one."""
    if thought.value is None:
        note = thought.found.note if thought.found.status == "fault" else "its text does not come to an end"
        return f"the model imagines no answer: {note or 'the tool failed'}"
    if gate is None:
        return UNGATED
    if thought.score is None:
        return "the model does not say how sure it is"
    chance = gate.probability(thought.score)
    return None if chance >= sure else f"at least {chance:.0%} sure where {sure:.0%} is asked for"
