"""The interpreter and a model together: predict if the gate is confident, execute if not, unknown otherwise.

A question that the journal answers is neither predicted nor executed again, unless the program draws.
Every execution goes into the ledger with the prediction made before it, and the gate is fitted on the ledger, per kind
of question, per weights and for the code that is asked about (`evidence`). Whole predictions and predictions after true
steps have separate gates. A question without a gate is executed; the model predicts it only if the ledger is stored,
for calibration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from worldline.core.program import Program
from worldline.plan.answer import MIXED, RUN, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.code_features import code_features
from worldline.plan.evidence import Calibration, calibrate
from worldline.plan.executed import FirstSteps, read_executed_answer
from worldline.plan.gate import Gate
from worldline.plan.imagined import PredictedAnswer, explain_doubt, judge_prediction, predict_answers
from worldline.plan.journal import JournalEntry, append, read_journal
from worldline.plan.ledger import LedgerEntry, calibration_entries, model_name
from worldline.plan.question import Question
from worldline.plan.stepping import SteppedPrediction, ask_steps
from worldline.predict.predictor import Predictor

UNSTEPPED = ", for predictions after true steps"
NO_MODEL = "no calibration data for this code yet (pass `--journal DIR` to collect some)"


@dataclass
class _RemainingBudget:
    """What is left of the budget for several answers."""

    executions: int
    steps: int


@dataclass(frozen=True)
class _Doubt:
    """Why a program has to be executed, and what was predicted, if anything was."""

    why: str
    predicted: PredictedAnswer | None = None
    probability: float | None = None
    spent: ExecutionCost = ExecutionCost()  # noqa: RUF009 - frozen
    told: int = 0


class MixedOracle:
    """An oracle that executes and predicts. `first` executes the first steps of a program (optional).

    A `gate` is used as it is; by default one is fitted on the ledger. The ledger starts with the entries of the
    `journal`, and every execution adds to it.
    """

    def __init__(
        self,
        world: ProgramRunner,
        predictor: Predictor,
        gate: Gate | None = None,
        ledger: Iterable[LedgerEntry] | None = None,
        journal: str | Path | None = None,
        *,
        first: FirstSteps | None = None,
    ) -> None:
        self._world, self._predictor, self._gate, self._first = world, predictor, gate, first
        self._journal = journal
        self._stores = ledger is not None or journal is not None
        self.ledger = list(ledger or ())
        # What executions that draw nothing have answered: the value and the date, by program and question.
        self._answered: dict[tuple[str, str], tuple[str, str]] = {}
        for entry in read_journal(journal) if journal else ():
            self._remember(entry)

    @property
    def model(self) -> str:
        """The name of the weights in the ledger."""
        return model_name(self._predictor)

    def calibration(self, program: Program, question: Question, *, stepped: bool = False) -> Calibration:
        """Return the gate for a question about this code, whole or after true steps, or why there is none."""
        if self._gate is not None:
            return Calibration(self._gate)
        known = calibration_entries(self.ledger, what=question.what, model=self.model, stepped=stepped)
        return calibrate(known, code_features(program))

    def _remember(self, entry: JournalEntry) -> None:
        self.ledger.append(entry.ledger)
        if entry.drew is False:
            self._answered[entry.program.digest, str(entry.question)] = entry.true, entry.date

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """Answer one question: known, predicted, executed or unknown, with the reason."""
        return self.ask_many([program], question, budget)[0]

    def ask_many(self, programs: Sequence[Program], question: Question, budget: Budget) -> list[Answer]:
        """Answer the question for each program, in order; the budget is shared by all of them."""
        known = {program.digest: answer for program in programs if (answer := self._known_answer(program, question))}
        unknown = [program for program in programs if program.digest not in known]
        answers = iter(self._ask_unknown(unknown, question, budget) if unknown else ())
        return [known[program.digest] if program.digest in known else next(answers) for program in programs]

    def _known_answer(self, program: Program, question: Question) -> Answer | None:
        """The answer of an earlier execution that drew nothing."""
        value, date = self._answered.get((program.digest, str(question)), (None, ""))
        if value is None:
            return None
        why = f"known: executed on {date}, and it draws nothing"
        return Answer(value=value, probability=1.0, spent=ExecutionCost(), how=RUN, why=why)

    def _ask_unknown(self, programs: Sequence[Program], question: Question, budget: Budget) -> list[Answer]:
        remaining = _RemainingBudget(budget.executions, budget.steps)
        calibrations = [self.calibration(program, question) for program in programs]
        # A prediction without a gate only adds to the ledger, so it needs an execution.
        is_predicted = [known.gate is not None or (self._stores and budget.executions > 0) for known in calibrations]
        fine = any(known.gate for known in calibrations) and budget.steps > 0 and self._first is not None
        chosen = [program for program, use in zip(programs, is_predicted, strict=True) if use]
        predictions = (
            predict_answers(self._predictor, chosen, question, limit=budget.bytes, fine=fine) if chosen else iter(())
        )
        return [
            self._settle(program, question, budget, remaining, known, next(predictions))
            if use
            else self._execute(program, question, remaining, _Doubt(self._ungated(known)))
            for program, known, use in zip(programs, calibrations, is_predicted, strict=True)
        ]

    def _ungated(self, calibration: Calibration) -> str:
        return calibration.why if self._stores else NO_MODEL

    def _settle(
        self,
        program: Program,
        question: Question,
        budget: Budget,
        remaining: _RemainingBudget,
        calibration: Calibration,
        predicted: PredictedAnswer,
    ) -> Answer:
        """Answer one question: by the prediction, by one after single true steps, or by an execution."""
        gate = calibration.gate
        why = explain_doubt(predicted, gate, budget.sure)
        if why is None:
            return judge_prediction(predicted, gate, budget.sure)
        doubt = _doubt(why if gate is not None else self._ungated(calibration), predicted, gate)
        if gate is not None and self._first is not None and remaining.steps > 0 and predicted.sure:
            after_steps = self.calibration(program, question, stepped=True)
            stepped_gate = after_steps.gate
            stepped = ask_steps(
                self._predictor,
                self._first,
                predicted,
                question,
                most=remaining.steps,
                enough=lambda candidate: explain_doubt(candidate, stepped_gate or gate, budget.sure) is None,
            )
            remaining.steps -= stepped.told
            if stepped_gate is not None and _is_answer(stepped, stepped_gate, budget.sure):
                return _stepped_answer(stepped, stepped_gate, budget.sure)
            used_gate = stepped_gate if stepped.known else gate
            doubt = _remaining_doubt(stepped, Calibration(used_gate, f"{after_steps.why}{UNSTEPPED}"), budget.sure)
            if stepped.trace is not None:
                why = f"the first {stepped.ran:,} steps were executed, and decide the answer"
                answer = read_executed_answer(question, stepped.trace, doubt.spent, why)
                if answer.value is not None and self._stores:
                    self._store(program, question, answer, doubt)
                return answer
        return self._execute(program, question, remaining, doubt)

    def _execute(self, program: Program, question: Question, remaining: _RemainingBudget, doubt: _Doubt) -> Answer:
        """Execute the program, if the budget allows it, and store the result."""
        if remaining.executions < 1:
            why = f"no execution is allowed: {doubt.why}"
            return Answer(value=None, probability=doubt.probability, spent=doubt.spent, how=UNKNOWN, why=why)
        remaining.executions -= 1
        spent = doubt.spent + ExecutionCost(executions=1)
        answer = read_executed_answer(question, self._world(program), spent)
        if answer.value is not None and self._stores:
            self._store(program, question, answer, doubt)
        return replace(answer, why=f"{answer.why}: {doubt.why}")

    def _store(self, program: Program, question: Question, answer: Answer, doubt: _Doubt) -> None:
        assert answer.value is not None
        predicted = doubt.predicted
        entry = JournalEntry(
            program=program,
            question=question,
            true=answer.value,
            date=datetime.now(UTC).date().isoformat(),
            drew=answer.probability is None,
            why=doubt.why,
            model=self.model,
            told=doubt.told,
            imagined=predicted.value if predicted is not None else None,
            probability=doubt.probability,
            score=predicted.score if predicted is not None else None,
        )
        self._remember(entry)
        if self._journal is not None:
            append(self._journal, [entry])


def _doubt(why: str, predicted: PredictedAnswer, gate: Gate | None) -> _Doubt:
    return _Doubt(why, predicted, predicted.probability(gate), predicted.spent)


def _remaining_doubt(stepped: SteppedPrediction, calibration: Calibration, sure: float) -> _Doubt:
    """Say why true steps were not enough: they drew, there is no gate, or the confidence is too low."""
    predicted = stepped.predicted
    why = explain_doubt(predicted, calibration.gate, sure) or ""
    if stepped.drawn is not None:
        why = f"the result depends on {stepped.drawn}, so the first steps say nothing about another execution"
    elif calibration.gate is None:
        why = calibration.why
    spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
    return replace(_doubt(why, predicted, calibration.gate), spent=spent, told=stepped.known)


def _is_answer(stepped: SteppedPrediction, gate: Gate, sure: float) -> bool:
    """Whether a prediction after true steps is an answer; not if they drew, or decide the answer themselves."""
    is_usable = stepped.known > 0 and stepped.trace is None and stepped.drawn is None
    return is_usable and explain_doubt(stepped.predicted, gate, sure) is None


def _stepped_answer(stepped: SteppedPrediction, gate: Gate, sure: float) -> Answer:
    """Answer with a prediction that true steps made confident enough."""
    why = f"the first {stepped.ran:,} steps were executed, the rest is predicted; calibrated on {gate.described}"
    spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
    return replace(judge_prediction(stepped.predicted, gate, sure), spent=spent, how=MIXED, why=why)
