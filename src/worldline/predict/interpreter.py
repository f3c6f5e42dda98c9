"""The interpreter as predictor: it runs the program in the box and writes down what happened.

It is the truth that benchmarks measure against, so it must score exactly 100 % on each: where it does not, the
benchmark is wrong. As a predictor it cannot go on from a beginning that did not happen; `continued` goes on from a
state that was changed on the way, where CPython can.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import notation
from worldline.core.change import Change
from worldline.core.errors import UsageError
from worldline.core.events import ENDED
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo


@dataclass(frozen=True)
class Interpreter:
    """Records each program and encodes it as asked; without the prompt, in the notation `codec`."""

    limits: Limits = field(default_factory=Limits)
    name: str = "interpreter"
    codec: str = DEFAULT_NOTATION

    def __post_init__(self) -> None:
        if self.codec not in NOTATIONS:
            raise UsageError(f"a codec is one of {', '.join(NOTATIONS)}, not {self.codec!r}")

    @property
    def info(self) -> ModelInfo:
        """It executes programs: what it writes is the truth."""
        return ModelInfo(name=self.name, notation=self.codec, is_ground_truth=True)

    @property
    def capabilities(self) -> Capabilities:
        """None besides `predict`."""
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """The true steps, cut at the limit."""
        began = time.perf_counter()
        for request, trace in zip(requests, _traces(requests, self.limits), strict=True):
            text, status = _written(request, trace, self.codec)
            now = time.perf_counter()
            note = "it goes otherwise than is given" if status == "fault" else _nothing(trace)
            seconds = now - began
            yield Prediction(
                text=text, status=status, logprob=0.0, seconds=seconds, codec=self.codec, note=note
            )
            began = time.perf_counter()


def _traces(requests: Sequence[PredictionRequest], limits: Limits) -> Iterator[Trace]:
    """What each program does, its hidden inputs decided as the request says; where they are known, they are those."""
    from worldline.recording.recorder import (
        BoxWorker,
        prepare,
    )  # `imagine` runs nothing, and starts without it

    controlled = any(request.control is not None for request in requests)
    worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=False, controlled=controlled))
    try:
        for request in requests:
            yield worker.record(request.program, control=control_of(request))
    finally:
        worker.close()


def recorded(
    request: PredictionRequest, limits: Limits, codec: str = DEFAULT_NOTATION
) -> tuple[Prediction, Trace]:
    """What an asked program does, as a predictor would write it, and the recording."""
    (trace,) = _traces([request], limits)
    text, status = _written(request, trace, codec)
    return Prediction(text=text, status=status, codec=codec, note=_nothing(trace)), trace


def control_of(request: PredictionRequest) -> Control | None:
    """Who decides the hidden inputs of an asked program's run: those that are known come first."""
    if request.control is None:
        return None
    return replace(request.control, given=request.hidden) if request.hidden else request.control


@dataclass(frozen=True)
class ProgramRecorder:
    """A program in, its trace out: how those who diagnose have further programs run, under another hash seed too."""

    limits: Limits
    hash_seed: int = 0

    def __call__(self, program: Program, control: Control | None = None, /) -> Trace:
        """The trace of a program, its hidden inputs decided by a control where one is given."""
        from worldline.recording.recorder import record

        return record(program, limits=self.limits, hash_seed=self.hash_seed, control=control)


def recorder(limits: Limits | None = None, *, hash_seed: int = 0) -> ProgramRecorder:
    """Who runs programs for a diagnosis, within these limits."""
    return ProgramRecorder(limits or Limits(), hash_seed)


@dataclass(frozen=True)
class RefusedChange:
    """Why the interpreter cannot go on from a changed state."""

    why: str


def continued(
    request: PredictionRequest, change: Change, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION
) -> Prediction | RefusedChange:
    """What the interpreter does from a changed state on, behind what it did before; or why it cannot.

    Where the request gives a beginning, the run must have it: a program that draws or reads a clock may go otherwise.
    What is recorded ends early (`budget`) where a recursion leaves the readable core no room.
    """
    from worldline.recording.recorder import record

    began = time.perf_counter()
    trace = record(request.program, limits=limits or Limits(), change=change, control=control_of(request))
    if "changed" not in trace.notes or trace.outcome.kind == "host-fault":
        return RefusedChange(_why(trace, change))
    text, status = _written(request, trace, codec)
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


def written(request: PredictionRequest, trace: Trace, codec: str) -> bytes:
    """A trace's steps as a request wants them written, whole."""
    return notation(codec).steps(trace, request.options)


def _written(request: PredictionRequest, trace: Trace, codec: str) -> tuple[bytes, str]:
    text = written(request, trace, codec)
    if not text.startswith(request.given):
        return request.given, "fault"
    if len(text) > request.limit:
        return text[: request.limit], "budget"
    return text, "ended" if trace.outcome.kind in ENDED else "budget"
