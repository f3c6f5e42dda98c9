"""The input search as a model of CRUXEval's input questions: `bench crux-input --model search`.

It reads what a model reads, the code and the output. Unlike a model it executes the code, and reports how often.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.text import plural
from worldline.plan.answer import ProgramRunner
from worldline.plan.inputs.finding import sandboxed_calls
from worldline.plan.inputs.goal import goal_of_return
from worldline.plan.inputs.search import CallRunner, InputSearch
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo

SCHEME = "search"
CALL_SECONDS = 0.5
_ASKED = re.compile(
    r"\[PYTHON\]\n(.*?)# Find inputs such that[^\n]*\nassert (\w+)\(\?\?\) == (.*?)\n\[/PYTHON\]", re.DOTALL
)


@dataclass(frozen=True)
class InputAnswerer:
    """Answers with an input that was executed and gave the output, or with nothing."""

    how: InputSearch

    @property
    def info(self) -> ModelInfo:
        """The name of the search."""
        return ModelInfo(name=SCHEME)

    @property
    def capabilities(self) -> Capabilities:
        """It only answers questions."""
        return Capabilities(answers_questions=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Raise UsageError: it predicts no trace."""
        raise UsageError("`search` only works with the suite crux-input: it finds inputs, and predicts no trace")

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """Answer each question; the note says how many executions it took."""
        with sandboxed_calls() as (run, world):
            for question in questions:
                yield self._answer(question, limit, run, world)

    def _answer(self, question: str, limit: int, run: CallRunner, world: ProgramRunner) -> Prediction:
        started = time.perf_counter()
        blocks = _ASKED.findall(question)
        if not blocks:
            return Prediction(text=b"", status="fault", note="no function and output in the question")
        source, function, output = blocks[-1]
        try:
            goal = goal_of_return(source, function, output, exact=True)
            report = self.how.find(goal, Program(source=source), run, world)
        except UsageError as error:  # there is no such function, or it has no arguments
            return Prediction(text=b"", status="empty", note=str(error), seconds=time.perf_counter() - started)
        text = "" if report.call is None else f"assert {report.call} == {output}\n[/ANSWER]"
        status = "ended" if text else "empty"
        seconds, note = time.perf_counter() - started, plural(report.executions, "execution")
        return Prediction(text=text.encode()[:limit], status=status, seconds=seconds, note=note)


def load_search(extras: Mapping[str, str]) -> InputAnswerer:
    """Load the search with its options as text: `executions`, `way`, `seed`."""
    unknown = set(extras) - {"executions", "way", "seed"}
    if unknown:
        raise UsageError(f"the search has no option {min(unknown)}: it has executions, way and seed")
    executions, seed = extras.get("executions", "1000"), extras.get("seed", "0")
    if not (executions.isdigit() and seed.isdigit()):
        raise UsageError("executions and seed must be whole numbers")
    way = extras.get("way", "climb")
    return InputAnswerer(InputSearch(executions=int(executions), way=way, seed=int(seed), seconds=CALL_SECONDS))
