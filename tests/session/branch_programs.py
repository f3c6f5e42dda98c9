"""Small programs that branches are grown from, each with something that makes a place in a run hard to find."""

from __future__ import annotations

from worldline.core.program import Program
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.rollout import predict_root
from worldline.ui.session.session import Session


def program(source: str, call: str | None) -> Program:
    """A program with a name of its own, which its prompt does not tell."""
    return Program(source=source, call=call, name="tried.py")


COUNT = program(
    "def count(w, l):\n    n = 0\n    for c in w:\n        n += int(c == l)\n    return n\n", "count('arr', 'r')"
)
FACT = program("def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", "fact(3)")
PULL = program(
    "def g(n):\n    for i in range(n):\n        j = i * 2\n        yield j\n\n"
    "def f(n):\n    t = 0\n    for x in g(n):\n        t += x\n    return t\n",
    "f(2)",
)
CATCH = program(
    "def h(x):\n    if x > 1:\n        raise ValueError(x)\n    return x\n\n"
    "def f(x):\n    try:\n        y = h(x)\n    except ValueError as e:\n        y = -1\n    z = y + 1\n    return z\n",
    "f(2)",
)
SPEAK = program("def f(a):\n    print(a)\n    b = a + 1\n    print(b)\n    return b\n", "f(1)")
SHARE = program(
    "def add(xs, x):\n    xs.append(x)\n    return len(xs)\n\n"
    "def f():\n    xs = []\n    k = add(xs, 1)\n    k += add(xs, 2)\n    return xs, k\n",
    "f()",
)
SCRIPT = program("x = 1\ny = x + 1\nprint(y)\nif y > 1:\n    x = 5\n", None)
PROGRAMS = {
    "count": COUNT, "fact": FACT, "pull": PULL, "catch": CATCH, "speak": SPEAK, "share": SHARE, "script": SCRIPT,
}  # fmt: skip


def true_session(of: Program) -> Session:
    """A session that the interpreter predicted: it is right."""
    session = Session.new(of, model="interpreter")
    for _ in predict_root(session, Interpreter()):
        pass
    assert session.branch(0).status == "done"
    return session


def recorded_session(of: Program, found: bytes, truth: bytes | None = None, status: str = "ended") -> Session:
    """A session of texts that somebody wrote; without a truth, one that was not recorded."""
    known = Prediction(text=truth or b"", status="ended" if truth else "fault")
    sample = Sample(ask=PredictionRequest(program=of), truth=known, found=Prediction(text=found, status=status))
    return Session.of_sample(sample, name="told", model="somebody")
