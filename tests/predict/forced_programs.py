"""Programs with late changes, suspended frames, exceptions that leave frames, and input; and what really happens."""

from __future__ import annotations

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record_many

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(3)"
)
TAKE_TURNS = Program(
    source="""\
def g(n):
    for i in range(n):
        x = yield i
def f(n):
    s = 0
    for a, b in zip(g(n), g(9)):
        s += a
        print(s)
    try:
        d = {}[s]
    except KeyError as e:
        s = str(e)
    return s
""",
    call="f(2)",
)
SCRIPT = Program(source="x = input()\nfor c in x:\n    print(c)\ny = sorted(x, key=lambda c: -ord(c))\n", stdin="ab\n")
RAISES = Program(
    source="def f(xs):\n    try:\n        return g(xs) + 1\n    finally:\n        xs.append(2)\n"
    "def g(xs):\n    ys = [x + 1 for x in xs]\n    raise ValueError(ys)\n",
    call="f([1])",
)
PROGRAMS = (FACT, TAKE_TURNS, SCRIPT, RAISES)
MODES = (Compact(), Compact(delta="element"), Compact(reveal=3), Compact(reveal=0), Compact(same=True))
_TRACES = list(record_many(PROGRAMS, trust=True))


def asks(options: Compact | None = None, *, limit: int = 1 << 16) -> list[PredictionRequest]:
    """One ask for each program."""
    return [PredictionRequest(program=program, options=options or Compact(), limit=limit) for program in PROGRAMS]


def truths(options: Compact | None = None) -> list[Prediction]:
    """What really happens."""
    return [Prediction(text=encode_steps(trace, options), status="ended") for trace in _TRACES]
