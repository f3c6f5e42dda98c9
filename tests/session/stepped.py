"""Programs to step through, each recorded once in each notation, and texts made of theirs by damage."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st

from worldline.codec.compact.prompt import Compact
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.run import Run

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(4)"
)
TURNS = Program(
    source="""def gen(k):
    while k:
        sent = yield k
        k -= 1

def pull(g):
    x = next(g)
    return x

def f():
    a, b = gen(3), gen(2)
    got = [pull(a), next(b)]
    got += [next(a), pull(b)]
    got.extend(a)
    return got, sum(i * i for i in b)
""",
    call="f()",
)
RAISES = Program(
    source="""class Odd(Exception):
    pass

def deep(n):
    try:
        if n == 0:
            raise Odd('no')
        return deep(n - 1)
    finally:
        n = -n

def f(d):
    total = 0
    for k in (2, 0):
        try:
            total += deep(k)
        except Odd as e:
            total += len(str(e))
    return total + d['x']
""",
    call="f({'y': 1})",
)
SCRIPT = Program(
    source="""import other

class Box:
    size = 2

    def grow(self, by):
        self.size += by
        print('grown', self.size)
        return self

who = input()
box = Box().grow(other.double(len(who))).grow(1)
print(who, sorted([3, 1, 2], key=lambda v: -v))
del who
total = sum(x for x in range(box.size))
""",
    files=(("other.py", "def double(n):\n    m = n + n\n    return m\n"),),
    stdin="Ada\nLovelace\n",
)
LOOP = Program(
    source="""def step(total, i):
    other = total + i
    return other

def f(n):
    total = 0
    seen = []
    for i in range(n):
        total = step(total, i)
        seen = seen[-2:] + [total]
        if total > 5:
            total -= 3
    return total, seen
""",
    call="f(40)",
)
PROGRAMS = {"fact": FACT, "turns": TURNS, "raises": RAISES, "script": SCRIPT, "loop": LOOP}
MODES = {
    "compact": ("compact", Compact()),
    "reveal": ("compact", Compact(reveal=3)),
    "path": ("compact", Compact(reveal=0)),
    "element": ("compact", Compact(delta="element", same=True)),
    "cwm": ("cwm", Compact()),
}


@lru_cache
def recorded_text(name: str, mode: str = "compact") -> tuple[PredictionRequest, Prediction]:
    """A program's ask and its true text."""
    codec, options = MODES[mode]
    ask = PredictionRequest(program=PROGRAMS[name], options=options, limit=1 << 24)
    (found,) = Interpreter(limits=Limits(steps=200_000), codec=codec).predict([ask])
    assert found.status == "ended", found
    return ask, found


@lru_cache
def true(name: str, mode: str = "compact") -> Run:
    """The true run of a program."""
    return Run("truth", *recorded_text(name, mode))


def make_run(name: str, mode: str, text: bytes, status: str = "ended") -> Run:
    """A run of a program with another text."""
    ask, found = recorded_text(name, mode)
    return Run("found", ask, Prediction(text=text, status=status, codec=found.codec))


def changed(name: str, *changes: tuple[str, str], mode: str = "compact", status: str = "ended") -> Run:
    """A run whose text is the true one with the first occurrence of each first text replaced."""
    text = recorded_text(name, mode)[1].text.decode()
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    return make_run(name, mode, text.encode(), status)


def output(run: Run, step: int) -> str:
    """Everything that a run prints up to a step."""
    return "".join(run.printed(at) or "" for at in range(step + 1))


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str, Run]:
    """A program, a mode, and a run of its text: lines changed, left out, repeated, moved; bytes changed; cut."""
    name, mode = draw(st.sampled_from(sorted(PROGRAMS))), draw(st.sampled_from(sorted(MODES)))
    text = recorded_text(name, mode)[1].text
    separator = b"<|frame_sep|>" if mode == "cwm" else b"\n"
    lines = text.split(separator)
    for _ in range(draw(st.integers(0, 4))):
        at, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(("drop", "repeat", "copy", "digit", "byte", "swap"))):
            case "drop":
                lines[at : at + 1 + other % 5] = [] if len(lines) > 8 else lines[at : at + 1 + other % 5]
            case "repeat":
                lines[at:at] = lines[at : at + 1 + other % 5]
            case "copy":
                lines[at] = lines[other]
            case "swap":
                lines[at], lines[other] = lines[other], lines[at]
            case "digit":
                digits = [i for i, byte in enumerate(lines[at]) if byte in b"0123456789"]
                if digits:
                    place = draw(st.sampled_from(digits))
                    new = draw(st.sampled_from(b"123"))
                    lines[at] = lines[at][:place] + bytes([new]) + lines[at][place + 1 :]
            case "byte":
                lines[at] += draw(st.binary(max_size=3))
    text = separator.join(lines)
    if draw(st.booleans()):
        text = text[: draw(st.integers(0, len(text)))]
    return name, mode, make_run(name, mode, text, draw(st.sampled_from(("ended", "budget"))))


LINES = (
    "(1 n=1", "(1 n=2", "2", "4", "4 r=1", ")1", ")2", ")!E()", "*2", "~", "~1", "@1", "/", "@.", " r=5", " r=6",
    ":'x'", ":'y'", "!E()", "5 n=3 -r", "<'y'", "%input='y'",
)  # fmt: skip


def anyhow() -> st.SearchStrategy[bytes]:
    """Lines of the compact notation in any order: most of them are read some way."""
    return st.lists(st.sampled_from(LINES), max_size=25).map(lambda lines: "".join(f"{x}\n" for x in lines).encode())
