"""The interpreter as predictor: it runs the program in the box and writes down what happened.

It is the truth that benchmarks measure against, so it must score exactly 100 % on each: where it does not, the
benchmark is wrong. As a predictor it cannot go on from a beginning that did not happen; `continued` goes on from a
state that was changed on the way, where CPython can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from worldline.codec.compact.writer import encode_steps
from worldline.core.change import Change
from worldline.core.events import ENDED
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.errors import UsageError
from worldline.limits import Limits
from worldline.predict.predictor import CODECS, Ask, Prediction


@dataclass(frozen=True)
class Interpreter:
    """Records each program and encodes it as asked; with the codec `cwm` in Meta's format, less the prompt."""

    limits: Limits = field(default_factory=Limits)
    name: str = "interpreter"
    codec: str = "compact"

    def __post_init__(self) -> None:
        if self.codec not in CODECS:
            raise UsageError(f"a codec is one of {', '.join(CODECS)}, not {self.codec!r}")

    def predict(self, asks: Sequence[Ask], /) -> Iterator[Prediction]:
        """The true steps, cut at the limit."""
        from worldline.recording.recorder import record_many  # `imagine` runs nothing, and starts without it

        began = time.perf_counter()
        for ask, trace in zip(
            asks, record_many([ask.program for ask in asks], limits=self.limits), strict=True
        ):
            text, status = _written(ask, trace, self.codec)
            now = time.perf_counter()
            note = "it goes otherwise than is given" if status == "fault" else _nothing(trace)
            seconds = now - began
            yield Prediction(
                text=text, status=status, logprob=0.0, seconds=seconds, codec=self.codec, note=note
            )
            began = time.perf_counter()


def recorder(limits: Limits | None = None, *, hash_seed: int = 0) -> Callable[[Program], Trace]:
    """A program in, its trace out: how those who diagnose have further programs run, under another hash seed too."""

    def recorded(program: Program) -> Trace:
        from worldline.recording.recorder import record

        return record(program, limits=limits or Limits(), hash_seed=hash_seed)

    return recorded


@dataclass(frozen=True)
class RefusedChange:
    """Why the interpreter cannot go on from a changed state."""

    why: str


def continued(
    ask: Ask, change: Change, *, limits: Limits | None = None, codec: str = "compact"
) -> Prediction | RefusedChange:
    """What the interpreter does from a changed state on, behind what it did before; or why it cannot.

    Where the ask gives a beginning, the run must have it: a program that draws or reads a clock may go otherwise. What
    is recorded ends early (`budget`) where a recursion leaves the readable core no room.
    """
    from worldline.recording.recorder import record

    began = time.perf_counter()
    trace = record(ask.program, limits=limits or Limits(), change=change)
    if "changed" not in trace.notes or trace.outcome.kind == "host-fault":
        return RefusedChange(_why(trace, change))
    text, status = _written(ask, trace, codec)
    if status == "fault":
        return RefusedChange("the run goes otherwise than is given")
    seconds = time.perf_counter() - began
    note = "changed" if trace.outcome.kind in ENDED else f"changed, then {_end(trace)}"
    return Prediction(text=text, status=status, logprob=0.0, seconds=seconds, codec=codec, note=note)


def _why(trace: Trace, change: Change) -> str:
    """Why a change was not made, or not to the end."""
    if trace.outcome.kind == "unsupported":
        return trace.outcome.detail.removeprefix("change: ")
    return f"{_end(trace)}, after {len(trace)} steps; the change is after step {change.step}"


def _end(trace: Trace) -> str:
    return f"{trace.outcome.kind} {trace.outcome.detail}".rstrip()


def _nothing(trace: Trace) -> str:
    """Why there is no step, where there is none: a syntax error, a call of nobody."""
    return "" if len(trace) else f"{_end(trace)}, and no step"


def written(ask: Ask, trace: Trace, codec: str) -> bytes:
    """A trace's steps as an ask wants them written, whole."""
    return encode_steps(trace, ask.options) if codec == "compact" else _frames(trace)


def _written(ask: Ask, trace: Trace, codec: str) -> tuple[bytes, str]:
    text = written(ask, trace, codec)
    if not text.startswith(ask.given):
        return ask.given, "fault"
    if len(text) > ask.limit:
        return text[: ask.limit], "budget"
    return text, "ended" if trace.outcome.kind in ENDED else "budget"


def _frames(trace: Trace) -> bytes:
    from worldline.codec.cwm import writer as cwm

    prompt = cwm.prompt_of(trace)
    return cwm.encode(trace).removeprefix(prompt).encode("utf-8", "surrogatepass")
