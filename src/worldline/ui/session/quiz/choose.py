"""Chooses the steps of a recorded run that are worth a question.

Worth asking: a change through an alias, the end of a loop, a branch, a returned value, printed text, a value that
changes. Not worth asking: what the line says literally (`total = 0`), and values that nobody wants to type.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from worldline.core.events import RETURNING
from worldline.core.value import kind
from worldline.ui.session.marks.natives import native_names
from worldline.ui.session.quiz.question import LINE, OUTPUT, RETURN, VALUE, YIELD, QuizQuestion, StepAnswers, fields_of
from worldline.ui.session.run import Run

DEFAULT_QUESTIONS = 10
MAX_QUESTIONS = 100
MAX_ANSWER_CHARS = 60
"""A longer answer is not asked for."""
MAX_STEPS_WITHIN = 30
"""Steps of calls within one line. A line with more is not asked about."""
ALIAS, LOOP_END, OUTCOME, BRANCH, RETURNED, PRINTED, CHANGED, NEW = 6.0, 5.0, 4.5, 4.0, 4.0, 3.0, 2.5, 1.5
LOOP_TURN = 1.0
"""The weights of what is asked. The weight of another question of the same kind is reduced."""
_SAME_LINE_PENALTY, _SAME_KIND_PENALTY, _STEP_PENALTY = 2.5, 0.4, 0.25
_TYPED_KINDS = ("int", "float", "bool", "str", "None", "list", "tuple", "dict", "set", "enum")
_DECISION = re.compile(r"\W*(?:else\s+)?(?:(?P<loop>while|for)|if|elif|switch|match)\b")
_UNTYPED = re.compile(r"#\d|<[a-zA-Z]")
_WORDS = re.compile(r"[^\W\d][\w$]*+")
_SIGNS = re.compile(r"[^\w.-]+")
_EMPTY = ("None", "<undefined>")


@dataclass(frozen=True)
class _Candidate:
    weight: float
    question: QuizQuestion


def choose_questions(run: Run, *, count: int = DEFAULT_QUESTIONS, seed: int = 0) -> tuple[QuizQuestion, ...]:
    """Choose questions about a recorded run.

    Args:
        run: The recorded run.
        count: The maximum number of questions.
        seed: Decides between steps that are equally worth asking.

    Returns:
        The questions in the order of the run. No question is about a step within the line of another one.
    """
    rng = Random(f"quiz {seed}")
    waiting = [_Candidate(entry.weight + rng.random(), entry.question) for entry in _Choice(run).candidates()]
    chosen: list[QuizQuestion] = []
    kinds, lines = Counter[str](), Counter[tuple[str, str | None, int]]()

    def worth(candidate: _Candidate) -> float:
        question = candidate.question
        same = lines[question.kind, question.file, question.line]
        return candidate.weight - _SAME_LINE_PENALTY * same - _SAME_KIND_PENALTY * kinds[question.kind]

    while waiting and len(chosen) < count:
        best = max(waiting, key=worth).question
        chosen.append(best)
        kinds[best.kind] += 1
        lines[best.kind, best.file, best.line] += 1
        waiting = [entry for entry in waiting if not _overlap(entry.question, best)]
    return tuple(sorted(chosen, key=lambda question: question.step))


def _overlap(first: QuizQuestion, second: QuizQuestion) -> bool:
    return first.step < second.end and second.step < first.end


@dataclass
class _Choice:
    """Goes through the steps of a run and weighs what can be asked about them."""

    run: Run
    answers: StepAnswers = field(init=False)
    _turns: dict[tuple[int, int], int] = field(default_factory=dict)  # by frame and line of a loop, where it went

    def __post_init__(self) -> None:
        self.answers = StepAnswers(self.run)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield every question that can be asked, with its weight."""
        for step, moment in enumerate(self.run.events):
            end = self.answers.end(step)
            if moment.event != "line" or moment.line is None or end is None or end - step > MAX_STEPS_WITHIN:
                continue
            code = self.answers.code(step)
            if not _WORDS.search(code):  # a brace
                continue
            penalty = _STEP_PENALTY * (end - step - 1)  # what a call does may be asked about instead
            for weight, kind_, truth, name, part in self._asked(step, code):
                question = QuizQuestion(
                    kind=kind_,
                    step=step,
                    end=(self.answers.handing_back(step) or end) if kind_ in RETURNING else end,
                    line=moment.line,
                    file=moment.file,
                    function=self.run.frame(moment.frame).function,
                    name=name,
                    field=part,
                    truth=truth,
                )
                yield _Candidate(weight - penalty, question)

    def _asked(self, step: int, code: str) -> Iterator[tuple[float, str, str, str, str]]:
        """What can be asked about a line: weight, kind, answer, name and field."""
        if (decided := self._decision(step, code)) is not None:
            yield decided[0], LINE, decided[1], "", ""
        printed = self.answers.printed(step)
        if printed and printed.strip() and len(printed) <= MAX_ANSWER_CHARS and not _is_literal(printed.strip(), code):
            yield PRINTED, OUTPUT, printed, "", ""
        for event in (RETURN, YIELD):
            value = self.answers.handed_back(step, event)
            if value is not None and value not in _EMPTY and self._is_asked(value, code):
                weight = OUTCOME if self.run.depth(step) == 0 else RETURNED
                yield weight, event, value, "", ""
        for name, value in self.answers.changes(step).items():
            yield from self._changed(step, name, value, code)

    def _changed(self, step: int, name: str, value: str, code: str) -> Iterator[tuple[float, str, str, str, str]]:
        """The questions about a changed name: its value, or one changed field of its object."""
        before = self.answers.before(step, name)
        if before == value or not _WORDS.fullmatch(name):
            return
        is_alias = before is not None and name not in _WORDS.findall(code)
        weight = ALIAS if is_alias else CHANGED if before is not None else NEW
        fields = fields_of(value)
        if not fields:
            if self._is_asked(value, code):
                yield weight, VALUE, value, name, ""
            return
        earlier = fields_of(before) if before is not None else {}
        for part, text in fields.items():
            if earlier.get(part) != text and part.isidentifier() and self._is_asked(text, code):
                yield weight, VALUE, text, name, part

    def _decision(self, step: int, code: str) -> tuple[float, str] | None:
        """How much the next line of a branch or loop is worth, and the line."""
        match, line = _DECISION.match(code), self.answers.next_line(step)
        if match is None or line is None:
            return None
        if not match["loop"]:
            return BRANCH, str(line)
        moment = self.run.events[step]
        place = moment.frame, moment.line or 0
        before, self._turns[place] = self._turns.get(place), line
        return LOOP_END if before not in (None, line) else LOOP_TURN, str(line)

    def _is_asked(self, value: str, code: str) -> bool:
        """Whether a person can type a value, and the line does not say it literally."""
        is_typed = kind(value) in _TYPED_KINDS and len(value) <= MAX_ANSWER_CHARS and not _UNTYPED.search(value)
        word = native_names(self.run.ask.program.language).words.get(value)
        return is_typed and not _is_literal(value, code) and not (word is not None and _is_literal(word, code))


def _is_literal(value: str, code: str) -> bool:
    """Whether a line spells a value, in whatever quotes and brackets."""
    atoms = _SIGNS.sub(" ", value).strip()
    return f" {atoms} " in f" {_SIGNS.sub(' ', code)} " if atoms else value in code
