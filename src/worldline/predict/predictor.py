"""The seam between models and everything that uses one: what a predictor is, and what some can do besides.

A predictor declares what it is (`ModelInfo`) and what else it can do (`Capabilities`), so that no caller
looks at its class. A wrapper is a predictor around a predictor: it changes how the other is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from worldline.codec.names import DEFAULT_NOTATION
from worldline.predict.prediction import Prediction, PredictionRequest, StreamPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from worldline.predict.forcing.rolled import ForcedRollout
    from worldline.predict.rollout import ForkingEngine, Logits, RolloutDraft, Script


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What a predictor says about itself; none of it changes while it lives.

    Attributes:
        name: What reports call it.
        digest: Digest of its weights or its code; empty where it has none.
        notation: The notation it writes, one of `codec.names.NOTATIONS`.
        is_greedy: It always writes the likeliest text, so a second answer tells nothing new.
        is_replay: Its outputs were made before. It cannot be asked for other programs.
        is_ground_truth: It executes the program, so what it writes is what happens.
        config: Everything that decides how the model is asked, for a benchmark run to store.
    """

    name: str
    digest: str = ""
    notation: str = DEFAULT_NOTATION
    is_greedy: bool = False
    is_replay: bool = False
    is_ground_truth: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)


class ScoresText(Protocol):
    """Can say how likely any text is, including a text it did not write."""

    def score(self, request: PredictionRequest, texts: Sequence[bytes], /) -> list[NDArray[np.float64]]:
        """Score texts that continue `request.given`.

        Args:
            request: The program, and how its steps start.
            texts: Continuations of `request.given`.

        Returns:
            For each text, the natural log-probability of each of its bytes.
        """
        ...


class AnswersQuestions(Protocol):
    """Can be asked in plain words."""

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """Answer each question, in order.

        Args:
            questions: Texts the model reads as they are.
            limit: Maximum length of an answer.

        Yields:
            One prediction per question; its text is the answer.
        """
        ...


class RollsOut(Protocol):
    """Can say how sure it was of each step of its own predictions, whatever was forced on it."""

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """Predict each request, in order.

        Args:
            requests: The programs.

        Yields:
            One rollout per request.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a predictor can do besides `predict`; `None` where it cannot."""

    scores_text: ScoresText | None = None
    answers_questions: AnswersQuestions | None = None
    rolls_out: RollsOut | None = None
    decodes_bytes: DecodesBytes | None = None


class Predictor(Protocol):
    """Whatever continues a trace: the shipped model, a checkpoint, a server, the interpreter, a wrapper."""

    @property
    def info(self) -> ModelInfo:
        """What it is."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do besides `predict`."""
        ...

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is there."""
        ...


class DecodesBytes(Predictor, Protocol):
    """Writes byte by byte, so that part of a text can be dictated and every byte has a probability.

    `logprobs`, `entropies` (one per byte after `request.given`) and `dictated` (spans of the text) describe
    the prediction that was yielded last.
    """

    logprobs: list[float]
    entropies: list[float]
    dictated: list[tuple[int, int]]

    @property
    def forking_engine(self) -> ForkingEngine | None:
        """The engine that reads the bytes, where its states can be copied."""
        ...

    def settled(self, *, guard: bool | None = None, logprobs: bool = True) -> DecodesBytes:
        """Copy it, with log-probabilities stored or not and the control-flow guard on or off."""
        ...

    def draft(self, request: PredictionRequest, script: Script | None = None) -> RolloutDraft:
        """Start a text."""
        ...

    def follow(
        self, requests: Sequence[PredictionRequest], scripts: Sequence[Script | None]
    ) -> Iterator[Prediction]:
        """Yield one prediction per request, each with the part that its script dictates."""
        ...

    def complete(self, begun: Iterable[tuple[RolloutDraft, Any, Logits]]) -> Iterator[RolloutDraft]:
        """Write started texts to their ends, each from its own state of the engine."""
        ...

    def stream(
        self,
        request: PredictionRequest,
        *,
        stop: Callable[[], bool],
        script: Script | None = None,
        loose: bool = False,
    ) -> Iterator[StreamPiece]:
        """Yield the pieces of one prediction as they are written, until `stop` says so."""
        ...


@dataclass(frozen=True)
class WatchedPredictor:
    """Another predictor as it is; `on_prediction` is called for every prediction.

    Byte-by-byte access and rollouts are withheld: texts written that way would not be seen here.
    """

    predictor: Predictor
    on_prediction: Callable[[], None]

    @property
    def info(self) -> ModelInfo:
        """The other's."""
        return self.predictor.info

    @property
    def capabilities(self) -> Capabilities:
        """The other's, except for what would write texts unseen."""
        return replace(self.predictor.capabilities, decodes_bytes=None, rolls_out=None)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield what the other writes."""
        for prediction in self.predictor.predict(requests):
            self.on_prediction()
            yield prediction
