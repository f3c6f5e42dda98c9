"""Runs on disk for the browser tests of the sample view: programs whose true run is known, and models that are wrong in
one known place each. It asserts nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from plain_predictor import PlainPredictor

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

FACT = "def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    print('r', r)\n    return r * n\n"
WORDS = "def words(ws):\n    out = []\n    for w in ws:\n        out.append(w)\n    return out\n"
LONG = "def f(n):\n    s = 0\n    while s < n:\n        s += 1\n    return s\n"
HOSTILE = (
    "def f(s):\n    # <img src=x onerror=alert(1)> \u202eevil\u202c \u200b\x0c\n    t = s + '<b>'\n"
    f"    u = '{'y' * 3_000}'\n    return t\n"
)
CUT = ("def cut(n):\n    m = n + 1\n    k = m + 1\n    return k\n", "cut(1)")
# No step of it tells how many are to come: a model that is to write 6,004 of them is at it for minutes.
LOOP = ("def loop(n):\n    s = n\n    for c in 'x' * n:\n        s = n\n    return s\n", "loop(3000)")
CUTS = {CUT[1]: 12, LOOP[1]: 40}  # bytes: where every model's budget ends
# Steps of fact(3): 0-2 in fact(3), 3-5 in fact(2), 6-9 in fact(1), 10-13 in fact(2), 14-17 in fact(3).
CALLS = (
    (FACT, "fact(3)"), (WORDS, "words(['ab', 'cd'])"), (HOSTILE, "f('<script>alert(1)</script>\u202e')"), CUT, LOOP,
)  # fmt: skip
LONG_TURNS = 9_998
# A test and a body each; the call, s = 0, the last test, line 5 and the return.
LONG_STEPS = 2 * LONG_TURNS + 5


@dataclass(frozen=True)
class Staged(PlainPredictor):
    """The truth, but for some texts of some programs (by the name of their function), each replaced once, in order."""

    name: str
    wrong: Mapping[str, Sequence[tuple[bytes, bytes]]] = field(default_factory=dict)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """The truth, more or less."""
        for ask, found in zip(asks, Interpreter().predict(list(asks)), strict=True):
            text = found.text
            for true, said in self.wrong.get((ask.program.call or "").split("(")[0], ()):
                text = text.replace(true, said, 1)
            room = CUTS.get(ask.program.call or "")
            yield replace(found, text=text[:room], status="budget") if room else replace(found, text=text)


SLIP = (
    (b" r=1\n", b" r=4\n"), (b"r 1", b"r 4"), (b")2\n r=2", b")8\n r=8"), (b"r 2", b"r 8"), (b")6\n", b")24\n"),
)  # fmt: skip
FIRST = Staged("first", {"fact": SLIP, "words": ((b"out=['ab']", b"out=['ax']"),)})
SECOND = Staged("second", {"fact": ((b" r=2\n", b" r=9\n"),)})


def stage(folder: Path, model: Staged, *, long: bool = False) -> Path:
    """A run of the programs by a model; `long` adds one of LONG_STEPS, the last."""
    calls = [*CALLS, *([(LONG, f"f({LONG_TURNS})")] if long else [])]
    tasks = [Task(program=Program(source=source, call=call), name=call) for source, call in calls]
    run(Suite(name="staged", tasks=tasks), model, out=folder)
    return folder
