"""`PredictionRequest`, the input of a predictor, and `Prediction`, its output.

The text of a prediction is untrusted: it is parsed and never evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite
from typing import Any

from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.text import shortened
from worldline.core.trace import Hidden

STATUSES = ("ended", "budget", "empty", "broken", "fault")
# Notes of predictions that exceeded the model's context, and that the caller stopped.
CONTEXT = "budget(context)"
STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How one text is written: at temperature 0 the likeliest bytes, above it bytes drawn with the seed."""

    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class PredictionRequest:
    """A program whose steps are to be predicted.

    Attributes:
        program: The program.
        name: The name of the task, by which stored outputs are found (`replay:FILE`). A model never sees it.
        options: The mode of the compact notation.
        limit: Maximum number of bytes of steps, including `given`.
        given: The start of the steps (a forced prefix).
        stop: A special token of Meta's format after which the predictor may stop; empty for none.
        hidden: The hidden inputs of the run. The mode `given` puts them into the prompt.
        control: What decides hidden inputs if the program is executed. A model never sees it.
        decoding: How the text is written; by default as the predictor's own options say. Only predictors with the
            capability `samples` follow it.
    """

    program: Program
    name: str = field(default="", compare=False)
    options: Compact = field(default_factory=Compact)
    limit: int = 1 << 16
    given: bytes = b""
    stop: str = ""
    hidden: tuple[Hidden, ...] = ()
    control: Control | None = None
    decoding: Decoding | None = None

    def __repr__(self) -> str:
        call = shortened(self.program.call or self.program.name)
        return f"<PredictionRequest {call}, at most {self.limit:,} bytes, {len(self.given):,} given>"

    def __post_init__(self) -> None:
        if self.limit < len(self.given):
            raise UsageError(f"a limit of {self.limit} bytes is less than the {len(self.given)} given")

    @property
    def max_new_bytes(self) -> int:
        """Maximum number of bytes after `given`."""
        return self.limit - len(self.given)

    @property
    def prompt(self) -> bytes:
        """The compact prompt: everything before the steps."""
        return prompt(self.program, self.options, self.hidden)


@dataclass(frozen=True, kw_only=True)
class Scratch:
    """A rewriting that was predicted in place of a program.

    Attributes:
        source: The source of the rewriting.
        lines: For each of its lines, the line of the original program.
        text: The predicted steps of the rewriting.
        call: What is evaluated in place of the program's call, if its arguments became steps.
    """

    source: str
    lines: tuple[int, ...]
    text: bytes = b""
    call: str | None = None


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Predicted steps, and why the predictor stopped.

    Attributes:
        text: The steps, starting with `given`.
        status: `ended`: the predictor finished, though the text may be incomplete. `budget`: the limit cut it.
            `empty`: nothing was written. `broken`: no next byte is possible, or the model's numbers are not finite.
            `fault`: the tool failed, not the model.
        logprob: Natural log-probability of all bytes written, if known.
        seconds: This prediction's share of the time; the shares of a batch add up to its total.
        codec: The notation of the text. In Meta's format, special tokens are spelled out.
        note: Why the tool failed, or where the text came from (such as the id of a server's answer).
        scratch: The rewriting that the text was folded from.
        sure: In Meta's format, the log-probabilities of action and state of each frame after `given`, if known.
        said: The answer the model gave beside its trace, as the text of a value, if it was asked for one.
        discarded: Bytes of other texts that were written to make this prediction, such as samples that lost a vote.
    """

    text: bytes
    status: str
    logprob: float | None = None
    seconds: float = 0.0
    codec: str = DEFAULT_NOTATION
    note: str = ""
    scratch: Scratch | None = None
    sure: tuple[tuple[float, float], ...] = ()
    said: str | None = None
    discarded: int = 0

    @property
    def bytes_written(self) -> int:
        """All bytes that were written: the text, or that of the scratchpad, and the discarded."""
        return len(self.text if self.scratch is None else self.scratch.text) + self.discarded

    def __repr__(self) -> str:
        shown = shortened(self.text[:100].decode("utf-8", "replace") or self.note, 80)
        return f"<Prediction {self.status}, {len(self.text):,} bytes of {self.codec}{f': {shown}' if shown else ''}>"

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UsageError(f"the status of a prediction must be one of {', '.join(STATUSES)}, not {self.status!r}")
        if self.codec not in NOTATIONS:
            raise UsageError(f"the codec of a prediction must be one of {', '.join(NOTATIONS)}, not {self.codec!r}")


@dataclass(frozen=True)
class StreamPiece:
    """New bytes of a prediction, each with its natural log-probability and entropy (nats) if known.

    A piece without bytes reports that work continues. Only the last piece has the whole `prediction`.
    """

    data: bytes = b""
    logprobs: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    prediction: Prediction | None = None


def summed_logprob(parts: Sequence[Any]) -> float | None:
    """Sum log-probabilities from an untrusted source.

    Returns:
        The sum; None if a part is not a log-probability or the sum is not finite.
    """
    if not parts or not all(type(part) in (int, float) and part <= 0 for part in parts):
        return None
    try:
        total = fsum(parts)
    except OverflowError:
        return None
    return total if isfinite(total) else None
