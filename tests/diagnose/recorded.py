"""Small programs recorded once, and samples made of their true text by hand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm.writer import encode
from worldline.core.program import Program
from worldline.diagnose.cause import Cause
from worldline.diagnose.diagnosis import cause
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(3)"
)
COUNT = Program(
    source="""def count(word, letter):
    n = 0
    for c in word:
        if c == letter:
            n += 1
    left, right = word[1:], word + letter
    return left, right.replace('r', 'xy'), n
""",
    call="count('berry', 'r')",
)
SHARED = Program(
    source="""def grow(xs):
    xs.append(9)
    return len(xs)

def f(a):
    b = a
    c = list(a)
    b.append(5)
    n = grow(a)
    a = c
    return a, b, n
""",
    call="f([1, 2])",
)
COPIES = Program(
    source="""def f(a, b, c):
    a, b, c = c, a, b
    s = 'x' * 5
    t = 'hello ' + 'world'
    u = t.upper()
    v = u[::-1]
    if len(v) > 3:
        del s
    print(v)
    return v
""",
    call="f(1, 2, 3)",
)
EXCEPTIONS = Program(
    source="""def g():
    yield 1
    yield 22

def f(d):
    try:
        x = d['k']
    except KeyError as e:
        x = 7
    t = [i * i for i in g()]
    while x > 5:
        x -= 1
    return {'x': x, 't': t}
""",
    call="f({'a': 1})",
)
PROGRAMS = (FACT, COUNT, SHARED, COPIES, EXCEPTIONS)


@lru_cache
def truth(program: Program, codec: str = "compact", options: Compact | None = None) -> Prediction:
    """The true text of a program in a notation."""
    trace = record(program)
    assert trace.outcome.kind == "returned", trace.outcome
    text = encode(trace).encode() if codec == "cwm" else encode_steps(trace, options or Compact())
    return Prediction(text=text, status="ended", codec=codec)


def sample(
    program: Program,
    *changes: tuple[str, str],
    codec: str = "compact",
    status: str = "ended",
    cut: str = "",
    beside: ReportedAnswer | None = None,
    options: Compact | None = None,
) -> Sample:
    """A prediction that is the true text with the first occurrence of each first text replaced; then cut before one."""
    true = truth(program, codec, options)
    text = true.text.decode()
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    text = text[: text.index(cut)] if cut else text
    result = Prediction(text=text.encode(), status=status, codec=codec)
    ask = PredictionRequest(program=program, options=options or Compact())
    return Sample(ask=ask, truth=true, found=result, beside=beside or ReportedAnswer())


def why(program: Program, *changes: tuple[str, str], **rest: Any) -> Cause:
    """The cause of such a sample."""
    return cause(sample(program, *changes, **rest))
