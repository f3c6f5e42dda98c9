"""Engines whose wishes are known, by the text so far or by chance; and a predictor that gives nothing but text."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from plain_predictor import PlainPredictor

from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

Array = NDArray[np.float32]
SURE, UNSURE = 9.0, 1.0


class Read:
    """What an engine has read."""

    def __init__(self, prompt: bytes = b"", text: bytes = b"") -> None:
        self.prompt, self.text = prompt, text

    def fork(self) -> Read:
        return Read(self.prompt, self.text)

    @property
    def nbytes(self) -> int:
        return len(self.prompt) + len(self.text)


class Opinion:
    """`logits` says what follows a text; `fed` is every piece that was read without being chosen byte by byte."""

    def __init__(self, logits: Callable[[bytes], Array]) -> None:
        self._logits = logits
        self.fed: list[bytes] = []
        self.batches: list[int] = []

    def start(self) -> Read:
        return Read()

    def feed(self, state: Read, data: bytes, *, pin: bool) -> Array:
        if pin:
            state.prompt += data
        else:
            self.fed.append(bytes(data))
            state.text += data
        return self._logits(state.text)

    def feed_all(self, state: Read, data: bytes, *, pin: bool) -> Array:
        return np.stack([self.feed(state, data[at : at + 1], pin=pin) for at in range(len(data))])

    def step(self, states: Sequence[Read], data: bytes) -> Array:
        self.batches.append(len(states))
        for state, byte in zip(states, data, strict=True):
            state.text += bytes([byte])
        return np.stack([self._logits(state.text) for state in states])


def wishing(say: Callable[[bytes], bytes], *, unsure: Callable[[bytes], bool] = lambda text: False) -> Opinion:
    """An engine that wants what `say` says comes next; of some texts it is less sure what follows."""

    def logits(text: bytes) -> Array:
        found = np.zeros(256, np.float32)
        found[(say(text) or b".")[0]] = UNSURE if unsure(text) else SURE
        return found

    return Opinion(logits)


def dicing(seed: int) -> Opinion:
    """An engine that wants anything, always the same behind the same text; it likes to end lines."""

    def logits(text: bytes) -> Array:
        found = np.random.default_rng([seed, zlib.crc32(text)]).standard_normal(256).astype(np.float32)
        found[0x0A] += 3
        found[0x30:0x3A] += 1
        return found

    return Opinion(logits)


class OnlyText(PlainPredictor):
    """A predictor behind which nobody can look. It counts what it was asked."""

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor
        self.name = "text"
        self.asked: list[bytes] = []

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        self.asked += [ask.given for ask in asks]
        for ask, found in zip(asks, self._predictor.predict(asks), strict=True):
            assert found.text.startswith(ask.given)
            yield Prediction(text=found.text, status=found.status)


# ---- a model of one program, with faults to order

SUM = Program(source="def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", call="f(3)")
TRUTH = b"(1 n=3\n2 s=0\n3 i=0\n4\n3 i=1\n4 s=1\n3 i=2\n4 s=3\n3\n5\n)3\n.\n"


def summing(*, excess: int = 0, rounds: int = 3) -> Callable[[bytes], bytes]:
    """Runs SUM from whatever the text says so far: it adds too much, or leaves the loop after so many rounds."""

    def say(text: bytes) -> bytes:
        whole, part = text[: text.rfind(b"\n") + 1], text[text.rfind(b"\n") + 1 :]
        names = {name: int(value) for name, value in re.findall(rb" (\w)=(-?\d+)", whole)}
        last = whole.splitlines()[-1] if whole else b""
        action = _action(last, names, rounds)
        if not action.startswith(part[: len(action)]):
            action = part if part == b")" else re.match(rb"\(?\d*", part)[0]  # type: ignore[index]
        line = action + _state(action, names, excess)
        return line[len(part) :]

    return say


def _action(last: bytes, names: dict[bytes, int], rounds: int) -> bytes:
    mark = last[:1]
    if mark == b"3":
        return b"4" if b"i" in last and _turns(names) <= rounds else b"5"
    return {b"": b"(1", b"(": b"2", b"2": b"3", b"4": b"3", b"5": b")"}.get(mark, b".\n")


def _turns(names: dict[bytes, int]) -> int:
    return names.get(b"i", -1) + 1


def _state(action: bytes, names: dict[bytes, int], excess: int) -> bytes:
    if action == b"(1":
        return b" n=3\n"
    if action == b"2":
        return b" s=0\n"
    if action == b"3":
        return b" i=%d\n" % _turns(names) if _turns(names) < 3 else b"\n"
    if action == b"4" and names.get(b"i", 0) + excess:
        return b" s=%d\n" % (names.get(b"s", 0) + names.get(b"i", 0) + excess)
    return b"%d\n" % names.get(b"s", 0) if action == b")" else b"" if action == b".\n" else b"\n"
