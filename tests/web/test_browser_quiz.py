"""The quiz in a real browser: every kind of answer, the score, the model, keys, a phone, a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import tab, texts
from judged_answers import JUDGED
from quiz_programs import CALL, FIELDS, QUESTIONS, SOURCE, wrong_model
from serving import Served, serving

from worldline.core.program import Program
from worldline.ui.session.marks.natives import as_json
from worldline.ui.session.quiz.judge import judge_answer
from worldline.ui.session.quiz.question import QuizQuestion
from worldline.ui.session.quiz.quiz import Quiz, QuizOptions
from worldline.ui.session.recorded import record_session
from worldline.ui.web.start import write_bundle

pytestmark = pytest.mark.usefixtures("sandbox")
PHONE = {"width": 390, "height": 844}
VALUE, OUTPUT = 4, 6  # questions
UNNAMED = """() => {
  const named = e => e.innerText?.trim() || e.ariaLabel || e.getAttribute('aria-labelledby') || e.labels?.length;
  const all = [...document.querySelectorAll('button, input, textarea, section, nav, a, [role=listitem]')];
  return all.filter(e => e.checkVisibility() && !named(e)).map(e => e.outerHTML);
}"""


@pytest.fixture(scope="module")
def served(sandbox: None) -> Iterator[Served]:
    with serving(programs=[FIELDS], quiz={}) as server:
        yield server


@pytest.fixture(scope="module")
def rival(sandbox: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a model that takes the product for 1148."""
    model = wrong_model(tmp_path_factory.mktemp("model"))
    with serving(programs=[FIELDS], models=[model], quiz={}) as server:
        yield server


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    page, complaints = tab(chromium)
    page.goto(served.url)
    asks(page, 0)
    yield page
    assert complaints.heard == []
    page.context.close()


def asks(page: Any, number: int) -> None:
    """Wait until a question is shown, and not answered."""
    page.wait_for_selector(f".quiz-view[data-question='{number}'][data-status=open]")


def go(page: Any, number: int | str) -> None:
    page.evaluate(f"location.hash = '#/quiz/0/{number}'")
    page.wait_for_selector(f".quiz-view[data-question='{number}']")


def judged(page: Any, status: str) -> None:
    page.wait_for_selector(f".quiz-view[data-status={status}]")


def test_a_right_answer(page: Any) -> None:
    go(page, VALUE)
    assert page.inner_text(".question-text") == "Line 5 executes. What is total afterwards?"
    assert page.get_attribute(".source [aria-current=step]", "class")
    assert "5" in page.inner_text(".source [aria-current=step] .line-number")
    page.fill("#answer", "1_147")
    page.click(".answer-form .main")
    judged(page, "right")
    assert "Right" in page.inner_text(".result .verdict")
    assert page.inner_text(".quiz-score") == "you 1 of 1"
    assert "It is written by line 5 of f." in texts(page, ".because")
    assert page.inner_text("tr[data-name=total] button.slot").split() == ["total:", "1147", "changed"]


def test_a_wrong_answer_is_shown_beside_the_truth(page: Any) -> None:
    go(page, VALUE)
    page.fill("#answer", "1148")
    page.keyboard.press("Enter")
    judged(page, "wrong")
    assert texts(page, ".result dd") == ["1147", "1148"]
    assert texts(page, ".result mark") == ["7", "8"]
    assert page.is_disabled("#answer")
    assert page.evaluate("document.activeElement.textContent") == "Next question"


def test_a_malformed_answer_may_be_typed_again(page: Any) -> None:
    go(page, VALUE)
    page.fill("#answer", "[1147")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem-note:text('not a value')")
    assert page.evaluate("document.activeElement.id") == "answer"
    assert page.locator(".result").inner_text() == ""
    page.fill("#answer", "1147")
    page.keyboard.press("Enter")
    judged(page, "right")


def test_reveal_tells_the_truth_and_counts_as_not_right(page: Any) -> None:
    page.click("text=Reveal")
    judged(page, "revealed")
    assert texts(page, ".result dd") == ["2"]
    assert page.inner_text(".quiz-score") == "you 0 of 1"


def test_a_line_is_chosen_by_a_click(page: Any) -> None:
    go(page, 1)
    page.click(".source .line-number:text-is('3')")
    assert page.input_value("#answer") == "3"
    page.click(".answer-form .main")
    judged(page, "right")
    assert texts(page, ".because") == ["Decided by x % 2: false."]


def test_the_keyboard_alone_finishes_the_quiz(page: Any) -> None:
    for number, (_, _, truth) in enumerate(QUESTIONS):
        asks(page, number)
        page.wait_for_function("document.activeElement.id === 'answer'")
        page.keyboard.type("wrong?" if number == OUTPUT else truth)
        page.keyboard.press("Enter")
        judged(page, "wrong" if number == OUTPUT else "right")
        page.keyboard.press("Enter")  # the button to go on has the focus
    page.wait_for_selector(".quiz-view[data-question=score][data-status=done]")
    assert page.inner_text("#summary-title") == "you 7 of 8"
    assert page.locator(".answers tbody tr").count() == 8
    page.reload()
    page.wait_for_selector("#summary-title:text('you 7 of 8')")  # a reload loses nothing
    page.click("text=Start again")
    asks(page, 0)
    assert page.inner_text(".quiz-score") == "no answer yet"


def test_a_link_opens_its_question(chromium: Any, served: Served) -> None:
    page, complaints = tab(chromium)
    page.goto(f"{served.home}/quiz/0/{OUTPUT}")
    asks(page, OUTPUT)
    assert page.inner_text(".question-text") == "Line 6 executes. What does it print?"
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    asks(page, OUTPUT + 1)
    page.go_back()
    asks(page, OUTPUT)
    assert complaints.heard == []
    page.context.close()


def test_the_truth_is_not_in_the_page_before_the_answer(chromium: Any, served: Served) -> None:
    page, _ = tab(chromium)
    bodies: list[str] = []
    page.on("response", lambda response: bodies.append(response.text()) if "/api/" in response.url else None)
    page.goto(f"{served.home}/quiz/0/{VALUE}")
    asks(page, VALUE)
    page.wait_for_load_state("networkidle")
    assert bodies
    assert not any("1147" in body for body in bodies)
    page.context.close()


def test_the_model_competes(chromium: Any, rival: Served) -> None:
    page, complaints = tab(chromium)
    page.goto(f"{rival.home}/quiz/0/{VALUE}")
    asks(page, VALUE)
    page.fill("#answer", "1147")
    page.keyboard.press("Enter")
    judged(page, "right")
    page.wait_for_selector(".result .verdict.wrong")  # the model may still be predicting
    assert "1148" in texts(page, ".result dd")[2]
    go(page, 0)
    page.click("text=Reveal")
    page.wait_for_selector(".result .verdict.right")
    assert page.inner_text(".quiz-score").startswith("you 1 of 2, python:")
    assert page.inner_text(".quiz-score").endswith(" 1 of 2")
    go(page, "score")
    assert "You saw the true state before each line." in page.inner_text(".quiz-summary")
    assert "6 questions left" in page.inner_text(".quiz-summary")
    assert complaints.heard == []
    page.context.close()


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone(chromium: Any, served: Served, dark: bool) -> None:
    page, complaints = tab(chromium, size=PHONE, dark=dark)
    page.goto(f"{served.home}/quiz/0/{VALUE}")
    asks(page, VALUE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("#answer").bounding_box()["y"] < PHONE["height"] / 2
    page.fill("#answer", "0")
    page.click(".answer-form .main")
    judged(page, "wrong")
    go(page, "score")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(UNNAMED) == []
    assert complaints.heard == []
    page.context.close()


@pytest.mark.parametrize("out", ["quiz.html", "folder"])
def test_a_bundle_asks_without_a_server(chromium: Any, tmp_path: Path, out: str) -> None:
    program = Program(source=SOURCE, call=CALL)
    written = write_bundle(tmp_path / out, (), [program], quiz=True, questions=5)
    first = Quiz(record_session(program), QuizOptions(questions=5)).questions[0]
    page, complaints = tab(chromium)
    file = written.path if out.endswith(".html") else written.path / "index.html"
    page.goto(file.as_uri())
    asks(page, 0)
    assert page.locator(".quiz-steps .step").count() == 5
    page.fill("#answer", "?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem-note:not(:empty)")
    page.fill("#answer", first.truth)
    page.keyboard.press("Enter")
    judged(page, "right")
    assert page.inner_text(".quiz-score") == "you 1 of 1"
    page.keyboard.press("Enter")
    asks(page, 1)
    page.click("text=Reveal")
    judged(page, "revealed")
    assert complaints.heard == []
    page.context.close()


def test_a_bundle_judges_as_the_server_does(page: Any) -> None:
    cases = [
        {"kind": kind, "truth": truth, "typed": typed, "program": {"language": language, "natives": as_json(language)}}
        for language, kind, truth, typed, _ in JUDGED
    ]
    script = """async cases => {
      const { judge } = await import('./judge.js');
      return cases.map(({ kind, truth, typed, program }) => judge({ kind }, truth, typed, program).status);
    }"""
    found = page.evaluate(script, cases)
    questions = [
        QuizQuestion(kind=case["kind"], step=0, end=1, line=1, file=None, function="f", name="x", truth=case["truth"])
        for case in cases
    ]
    expected = [
        judge_answer(asked, case["typed"], case["program"]["language"]).status
        for asked, case in zip(questions, cases, strict=True)
    ]
    differing = [(case, one, other) for case, one, other in zip(cases, found, expected, strict=True) if one != other]
    assert differing == []
