"""A quiz: questions about the recorded run of a session, judged answers, and what a model predicted at these steps.

`question_json` says nothing that a run does after the step of the question; `answer_json` says it. The model predicted
the whole run from its beginning, so after its first mistake it answers from its own wrong state.
"""

from __future__ import annotations

import threading
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.events import RETURNING
from worldline.ui.session.branches.as_json import plain, program_json
from worldline.ui.session.clip import clip
from worldline.ui.session.heap.objects import RunObjects
from worldline.ui.session.heap.scene import boxes_json, frame_json, scene_at
from worldline.ui.session.quiz.choose import DEFAULT_QUESTIONS, MAX_QUESTIONS, choose_questions
from worldline.ui.session.quiz.judge import AnswerVerdict, is_true_answer, judge_answer
from worldline.ui.session.quiz.question import LINE, VALUE, QuizQuestion, StepAnswers
from worldline.ui.session.run import Run
from worldline.ui.session.session import Session

MAX_OUTPUT_CHARS = 2_000
RECORDING, READY, FAILED = "recording", "ready", "failed"
REVEALED, PREDICTING, NOT_PREDICTED = "revealed", "predicting", "not predicted"


@dataclass(frozen=True, kw_only=True)
class QuizOptions:
    """How a quiz is made: the maximum number of questions, and what decides between equal ones."""

    questions: int = DEFAULT_QUESTIONS
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.questions <= MAX_QUESTIONS:
            raise UsageError(f"a quiz has 1 to {MAX_QUESTIONS} questions, not {self.questions}")


@cache
def answer_help(language: str) -> str:
    """Return examples of values as they may be typed in a language."""
    table = tomllib.loads(files(__package__).joinpath("help.toml").read_text("utf-8"))
    return str(table[language])


class Quiz:
    """The questions about the program of a session. `model` is the name of its model, or None if nobody predicts."""

    def __init__(self, session: Session, options: QuizOptions | None = None, *, model: str | None = None) -> None:
        self.session, self.model = session, model
        self._options = options or QuizOptions()
        self._lock = threading.RLock()
        self._chosen: tuple[tuple[QuizQuestion, ...], RunObjects] | None = None

    @property
    def status(self) -> str:
        """Whether the run is being recorded, ready, or cannot be had (`failed`)."""
        root = self.session.branch(0)
        if self.session.is_recorded:
            return READY
        return READY if root.truth is not None else RECORDING if root.status == "running" else FAILED

    @property
    def questions(self) -> tuple[QuizQuestion, ...]:
        """Every question, in the order of the run."""
        return self._made()[0]

    def describe(self) -> dict[str, Any]:
        """Return the program, the number of questions and the model, as JSON."""
        root, status = self.session.branch(0), self.status
        note = root.why if status == FAILED else ""
        count = len(self.questions) if status == READY else 0
        if status == READY and not count:
            status, note = FAILED, "no step of this run makes a question: try a program with a branch, loop or call"
        described: dict[str, Any] = plain(
            {
                "name": self.session.name,
                "model": self.model,
                "status": status,
                "note": note,
                "questions": count,
                "program": program_json(root.ask.program),
                "language": root.ask.program.lang.title,
                "help": answer_help(root.ask.program.language),
            }
        )
        return described

    def question_json(self, number: int) -> dict[str, Any]:
        """Return a question with the state before its line. The answer is not part of it."""
        question, objects = self._question(number), self._made()[1]
        run = objects.run
        fields: dict[str, Any] = plain(
            {
                "number": number,
                "kind": question.kind,
                "text": question.sentence,
                "step": question.step,
                "line": question.line,
                "file": question.file,
                "function": question.function,
                "subject": question.subject,
                "scene": self._scene(question.step - 1, question.step, since=question.step - 1),
                "lines": [moment.line for moment in run.events[: question.step]],
                "output": clip(run.output_tail(question.step, MAX_OUTPUT_CHARS)),
            }
        )
        return fields

    def answer_json(self, number: int, typed: str | None) -> dict[str, Any]:
        """Judge an answer; None reveals the truth. A malformed answer reveals nothing."""
        question = self._question(number)
        language = self.session.branch(0).ask.program.language
        verdict = AnswerVerdict(REVEALED) if typed is None else judge_answer(question, typed, language)
        judged = {"number": number, "status": verdict.status, "note": verdict.note, "answer": typed}
        revealed = self.truth_json(number) if verdict.status != "malformed" else {}
        answered: dict[str, Any] = plain(judged | revealed)
        return answered

    def truth_json(self, number: int) -> dict[str, Any]:
        """Return the answer of the recorded run, why it is so, the state after the line, and the model's answer."""
        question, objects = self._question(number), self._made()[1]
        run, last = objects.run, question.end - (question.kind not in RETURNING)
        return {
            "truth": question.truth,
            "because": explain_truth(run, question),
            "after": {
                "scene": self._scene(last, question.end, since=question.step),
                "output": clip(run.output_tail(question.end, MAX_OUTPUT_CHARS)),
            },
            "model": self._guess(question),
        }

    def _scene(self, row: int, stack_at: int, *, since: int) -> dict[str, Any]:
        with self._lock:  # reading objects has a state of its own
            return _scene(self._made()[1], row, stack_at, since=since)

    def _guess(self, question: QuizQuestion) -> dict[str, Any] | None:
        """What the model predicted; None without a model."""
        if self.model is None:
            return None
        is_running = self.session.branch(0).status == "running"
        diff = self.session.run_diff()
        step = diff.rows[diff.row_of("left", question.step)].right
        answers = StepAnswers(diff.right)
        is_there = step is not None and answers.end(step) is not None
        answer = answers.answer(question, step) if step is not None and is_there else None
        if answer is None:
            return {"name": self.model, "status": PREDICTING if is_running and not is_there else NOT_PREDICTED}
        status = "right" if is_true_answer(question, answer) else "wrong"
        return {"name": self.model, "status": status, "answer": clip(answer, question.truth)}

    def _question(self, number: int) -> QuizQuestion:
        questions = self.questions
        if not 0 <= number < len(questions):
            raise UsageError(f"there is no question {number}: the quiz has {len(questions)}")
        return questions[number]

    def _made(self) -> tuple[tuple[QuizQuestion, ...], RunObjects]:
        with self._lock:
            if self._chosen is None:
                run = _recorded_run(self.session)
                if run is None:
                    raise UsageError("the run is not recorded yet")
                questions = choose_questions(run, count=self._options.questions, seed=self._options.seed)
                self._chosen = questions, RunObjects(run)
            return self._chosen


def _recorded_run(session: Session) -> Run | None:
    """The recorded run of a session; None while there is none."""
    if session.is_recorded:
        return session.run_diff(0, "found", "found").right
    return session.run_diff().left


def explain_truth(run: Run, question: QuizQuestion) -> list[str]:
    """Say why the answer is what it is: what decided, or which names are one object. Code is between backticks."""
    place = f"line {question.line} of {question.function_in_words}"
    if question.kind == LINE:
        decided = run.conditions.get(question.step, ())
        return [f"Decided by `{text}`." for text in decided] or [f"Decided in {place}."]
    if question.kind != VALUE:
        verbs = {"output": "printed", "return": "returned", "yield": "yielded"}
        return [f"It is {verbs[question.kind]} by {place}."]
    sentences = [f"It is written by {place}."]
    frame = run.events[question.step].frame
    for group in run.sharing.at(frame, question.end):
        if question.name in group:
            names = ", ".join(f"`{name}`" for name in group)
            sentences.append(f"One object has these names: {names}.")
    return sentences


def _scene(objects: RunObjects, row: int, stack_at: int, *, since: int) -> dict[str, Any]:
    """What a row shows, on the stack of another one: what changed `since` a row, and the values by frame and name."""
    run, scene = objects.run, scene_at(objects, row, stack_at=stack_at)
    frames = [{**frame_json(frame), "line": run.line(frame.frame, stack_at)} for frame in scene.frames]
    texts = {
        str(frame.frame): {clip(name): clip(value.text or "") for name, value in objects.at(frame.frame, row)}
        for frame in scene.frames
    }
    changed: dict[str, list[str]] = {}
    for step in range(since, row + 1):
        for change in objects.changes_at(step):
            if change.box in scene.boxes:
                changed.setdefault(change.box, []).extend(change.keys)
    return {
        "row": row,
        "frames": frames,
        "boxes": boxes_json(scene),
        "changed": changed,
        "hidden_frames": scene.hidden_frames,
        "hidden_boxes": scene.hidden_boxes,
        "texts": texts,
    }
