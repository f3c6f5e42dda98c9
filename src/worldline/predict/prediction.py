"""What is asked of a model and what it writes: a `PredictionRequest` goes in, a `Prediction` comes out.

A prediction is text of unknown origin. Whoever judges it parses it, and never evaluates it.
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
CONTEXT = "budget(context)"  # the note of a prediction that did not fit into its model's context
STOPPED = "stopped"  # the note of a prediction that was stopped


@dataclass(frozen=True, kw_only=True)
class PredictionRequest:
    """A program whose steps are wanted, in one mode of the compact codec.

    `given` is how the steps must begin (a forced prefix); `limit` is the most bytes of steps, `given` included. `stop`
    is a special token of Meta's format: behind the first that is written no more is needed, and who can stops there.
    `hidden` are the hidden inputs of the run, which the mode `given` puts into the prompt; `control` says who decides
    them where the program is run, and is not told to a model.
    """

    program: Program
    options: Compact = field(default_factory=Compact)
    limit: int = 1 << 16
    given: bytes = b""
    stop: str = ""
    hidden: tuple[Hidden, ...] = ()
    control: Control | None = None

    def __repr__(self) -> str:
        what = self.program.name if self.program.call is None else self.program.call
        return (
            f"<PredictionRequest {shortened(what)}, at most {self.limit:,} bytes, {len(self.given):,} given>"
        )

    def __post_init__(self) -> None:
        if self.limit < len(self.given):
            raise UsageError(f"a limit of {self.limit} bytes is less than the {len(self.given)} given")

    @property
    def room(self) -> int:
        """The most bytes of steps behind those given."""
        return self.limit - len(self.given)

    @property
    def prompt(self) -> bytes:
        """What a model reads before it writes steps."""
        return prompt(self.program, self.options, self.hidden)


@dataclass(frozen=True, kw_only=True)
class Scratch:
    """What was imagined in place of a program: a rewriting, the old line of each of its lines, and its steps' text."""

    source: str
    lines: tuple[int, ...]
    text: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """The steps that were written, `given` first, and why the writing stopped.

    `ended`: the predictor was done, which is not to say that the text is. `budget`: the limit cut it. `empty`:
    nothing was written. `broken`: the model has no next byte, its numbers are none or the grammar has no way on.
    `fault`: the tool failed, not the model. `logprob` is natural and of all bytes written.
    `seconds` is this prediction's share of the time, so that those of a batch add up to what the batch took. `codec`
    is the notation of the text: ours, or Meta's with its special tokens spelled out. `note` says why the tool
    failed, or where a text came from (the id of a server's answer). `scratch` is what the text was folded from. `sure`,
    of Meta's format: the log-probabilities of each frame behind `given`, of its action and of its state, where they
    were told. `said` is the answer that the model gives beside its trace, where it was asked for one: a value's text.
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

    def __repr__(self) -> str:
        begun = shortened(self.text[:100].decode("utf-8", "replace"), 80)
        said = f": {begun}" if begun else f": {shortened(self.note, 80)}" if self.note else ""
        return f"<Prediction {self.status}, {len(self.text):,} bytes of {self.codec}{said}>"

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UsageError(f"a prediction's status is one of {', '.join(STATUSES)}, not {self.status!r}")
        if self.codec not in NOTATIONS:
            raise UsageError(f"a prediction is written in one of {', '.join(NOTATIONS)}, not {self.codec!r}")


@dataclass(frozen=True)
class StreamPiece:
    """What came since the last piece: bytes, each with its natural log-probability and entropy where they are known.

    A piece without bytes says that it goes on. The last one, and it alone, has the whole prediction.
    """

    data: bytes = b""
    logprobs: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    prediction: Prediction | None = None


def summed_logprob(parts: Sequence[Any]) -> float | None:
    """The sum of log-probabilities as others tell them; None unless each is one, and the sum a finite number."""
    if not parts or not all(type(each) in (int, float) and each <= 0 for each in parts):
        return None
    try:
        total = fsum(parts)
    except OverflowError:
        return None
    return total if isfinite(total) else None
