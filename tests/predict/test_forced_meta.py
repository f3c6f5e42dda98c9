"""A model that is right, and spells everything as Meta's own tracer does, is right under every forcing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from meta.zoo import ZOO
from plain_predictor import PlainPredictor

from worldline.codec.cwm.frame_text import FRAME_END, cut, is_stop
from worldline.codec.cwm.guard import first_refused
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="Meta's tracer is CPython 3.11's")


@cache
def traced() -> dict[str, bytes]:
    """Every program of the zoo as Meta's tracer spells it."""
    script = Path(__file__).parent / "meta" / "tracer.py"
    rows = json.dumps([(program.source, program.call) for program in ZOO.values()])
    done = subprocess.run([sys.executable, str(script)], input=rows, capture_output=True, text=True, check=True)
    return {name: text.encode() for name, text in zip(ZOO, json.loads(done.stdout), strict=True) if text}


@cache
def truths() -> dict[str, Prediction]:
    found = Interpreter(codec="cwm").predict([PredictionRequest(program=program) for program in ZOO.values()])
    return dict(zip(ZOO, found, strict=True))


@dataclass
class Speller(PlainPredictor):
    """Goes on in the tracer's text from the frame that a text is in, by number, the ends of loops apart."""

    text: bytes
    name: str = "speller"
    codec: str = "cwm"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            text = ask.given + self._rest(ask.given)
            status = "ended" if len(text) <= ask.limit else "budget"
            yield Prediction(text=text[: ask.limit], status=status, codec="cwm")

    def _rest(self, given: bytes) -> bytes:
        frames, at = cut(self.text), 0
        done, _, part = given.rpartition(FRAME_END)
        for frame in cut(done + FRAME_END) if done else ():
            while at < len(frames) - 1 and is_stop(frames[at], self.text) and not is_stop(frame, given):
                at += 1
            at += 1
        while part and at < len(frames) - 1 and not self.text[frames[at].start :].startswith(part[:12]):
            at += 1
        rest = self.text[frames[at].start :] if at < len(frames) else b"<|end_of_text|>"
        for mark in (b"<|arg_sep|>", b"<|action_sep|>"):
            if mark in part and not part.endswith(b"}"):
                return rest.partition(mark)[2][len(part.partition(mark)[2]) :]
        return rest[len(part) :] if rest.startswith(part) else rest[rest.index(b"<|action_sep|>") :]


def judged(name: str, found: Prediction) -> Diagnosis:
    return Diagnosis(Sample(ask=PredictionRequest(program=ZOO[name]), truth=truths()[name], found=found))


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", ZOO)
def test_the_guard_lets_it_write(name: str) -> None:
    if name in traced():
        assert first_refused(traced()[name], ZOO[name]) is None


@pytest.mark.sampled(31)
@pytest.mark.parametrize("force", ["actions", "states", "guard"])
@pytest.mark.parametrize("name", ZOO)
def test_it_is_right(name: str, force: str) -> None:
    if name not in traced() or not judged(name, Prediction(text=traced()[name], status="ended", codec="cwm")).is_whole:
        pytest.skip("the tracer and the recording do not agree about this program")
    ask = PredictionRequest(program=ZOO[name])
    (found,) = roll(Speller(traced()[name]), [ask], [truths()[name]], force=force)
    assert found.prediction.status == "ended"
    assert found.left is None
    assert judged(name, found.prediction).is_whole
