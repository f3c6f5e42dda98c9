"""The interpreter as a predictor: it executes the program in the sandbox and encodes its trace.

It is the ground truth of every benchmark, so it must score exactly 100 %; if it does not, the benchmark is wrong. It
cannot continue steps that did not happen. `continue_from` continues from a changed state, where CPython allows it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

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

OTHER_RUN = "the run does not start with the given steps"


@dataclass(frozen=True)
class Interpreter:
    """Records each program and encodes its steps in the notation `codec`."""

    limits: Limits = field(default_factory=Limits)
    name: str = "interpreter"
    codec: str = DEFAULT_NOTATION

    def __post_init__(self) -> None:
        if self.codec not in NOTATIONS:
            raise UsageError(f"codec must be one of {', '.join(NOTATIONS)}, not {self.codec!r}")

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(name=self.name, notation=self.codec, is_ground_truth=True)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield the true steps of each request, cut at its limit."""
        began = time.perf_counter()
        for request, trace in zip(requests, _traces(requests, self.limits), strict=True):
            text, status = _encoded(request, trace, self.codec)
            note = OTHER_RUN if status == "fault" else _empty_note(trace)
            seconds = time.perf_counter() - began
            yield Prediction(text=text, status=status, logprob=0.0, seconds=seconds, codec=self.codec, note=note)
            began = time.perf_counter()


def _traces(requests: Sequence[PredictionRequest], limits: Limits) -> Iterator[Trace]:
    """Record each program, with the hidden inputs that its request determines."""
    # `imagine` executes nothing and starts faster without this import.
    from worldline.recording.recorder import SandboxWorker, prepare

    controlled = any(request.control is not None for request in requests)
    worker = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False, controlled=controlled))
    try:
        for request in requests:
            yield worker.record(request.program, control=control_of(request))
    finally:
        worker.close()


def record_request(
    request: PredictionRequest, limits: Limits, codec: str = DEFAULT_NOTATION, *, containers: bool = False
) -> tuple[Prediction, Trace]:
    """Record the program of a request, and return its steps as a prediction with the trace."""
    trace = recorder(limits, containers=containers)(request.program, control_of(request))
    text, status = _encoded(request, trace, codec)
    return Prediction(text=text, status=status, codec=codec, note=_empty_note(trace)), trace


def control_of(request: PredictionRequest) -> Control | None:
    """Return the control of a request, with its known hidden inputs first; None if it has no control."""
    if request.control is None:
        return None
    return replace(request.control, given=request.hidden) if request.hidden else request.control


@dataclass(frozen=True)
class ProgramRecorder:
    """Records further programs for a diagnosis, with fixed limits and hash seed."""

    limits: Limits
    hash_seed: int = 0
    containers: bool = False

    def __call__(self, program: Program, control: Control | None = None, /) -> Trace:
        """Record a program."""
        from worldline.recording.recorder import record

        record_it = partial(record, program, limits=self.limits, hash_seed=self.hash_seed, control=control)
        trace = record_it(containers=self.containers)
        # The native core, which does not number containers, stays longer within limits of time and memory.
        is_cut = trace.outcome.kind == "limit" and trace.outcome.detail != "steps"
        return record_it() if self.containers and is_cut else trace


def recorder(limits: Limits | None = None, *, hash_seed: int = 0, containers: bool = False) -> ProgramRecorder:
    """Return a recorder with these limits, the default ones if None, that may number containers (`record`)."""
    return ProgramRecorder(limits or Limits(), hash_seed, containers)


@dataclass(frozen=True)
class RefusedChange:
    """Why the interpreter cannot continue from a changed state."""

    why: str


def continue_from(
    request: PredictionRequest, change: Change, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION
) -> Prediction | RefusedChange:
    """Execute a program with a change at one step.

    Returns:
        The true steps, including those before the change, or why the change is impossible. They end early (`budget`) if
        a recursion exceeds the stack of the readable core.
    """
    from worldline.recording.recorder import record

    began = time.perf_counter()
    trace = record(request.program, limits=limits or Limits(), change=change, control=control_of(request))
    if "changed" not in trace.notes or trace.outcome.kind == "host-fault":
        return RefusedChange(_why(trace, change))
    text, status = _encoded(request, trace, codec)
    if status == "fault":
        return RefusedChange(OTHER_RUN)
    seconds = time.perf_counter() - began
    note = "changed" if trace.outcome.kind in ENDED else f"changed, then {_end(trace)}"
    return Prediction(text=text, status=status, logprob=0.0, seconds=seconds, codec=codec, note=note)


def _why(trace: Trace, change: Change) -> str:
    if trace.outcome.kind == "unsupported":
        return trace.outcome.detail.removeprefix("change: ")
    return f"{_end(trace)}, after {len(trace)} steps; the change is after step {change.step}"


def _end(trace: Trace) -> str:
    return f"{trace.outcome.kind} {trace.outcome.detail}".rstrip()


def _empty_note(trace: Trace) -> str:
    """Say why a trace has no steps, such as a syntax error."""
    return "" if len(trace) else f"{_end(trace)}, and no step"


def encode_trace(request: PredictionRequest, trace: Trace, codec: str) -> bytes:
    """Encode all steps of a trace with the options of a request."""
    return notation(codec).steps(trace, request.options)


def _encoded(request: PredictionRequest, trace: Trace, codec: str) -> tuple[bytes, str]:
    text = encode_trace(request, trace, codec)
    if not text.startswith(request.given):
        return request.given, "fault"
    if len(text) > request.limit:
        return text[: request.limit], "budget"
    return text, "ended" if trace.outcome.kind in ENDED else "budget"
