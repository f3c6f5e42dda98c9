"""A suite of five programs, and a predictor that is right but for what it is told to get wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from plain_predictor import PlainPredictor

from worldline.core.program import Program
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

EVIL = "\x1b[31m\u202e</td></svg><script>alert(1)</script><img src=x onerror=alert(1)>\x07\x9b&lt;"
SUM = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
JOIN = "def f(s):\n    t = s.upper()\n    return t + '!'\n"


class Changed(PlainPredictor):
    """The truth, with texts replaced where they stand, or another text altogether."""

    def __init__(self, *changes: tuple[bytes, bytes], codec: str = "compact", name: str = "changed") -> None:
        self.changes, self.codec, self.name = changes, codec, name

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for found in Interpreter(codec=self.codec).predict(asks):
            text = found.text
            for old, new in self.changes:
                text = text.replace(old, new)
            yield replace(found, text=text)


def suite(*, evil: bool = False) -> Suite:
    """Sums of several lengths and a few strings, in groups."""
    word = EVIL if evil else "abc"
    sums = [Task(program=Program(source=SUM, call=f"f({n})"), name=f"sum/{n}", group=str(n)) for n in (2, 5, 9)]
    texts = [
        Task(program=Program(source=JOIN, call=f"f({word * k!r})"), name=f"{word}/{k}", group=f"{k}/{word}")
        for k in (1, 2)
    ]
    return Suite(name="generated", tasks=[*sums, *texts])
