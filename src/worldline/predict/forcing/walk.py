"""Any predictor under a script: its answer is read byte by byte, and asked for anew where something else was dictated.

An answer stays good as long as what is written is what it says, so that a predictor that is right is asked once. What
a model would have written otherwise cannot be had from text alone: where it goes on in a way that the script does not
leave to it (it makes a forced `)` a `)!`), and nothing is dictated instead, the prediction is broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.predict.rollout import Script, is_ended

LOOKAHEAD = 1 << 14  # bytes asked for at once behind what is written
TOGETHER = 64  # texts under way


@dataclass
class ForcedWalk:
    """One text under way, and the answer that it is read from while they agree."""

    ask: PredictionRequest
    script: Script
    text: bytearray = field(default_factory=bytearray)
    held: Prediction | None = None
    status: str = ""
    seconds: float = 0.0
    asked: int = 0  # times
    certain: bool = True  # every answer was given as certain
    dictated: list[tuple[int, int]] = field(default_factory=list)

    def prediction(self) -> Prediction:
        """What has come of it."""
        logprob = 0.0 if self.certain else None
        return Prediction(text=bytes(self.text), status=self.status, logprob=logprob, seconds=self.seconds)


def walk(
    predictor: Predictor, asks: Sequence[PredictionRequest], scripts: Sequence[Script]
) -> Iterator[ForcedWalk]:
    """The walks of these asks, finished, in their order."""
    for first in range(0, len(asks), TOGETHER):
        part = slice(first, first + TOGETHER)
        walks = [
            ForcedWalk(ask, script, bytearray(ask.given))
            for ask, script in zip(asks[part], scripts[part], strict=True)
        ]
        while waiting := [one for one in walks if not one.status]:
            _answer(predictor, waiting)
            for one in waiting:
                _go(one)
        yield from walks


def _answer(predictor: Predictor, waiting: Sequence[ForcedWalk]) -> None:
    """Asks for what follows each text."""
    asks = [
        PredictionRequest(
            program=one.ask.program,
            options=one.ask.options,
            limit=min(one.ask.limit, len(one.text) + LOOKAHEAD),
            given=bytes(one.text),
        )
        for one in waiting
    ]
    for one, ask, found in zip(waiting, asks, predictor.predict(asks), strict=True):
        if found.codec != "compact":
            raise UsageError(f"{predictor.info.name} writes {found.codec}: only compact texts can be forced")
        one.held, one.asked = found, one.asked + 1
        one.seconds += found.seconds
        one.certain = one.certain and found.logprob == 0.0
        if found.status == "fault" or not found.text.startswith(ask.given):
            one.status = "fault"


def _go(one: ForcedWalk) -> None:
    """Reads on in the answer, until it ends or something else is dictated."""
    fresh = len(one.text)
    while not one.status and one.held is not None:
        byte = one.held.text[len(one.text)] if len(one.text) < len(one.held.text) else None
        data = one.script.instead(one.text, byte)
        if data is None or len(one.text) >= one.ask.limit:
            one.status = "budget"
        elif data:
            _dictate(one, data[: one.ask.limit - len(one.text)])
        elif byte is None:
            _run_out(one, len(one.text) > fresh)
        else:
            _take(one, byte)
        if not one.status and is_ended(one.text):
            one.status = "ended"


def _dictate(one: ForcedWalk, data: bytes) -> None:
    start, end = len(one.text), len(one.text) + len(data)
    one.text += data
    one.dictated.append((start, end))
    if one.held is not None and one.held.text[start:end] != data:
        one.held = None


def _run_out(one: ForcedWalk, moved: bool) -> None:
    """The answer is at its end: it was cut by the look-ahead, or there is no more."""
    assert one.held is not None
    cut = one.held.status == "budget" and moved and len(one.text) < one.ask.limit
    one.status, one.held = ("", None) if cut else (one.held.status, one.held)


def _take(one: ForcedWalk, byte: int) -> None:
    if one.script.allowed(one.text) >> byte & 1:
        one.text.append(byte)
    else:
        one.status = "broken"
