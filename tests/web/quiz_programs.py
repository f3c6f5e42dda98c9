"""A program to ask about, and a model that is wrong in one known place, for the tests of the quiz."""

from __future__ import annotations

from pathlib import Path

from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest

SOURCE = """\
def f(xs):
    total = 31
    for x in xs:
        if x % 2:
            total *= x
    print("sum", total + 1)
    return [total * 2]
"""
CALL = "f([2, 37])"
# Its questions, by seed 0: kind, line and answer.
QUESTIONS = [
    ("value", 3, "2"), ("line", 4, "3"), ("value", 3, "37"), ("line", 4, "5"), ("value", 5, "1147"), ("line", 3, "6"),
    ("output", 6, "sum 1148"), ("return", 7, "[2294]"),
]  # fmt: skip
FIELDS = (SOURCE, CALL)


def wrong_model(folder: Path) -> str:
    """A model that takes the product for 1148, and says so until the end."""
    (truth,) = Interpreter().predict([PredictionRequest(program=Program(source=SOURCE, call=CALL))])
    text = truth.text.replace(b"total=1147", b"total=1148").replace(b"sum 1148", b"sum 1149")
    file = folder / "wrong.py"
    file.write_text(f"def model(prompt):\n    return {text.decode()!r}\n")
    return f"python:{file}:model"
