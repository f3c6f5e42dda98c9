"""The quiz over HTTP: questions, verdicts, and no truth before an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from quiz_programs import FIELDS, QUESTIONS
from serving import Served, serving
from wire import Reply, get, post

pytestmark = pytest.mark.usefixtures("sandbox")
TRUTHS = (b"1147", b"1148", b"2294")


@pytest.fixture(scope="module")
def served(sandbox: None) -> Iterator[Served]:
    with serving(programs=[FIELDS], quiz={}) as server:
        yield server
        assert server.complaints() == ""


def send(served: Served, question: int, answer: Any, *, quiz: int = 0) -> Reply:
    return post(served, f"/api/quizzes/{quiz}/questions/{question}/answer", {"answer": answer})


def test_the_questions_and_their_answers(served: Served) -> None:
    quiz = get(served, "/api/quizzes/0").json
    assert (quiz["questions"], quiz["status"], quiz["model"], quiz["language"]) == (8, "ready", None, "Python")
    asked = [get(served, f"/api/quizzes/0/questions/{n}").json for n in range(quiz["questions"])]
    assert [(one["kind"], one["line"]) for one in asked] == [(kind, line) for kind, line, _ in QUESTIONS]
    for number, (_, _, truth) in enumerate(QUESTIONS):
        assert send(served, number, truth).json["status"] == "right"


def test_no_answer_gives_the_truth_away_before_it_is_asked_for(served: Served) -> None:
    paths = ["/api/runs", "/api/quizzes/0", *(f"/api/quizzes/0/questions/{n}" for n in range(5))]
    bodies = [get(served, path).body for path in paths]
    for truth in TRUTHS:
        assert not any(truth in body for body in bodies)
    runs = get(served, "/api/runs").json
    assert (runs["runs"], runs["quizzes"]) == ([], 1)  # the run itself cannot be looked up
    for path in ("", "/timeline", "/chunks/0", "/why"):
        assert get(served, f"/api/runs/live/samples/0{path}").status == 404


def test_a_malformed_answer_reveals_nothing(served: Served) -> None:
    note = "This is not a value: check its brackets."
    assert send(served, 4, "[11").json == {"number": 4, "status": "malformed", "note": note, "answer": "[11"}
    wrong = send(served, 4, "5").json
    assert (wrong["status"], wrong["truth"]) == ("wrong", "1147")
    revealed = send(served, 4, None).json
    assert (revealed["status"], revealed["truth"]) == ("revealed", "1147")


def test_what_is_not_there_is_refused(served: Served) -> None:
    assert get(served, "/api/quizzes/1").status == 404
    assert get(served, "/api/quizzes/0/questions/8").status == 404
    assert send(served, 8, "1").status == 404
    assert send(served, 0, "1", quiz=1).status == 404
    assert send(served, 0, 3).status == 422
    assert send(served, 0, "x" * 2_001).status == 422
