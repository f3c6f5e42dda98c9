"""Programs whose dependencies are not installed: execute what does not need them, and predict the rest, labelled so.

A call that cannot reach a missing module is executed without its import. Every other answer is predicted by the model.
It counts as known only if its confidence is high enough: that of the gate, or without one the model's own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import exp

from worldline.core.program import Program
from worldline.core.text import shortened
from worldline.core.trace import Trace
from worldline.plan.answer import IMAGINED, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.executed import read_executed_answer
from worldline.plan.futures.subject import UNFINISHED, Subject, read_from_trace
from worldline.plan.gate import Gate
from worldline.plan.imagined import PredictedAnswer, judge_prediction, predict_answers
from worldline.plan.question import Question
from worldline.predict.predictor import Predictor
from worldline.programs.reachable import reachable_code

MAX_MODULES = 8  # missing ones of one program
MAX_FAILURE = 120  # characters of what a set-up raises
_MISSING = re.compile(r"ModuleNotFoundError\(.*No module named '([\w.]+)'")


class MissingDependency(Exception):
    """A program needs something that is not here: a module that is not installed, or what its set-up asks for."""

    def __init__(self, module: str, line: int, failure: str = "") -> None:
        where = f" (line {line})" if line else ""
        needs = f"it needs {module}{where}, which is not installed"
        super().__init__(needs if module else f"its set-up raises {failure}")
        self.module, self.line = module, line


@dataclass(frozen=True)
class _Reduced:
    """A program without what a missing module is needed for, and the lines that were left out."""

    program: Program
    lines: tuple[int, ...]


def require_dependencies(program: Program, trace: Trace) -> Trace:
    """Return the trace; MissingDependency if a module is not installed, or if the set-up of a call raises."""
    if trace.outcome.kind != "raised":
        return trace
    match = _MISSING.match(trace.outcome.detail)
    line = None if match is None else next(_import_lines(program.source, match[1]), None)
    if match is not None and (line is not None or program.files):
        raise MissingDependency(match[1], line or 0)
    if program.call is not None and read_from_trace(Subject(), trace) == UNFINISHED:
        raise MissingDependency("", 0, shortened(trace.outcome.detail, MAX_FAILURE))
    return trace


def answer_without(
    missing: MissingDependency,
    program: Program,
    question: Question,
    budget: Budget,
    *,
    world: ProgramRunner,
    load: Callable[[], Predictor],
    gate: Gate | None = None,
) -> Answer:
    """Answer a question about a program that lacks a module.

    Args:
        missing: What it lacks.
        program: The program.
        question: The question.
        budget: The cost that is allowed, and the confidence that a prediction needs.
        world: Executes a program; it raises MissingDependency for another missing module.
        load: Loads the model, if it is needed.
        gate: The calibration of the model on this code, if there is one.
    """
    executed = _execute_without(missing, program, question, budget, world)
    if executed is not None:
        return executed
    (predicted,) = predict_answers(load(), [program], question, limit=budget.bytes)
    answer = judge_ungated(predicted, gate, budget.sure)
    spent = answer.spent + ExecutionCost(executions=1)
    return replace(answer, spent=spent, why=f"not executed, because {missing}; {answer.why}")


def judge_ungated(predicted: PredictedAnswer, gate: Gate | None, sure: float) -> Answer:
    """Judge a prediction of what cannot be executed: by its gate, or without one by the model's own probability."""
    if gate is not None or predicted.value is None or predicted.score is None:
        return judge_prediction(predicted, gate, sure)
    own = exp(min(0.0, predicted.score))
    if own >= sure:
        why = f"predicted by the model; its own probability is {own:.3g}, not calibrated on this code"
        return Answer(value=predicted.value, probability=None, spent=predicted.spent, how=IMAGINED, why=why)
    why = f"the model does not know: its own probability is {own:.2g}, where {sure:g} is required"
    return Answer(value=None, probability=None, spent=predicted.spent, how=UNKNOWN, why=why)


def _execute_without(
    missing: MissingDependency, program: Program, question: Question, budget: Budget, world: ProgramRunner
) -> Answer | None:
    """Execute the program without the statements that need missing modules; None if the call can reach one."""
    names, lines, reduced = list[str](), set[int](), program
    for executions in range(2, min(budget.executions + 1, MAX_MODULES) + 2):
        step = _without_module(reduced, missing.module) if missing.module else None
        if step is None:
            return None
        names.append(missing.module)
        lines |= set(step.lines)
        reduced = step.program
        try:
            trace = world(reduced)
        except MissingDependency as another:
            missing = another
            continue
        where = ", ".join(map(str, sorted(lines)))
        why = (
            f"executed in the sandbox without {' and '.join(names)}, not installed: "
            f"the call does not reach what needs {'it' if len(names) == 1 else 'them'} (lines left out: {where})"
        )
        return read_executed_answer(question, trace, ExecutionCost(executions=executions), why)
    return None


def _import_lines(source: str, module: str) -> Iterator[int]:
    """Yield the lines that import a module or something in it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    top = module.partition(".")[0]
    for node in ast.walk(tree):
        if top in _imported_modules(node):
            yield node.lineno  # type: ignore[attr-defined]


def _imported_modules(node: ast.AST) -> set[str]:
    """The first names of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").partition(".")[0]}
    return set()


def _without_module(program: Program, module: str) -> _Reduced | None:
    """Leave out the top-level statements that need a module; None if the call can reach one of them."""
    needed_lines = {node.lineno for node in reachable_code(program).definitions}
    if not needed_lines:
        return None
    tree, top = ast.parse(program.source), module.partition(".")[0]
    reached_names = {name for node in tree.body if node.lineno in needed_lines for name in _names_in(node)}
    tainted, left_out = set[str](), list[ast.stmt]()
    for node in tree.body:
        imports = top in _imported_modules(node)
        if not imports and not (_names_in(node) & tainted):
            continue
        is_effect = not isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign)
        if node.lineno in needed_lines or (is_effect and _names_in(node) & reached_names):
            return None
        left_out.append(node)
        tainted |= _bound_names(node)
    if not left_out or tainted & reached_names:
        return None
    return _Reduced(replace(program, source=_blanked(program.source, left_out)), tuple(map(_first_line, left_out)))


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _bound_names(node: ast.stmt) -> set[str]:
    """The names that a top-level statement binds."""
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)}
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in inner.names}
    return names


def _blanked(source: str, nodes: list[ast.stmt]) -> str:
    """Replace statements by `pass`, and keep all line numbers."""
    lines = source.split("\n")
    for node in nodes:
        start = _first_line(node)
        for number in range(start, (node.end_lineno or node.lineno) + 1):
            lines[number - 1] = "pass" if number == start else ""
    return "\n".join(lines)


def _first_line(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])
