"""A suite's tasks as samples of another harness: the prompt for its model, and the verdict on its output.

The tasks, their order, budgets and truths are those of `worldline bench`, recorded in the sandbox. Prompts are written
and outputs parsed as for a server (`predict.servers.prompt_styles`), and judged by the same function.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.evaluation.run.run import known_tasks, request_for
from worldline.evaluation.run.truth import Truth
from worldline.evaluation.score import Verdict, judge
from worldline.evaluation.suites import SUITES, is_measured, load
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.prompt_styles import Chat, PromptStyle, Reply, Sampling, Text, prediction
from worldline.recording.recorder import record

OWN = "own"  # programs of your own, from the FILE.jsonl of the option `data`
WAYS: dict[str, PromptStyle] = {"text": Text(), "chat": Chat()}


@dataclass(frozen=True)
class HarnessSample:
    """A task by its place in the suite, with its request, its truth, and the limits of its recording."""

    at: int
    task: Task
    ask: PredictionRequest
    true: Truth
    limits: Limits

    @property
    def id(self) -> str:
        """The place in the suite and the task's name, as names may repeat."""
        return f"{self.at} {self.task.name}".rstrip()

    def question(self, way: str) -> dict[str, Any]:
        """Return what a server would be sent: `prompt` and `stop`, or `messages`."""
        return _way(way).question(self.ask, Sampling(logprobs=False))

    def tokens(self, max_tokens: int) -> int:
        """Return the maximum number of tokens of an answer: a token has at least one byte."""
        return min(max_tokens, self.ask.max_new_bytes)

    def judged(self, way: str, text: str, *, cut: bool) -> Verdict | RowFault:
        """Judge an output; `cut` means that a limit ended it. A fault of the tool is in no rate."""
        return call_or_fault(self._judged, _way(way), Reply(text, cut))

    def _judged(self, way: PromptStyle, reply: Reply) -> Verdict:
        predicted = prediction(way, self.ask, reply)
        return judge(self.task, self.true, predicted, ask=self.ask, record=self._record)

    def _record(self, program: Program, control: Control | None = None, /) -> Trace:
        return record(program, limits=self.limits, control=control)


def _way(name: str) -> PromptStyle:
    if name not in WAYS:
        raise UsageError(f"way is one of {', '.join(WAYS)}, not {name!r}")
    return WAYS[name]


def suite_names() -> list[str]:
    """Return the suites that predict one trace per task, and `own`. Harnesses cannot predict step by step."""
    return [*(name for name in SUITES if not is_measured(name)), OWN]


def samples(suite: str, count: int | None, options: Mapping[str, Any]) -> dict[str, HarnessSample]:
    """Return at most `count` samples of a suite by id; `options` are the suite's own.

    They are the programs of `worldline bench --max-programs COUNT`, without those that have no true answer or could not
    be recorded.
    """
    return _samples(suite, count, json.dumps(dict(options), sort_keys=True))


@lru_cache(maxsize=8)  # the dataset and the scorer use the same samples
def _samples(suite: str, count: int | None, options: str) -> dict[str, HarnessSample]:
    suite_options = json.loads(options)
    if suite == OWN and "data" not in suite_options:
        raise UsageError("the suite own needs its programs: pass a FILE.jsonl as the option data")
    loaded = load(suite_options.pop("data") if suite == OWN else suite, **suite_options)
    by_id = {}
    for known in known_tasks(loaded, limit=count):
        ask = call_or_fault(request_for, known, "compact") if known.true is not None else None
        if isinstance(ask, PredictionRequest) and known.true is not None:
            sample = HarnessSample(known.at, known.task, ask, known.true, loaded.limits)
            by_id[sample.id] = sample
    if not by_id:
        raise UsageError(f"the suite {suite} has no program that ends with an answer")
    return by_id
