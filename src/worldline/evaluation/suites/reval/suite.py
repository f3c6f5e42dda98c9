"""The reval suite: is a line executed, what does a name hold after it, what follows it, what is the output.

REval asks a model each question on its own. A world model predicts one trace per program and input, and all of its
questions are answered by reading that trace. The truth is read from the recording in the same way. Metrics are those of
the benchmark's own evaluation: accuracies, F1 of the executed lines, and incremental consistency (IC), which gives 1,
1/2, 1/4 or 1/8 for being right about output, path, state and line; path, state and line; state and line; or the line,
and nothing for any other combination. Questions about one program are not independent: intervals are by program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.core.limits import Limits
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.reconcile import read_beside
from worldline.evaluation.run.truth import Truth, disagrees
from worldline.evaluation.suites.crux import LIMITS
from worldline.evaluation.suites.measurement import Measurement, failed, skipped
from worldline.evaluation.suites.published import published_rows
from worldline.evaluation.suites.reval.cases import CLASSEVAL, HUMANEVAL, RevalCase, read_cases
from worldline.evaluation.suites.reval.questions import executed_lines, is_same_state
from worldline.evaluation.suites.states import BATCH, Right, clustered, recorded_truths
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

DISAGREES = "the file's output differs from the recording"
RAISES = "the program raises an exception here"
FIGURES = ("coverage", "coverage F1, %", "state", "path", "output", "IC")
NOTE = "published rows are % from r-eval.github.io (arXiv 2403.16437); intervals are by program"


@dataclass(frozen=True, kw_only=True)
class RevalTask(Task):
    """A program and an input of REval, with its questions."""

    case: RevalCase


@dataclass(frozen=True)
class AnsweredQuestion:
    """One question about a line: the true and the predicted coverage, and whether the other answers are right."""

    executed: bool
    predicted: bool
    state: bool
    path: bool
    output: bool

    @property
    def coverage(self) -> bool:
        """Whether the answer to whether the line is executed is right."""
        return self.executed == self.predicted

    @property
    def consistency(self) -> float:
        """The question's part of the IC score."""
        answers = (self.coverage, self.state, self.path, self.output)
        right = sum(answers)
        return 2.0 ** (right - 4) if right and all(answers[:right]) else 0.0


def load(*, data: str | Path, seed: int = 0, bare: bool = True) -> Suite:
    """Load every program with every input, shuffled by the seed so that the first N are a sample."""
    cases = read_cases(data)
    Random(f"bench reval {seed}").shuffle(cases)
    options = Compact(bare=bare)
    return Suite(name="reval", tasks=[_task(case, options) for case in cases], limits=LIMITS)


def _task(case: RevalCase, options: Compact) -> RevalTask:
    name = f"{case.problem} {case.number}"
    return RevalTask(program=case.program, options=options, name=name, answer=case.output, case=case)


@dataclass(frozen=True)
class RevalMeter:
    """Predicts one trace per program and input, and reads the answers to all of its questions from it."""

    batch: int = BATCH
    no_scratchpad: str = "its questions are about the lines of the program as it is written"

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order."""
        truths = [_agreed(task, true) for task, true in zip(tasks, recorded_truths(tasks, limits), strict=True)]
        known = [(task, true) for task, true in zip(tasks, truths, strict=True) if isinstance(true, Truth)]
        asks = [_ask(task, true, predictor.info.notation) for task, true in known]
        predictions = iterate_or_fault(lambda at: iter(predictor.predict(asks[at:])), len(asks))
        answered = (
            _measured(task, true, ask, prediction)
            for (task, true), ask, prediction in zip(known, asks, predictions, strict=True)
        )
        for true in truths:
            yield true if isinstance(true, Measurement) else next(answered)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs that have a true answer, or on which the tool fails."""
        truths = [_agreed(task, true) for task, true in zip(tasks, recorded_truths(tasks, limits), strict=True)]
        return sum(isinstance(true, Truth) or true.faults > 0 for true in truths)

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up the answers, by where the programs are from, beside published figures."""
        figures = [row.figures for row in rows]
        parts = {origin: [own for own in figures if own["origin"] == origin] for origin in (HUMANEVAL, CLASSEVAL)}
        cells = [_row("this model", figures)]
        cells += [_row(f"this model, {origin}", own) for origin, own in parts.items() if own and own != figures]
        cells += [(row.model, None, *map(row.figures.get, FIGURES)) for row in published_rows("reval")]
        heads = ("model", "questions", *FIGURES)
        return (Table("runtime behaviour", heads, tuple(cells), NOTE),)


def meter(*, force: Sequence[str] = ()) -> RevalMeter:
    """Return a meter of answers about lines. Nothing is forced: a fed part would answer questions."""
    if force:
        raise UsageError("the suite reval takes no --force: what is fed would answer its questions")
    return RevalMeter()


def _agreed(task: Task, true: Truth | RowFault | None) -> Truth | Measurement:
    """The truth of a program, or the measurement of a program without one."""
    if not isinstance(true, Truth):
        return skipped() if true is None else failed(true)
    if true.answer.event != "return":
        return replace(skipped(), note=f"{RAISES}: {true.answer.value}")
    return replace(skipped(), note=DISAGREES) if disagrees(task, true) else true


def _ask(task: Task, true: Truth, codec: str) -> PredictionRequest:
    limit = 2 * len(true.text_in(codec)) + SLACK
    return PredictionRequest(program=task.program, name=task.name, options=task.options, limit=limit)


def _measured(task: Task, true: Truth, ask: PredictionRequest, prediction: Prediction | RowFault) -> Measurement:
    assert isinstance(task, RevalTask)
    if isinstance(prediction, RowFault):
        return failed(prediction)
    if prediction.status == "fault":
        return replace(failed(prediction.note or "no prediction"), seconds=prediction.seconds)
    questions = call_or_fault(answered_questions, task.case, true, ask, prediction)
    if isinstance(questions, RowFault):
        return replace(failed(questions), seconds=prediction.seconds)
    figures = {
        "problem": task.case.problem,
        "origin": task.case.origin,
        "questions": [[row.executed, row.predicted, row.state, row.path, row.output] for row in questions],
    }
    return Measurement(figures=figures, seconds=prediction.seconds)


def answered_questions(
    case: RevalCase, true: Truth, ask: PredictionRequest, prediction: Prediction
) -> list[AnsweredQuestion]:
    """Answer the questions about a program from a predicted trace, and compare them with the recording."""
    codec = prediction.codec
    actual = read(ask, Prediction(text=true.text_in(codec), status="ended", codec=codec))
    predicted = read_beside(ask, prediction, actual)
    true_lines = executed_lines(actual.events, case.last_line)
    lines = executed_lines(predicted.events, case.last_line)
    has_output = ends_alike(actual, predicted)
    return [
        AnsweredQuestion(
            executed=true_lines.executes(question.line),
            predicted=lines.executes(question.line),
            state=is_same_state(lines.values(question), true_lines.values(question)),
            path=lines.next_lines(question.line)[0] in true_lines.next_lines(question.line),
            output=has_output,
        )
        for question in case.questions
    ]


def _row(name: str, figures: Sequence[Mapping[str, Any]]) -> tuple[Cell, ...]:
    """The metrics of some programs."""
    groups: dict[str, list[list[AnsweredQuestion]]] = {}
    for own in figures:
        groups.setdefault(own["problem"], []).append([AnsweredQuestion(*answers) for answers in own["questions"]])
    programs = list(groups.values())
    questions = [question for inputs in programs for rows in inputs for question in rows]
    coverage, state, path = (
        clustered(tuple(getattr(row, part) for rows in inputs for row in rows) for inputs in programs)
        for part in ("coverage", "state", "path")
    )
    output = clustered(_outputs(inputs) for inputs in programs)
    consistency = 100 * fmean(row.consistency for row in questions) if questions else None
    return name, len(questions), coverage, _f1(questions), state, path, output, consistency


def _outputs(inputs: Iterable[Sequence[AnsweredQuestion]]) -> Right:
    """Whether the output is right, for each input of a program."""
    return tuple(rows[0].output for rows in inputs if rows)


def _f1(questions: Sequence[AnsweredQuestion]) -> float | None:
    """The harmonic mean of precision and recall of the executed lines in %; None if there are none."""
    hits = sum(row.executed and row.predicted for row in questions)
    total = sum(row.executed for row in questions) + sum(row.predicted for row in questions)
    return 200 * hits / total if total else None
