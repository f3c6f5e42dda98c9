"""The result of a check: each way of asking with what came back, and the one to use."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from worldline.predict.servers.probe import ServerProbe

CONTEXT_REASON = "question and answer exceed the model's context"
SERVING = "docs/how-to/servers.md has the options of vLLM and llama.cpp."
_UNSAFE = re.compile(r"[^\w.]+")


@dataclass(frozen=True, kw_only=True)
class TriedWay:
    """One way of asking a model, and its answers.

    Attributes:
        options: The `-M` options that select it.
        title: What it does, in words.
        notation: The notation that it asks for; empty if only the model knows.
        asked: How many programs were asked for.
        answered: How many of them were answered at all.
        readable: How many answers are a trace, or hold an answer that can be read.
        right: How many answers are right; None if they cannot be judged.
        right_traces: How many are right in every step; None if they cannot be judged.
        seconds: How long it took.
        example: One answer, shortened: the first that is not readable, or else the first.
        reason: Why that answer is not readable, or why nothing was asked; empty if every answer is readable.
    """

    options: Mapping[str, str]
    title: str
    notation: str = ""
    asked: int = 0
    answered: int = 0
    readable: int = 0
    right: int | None = 0
    right_traces: int | None = 0
    seconds: float = 0.0
    example: str = ""
    reason: str = ""

    @property
    def quality(self) -> tuple[int, int, int]:
        """What ways are compared by: right answers, then right traces, then readable answers."""
        return self.right or 0, self.right_traces or 0, self.readable


@dataclass(frozen=True, kw_only=True)
class ModelCheck:
    """Which ways of asking a model understands.

    Attributes:
        model: The name to pass to `--model`; for a server without `#MODEL`, with the only model it has.
        extras: The options that were passed with it.
        server: What is known about its server, if it has one.
        ways: The ways, in the order in which they were tried.
        seconds: How long the check took.
    """

    model: str
    extras: Mapping[str, str] = field(default_factory=dict)
    server: ServerProbe | None = None
    ways: tuple[TriedWay, ...]
    seconds: float = 0.0
    suite: str = "generated"
    is_named: bool = True

    @property
    def is_readable(self) -> bool:
        """Whether at least one answer in one way can be read."""
        return self.best is not None

    @property
    def best(self) -> TriedWay | None:
        """The way to use: the one with the most right answers; None if no answer can be read."""
        best = max(self.ways, key=lambda way: way.quality, default=None)
        return best if best is not None and best.readable else None

    @property
    def options(self) -> dict[str, str]:
        """The `-M` options to use; empty if no way is readable."""
        return {} if self.best is None else {**self.extras, **self.best.options}

    @property
    def command(self) -> str:
        """A complete command that measures the model in the best way; empty if there is none."""
        if self.best is None or not self.is_named:
            return ""
        words = ["worldline", "bench", self.suite, "--max-programs", "20", "--model", self.model]
        for key, value in self.options.items():
            words += ["-M", f"{key}={value}"]
        return shlex.join([*words, "-o", f"runs/{self._run_name}"])

    @property
    def _run_name(self) -> str:
        """The folder of the command's run: the model and its options, so that another one has another folder."""
        model = self.model.rpartition("#")[2].removeprefix("hub:").removeprefix("replay:").removeprefix("python:")
        words = [model, *(self.best.options.values() if self.best is not None else ())]
        return "-".join(_UNSAFE.sub("-", word).strip("-.") for word in words)

    @property
    def advice(self) -> str:
        """What to do if no way is readable; empty otherwise."""
        if self.is_readable:
            return ""
        reasons = {way.reason for way in self.ways if way.asked}
        if not reasons:
            return "Nothing was asked: the reason of each way says what is missing."
        if not any(way.answered for way in self.ways):
            return (
                "No request was answered. If the server is only slow, allow more time (-M timeout=SECONDS and "
                "--seconds SECONDS) or shorter answers (-M max_tokens=N)."
            )
        if len(reasons) == 1 and next(iter(reasons)) == CONTEXT_REASON:
            return f"Serve the model with a longer context. {SERVING}"
        if any("reasoning" in reason for reason in reasons):
            return "Allow longer answers: -M max_tokens=N; or serve the model without its reasoning."
        return (
            "The model writes none of worldline's formats: try a larger or instruction-tuned model, or train one on "
            "traces (`worldline data build`). Texts made elsewhere are judged by `worldline score`."
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `check --json` prints."""
        best = self.best
        return {
            "model": self.model,
            "readable": self.is_readable,
            "options": self.options,
            "command": self.command,
            "advice": self.advice,
            "best": None if best is None else self.ways.index(best),
            "ways": [asdict(way) for way in self.ways],
            "server": None if self.server is None else self.server.as_json(),
            "seconds": self.seconds,
        }
