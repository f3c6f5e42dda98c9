"""Tasks for inspect_ai, one per suite: `inspect eval worldline/generated -T count=50`.

Prompts and budgets are those of `worldline bench`; the model, its server and its log are inspect_ai's, which finds this
module by the entry point `inspect_ai`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.fault import RowFault
from worldline.core.stats import wilson
from worldline.evaluation.harness.samples import HarnessSample, samples, suite_names
from worldline.predict.servers.prompt_styles import Sampling

_ROLES: dict[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_CUT, _DONE = ("max_tokens", "model_length"), "stop"


def _define(suite: str) -> Callable[..., Task]:
    def posed(
        way: str = "chat", count: int | None = None, max_tokens: int = Sampling().max_tokens, **options: Any
    ) -> Task:
        by_id = samples(suite, count, options)
        return Task(
            dataset=MemoryDataset([_sample(sample, way, max_tokens) for sample in by_id.values()], name=suite),
            solver=predict_trace(),
            scorer=verdict(suite, way, count, options),
            config=GenerateConfig(temperature=Sampling().temperature, seed=Sampling().seed),
            name=suite,
        )

    posed.__doc__ = f"The suite {suite}. `way` is chat or text; the other options are the suite's."
    define: Callable[..., Task] = task(name=suite)(posed)
    return define


def _sample(sample: HarnessSample, way: str, max_tokens: int) -> Sample:
    question = sample.question(way)
    messages = question.get("messages")
    return Sample(
        id=sample.id,
        input=[_ROLES[message["role"]](content=message["content"]) for message in messages]
        if messages
        else question["prompt"],
        target=sample.true.text.decode("utf-8", "replace"),
        metadata={"max_tokens": sample.tokens(max_tokens), "stop": question.get("stop")},
    )


@solver
def predict_trace() -> Solver:
    """Generate one trace with the sample's own budget and stop text."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        stop = {"stop_seqs": state.metadata["stop"]} if state.metadata["stop"] else {}
        return await generate(state, max_tokens=state.metadata["max_tokens"], **stop)

    return solve


@metric
def interval() -> Metric:
    """Wilson's 95 % interval of the share that is right."""

    def measured(scores: list[SampleScore]) -> dict[str, float]:
        low, high = wilson(sum(sample.score.as_int() for sample in scores), len(scores))
        return {"low": low, "high": high}

    return measured


@scorer(metrics={"answer": [accuracy(), stderr(), interval()], "trace": [accuracy(), stderr(), interval()]})
def verdict(suite: str, way: str, count: int | None, options: dict[str, Any]) -> Scorer:
    """Judge as `worldline bench` does: the answer, the whole trace, and why it failed."""

    async def score(state: TaskState, target: Target) -> Score:
        sample = samples(suite, count, options)[str(state.sample_id)]
        reason = state.output.stop_reason
        if reason not in (*_CUT, _DONE):
            raise UsageError(f"the model stopped for {reason!r}: its output cannot be judged")
        judged = sample.judged(way, state.output.completion, cut=reason in _CUT)
        if isinstance(judged, RowFault):
            raise WorldlineError(judged.note)
        keys = ("answer", "trace", "cause", "steps", "agreed", "type")
        return Score(
            value={"answer": int(judged.answer == "right"), "trace": int(judged.trace == "right")},
            answer=state.output.completion,
            explanation=f"{judged.cause}: {judged.note}" if judged.cause else "right",
            metadata={key: getattr(judged, key) for key in keys},
        )

    return score


TASKS = {name: _define(name) for name in suite_names()}
