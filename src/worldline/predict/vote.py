"""Self-consistency: several predictions of one program, of which the most probable answer wins.

The first model writes its likeliest text. If it is sure of every step, that is the prediction. Otherwise the other
models write theirs and every model draws samples, all from the first unsure step on. The weight of an answer is the sum
of the probabilities of the distinct texts that end with it: a lower bound of the answer's probability, to which a text
that was drawn twice adds nothing. Models that report no log-probabilities vote by count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from worldline.codec.answer import same_answer
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.forced import rollouts
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.models import AnyModel, load_model
from worldline.predict.prediction import Decoding, Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.table import context_of

DEFAULT_TEMPERATURE = 0.8  # of samples
CONFIDENCE_THRESHOLD = 0.9  # a step below this is unsure
GROUP = 16  # programs that are predicted before the samples of the unsure ones are drawn


@dataclass(frozen=True, kw_only=True)
class VoteOptions:
    """How models vote.

    Attributes:
        samples: Maximum number of predictions by each model, the likeliest text included.
        temperature: The temperature of the others.
        threshold: The probability below which a step is unsure.
        seed: The seed of the samples. Consecutive seeds give different samples.
    """

    samples: int = 1
    temperature: float = DEFAULT_TEMPERATURE
    threshold: float = CONFIDENCE_THRESHOLD
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"--samples is at least 1, not {self.samples}")
        if self.samples > 1 and not self.temperature > 0:
            raise UsageError("samples at temperature 0 are all the same: pass a temperature above 0")

    def decodings(self) -> list[Decoding]:
        """Return how each sample after the first prediction is drawn."""
        first = self.seed * self.samples
        return [Decoding(temperature=self.temperature, seed=first + number) for number in range(1, self.samples)]


def vote_options(samples: int, extras: Mapping[str, str] | None = None) -> VoteOptions:
    """Return how models with these options vote: their `temperature` and `seed` are those of the samples."""
    if samples == 1:
        return VoteOptions()
    options = extras or {}
    try:
        temperature, seed = float(options.get("temperature", "0")), int(options.get("seed", "0"))
    except ValueError as error:
        raise UsageError(f"a vote needs numbers as temperature and seed: {error}") from None
    return VoteOptions(samples=samples, temperature=temperature or DEFAULT_TEMPERATURE, seed=seed)


def load_vote(
    predictor: Predictor, extras: Mapping[str, str] | None = None, *, samples: int = 1, voters: Sequence[AnyModel] = ()
) -> Predictor:
    """Let a model vote with itself and others.

    Args:
        predictor: The first model.
        extras: Options of every model.
        samples: Maximum number of predictions by each model.
        voters: The other models: predictors, functions, or names that `load_model` knows.

    Returns:
        A `Vote`; the predictor itself if it has nothing to vote on.

    Raises:
        UsageError: A model is unknown, or the models write different notations.
    """
    others = [load_model(voter, extras) for voter in voters]
    return among([predictor, *others], vote_options(samples, extras))


def among(predictors: Sequence[Predictor], options: VoteOptions) -> Predictor:
    """Return the vote among predictors; the predictor itself if it is alone and makes one prediction."""
    return predictors[0] if len(predictors) == options.samples == 1 else Vote(tuple(predictors), options)


@dataclass(frozen=True)
class Vote:
    """Makes several predictions of a program and returns one with the answer of the largest weight.

    The predictors must write the same notation. The first one decides which programs are unsure.
    """

    predictors: tuple[Predictor, ...]
    options: VoteOptions = field(default_factory=VoteOptions)

    def __post_init__(self) -> None:
        notations = {predictor.info.notation for predictor in self.predictors}
        if len(notations) != 1:
            raise UsageError(f"models vote on texts in one notation, not in {', '.join(sorted(notations)) or 'none'}")
        if len({frozenset(predictor.info.modes) for predictor in self.predictors}) > 1:
            raise UsageError("models vote on texts in the same modes, and these were trained in others: pass -M modes=")

    @property
    def info(self) -> ModelInfo:
        """That of the first predictor, with the names of all and a digest of everything that decides the vote."""
        infos = [predictor.info for predictor in self.predictors]
        name = f"{' + '.join(info.name for info in infos)}, vote of {self.options.samples * len(infos)}"
        known = [info.digest or info.name for info in infos]
        digest = sha256(f"{known} {self.options}".encode()).hexdigest()
        return replace(infos[0], name=name, digest=digest, is_greedy=False)

    @property
    def capabilities(self) -> Capabilities:
        """Answers of the first predictor, and rollouts. A byte of a vote has no probability of its own."""
        return Capabilities(answers_questions=self.predictors[0].capabilities.answers_questions, rolls_out=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, chosen among several if the first one is unsure."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """Yield the same with the confidence of each step."""
        for start in range(0, len(requests), GROUP):
            yield from self._roll_group(requests[start : start + GROUP])

    def _roll_group(self, requests: Sequence[PredictionRequest]) -> Iterator[ForcedRollout]:
        """Predict all programs once, then those again of which the first predictor is unsure."""
        firsts = list(rollouts(self.predictors[0], [_greedy(request) for request in requests]))
        unsure: dict[int, int] = {}  # the number of sure steps at the start, by place
        for at, first in enumerate(firsts):
            step = unsure_step(first, self.options.threshold)
            if step is not None and first.prediction.status != "fault":
                unsure[at] = step if self._can_resume else 0
        ballots = {at: Ballot(requests[at], firsts[at], step) for at, step in unsure.items()}
        for voter, predictor in enumerate(self.predictors):
            decodings = [*([Decoding()] if voter else []), *(self.options.decodings() if _draws(predictor) else [])]
            places = [at for at in ballots for _ in decodings]
            further = [replace(ballot.resumed, decoding=way) for ballot in ballots.values() for way in decodings]
            for at, rolled in zip(places, rollouts(predictor, further), strict=True):
                ballots[at].add(voter, rolled)
        for at, first in enumerate(firsts):
            yield ballots[at].winner() if at in ballots else first

    @property
    def _can_resume(self) -> bool:
        """Whether every predictor can continue a text that another one started."""
        return all(predictor.capabilities.decodes_bytes is not None for predictor in self.predictors)


def _greedy(request: PredictionRequest) -> PredictionRequest:
    return replace(request, decoding=Decoding())


def _draws(predictor: Predictor) -> bool:
    """Whether a second prediction may differ from the first."""
    info = predictor.info
    return predictor.capabilities.samples or not (info.is_greedy or info.is_replay or info.is_ground_truth)


def unsure_step(rolled: ForcedRollout, threshold: float) -> int | None:
    """Return the first step below a probability; None if there is none.

    Without the confidence of each step, the probability of the whole text counts, and an unknown one is unsure.
    """
    if rolled.sure:
        return next((n for n, step in enumerate(rolled.sure) if step.logprob < math.log(threshold)), None)
    logprob = rolled.prediction.logprob
    return 0 if logprob is None or logprob < math.log(threshold) else None


@dataclass(frozen=True)
class Candidate:
    """One prediction in a vote: who wrote it, its answer, and its log-probability after the shared start, if known."""

    voter: int
    rolled: ForcedRollout
    answer: PredictedOutcome | None
    logprob: float | None

    @property
    def text(self) -> bytes:
        """Its text."""
        return self.rolled.prediction.text


class Ballot:
    """The predictions of one program, which share the start of the first one up to its first unsure step."""

    def __init__(self, request: PredictionRequest, first: ForcedRollout, sure_steps: int) -> None:
        start = first.sure[sure_steps].start if sure_steps else 0
        prefix = max(request.given, first.prediction.text[:start], key=len)
        self.resumed = replace(request, given=prefix)
        self._shared: tuple[StepConfidence, ...] = first.sure[:sure_steps]
        self._shared_logprob = math.fsum(step.logprob for step in self._shared)
        logprob = _plus(first.prediction.logprob, -self._shared_logprob)
        self._candidates = [Candidate(0, first, outcome(request, first.prediction), logprob)]

    def add(self, voter: int, rolled: ForcedRollout) -> None:
        """Add a prediction that continues the shared start."""
        prediction = rolled.prediction
        whole = replace(
            rolled,
            prediction=replace(prediction, logprob=_plus(prediction.logprob, self._shared_logprob)),
            sure=self._shared + rolled.sure[len(self._shared) :] if rolled.sure else (),
        )
        self._candidates.append(Candidate(voter, whole, outcome(self.resumed, prediction), prediction.logprob))

    def winner(self) -> ForcedRollout:
        """Return the most probable text with the winning answer; the first prediction if no text has an answer."""
        chosen, note = elect(self._candidates)
        prediction = chosen.rolled.prediction
        shared = len(self.resumed.given)
        others = [other.rolled.prediction for other in self._candidates if other is not chosen]
        # The shared start was written once, by the first prediction.
        written = sum(max(other.bytes_written - shared, 0) for other in others)
        voted = replace(
            prediction,
            seconds=math.fsum(candidate.rolled.prediction.seconds for candidate in self._candidates),
            discarded=prediction.discarded + written,
            note="; ".join(part for part in (prediction.note, note) if part),
        )
        return replace(chosen.rolled, prediction=voted)


def _plus(logprob: float | None, more: float) -> float | None:
    return None if logprob is None else logprob + more


@dataclass(frozen=True)
class PredictedOutcome:
    """How a predicted run ends: the event, its value, and for a script what it printed or else its whole text."""

    event: str
    value: str
    shown: tuple[str | None, ...] | bytes = ()

    def is_same(self, other: PredictedOutcome) -> bool:
        """Whether two runs end alike; values are compared as values, not as text."""
        return self.event == other.event and self.shown == other.shown and same_answer(self.value, other.value)


def outcome(request: PredictionRequest, prediction: Prediction) -> PredictedOutcome | None:
    """Return the outcome that a text predicts; None if it does not end validly."""
    if prediction.status in ("fault", "broken"):
        return None
    written = notation(prediction.codec)
    reading = written.read(context_of(request), prediction.text, status=prediction.status)
    if not reading.ended or reading.malformed is not None or reading.answer is None:
        return None
    if request.program.call is not None:
        return PredictedOutcome(*reading.answer)
    return PredictedOutcome(*reading.answer, reading.printed if written.shows_io else prediction.text)


def elect(candidates: Sequence[Candidate]) -> tuple[Candidate, str]:
    """Return the candidate that wins, and how many of the others have its answer and weight.

    Of equal weights, the answer that came first wins. A candidate without an answer has no vote.
    """
    groups: list[list[Candidate]] = []
    for candidate in candidates:
        if candidate.answer is not None:
            group = next((group for group in groups if _agree(group[0], candidate)), None)
            if group is None:
                groups.append([candidate])
            else:
                group.append(candidate)
    if not groups:
        return candidates[0], f"vote: none of {len(candidates)} texts has an answer"
    weights = _weights(groups)
    best = max(range(len(groups)), key=lambda n: weights[n])
    share = weights[best] / math.fsum(weights)
    note = f"vote: {len(groups[best])} of {len(candidates)} texts, {100 * share:.0f} % of the weight"
    return max(groups[best], key=lambda candidate: -math.inf if candidate.logprob is None else candidate.logprob), note


def _agree(first: Candidate, second: Candidate) -> bool:
    return first.answer is not None and second.answer is not None and first.answer.is_same(second.answer)


def _weights(groups: Sequence[Sequence[Candidate]]) -> list[float]:
    """The probability of the distinct texts of each group, up to a common factor; their count if one is unknown."""
    if any(candidate.logprob is None for group in groups for candidate in group):
        return [float(len(group)) for group in groups]
    known = [{(candidate.voter, candidate.text): candidate.logprob or 0.0 for candidate in group} for group in groups]
    highest = max(logprob for texts in known for logprob in texts.values())
    return [math.fsum(math.exp(logprob - highest) for logprob in texts.values()) for texts in known]
