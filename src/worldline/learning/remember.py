"""Remember a user's own code: record its calls into a memory that predictions look steps up in, without training.

The same model is evaluated without and with the memory, on held-out calls and without a scratchpad, like an adaptation.
The memory is one file. It holds values of the user's code, so keep it private.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.analyze.rewrite import rewrite_program
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.mixture import BATCH_PROGRAMS, DOCUMENT_LIMITS
from worldline.learning.adapt import (
    AFTER,
    BEFORE,
    DEFAULT_MINUTES,
    BeforeAfter,
    build_suites,
    count_sources,
    evaluate_suites,
    find_refusal,
    keep_judged,
    pair_verdicts,
    with_drawn_calls,
)
from worldline.learning.call_sources import own_calls
from worldline.learning.own_calls import OwnCall, split_calls
from worldline.learning.time_budget import UNTRAINED_BEFORE_SHARE, ReportProgress, TimeBudget
from worldline.predict.models import DEFAULT, load_local
from worldline.predict.predictor import ModelInfo
from worldline.predict.retrieval.retrieval import Retrieval
from worldline.predict.retrieval.step_memory import StepMemory, load_memory
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

# Held-out calls; there is no training that needs the others.
HELD_OUT_CALLS = 120
MAX_REMEMBERED_CALLS = 2_000
# Few, because entries hardly ever fit other code.
KNOWN_PROGRAMS = 12


@dataclass(frozen=True)
class Remembered:
    """Result of recording a memory.

    Attributes:
        functions: Functions whose calls were recorded.
        calls: Recorded calls by their source, one of `own_calls.SOURCES`.
        entries: Steps in the memory.
        groups: Each group of programs without and with the memory.
        seconds: Time of everything.
        refused: Why it was not kept; empty if it was.
        out: The file.
    """

    functions: int
    calls: dict[str, int]
    entries: int
    groups: dict[str, BeforeAfter]
    seconds: float
    refused: str
    out: str

    def as_json(self) -> dict[str, Any]:
        """Return what `learn --retrieve` prints with --json."""
        groups = {
            name: {"answer": group.answer.as_json(), "trace": group.trace.as_json()}
            for name, group in self.groups.items()
        }
        return {**vars(self), "kept": not self.refused, "groups": groups}


def remember(
    folder: str | Path | None = None,
    *,
    journal: str | Path | None = None,
    out: str | Path | None,
    model: str | Path | None = None,
    minutes: float | None = None,
    held_out: int = HELD_OUT_CALLS,
    known: int = KNOWN_PROGRAMS,
    seed: int = 0,
    trust: bool = False,
    progress: ReportProgress | None = None,
) -> Remembered:
    """Record a memory of a folder's code or of a journal, and keep it if predictions are better with it.

    Args:
        folder: Folder with Python code.
        journal: Journal of `ask --journal`. With both, the calls of both are recorded.
        out: File to write.
        model: Model to predict with; the shipped one by default.
        minutes: Minutes of everything: finding calls and both evaluations; 5 by default, at least 1.
        held_out: Maximum number of held-out calls.
        known: Generated programs to check that nothing else gets worse.
        seed: Seed of everything.
        trust: Whether to run without a sandbox.
        progress: Called with the share that is done and a status line.

    Returns:
        Each group of programs without and with the memory, and why it was refused, if it was.

    Raises:
        UsageError: There are too few calls, or `out` is missing or holds something else.
    """
    if out is None:
        raise UsageError("--retrieve needs -o FILE, where the memory goes")
    _check_out(Path(out))
    budget = TimeBudget(minutes or DEFAULT_MINUTES, progress)
    local = load_local(DEFAULT if model is None else str(model))
    calls = own_calls(folder, journal=journal, seed=seed, trust=trust, is_late=budget.finding_is_late)
    parts = split_calls(calls, seed=seed, lessons=MAX_REMEMBERED_CALLS, held_out=held_out)
    parts = with_drawn_calls(parts, budget, seed=seed, trust=trust)
    recorded = (*parts.lessons, *parts.held_back)
    memory = record_memory(recorded, local.info, trust=trust)
    suites = build_suites(parts, known, seed)
    before = evaluate_suites(local, suites, budget, BEFORE, until=UNTRAINED_BEFORE_SHARE)
    after = evaluate_suites(Retrieval(local, memory), keep_judged(suites, before), budget, AFTER)
    groups = {name: pair_verdicts(before[name], after[name]) for name in suites}
    refused = find_refusal(groups)
    if not refused:
        memory.save(out)
    functions = len({call.key for call in recorded})
    return Remembered(
        functions, count_sources(recorded), len(memory.entries), groups, budget.elapsed, refused, str(out)
    )


def _check_out(out: Path) -> None:
    """Raise UsageError if something other than a memory would be replaced."""
    if out.exists():
        load_memory(out)


def record_memory(calls: Sequence[OwnCall], info: ModelInfo, *, trust: bool = False) -> StepMemory:
    """Record calls into a memory, as they are and as a scratchpad rewrites them.

    Args:
        calls: The calls.
        info: The model that will use the memory: entries are in its modes.
        trust: Whether to run without a sandbox.

    Returns:
        The memory.
    """
    memory = StepMemory()
    programs = [form for call in calls for form in (call.program, _flattened(call.program))]
    options = [call.options for call in calls for _ in range(2)]
    for trace, own in zip(_record(programs, trust), options, strict=True):
        if trace is not None:
            for mode in {own, info.options_for(trace.program, own)}:
                memory.add(trace, mode)
    return memory


def _flattened(program: Program) -> Program:
    return rewrite_program(program, flatten=True) if program.lang.is_default else program


def _record(programs: Sequence[Program], trust: bool) -> Iterator[Trace | None]:
    limits = stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS)
    with closing(SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=trust))) as worker:
        for at in range(0, len(programs), BATCH_PROGRAMS):
            yield from record_all(worker, programs[at : at + BATCH_PROGRAMS])
