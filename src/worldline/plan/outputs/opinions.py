"""What a model predicts for the values of tests: reported next to executed values, never instead of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from worldline.analyze.flow.control import syntax
from worldline.core.program import Program
from worldline.plan.gate import Gate, gate_of
from worldline.plan.imagined import predict_answers
from worldline.plan.journal import read_journal
from worldline.plan.ledger import calibration_entries, model_of
from worldline.plan.outputs.expectation import Expectation
from worldline.plan.outputs.report import OutputsReport
from worldline.plan.question import Question
from worldline.predict.predictor import Predictor

Opinion = Callable[[Sequence[Program]], Sequence[tuple[str | None, float | None]]]
MAX_PREDICTION_BYTES = 1 << 14  # per call


def imagining(predictor: Predictor, journal: str | None = None) -> Opinion:
    """Return a function that predicts values, with probabilities if the journal has enough calibration data."""
    gate = None if journal is None else _gate(predictor, journal)

    def opinion(programs: Sequence[Program]) -> list[tuple[str | None, float | None]]:
        predictions = predict_answers(
            predictor, programs, Question(what="return"), limit=MAX_PREDICTION_BYTES
        )
        return [(predicted.value, _chance(gate, predicted.score)) for predicted in predictions]

    return opinion


def _chance(gate: Gate | None, score: float | None) -> float | None:
    return None if gate is None or score is None else gate.probability(score)


def _gate(predictor: Predictor, journal: str) -> Gate | None:
    known = (entry.ledger for entry in read_journal(journal))
    return gate_of(calibration_entries(known, what="return", model=model_of(predictor)))


def program_of(program: Program, wanted: Expectation) -> Program | None:
    """Return the program whose result is the value of an assertion: a plain call; None if it is not one."""
    node = ast.parse(wanted.value, mode="eval").body
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    try:
        for argument in (*node.args, *(word.value for word in node.keywords)):
            ast.literal_eval(argument)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    tree = syntax(program.source)
    files = dict(program.files)
    for part in [] if tree is None else tree.body:
        if isinstance(part, ast.FunctionDef) and part.name == node.func.id:
            return Program(source=program.source, name=program.name, files=program.files, call=wanted.value)
        if isinstance(part, ast.ImportFrom) and part.level == 0:
            named = [
                argument
                for argument in part.names
                if (argument.asname or argument.name) == node.func.id and argument.asname is None
            ]
            file = f"{(part.module or '').replace('.', '/')}.py"
            if named and file in files:
                return Program(
                    source=files.pop(file), name=file, files=tuple(files.items()), call=wanted.value
                )
    return None


def with_opinions(report: OutputsReport, program: Program, opinion: Opinion) -> OutputsReport:
    """Add predictions to the values that are plain calls; the values themselves stay the executed ones."""
    calls = [
        (at, call)
        for at, checked in enumerate(report.values)
        if (call := program_of(program, checked.expectation))
    ]
    values = list(report.values)
    for (at, _), (text, probability) in zip(calls, opinion([call for _, call in calls]), strict=True):
        values[at] = replace(values[at], imagined=text, probability=probability)
    return replace(report, values=tuple(values))
