"""The interpreter and a model together: imagined where the gate is sure enough, run where it is not, unknown otherwise.

Whatever is run goes into the ledger with what was imagined before, and the gate is fitted on the ledger: of the same
kind of question, and of the same weights; what was imagined whole and what was imagined behind true steps have a gate
each. Until it holds 30 such runs every question is run, and imagined only if that
is kept, so that the gate can be fitted one day.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worldline.core.program import Program
from worldline.plan.answer import MIXED, UNKNOWN, Answer, Budget, ExecutionCost, ProgramRunner
from worldline.plan.executed import FirstSteps, answer_of
from worldline.plan.gate import FEWEST, Gate, gate_of
from worldline.plan.imagined import UNGATED, PredictedAnswer, judged, think, unsure
from worldline.plan.journal import JournalEntry, append, read_journal
from worldline.plan.ledger import LedgerEntry, model_of, telling
from worldline.plan.question import Question
from worldline.plan.stepping import SteppedPrediction, ask_steps
from worldline.predict.predictor import Predictor

UNSTEPPED = "no gate is fitted for what is imagined behind true steps"
NO_MODEL = "no gate is fitted for this code, and no journal to fit one on"


@dataclass
class _Purse:
    """What is left to spend on several answers."""

    executions: int
    steps: int


@dataclass(frozen=True)
class _Doubt:
    """Why a program has to be run, and what was imagined of it, if anything was."""

    why: str
    thought: PredictedAnswer | None = None
    probability: float | None = None
    spent: ExecutionCost = ExecutionCost()  # noqa: RUF009 - frozen
    told: int = 0


class MixedOracle:
    """An oracle over a world and a model. `first` runs a program's first steps: without it no single step is asked for.

    A `gate` that is given is used as it is; otherwise it is fitted on the ledger, which the `journal` begins where one
    is given, and which every run adds to.
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
        self._keeps = ledger is not None or journal is not None
        self.ledger = list(ledger or ()) + [
            entry.ledger for entry in (read_journal(journal) if journal else ())
        ]

    @property
    def model(self) -> str:
        """The weights as the ledger names them."""
        return model_of(self._predictor)

    def gate(self, question: Question, *, stepped: bool = False) -> Gate | None:
        """The gate for such questions, imagined whole or behind true steps; None while too few runs are known."""
        if self._gate is not None:
            return self._gate
        return gate_of(self._known(question, stepped=stepped))

    def _known(self, question: Question, *, stepped: bool = False) -> list[LedgerEntry]:
        return telling(self.ledger, what=question.what, model=self.model, stepped=stepped)

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """The answer: imagined, run, or unknown, and why."""
        return self.ask_many([program], question, budget)[0]

    def ask_many(self, programs: Sequence[Program], question: Question, budget: Budget) -> list[Answer]:
        """An answer for each program, in their order; executions and steps of the budget are for all together."""
        gate, purse = self.gate(question), _Purse(budget.executions, budget.steps)
        if gate is None and (not self._keeps or not budget.executions):
            return [
                self._run(program, question, purse, _Doubt(self._ungated(question))) for program in programs
            ]
        fine = gate is not None and budget.steps > 0 and self._first is not None
        thoughts = think(self._predictor, programs, question, limit=budget.bytes, fine=fine)
        return [
            self._settle(program, question, budget, purse, gate, thought)
            for program, thought in zip(programs, thoughts, strict=True)
        ]

    def _ungated(self, question: Question) -> str:
        if not self._keeps:
            return NO_MODEL
        return f"{UNGATED} ({len(self._known(question))} of {FEWEST} runs are known)"

    def _settle(
        self,
        program: Program,
        question: Question,
        budget: Budget,
        purse: _Purse,
        gate: Gate | None,
        thought: PredictedAnswer,
    ) -> Answer:
        """One answer, of what was imagined: as it is, behind single true steps, or by a run."""
        why = unsure(thought, gate, budget.sure)
        if why is None:
            return judged(thought, gate, budget.sure)
        doubt = _doubt(why if gate is not None else self._ungated(question), thought, gate)
        if gate is not None and self._first is not None and purse.steps > 0 and thought.sure:
            behind = self.gate(question, stepped=True)
            stepped = ask_steps(
                self._predictor,
                self._first,
                thought,
                question,
                most=purse.steps,
                enough=lambda candidate: unsure(candidate, behind or gate, budget.sure) is None,
            )
            purse.steps -= stepped.told
            if behind is not None and _is_sure(stepped, behind, budget.sure):
                return _by_steps(stepped, behind, budget.sure)
            doubt = self._still(stepped, question, behind if stepped.known else gate, budget.sure)
            if stepped.trace is not None:
                why = f"its first {stepped.ran:,} steps were run, and tell"
                answer = answer_of(question, stepped.trace, doubt.spent, why)
                if answer.value is not None and self._keeps:
                    self._keep(program, question, answer.value, doubt)
                return answer
        return self._run(program, question, purse, doubt)

    def _still(
        self, stepped: SteppedPrediction, question: Question, gate: Gate | None, sure: float
    ) -> _Doubt:
        """Why true steps were not enough: they drew, no such runs are known, or the model is not sure behind them."""
        thought = stepped.thought
        why = unsure(thought, gate, sure) or ""
        if stepped.drawn is not None:
            why = f"the run hangs on {stepped.drawn}, so its first steps say nothing of another run"
        elif gate is None:
            known = len(self._known(question, stepped=True))
            why = f"{UNSTEPPED} ({known} of {FEWEST} runs are known)"
        spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
        return replace(_doubt(why, thought, gate), spent=spent, told=stepped.known)

    def _run(self, program: Program, question: Question, purse: _Purse, doubt: _Doubt) -> Answer:
        """By a run, where one is left; what it says is kept."""
        if purse.executions < 1:
            why = f"{doubt.why}: no execution is allowed"
            return Answer(value=None, probability=doubt.probability, spent=doubt.spent, how=UNKNOWN, why=why)
        purse.executions -= 1
        answer = answer_of(question, self._world(program), doubt.spent + ExecutionCost(executions=1))
        if answer.value is not None and self._keeps:
            self._keep(program, question, answer.value, doubt)
        return replace(answer, why=f"{doubt.why}: {answer.why}")

    def _keep(self, program: Program, question: Question, true: str, doubt: _Doubt) -> None:
        thought = doubt.thought
        entry = JournalEntry(
            program=program,
            question=question,
            true=true,
            why=doubt.why,
            model=self.model,
            told=doubt.told,
            imagined=thought.value if thought is not None else None,
            probability=doubt.probability,
            score=thought.score if thought is not None else None,
        )
        self.ledger.append(entry.ledger)
        if self._journal is not None:
            append(self._journal, [entry])


def _doubt(why: str, thought: PredictedAnswer, gate: Gate | None) -> _Doubt:
    chance = None if gate is None or thought.score is None else gate.probability(thought.score)
    return _Doubt(why, thought, chance, thought.spent)


def _is_sure(stepped: SteppedPrediction, gate: Gate, sure: float) -> bool:
    """Whether what is imagined behind true steps is an answer; where they drew, or tell all, it is none."""
    stands = stepped.known > 0 and stepped.trace is None and stepped.drawn is None
    return stands and unsure(stepped.thought, gate, sure) is None


def _by_steps(stepped: SteppedPrediction, gate: Gate, sure: float) -> Answer:
    """The answer of a thought that true steps made sure enough."""
    why = f"its first {stepped.ran:,} steps were run, the others are imagined; the gate stands on {gate.n} such runs"
    spent = ExecutionCost(steps=stepped.told, bytes=stepped.bytes)
    return replace(judged(stepped.thought, gate, sure), spent=spent, how=MIXED, why=why)
