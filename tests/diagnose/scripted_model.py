"""A model for tests that knows the truth, makes scripted mistakes, and continues any prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from plain_predictor import PlainPredictor

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import turns
from worldline.core.program import Program
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

Mistake = Callable[[PredictionRequest, bytes], bytes | None]


class Mistaken(PlainPredictor):
    """Writes the truth as `mistake` changes it (None: a fault); behind a given text that is true, the true rest."""

    name = "mistaken"

    def __init__(self, mistake: Mistake) -> None:
        self.mistake = mistake
        self.asked: list[PredictionRequest] = []
        self._known: dict[tuple[str, Compact], bytes] = {}

    def truth(self, ask: PredictionRequest) -> bytes:
        """The true text of an ask."""
        self.learn([ask])
        return self._known[ask.program.digest, ask.options]

    def learn(self, asks: Sequence[PredictionRequest]) -> None:
        """Records what is not known yet, in one box."""
        unknown = [ask for ask in asks if (ask.program.digest, ask.options) not in self._known]
        whole = [replace(ask, given=b"", limit=1 << 20) for ask in unknown]
        for ask, found in zip(unknown, Interpreter().predict(whole) if whole else (), strict=True):
            self._known[ask.program.digest, ask.options] = found.text

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each ask."""
        self.learn(asks)
        for ask in asks:
            self.asked.append(ask)
            text = self.mistake(ask, self.truth(ask))
            if text is None:
                yield Prediction(text=ask.given, status="fault", note="the line was cut")
                continue
            if not text.startswith(ask.given):
                true = self.truth(ask)
                done = len(turns(ask.given))
                rest = turns(true)[done:]
                text = ask.given + b"".join(true[turn.start : turn.end] for turn in rest)
            cut = len(text) > ask.limit
            yield Prediction(text=text[: ask.limit], status="budget" if cut else "ended")


def programs(count: int, body: str = "    a = n + 1\n    b = a * 2\n    return b\n") -> list[Program]:
    """Programs that differ in their argument alone."""
    return [Program(source=f"def f(n):\n{body}", call=f"f({n})") for n in range(count)]


def samples(
    model: Mistaken, wanted: Sequence[Program], *, limit: int = 1 << 12, options: Compact | None = None
) -> list[Sample]:
    """What a model makes of programs."""
    asks = [PredictionRequest(program=program, limit=limit, options=options or Compact()) for program in wanted]
    model.learn(asks)
    return [
        Sample(ask=ask, truth=Prediction(text=model.truth(ask), status="ended"), found=result)
        for ask, result in zip(asks, model.predict(asks), strict=True)
    ]


def argument(ask: PredictionRequest) -> int:
    """The number that a program is called with."""
    return int((ask.program.call or "")[2:-1])
