"""A suite's tasks as the samples of another harness: what its model is asked, and the verdict on what comes back.

The tasks, their order, their budgets and their truths are those of `worldline bench`, recorded in the box; the question
is made and the answer read by the same way as a server's (`predict.servers`), and judged by the same function. No
model is asked here.
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
from worldline.evaluation.run.run import ask_of, known_tasks
from worldline.evaluation.run.truth import Truth
from worldline.evaluation.score import Verdict, judge
from worldline.evaluation.suites import SUITES, is_measured, load
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.prompt_styles import Chat, PromptStyle, Reply, Sampling, Text, prediction
from worldline.recording.recorder import record

OWN = "own"  # the programs of a FILE.jsonl, which is the option `data`
WAYS: dict[str, PromptStyle] = {"text": Text(), "chat": Chat()}


@dataclass(frozen=True)
class HarnessSample:
    """One task of a suite by its place in it: what is asked, what is true, and what running it may use."""

    at: int
    task: Task
    ask: PredictionRequest
    true: Truth
    limits: Limits

    @property
    def id(self) -> str:
        """The place in the suite and the task's name; the names alone may repeat."""
        return f"{self.at} {self.task.name}".rstrip()

    def question(self, way: str) -> dict[str, Any]:
        """What a server would be sent for it: `prompt` and `stop`, or `messages`."""
        return way_named(way).question(self.ask, Sampling(logprobs=False))

    def tokens(self, most: int) -> int:
        """The most tokens that it may be answered with: a token is a byte at least."""
        return min(most, self.ask.max_new_bytes)

    def judged(self, way: str, text: str, *, cut: bool) -> Verdict | RowFault:
        """The verdict on an answer; `cut` says that a limit ended it. A fault is the tool's, and in no rate."""
        return call_or_fault(self._judged, way_named(way), Reply(text, cut))

    def _judged(self, way: PromptStyle, reply: Reply) -> Verdict:
        found = prediction(way, self.ask, reply)
        return judge(self.task, self.true, found, ask=self.ask, record=self._record)

    def _record(self, program: Program, control: Control | None = None, /) -> Trace:
        return record(program, limits=self.limits, control=control)


def way_named(name: str) -> PromptStyle:
    """A way to ask, by the name that `bench -M way=` has for it."""
    if name not in WAYS:
        raise UsageError(f"a harness asks by one of {', '.join(WAYS)}, not {name!r}")
    return WAYS[name]


def suite_names() -> list[str]:
    """The suites that ask for one trace a task, and one's own; the others ask step by step, as no harness does."""
    return [*(name for name in SUITES if not is_measured(name)), OWN]


def samples(suite: str, count: int | None, options: Mapping[str, Any]) -> dict[str, HarnessSample]:
    """The samples of a suite by their ids, `count` at most; `options` are the suite's own.

    The same programs that `worldline bench --max-programs COUNT` asks for: those without a true answer are left out,
    and those that could not be recorded too, which count there as faults.
    """
    return _samples(suite, count, json.dumps(dict(options), sort_keys=True))


@lru_cache(maxsize=8)  # who poses samples and who judges them ask for the same ones
def _samples(suite: str, count: int | None, options: str) -> dict[str, HarnessSample]:
    told = json.loads(options)
    if suite == OWN and "data" not in told:
        raise UsageError("one's own programs are in a FILE.jsonl: give it as data")
    found = load(told.pop("data") if suite == OWN else suite, **told)
    made = {}
    for each in known_tasks(found, limit=count):
        ask = call_or_fault(ask_of, each, "compact") if each.true is not None else None
        if isinstance(ask, PredictionRequest) and each.true is not None:
            sample = HarnessSample(each.at, each.task, ask, each.true, found.limits)
            made[sample.id] = sample
    if not made:
        raise UsageError(f"the suite {suite} has no program that ends with an answer")
    return made
