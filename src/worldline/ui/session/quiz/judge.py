"""Judges what a person types: a value in canonical or the program's own spelling, a line number, or printed text.

`codec.answer` decides whether two values are the same. A text that is no answer at all is malformed: it is reported,
and the person may try again. `static/judge.js` judges alike on a page without a server.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worldline.codec.answer import same_answer
from worldline.codec.literals import LITERALS, Reader, spelled
from worldline.core.malformed import Malformed
from worldline.core.value import canonical, kind
from worldline.ui.session.marks.natives import native_names
from worldline.ui.session.quiz.question import LINE, OUTPUT, QuizQuestion

RIGHT, WRONG, MALFORMED = "right", "wrong", "malformed"
MAX_TYPED_CHARS = 2_000
MAX_TYPED_DEPTH = 40
"""How deep the brackets of an answer may be nested."""
# Keyboards of phones type them instead of straight ones.
_STRAIGHT_QUOTES = str.maketrans("\u201c\u201d\u201e\u2018\u2019\u201a", "\"\"\"'''")
_PYTHON_WORDS = {"true": "True", "false": "False", "none": "None", "null": "None"}


@dataclass(frozen=True)
class AnswerVerdict:
    """The verdict on an answer: `right`, `wrong` or `malformed`, and a note that helps the person."""

    status: str
    note: str = ""


class _Word:
    """A word of another language that stands for a canonical one."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def judge_answer(question: QuizQuestion, typed: str, language: str) -> AnswerVerdict:
    """Judge a typed answer.

    Args:
        question: The question, with the answer of the recorded run.
        typed: What the person typed.
        language: The language of the program.

    Returns:
        The verdict.
    """
    if len(typed) > MAX_TYPED_CHARS:
        return AnswerVerdict(MALFORMED, f"An answer has at most {MAX_TYPED_CHARS:,} characters.")
    if not typed.strip():
        return AnswerVerdict(MALFORMED, "Type an answer, or press Reveal.")
    if question.kind == OUTPUT:
        return AnswerVerdict(RIGHT if _lines(typed) == _lines(question.truth) else WRONG)
    if question.kind == LINE:
        number = typed.strip().lower().removeprefix("line").strip()
        if not (number.isascii() and number.isdecimal()):
            return AnswerVerdict(MALFORMED, "Type the number of a line, or click the line.")
        return AnswerVerdict(RIGHT if int(number) == int(question.truth) else WRONG)
    return _judge_value(question.truth, typed.strip(), language)


def _judge_value(truth: str, typed: str, language: str) -> AnswerVerdict:
    is_bare_tuple = language not in LITERALS and kind(truth) == "tuple"
    texts = (typed, typed.translate(_STRAIGHT_QUOTES), f"({typed})" if is_bare_tuple else "")
    values = list(dict.fromkeys(next(filter(None, (list(_values(text, language)) for text in texts)), [])))
    if not values:
        return AnswerVerdict(MALFORMED, f"This is not a value: {_hint(typed, language)}.")
    if any(same_answer(value, truth) for value in values):
        return AnswerVerdict(RIGHT)
    kinds = {kind(value) for value in values}
    if {kind(truth), *kinds} <= {"int", "float", "bool"} and kind(truth) not in kinds:
        return AnswerVerdict(WRONG, f"The number is of another type: {kind(truth)}, not {min(kinds)}.")
    return AnswerVerdict(WRONG)


def _hint(typed: str, language: str) -> str:
    word = _PYTHON_WORDS.get(typed.lower()) if language not in LITERALS else None
    if word is not None:
        return f"Python writes {word}"
    return "a string needs quotes" if typed.replace("_", "").replace(" ", "").isalnum() else "check its brackets"


def _values(typed: str, language: str) -> Iterator[str]:
    """The canonical texts that a typed text may stand for."""
    value = canonical(typed)
    if not isinstance(value, Malformed):
        yield value
    if language not in LITERALS or _depth(typed) > MAX_TYPED_DEPTH:
        return
    reader = Reader(typed, language, known=_known_words(language))
    try:
        literal = spelled(reader.value())
        reader.blank()
    except (ValueError, OverflowError, IndexError):
        return
    if reader.at == len(typed):
        yield literal


@cache
def _known_words(language: str) -> dict[str, Any]:
    """The words of a language that stand for canonical ones: `undefined`, `NaN`."""
    return {name: _Word(word) for word, name in native_names(language).words.items() if name.isidentifier()}


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _lines(text: str) -> list[str]:
    """The lines of printed text, without blanks at their ends and empty lines at the end."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def is_true_answer(question: QuizQuestion, answer: str) -> bool:
    """Tell whether the answer of another run, in canonical spelling, is that of the recorded run."""
    if question.kind == OUTPUT:
        return _lines(answer) == _lines(question.truth)
    return answer == question.truth or (question.kind != LINE and same_answer(answer, question.truth))
