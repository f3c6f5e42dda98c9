"""Fill in and check the expected values of a test file, next to a model's predictions, which never replace them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from worldline.analyze.flow.control import syntax
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.code_features import code_features
from worldline.plan.evidence import calibrate
from worldline.plan.imagined import predict_answers
from worldline.plan.journal import read_journal
from worldline.plan.ledger import calibration_entries, model_name
from worldline.plan.outputs.check import check_outputs
from worldline.plan.outputs.expectation import Expectation
from worldline.plan.outputs.report import OutputsReport
from worldline.plan.outputs.unreached import answer_unreached
from worldline.plan.question import Question
from worldline.predict.models import AnyModel, load_model
from worldline.predict.predictor import Predictor
from worldline.recording.calls import caller
from worldline.recording.collect import collect_tests
from worldline.storage.files import write as write_file

Opinion = Callable[[Sequence[Program]], Sequence[tuple[str | None, float | None]]]
MAX_PREDICTION_BYTES = 1 << 14  # per call


def make_opinion(predictor: Predictor, journal: str | None = None) -> Opinion:
    """Return a function that predicts values, with probabilities if the journal has enough calibration data."""
    entries = [] if journal is None else [entry.ledger for entry in read_journal(journal)]
    known = calibration_entries(entries, what="return", model=model_name(predictor))

    def opinion(programs: Sequence[Program]) -> list[tuple[str | None, float | None]]:
        predictions = predict_answers(predictor, programs, Question(what="return"), limit=MAX_PREDICTION_BYTES)
        gates = [calibrate(known, code_features(program)).gate for program in programs]
        return [
            (predicted.value, predicted.probability(gate)) for predicted, gate in zip(predictions, gates, strict=True)
        ]

    return opinion


def call_program(program: Program, wanted: Expectation) -> Program | None:
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
            is_named = any(alias.name == node.func.id and alias.asname is None for alias in part.names)
            file = f"{(part.module or '').replace('.', '/')}.py"
            if is_named and file in files:
                source = files.pop(file)
                return Program(source=source, name=file, files=tuple(files.items()), call=wanted.value)
    return None


def add_opinions(report: OutputsReport, program: Program, opinion: Opinion) -> OutputsReport:
    """Add predictions to the values that are plain calls; the values themselves stay the executed ones."""
    calls = [
        (at, call) for at, checked in enumerate(report.values) if (call := call_program(program, checked.expectation))
    ]
    values = list(report.values)
    for (at, _), (text, probability) in zip(calls, opinion([call for _, call in calls]), strict=True):
        values[at] = replace(values[at], imagined=text, probability=probability)
    return replace(report, values=tuple(values))


def fill_outputs(
    file: str | Path,
    *,
    check: bool = False,
    write: bool = False,
    out: str | Path | None = None,
    model: AnyModel | None = None,
    extras: Mapping[str, str] | None = None,
    journal: str | Path | None = None,
    sure: float = 0.95,
    wall: float = 5.0,
) -> OutputsReport:
    """Fill in `assert f(3) == ...` and check every other asserted equality, by executing the tests in the sandbox.

    A value that no run reached, because the set-up of its test fails, is not filled in. The report says what its call
    alone returns, or is predicted to return.

    Args:
        file: The test file; a `conftest.py` next to it is used too.
        check: Only check, and fill in nothing.
        write: Write the values into the file itself.
        out: Write the tests with their values to this file.
        model: Also report where this model predicts another value: a name, a predictor or a function.
        extras: Options of the model, if `model` is a name.
        journal: The folder with the calibration data of this code.
        sure: The confidence that a prediction of a value that no run reached needs.
        wall: Limit: seconds of one test function or class.

    Returns:
        Every asserted value, whether it holds, and the filled source.

    Raises:
        UsageError: The tests cannot be parsed, or `check` together with `write` or `out`.
    """
    if check and (write or out):
        raise UsageError("--check fills in nothing, so there is nothing to write")
    program = collect_tests(file)
    with caller() as calls:
        report = check_outputs(program, calls.run, seconds=wall, fill=not check)
    if model is not None:
        opinion = make_opinion(load_model(model, extras), None if journal is None else str(journal))
        report = add_opinions(report, program, opinion)
    report = answer_unreached(report, program, call_program, model=model, journal=journal, sure=sure)
    for path in [*([file] if write else []), *([out] if out else [])]:
        write_file(Path(path), report.filled.encode("utf-8", "surrogateescape"))
    return report
