"""The quizzes of a page, for the server and for a bundle. A server tells the truth only after an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.ui.http.errors import Refusal
from worldline.ui.session.quiz.quiz import FAILED, RECORDING, Quiz


class Quizzes:
    """The open quizzes, by number."""

    def __init__(self) -> None:
        self._quizzes: list[Quiz] = []

    def __len__(self) -> int:
        return len(self._quizzes)

    def add(self, quiz: Quiz) -> int:
        """Add a quiz and return its number."""
        self._quizzes.append(quiz)
        return len(self._quizzes) - 1

    def get(self, number: int) -> Quiz:
        """Return a quiz.

        Raises:
            Refusal: There is no such quiz.
        """
        if number >= len(self._quizzes):
            raise Refusal(404, f"there is no quiz {number}")
        return self._quizzes[number]

    def describe(self, number: int) -> dict[str, Any]:
        """Return a quiz without its questions."""
        return {"quiz": number, **self.get(number).describe()}

    def question(self, number: int, question: int) -> dict[str, Any]:
        """Return a question, without its answer."""
        return self._asked(number, question).question_json(question)

    def answer(self, number: int, question: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Judge an answer; null reveals the truth."""
        return self._asked(number, question).answer_json(question, body["answer"])

    def bundled(self, number: int) -> dict[str, Any]:
        """Return everything about a quiz, with the answers, for a page that has no server to judge them."""
        quiz = self.get(number)
        described = self.describe(number)
        numbers = range(described["questions"])
        return {
            "quiz": described,
            "questions": [quiz.question_json(n) for n in numbers],
            "answers": [quiz.answer_json(n, None) for n in numbers],
        }

    def _asked(self, number: int, question: int) -> Quiz:
        quiz = self.get(number)
        if quiz.status == RECORDING:
            raise Refusal(409, "the program is still being recorded: wait")
        if quiz.status == FAILED or question >= len(quiz.questions):
            raise Refusal(404, f"there is no question {question}")
        return quiz
