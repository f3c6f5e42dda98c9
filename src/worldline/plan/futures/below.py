"""The model's probability for each value of a draw of `below n`, compared with 1/n.

The model reads a small program that draws once, and the true text up to the value; it scores the value. The draw is
phrased in several ways (below.txt), so that no single phrase is memorised.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.futures.scores import Forecast, ReliabilityBin, calibration_error, reliability
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import ScoresText

SIZES = tuple(range(2, 21))
PHRASES = tuple(files(__package__).joinpath("below.txt").read_text("utf-8").split("\n")[:-1])
_SOURCE = "import random\n\n\ndef f():\n    x = {}\n    return x\n"


@dataclass(frozen=True)
class BelowRow:
    """A draw of `n` values: the probability of each, averaged over the phrases.

    `worst` is the largest difference from 1/n over all values and phrases; `rest` is the mean mass on other text.
    """

    n: int
    probabilities: tuple[float, ...]
    worst: float
    rest: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields, and 1/n as `even`."""
        return {**self.__dict__, "probabilities": list(self.probabilities), "even": 1 / self.n}


@dataclass(frozen=True)
class BelowTable:
    """One row per n, and every single probability as a forecast."""

    rows: tuple[BelowRow, ...]
    forecasts: tuple[Forecast, ...]

    @property
    def worst(self) -> float:
        """The largest difference from 1/n of all rows."""
        return max((row.worst for row in self.rows), default=0.0)

    @property
    def bins(self) -> tuple[ReliabilityBin, ...]:
        """The forecasts in bins of 1/50, because most are small."""
        return reliability(self.forecasts, bins=50)

    def as_json(self) -> dict[str, Any]:
        """Return all rows and bins as JSON."""
        return {
            "rows": [row.as_json() for row in self.rows],
            "worst": self.worst,
            "calibration": calibration_error(self.bins),
            "bins": [reliability_bin.as_json() for reliability_bin in self.bins],
        }


def measure_below(odds: ScoresText, sizes: Iterable[int] = SIZES, phrases: Sequence[str] = PHRASES) -> BelowTable:
    """Measure a model."""
    rows, every = list[BelowRow](), list[Forecast]()
    for n in sizes:
        if n < 1 or not phrases:
            raise UsageError(f"cannot measure a draw of {n} values with {len(phrases)} phrases")
        by_phrase = [_probabilities(odds, build_request(n, phrase), n) for phrase in phrases]
        means = tuple(sum(probabilities) / len(by_phrase) for probabilities in zip(*by_phrase, strict=True))
        worst = max(abs(p - 1 / n) for probabilities in by_phrase for p in probabilities)
        rows.append(BelowRow(n, means, worst, max(0.0, 1 - sum(means))))
        every += [Forecast(p, 1 / n, 1 / n) for probabilities in by_phrase for p in probabilities]
    return BelowTable(tuple(rows), tuple(every))


def build_request(n: int, phrase: str) -> PredictionRequest:
    """Build a program that draws once below n, and its true text up to the value."""
    program = Program(source=_SOURCE.format(phrase.replace("N", str(n))), call="f()")
    true_text = f"(4\n%'below {n}'=".encode()
    return PredictionRequest(program=program, given=true_text)


def _probabilities(odds: ScoresText, ask: PredictionRequest, n: int) -> list[float]:
    texts = [f"{value}\n".encode() for value in range(n)]
    return [math.exp(numbers.sum()) for numbers in odds.score(ask, texts)]
