"""CRUXEval's other half: given an output, the model finds an input that leads to it.

No trace is predicted, so the model must answer questions in text; a model that only writes traces is refused. Its
answer is parsed and must consist of literals. `f` is then executed on them in the sandbox, and its result compared as a
value. A prediction is never evaluated, so `43 or True` is not an answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from random import Random

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.rows import read_rows
from worldline.evaluation.run.truth import Truth, disagrees, truth_or_fault
from worldline.evaluation.score import OUTCOMES
from worldline.evaluation.suites.crux import KEYS, LIMITS, ended, literal
from worldline.evaluation.suites.measurement import Measurement, failed
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Table
from worldline.predict.prediction import Prediction
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import record_many

MAX_ANSWER_BYTES = 4_096
_ANSWER = re.compile(r"\[ANSWER\](.*?)(?:\[/ANSWER\]|\Z)", re.DOTALL)
QUESTION = files(__package__).joinpath("crux_input.txt").read_text("utf-8")


def load(*, data: str | Path, seed: int = 0) -> Suite:
    """Load every row whose output is a literal, shuffled by the seed. A task's answer is the given output."""
    rows = read_rows(data, KEYS)
    Random(f"bench crux {seed}").shuffle(rows)
    tasks = (
        Task(
            program=Program(source=ended(row["code"]), call=f"f({row['input'].strip()})"), name=row["id"], answer=output
        )
        for row in rows
        if (output := literal(row["output"])) is not None
    )
    return Suite(name="crux-input", tasks=tasks, limits=LIMITS)


@dataclass(frozen=True)
class InputMeter:
    """Asks for an input for each task, and executes it."""

    batch: int = 64
    no_scratchpad: str = "it asks a question in text, and no trace is predicted"

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each task, in order; a fault of the tool is in no rate."""
        answerer = predictor.capabilities.answers_questions
        if answerer is None:
            raise UsageError(
                f"{predictor.info.name} writes traces and answers no questions: the suite crux-input needs a model "
                "that answers questions in text, such as server:URL#MODEL with -M way=chat"
            )
        answers = list(answerer.answer([question(task) for task in tasks], limit=MAX_ANSWER_BYTES))
        calls = [None if answer.status == "fault" else call_or_fault(read, answer) for answer in answers]
        pairs = zip(tasks, calls, strict=True)
        tried = _tried([(task, call) for task, call in pairs if isinstance(call, str)], limits)
        for answer, call in zip(answers, calls, strict=True):
            outcome = next(tried) if isinstance(call, str) else _unread(answer, call)
            if outcome == "fault":
                yield replace(failed(answer.note or "fault"), seconds=answer.seconds)
            else:
                yield Measurement(figures={"outcome": outcome}, seconds=answer.seconds)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the tasks: none is skipped."""
        return len(tasks)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up the outcomes."""
        outcomes = [row.figures["outcome"] for row in rows]
        shares = tuple(Share(outcomes.count(outcome), len(outcomes)) for outcome in OUTCOMES)
        return (Table("inputs that lead to the output", OUTCOMES, (shares,)),)


def meter() -> InputMeter:
    """Return a meter of inputs."""
    return InputMeter()


def _unread(answer: Prediction, call: RowFault | None) -> str:
    """The outcome of an answer without an input."""
    if answer.status == "fault" or isinstance(call, RowFault):
        return "fault"
    return "truncated" if answer.status == "budget" and b"[/ANSWER]" not in answer.text else "malformed"


def question(task: Task) -> str:
    """Return the question for a model, as CRUXEval asks it."""
    return QUESTION.format(source=task.program.source, output=task.answer)


def read(prediction: Prediction) -> str | None:
    """Return the call of `f` with the literals of an answer; None if the answer is not a call with literals."""
    text = prediction.text[:MAX_ANSWER_BYTES].decode("utf-8", "replace")
    marked = _ANSWER.findall(text)
    stated = (marked[-1] if marked else text.partition("[/ANSWER]")[0]).strip().removeprefix("assert ")
    call = _call(stated) or _call(f"f({stated})")
    if not stated or call is None or not isinstance(call.func, ast.Name) or call.func.id != "f":
        return None
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    has_names = all(keyword.arg for keyword in call.keywords)
    return ast.unparse(call) if has_names and all(_is_literal(value) for value in values) else None


def _call(text: str) -> ast.Call | None:
    """The call in a text, alone or on the left of an equality."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        node = node.left
    return node if isinstance(node, ast.Call) else None


def _is_literal(node: ast.expr) -> bool:
    try:
        return literal(ast.unparse(node)) is not None
    except (RecursionError, ValueError):  # too deep, or a number that `repr` does not write
        return False


def _tried(trials: Sequence[tuple[Task, str]], limits: Limits) -> Iterator[str]:
    """The outcome of each input: right if the program returns the output, a fault, or wrong."""
    tasks = [replace(task, program=replace(task.program, call=call)) for task, call in trials]
    traces = record_many([task.program for task in tasks], limits=limits)
    for task, trace in zip(tasks, traces, strict=True):
        true = truth_or_fault(task, trace)
        is_right = isinstance(true, Truth) and not disagrees(task, true)
        yield "fault" if isinstance(true, RowFault) else "right" if is_right else "wrong"
