"""The search as one who is asked in CRUXEval's words for an input: `bench crux-input --model search`.

It is told what a model is told, the code and the output; unlike a model it runs the code, and says how often.
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
from worldline.plan.inputs.finding import boxed
from worldline.plan.inputs.goal import returning
from worldline.plan.inputs.search import CallRunner, InputSearch
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo

SCHEME = "search"
SECONDS = 0.5  # of one call
_ASKED = re.compile(
    r"\[PYTHON\]\n(.*?)# Find inputs such that[^\n]*\nassert (\w+)\(\?\?\) == (.*?)\n\[/PYTHON\]", re.DOTALL
)


@dataclass(frozen=True)
class InputAnswerer:
    """Answers with an input that was run and found to lead to the output, or with nothing."""

    how: InputSearch

    @property
    def info(self) -> ModelInfo:
        """The search, by its name."""
        return ModelInfo(name=SCHEME)

    @property
    def capabilities(self) -> Capabilities:
        """It answers, and nothing else."""
        return Capabilities(answers_questions=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """It imagines no trace."""
        raise UsageError("the search answers crux-input alone: it finds inputs, and imagines no trace")

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """One answer for each question; its note says how many executions it took."""
        with boxed() as (run, world):
            for question in questions:
                yield self._one(question, limit, run, world)

    def _one(self, question: str, limit: int, run: CallRunner, world: ProgramRunner) -> Prediction:
        begun = time.perf_counter()
        blocks = _ASKED.findall(question)
        if not blocks:
            return Prediction(text=b"", status="fault", note="no function and output in the question")
        source, function, output = blocks[-1]
        try:
            goal = returning(source, function, output, exact=True)
            report = self.how.find(goal, Program(source=source), run, world)
        except UsageError as error:  # it takes nothing, or is none
            return Prediction(text=b"", status="empty", note=str(error), seconds=time.perf_counter() - begun)
        text = "" if report.call is None else f"assert {report.call} == {output}\n[/ANSWER]"
        status = "ended" if text else "empty"
        seconds, note = time.perf_counter() - begun, plural(report.executions, "execution")
        return Prediction(text=text.encode()[:limit], status=status, seconds=seconds, note=note)


def load_search(extras: Mapping[str, str]) -> InputAnswerer:
    """The search with its extras as text: `executions`, `way`, `seed`."""
    unknown = set(extras) - {"executions", "way", "seed"}
    if unknown:
        raise UsageError(f"the search has no option {min(unknown)}: it has executions, way and seed")
    executions, seed = extras.get("executions", "1000"), extras.get("seed", "0")
    if not (executions.isdigit() and seed.isdigit()):
        raise UsageError("executions and seed are whole numbers")
    way = extras.get("way", "climb")
    return InputAnswerer(InputSearch(executions=int(executions), way=way, seed=int(seed), seconds=SECONDS))
