"""Questions about a run: which steps are asked about, how answers are judged, and what a model answers."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from foreign_runs import NAMES, SOURCES
from judged_answers import JUDGED

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.ui.session.quiz.choose import MAX_ANSWER_CHARS, choose_questions
from worldline.ui.session.quiz.judge import MAX_TYPED_CHARS, judge_answer
from worldline.ui.session.quiz.question import LINE, OUTPUT, RETURN, VALUE, YIELD, QuizQuestion
from worldline.ui.session.quiz.quiz import Quiz, QuizOptions, answer_help
from worldline.ui.session.recorded import record_session
from worldline.ui.session.session import Session

pytestmark = pytest.mark.usefixtures("sandbox")

ALIAS = """\
class Box:
    def __init__(self):
        self.n = 1
        self.log = []
def f():
    a = Box()
    b = a
    b.n += 30 * 2
    xs = [1, 2]
    ys = xs
    ys.append(7)
    return b
"""
LOOP = """\
def f(xs):
    total = 0
    for x in xs:
        if x % 2:
            total += x * 3
    print("sum", total)
    return total * 2
"""
NESTED = "def g(n):\n    m = n * 7\n    return m + 1\ndef f():\n    a = g(3)\n    b = a - 1\n    return b\n"
C = """\
struct P { int x; int y; };
int move(struct P *p, int by) {
    p->x += by;
    if (p->x > 3) {
        p->y = by * 5;
    }
    return p->x * 2;
}
int main(void) {
    struct P a = {1, 2};
    int total = 0;
    for (int i = 0; i < 2; i++) {
        total += move(&a, i + 1);
    }
    return 0;
}
"""
STEPS = "def f():\n    n = 2\n    for x in (3, 4):\n        n = n * x\n        yield n\n"


def quiz_of(source: str, call: str = "f()", **options: int) -> Quiz:
    program = Program(source=source, call=call)
    return Quiz(record_session(program), QuizOptions(**options))


def asked(quiz: Quiz) -> list[tuple[str, int, str, str]]:
    return [(one.kind, one.line, one.subject, one.truth) for one in quiz.questions]


# ---- what is asked


def test_a_change_through_an_alias_is_asked_by_the_other_name() -> None:
    questions = asked(quiz_of(ALIAS))
    assert (VALUE, 8, "a.n", "61") in questions
    assert (VALUE, 11, "xs", "[1, 2, 7]") in questions


def test_branches_the_end_of_a_loop_output_and_results_are_asked() -> None:
    questions = asked(quiz_of(LOOP, "f([1, 2, 5])"))
    assert (LINE, 3, "", "6") in questions  # the loop is over
    assert {line for kind, line, _, _ in questions if kind == LINE} == {3, 4}
    assert (OUTPUT, 6, "", "sum 18\n") in questions
    assert (RETURN, 7, "", "36") in questions
    assert (VALUE, 5, "total", "18") in questions


def test_what_the_line_says_literally_is_not_asked() -> None:
    questions = asked(quiz_of(LOOP, "f([1, 2, 5])", questions=100))
    assert not [line for kind, line, _, _ in questions if kind == VALUE and line == 2]
    literal = "def f():\n    a = None\n    b = [1, 'x']\n    c = 'text'\n    print('text')\n    return 4\n"
    assert quiz_of(literal).questions == ()


def test_values_that_nobody_can_type_are_not_asked() -> None:
    text = "xy" * 10
    source = f"def f():\n    a = lambda: 1\n    b = '{text}' * {MAX_ANSWER_CHARS}\n    c = [b]\n    return object\n"
    assert quiz_of(source).questions == ()


def test_questions_do_not_overlap() -> None:
    for source, call in ((NESTED, "f()"), (ALIAS, "f()"), (LOOP, "f([1, 2, 5])")):
        questions = quiz_of(source, call, questions=100).questions
        assert questions
        for before, after in pairwise(questions):
            assert before.end <= after.step


def test_what_a_generator_yields_is_asked() -> None:
    quiz = quiz_of(f"{STEPS}def g():\n    return list(f())\n", "g()", questions=100)
    assert {(line, truth) for kind, line, _, truth in asked(quiz) if kind == YIELD} == {(5, "6"), (5, "24")}


def test_count_and_seed_decide() -> None:
    run = quiz_of(LOOP, f"f({list(range(30))})").session.run_diff(0, "found", "found").right
    few = choose_questions(run, count=4, seed=1)
    assert len(few) == 4
    assert choose_questions(run, count=4, seed=1) == few
    assert any(choose_questions(run, count=4, seed=seed) != few for seed in range(2, 9))
    steps = [one.step for one in choose_questions(run, count=50)]
    assert steps == sorted(steps)


@pytest.mark.parametrize("count", [0, 101])
def test_the_number_of_questions_is_bounded(count: int) -> None:
    with pytest.raises(UsageError, match="1 to 100 questions"):
        QuizOptions(questions=count)


def test_a_run_without_a_question_says_so() -> None:
    described = quiz_of("def f():\n    return 1\n").describe()
    assert described["status"] == "failed"
    assert "no step of this run makes a question" in described["note"]


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_every_language_has_questions_and_help(language: str) -> None:
    assert answer_help(language)
    is_c = language in ("c", "cpp")
    source, call = (C, None) if is_c else (SOURCES[language], "total([1, 2])")
    try:
        quiz = Quiz(record_session(Program(source=source, name=NAMES[language], call=call)))
    except UsageError as error:
        if "toolchain" not in str(error):
            raise
        pytest.skip(str(error))
    assert {LINE, VALUE, RETURN} <= {one.kind for one in quiz.questions}
    for number, one in enumerate(quiz.questions):
        assert quiz.answer_json(number, one.truth)["status"] == "right"


# ---- nothing is told before the answer


def test_a_question_says_nothing_of_what_comes() -> None:
    source = "def f(n):\n    a = n * 2\n    b = a + 1\n    c = int(input())\n    d = c * 31\n    return d - a\n"
    quizzes = [
        Quiz(record_session(Program(source=source, call="f(3)", stdin=f"{typed}\n")), QuizOptions(questions=100))
        for typed in (37, 41)
    ]
    first, second = quizzes
    early = [n for n, one in enumerate(first.questions) if one.line <= 4]
    assert len(early) >= 2
    for number in early:  # the runs differ in what is read by line 4
        assert first.question_json(number) == second.question_json(number)
    (number,) = [n for n, one in enumerate(first.questions) if one.line == 5]
    assert "1147" not in json.dumps(first.question_json(number))
    assert "truth" not in first.answer_json(number, "1,,")
    assert first.answer_json(number, None)["truth"] == "1147"


def test_the_state_is_that_before_the_line_and_after_it() -> None:
    quiz = quiz_of(ALIAS)
    (number,) = [n for n, one in enumerate(quiz.questions) if one.line == 11]
    before, after = quiz.question_json(number), quiz.answer_json(number, None)["after"]
    assert before["scene"]["texts"]["0"]["xs"] == "[1, 2]"
    assert after["scene"]["texts"]["0"]["xs"] == "[1, 2, 7]"
    assert [frame["line"] for frame in before["scene"]["frames"]] == [11]
    assert before["lines"] == [5, 6, 2, 3, 4, 4, 7, 8, 9, 10]
    assert any("`xs`, `ys`" in text for text in quiz.answer_json(number, None)["because"])


def test_a_line_that_calls_is_answered_after_the_call() -> None:
    quiz = quiz_of(NESTED.replace("m = n * 7", "pass").replace("m + 1", "n + 1"), questions=100)
    (number,) = [n for n, one in enumerate(quiz.questions) if one.subject == "b"]
    assert quiz.question_json(number)["scene"]["texts"] == {"0": {"a": "4"}}


# ---- how answers are judged


def question(truth: str, kind: str = VALUE) -> QuizQuestion:
    return QuizQuestion(kind=kind, step=1, end=2, line=3, file=None, function="f", name="x", truth=truth)


@pytest.mark.parametrize(("language", "kind", "truth", "typed", "status"), JUDGED)
def test_answers_are_judged_as_values(language: str, kind: str, truth: str, typed: str, status: str) -> None:
    assert judge_answer(question(truth, kind), typed, language).status == status


def test_hostile_answers_are_malformed() -> None:
    for language in ("python", "js", "rust", "java"):
        for typed in ("[" * 1_500, "x" * (MAX_TYPED_CHARS + 1), "\\u{ffffffff}", "'\\u{ffffffff}'", "(" * 39):
            assert judge_answer(question("1"), typed, language).status == "malformed", typed[:20]


@pytest.mark.parametrize(
    ("typed", "note"),
    [("true", "Python writes True."), ("abc", "a string needs quotes."), ("[1", "check its brackets.")],
)
def test_what_is_no_value_is_explained(typed: str, note: str) -> None:
    assert judge_answer(question("True"), typed, "python").note == f"This is not a value: {note}"


def test_a_number_of_another_type_is_explained() -> None:
    assert "float, not int" in judge_answer(question("4.5"), "4", "java").note


# ---- the model


def test_the_model_answers_from_its_own_run() -> None:
    ask = PredictionRequest(program=Program(source=LOOP, call="f([1, 2, 5])"))
    (truth,) = Interpreter().predict([ask])
    found = replace(truth, text=truth.text.replace(b"total=18", b"total=19").replace(b"sum 18", b"sum 19"))
    session = Session.of_sample(Sample(ask=ask, truth=truth, found=found), name="f", model="m")
    quiz = Quiz(session, model="m")
    told = {one.line: quiz.answer_json(n, None)["model"] for n, one in enumerate(quiz.questions) if one.truth != "3"}
    assert told[3]["status"] == "right"
    assert told[5] == {"name": "m", "status": "wrong", "answer": "19"}
    assert told[6] == {"name": "m", "status": "wrong", "answer": "sum 19\n"}
    assert told[7]["status"] == "right"


def test_a_step_that_the_model_does_not_reach_is_not_predicted() -> None:
    ask = PredictionRequest(program=Program(source=LOOP, call="f([1, 2, 5])"))
    (truth,) = Interpreter().predict([ask])
    cut = truth.text[: truth.text.index(b"\n4")]
    session = Session.of_sample(
        Sample(ask=ask, truth=truth, found=replace(truth, text=cut, status="budget")), name="f", model="m"
    )
    quiz = Quiz(session, model="m")
    statuses = [quiz.answer_json(n, None)["model"]["status"] for n in range(len(quiz.questions))]
    assert statuses[-1] == "not predicted"


def test_without_a_model_nobody_else_answers() -> None:
    quiz = quiz_of(NESTED)
    assert quiz.answer_json(0, None)["model"] is None
    with pytest.raises(UsageError, match="there is no question 99"):
        quiz.question_json(99)
