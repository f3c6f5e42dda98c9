"""The interpreter and a model together: predict if the gate is confident, execute if not, unknown otherwise.

Every execution goes into the ledger with the prediction made before it, and the gate is fitted on the ledger, per kind
of question and per weights. Whole predictions and predictions after true steps have separate gates. Until the ledger
has 30 such executions, every question is executed; the model predicts only if the ledger is stored, for calibration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worldline.core.program import Program
from worldline.plan.answer import MIXED, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.executed import FirstSteps, read_executed_answer
from worldline.plan.gate import MIN_ENTRIES, Gate, fit_gate
from worldline.plan.imagined import UNGATED, PredictedAnswer, explain_doubt, judge_prediction, predict_answers
from worldline.plan.journal import JournalEntry, append, read_journal
from worldline.plan.ledger import LedgerEntry, calibration_entries, model_name
from worldline.plan.question import Question
from worldline.plan.stepping import SteppedPrediction, ask_steps
from worldline.predict.predictor import Predictor

UNSTEPPED = "the model is not calibrated yet for predictions after true steps"
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
        self.ledger += [entry.ledger for entry in (read_journal(journal) if journal else ())]

    @property
    def model(self) -> str:
        """The name of the weights in the ledger."""
        return model_name(self._predictor)

    def gate(self, question: Question, *, stepped: bool = False) -> Gate | None:
        """Return the gate for such questions, whole or after true steps; None if too few executions are known."""
        if self._gate is not None:
            return self._gate
        return fit_gate(self._known(question, stepped=stepped))

    def _known(self, question: Question, *, stepped: bool = False) -> list[LedgerEntry]:
        return calibration_entries(self.ledger, what=question.what, model=self.model, stepped=stepped)

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """Answer one question: predicted, executed or unknown, with the reason."""
        return self.ask_many([program], question, budget)[0]

    def ask_many(self, programs: Sequence[Program], question: Question, budget: Budget) -> list[Answer]:
        """Answer the question for each program, in order; the budget is shared by all of them."""
        gate, remaining = self.gate(question), _RemainingBudget(budget.executions, budget.steps)
        if gate is None and (not self._stores or not budget.executions):
            doubt = _Doubt(self._ungated(question))
            return [self._execute(program, question, remaining, doubt) for program in programs]
        fine = gate is not None and budget.steps > 0 and self._first is not None
        predictions = predict_answers(self._predictor, programs, question, limit=budget.bytes, fine=fine)
        return [
            self._settle(program, question, budget, remaining, gate, predicted)
            for program, predicted in zip(programs, predictions, strict=True)
        ]

    def _ungated(self, question: Question) -> str:
        if not self._stores:
            return NO_MODEL
        return f"{UNGATED} ({len(self._known(question))} of {MIN_ENTRIES} executions are known)"

    def _settle(
        self,
        program: Program,
        question: Question,
        budget: Budget,
        remaining: _RemainingBudget,
        gate: Gate | None,
        predicted: PredictedAnswer,
    ) -> Answer:
        """Answer one question: by the prediction, by one after single true steps, or by an execution."""
        why = explain_doubt(predicted, gate, budget.sure)
        if why is None:
            return judge_prediction(predicted, gate, budget.sure)
        doubt = _doubt(why if gate is not None else self._ungated(question), predicted, gate)
        if gate is not None and self._first is not None and remaining.steps > 0 and predicted.sure:
            stepped_gate = self.gate(question, stepped=True)
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
            doubt = self._remaining_doubt(stepped, question, used_gate, budget.sure)
            if stepped.trace is not None:
                why = f"the first {stepped.ran:,} steps were executed, and decide the answer"
                answer = read_executed_answer(question, stepped.trace, doubt.spent, why)
                if answer.value is not None and self._stores:
                    self._store(program, question, answer.value, doubt)
                return answer
        return self._execute(program, question, remaining, doubt)

    def _remaining_doubt(
        self, stepped: SteppedPrediction, question: Question, gate: Gate | None, sure: float
    ) -> _Doubt:
        """Say why true steps were not enough: they drew, there is no gate, or the confidence is too low."""
        predicted = stepped.predicted
        why = explain_doubt(predicted, gate, sure) or ""
        if stepped.drawn is not None:
            why = f"the result depends on {stepped.drawn}, so the first steps say nothing about another execution"
        elif gate is None:
            known = len(self._known(question, stepped=True))
            why = f"{UNSTEPPED} ({known} of {MIN_ENTRIES} executions are known)"
        spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
        return replace(_doubt(why, predicted, gate), spent=spent, told=stepped.known)

    def _execute(self, program: Program, question: Question, remaining: _RemainingBudget, doubt: _Doubt) -> Answer:
        """Execute the program, if the budget allows it, and store the result."""
        if remaining.executions < 1:
            why = f"no execution is allowed: {doubt.why}"
            return Answer(value=None, probability=doubt.probability, spent=doubt.spent, how=UNKNOWN, why=why)
        remaining.executions -= 1
        spent = doubt.spent + ExecutionCost(executions=1)
        answer = read_executed_answer(question, self._world(program), spent)
        if answer.value is not None and self._stores:
            self._store(program, question, answer.value, doubt)
        return replace(answer, why=f"{answer.why}: {doubt.why}")

    def _store(self, program: Program, question: Question, true: str, doubt: _Doubt) -> None:
        predicted = doubt.predicted
        entry = JournalEntry(
            program=program,
            question=question,
            true=true,
            why=doubt.why,
            model=self.model,
            told=doubt.told,
            imagined=predicted.value if predicted is not None else None,
            probability=doubt.probability,
            score=predicted.score if predicted is not None else None,
        )
        self.ledger.append(entry.ledger)
        if self._journal is not None:
            append(self._journal, [entry])


def _doubt(why: str, predicted: PredictedAnswer, gate: Gate | None) -> _Doubt:
    return _Doubt(why, predicted, predicted.probability(gate), predicted.spent)


def _is_answer(stepped: SteppedPrediction, gate: Gate, sure: float) -> bool:
    """Whether a prediction after true steps is an answer; not if they drew, or decide the answer themselves."""
    is_usable = stepped.known > 0 and stepped.trace is None and stepped.drawn is None
    return is_usable and explain_doubt(stepped.predicted, gate, sure) is None


def _stepped_answer(stepped: SteppedPrediction, gate: Gate, sure: float) -> Answer:
    """Answer with a prediction that true steps made confident enough."""
    why = f"the first {stepped.ran:,} steps were executed, the rest is predicted; calibrated on {gate.n} executions"
    spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
    return replace(judge_prediction(stepped.predicted, gate, sure), spent=spent, how=MIXED, why=why)
