"""The predictor protocol: the seam between models and everything that uses one.

A predictor declares what it is (`ModelInfo`) and what else it can do (`Capabilities`), so that no caller needs to
inspect its class. A wrapper is a predictor around a predictor: it changes how the model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest, StreamPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from worldline.predict.forcing.forced_rollout import ForcedRollout
    from worldline.predict.rollout import ForkingEngine, Logits, RolloutDraft, Script


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What a predictor declares about itself. It never changes.

    Attributes:
        name: The name shown in reports.
        digest: Digest of its weights or code; empty if it has none.
        notation: The notation it writes, one of `codec.names.NOTATIONS`.
        is_greedy: It always writes the likeliest text, so a second prediction is the same.
        is_replay: Its outputs are stored. It cannot predict other programs.
        is_ground_truth: It executes the program, so its output is the true trace.
        modes: The modes of the compact notation it was trained to predict in, of `codec.compact.prompt.MODES`.
        config: Everything that decides how the model is asked, stored with a benchmark run.
    """

    name: str
    digest: str = ""
    notation: str = DEFAULT_NOTATION
    is_greedy: bool = False
    is_replay: bool = False
    is_ground_truth: bool = False
    modes: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)

    def options_for(self, program: Program, options: Compact | None = None) -> Compact:
        """Return the options in which the model predicts a program: those asked for, in its own modes."""
        options = options or Compact()
        if not program.lang.has_syntax_tree or not options.reveal:
            return options
        modes: dict[str, Any] = dict.fromkeys(self.modes, True)
        return replace(options, **modes)


class ScoresText(Protocol):
    """Can score any text, including one it did not write."""

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
    """Can answer questions in plain words."""

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
    """Can report the confidence of each step of its predictions, forced or not."""

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
    """What a predictor can do besides `predict`; None if it cannot.

    `samples` says whether it follows `PredictionRequest.decoding`.
    """

    scores_text: ScoresText | None = None
    answers_questions: AnswersQuestions | None = None
    rolls_out: RollsOut | None = None
    decodes_bytes: DecodesBytes | None = None
    samples: bool = False


class Predictor(Protocol):
    """Continues traces: the shipped model, a checkpoint, a server, the interpreter, a wrapper."""

    @property
    def info(self) -> ModelInfo: ...
    @property
    def capabilities(self) -> Capabilities: ...
    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
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
        """The engine, if its states can be copied."""
        ...

    def settled(self, *, guard: bool | None = None, logprobs: bool = True) -> DecodesBytes:
        """Return a copy that stores log-probabilities or not, with the control-flow guard on, off or as it is."""
        ...

    def draft(self, request: PredictionRequest, script: Script | None = None) -> RolloutDraft:
        """Start a text."""
        ...

    def follow(self, requests: Sequence[PredictionRequest], scripts: Sequence[Script | None]) -> Iterator[Prediction]:
        """Yield one prediction per request, with the parts that its script dictates."""
        ...

    def complete(self, started: Iterable[tuple[RolloutDraft, Any, Logits]]) -> Iterator[RolloutDraft]:
        """Finish started texts, each from its own engine state and the logits there."""
        ...

    def stream(
        self, request: PredictionRequest, *, stop: Callable[[], bool], script: Script | None = None, loose: bool = False
    ) -> Iterator[StreamPiece]:
        """Yield the pieces of one prediction as they are written, until `stop` returns true."""
        ...


@dataclass(frozen=True)
class WatchedPredictor:
    """Calls `on_prediction` after each prediction of another predictor.

    It does not offer byte-wise decoding and rollouts: their texts would not be counted.
    """

    predictor: Predictor
    on_prediction: Callable[[], None]

    @property
    def info(self) -> ModelInfo:
        return self.predictor.info

    @property
    def capabilities(self) -> Capabilities:
        return replace(self.predictor.capabilities, decodes_bytes=None, rolls_out=None)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for prediction in self.predictor.predict(requests):
            self.on_prediction()
            yield prediction
