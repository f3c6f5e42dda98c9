"""Values that no run of the tests reached: their call is executed alone, or predicted, and labelled so.

A test whose set-up cannot run (a missing module, a fixture without its server) still compares a call with a value. What
the call alone returns, or is predicted to return, is never filled in: the set-up might have changed it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from worldline.analyze.flow.control import syntax
from worldline.core.program import Program
from worldline.plan.answer import RUN, Answer
from worldline.plan.ask import DEFAULT_BYTES, ask
from worldline.plan.imagined import predict_answers
from worldline.plan.outputs.expectation import Expectation
from worldline.plan.outputs.report import OutputsReport
from worldline.plan.question import Question
from worldline.plan.uninstalled import judge_ungated
from worldline.predict.models import DEFAULT, AnyModel, load_model

MAX_ASKED = 100  # values of one file
MAX_EXECUTIONS = 8  # of one call: each leaves out one more module that is missing
_VALUE = "_value_of_assertion"
CallOf = Callable[[Program, Expectation], Program | None]


def answer_unreached(
    report: OutputsReport,
    program: Program,
    call_of: CallOf,
    *,
    model: AnyModel | None = None,
    journal: str | Path | None = None,
    sure: float = 0.95,
) -> OutputsReport:
    """Say what the values that no run reached are, by executing their call alone or by a prediction."""
    values, asked_for = list(report.values), 0
    for at, checked in enumerate(values):
        if checked.value is not None or not checked.is_unreached or asked_for >= MAX_ASKED:
            continue
        call = call_of(program, checked.expectation) or statements_before(program, checked.expectation)
        if call is None:
            continue
        asked_for += 1
        answer = _answer_alone(_alone(call), DEFAULT if model is None else model, journal, sure)
        values[at] = replace(checked, answer=answer)
    return replace(report, values=tuple(values))


def _answer_alone(call: Program, model: AnyModel, journal: str | Path | None, sure: float) -> Answer:
    """Execute a call alone; predict it if it raises, which its set-up might prevent."""
    answer = ask(call, executions=MAX_EXECUTIONS, sure=sure, journal=journal, model=model)
    if answer.how != RUN or not (answer.value or "").startswith("raises "):
        return answer
    (predicted,) = predict_answers(load_model(model), [call], Question(), limit=DEFAULT_BYTES)
    predicted_answer = judge_ungated(predicted, None, sure)
    why = f"alone, without its set-up, it {answer.value}; {predicted_answer.why}"
    return replace(predicted_answer, spent=answer.spent + predicted_answer.spent, why=why)


def _alone(program: Program) -> Program:
    """Leave out the files that the program's own file does not import, so that what it can reach is known."""
    tree = syntax(program.source)
    imported = set[str]()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add("" if node.level else (node.module or "").partition(".")[0])
    own = {name.partition("/")[0].removesuffix(".py") for name, _ in program.files}
    return program if "" in imported or imported & own else replace(program, files=())


def statements_before(program: Program, wanted: Expectation) -> Program | None:
    """Return a program whose call gives the value of an assertion by the statements of its test before it.

    Returns:
        None if the test takes arguments, or the assertion is inside another statement.
    """
    tree = syntax(program.source)
    for node in [] if tree is None else tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name != wanted.where or ast.unparse(node.args):
            continue
        at = next((i for i, part in enumerate(node.body) if part.lineno == wanted.line), None)
        if at is None or not isinstance(node.body[at], ast.Assert):
            return None
        before = [part for part in node.body[:at] if not isinstance(part, ast.Assert)]
        value = ast.Return(ast.parse(wanted.value, mode="eval").body)
        function = ast.FunctionDef(_VALUE, node.args, [*before, value], [])
        if "type_params" in ast.FunctionDef._fields:
            function.type_params = []  # type: ignore[attr-defined, unused-ignore]
        text = ast.unparse(ast.fix_missing_locations(function))
        return replace(program, source=f"{program.source.rstrip()}\n\n\n{text}\n", call=f"{_VALUE}()")
    return None
