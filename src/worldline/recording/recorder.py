"""Record programs: `record` and `record_many` execute each program in a sandbox, and reuse sandboxes.

verdict.py decides the outcome of a run, sandbox.py executes it. Nothing here trusts what a program
wrote: a trace is what the wire decodes to, up to the first malformed byte.
"""

from __future__ import annotations

import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import InterpreterInfo, Outcome, Trace
from worldline.recording import native
from worldline.recording.control import as_spec, noted
from worldline.recording.idle_sandboxes import discard_sandbox, release_sandbox, take_sandbox
from worldline.recording.interpreter import find
from worldline.recording.languages.flags import flags_refusal
from worldline.recording.languages.libraries import HostLibrary, chosen_libraries, require_readable
from worldline.recording.providers import PROVIDERS
from worldline.recording.sandbox import Sandbox, SandboxRun
from worldline.recording.sandbox_plan import SandboxPlan
from worldline.recording.traced import traced, unrun
from worldline.recording.wire import decode

if TYPE_CHECKING:
    from worldline.core.change import Change
    from worldline.core.hidden import Control
    from worldline.recording.languages.worker import LanguageWorker

CORES = ("auto", "native", "python")
SANDBOXES = ("auto", *PROVIDERS)
DEFAULT_LIMITS = Limits()
MAX_IN_FLIGHT = 4  # programs per worker, so that a slow one does not delay the others


@dataclass(frozen=True)
class Setup:
    """The settings that all programs of one batch share."""

    plan: SandboxPlan
    limits: Limits
    libraries: tuple[HostLibrary, ...] = ()


_unsandboxed = 0  # how many `without_sandbox` contexts are open in this process
_chosen = ["auto"]  # the sandboxes of the open `using_sandbox` contexts, the innermost last


@contextmanager
def without_sandbox() -> Iterator[None]:
    """Execute every program without a sandbox, as yourself, while the context is open: what `--trust` does.

    Returns:
        The context. Use it for programs that you trust only.
    """
    global _unsandboxed
    _unsandboxed += 1
    try:
        yield
    finally:
        _unsandboxed -= 1


@contextmanager
def using_sandbox(provider: str) -> Iterator[None]:
    """Execute every program in this sandbox while the context is open: what `--sandbox` does.

    Args:
        provider: `bwrap` (bubblewrap), `gvisor`, or `auto`: bubblewrap, and gVisor where only that is installed.

    Returns:
        The context.

    Raises:
        UsageError: There is no sandbox of this name.
    """
    if provider not in SANDBOXES:
        raise UsageError(f"the sandbox must be one of {', '.join(SANDBOXES)}, not {provider!r}")
    _chosen.append(provider)
    try:
        yield
    finally:
        _chosen.pop()


def chosen_sandbox() -> str:
    """Return the sandbox in which programs are executed now: `bwrap` or `gvisor`."""
    if _chosen[-1] != "auto":
        return _chosen[-1]
    only_gvisor = not shutil.which(PROVIDERS["bwrap"].executable) and shutil.which(PROVIDERS["gvisor"].executable)
    return "gvisor" if only_gvisor else "bwrap"


def prepare(
    *, limits: Limits, python: str | None, core: str, trust: bool, hash_seed: int = 0, controlled: bool = False
) -> Setup:
    """Choose the interpreter and the recorder core, once for a batch.

    Args:
        limits: What each program may use.
        python: The Python interpreter; None is the one of worldline.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        hash_seed: The seed of string hashes.
        controlled: Whether runs may have a control.

    Raises:
        UsageError: The core is unknown or not available, the interpreter does not work, or a library is not readable.
    """
    if core not in CORES:
        raise UsageError(f"core must be one of {', '.join(CORES)}, not {core!r}")
    interpreter = find(python)
    readable = core == "python"
    recorder = None if readable and not controlled else native.recorder_for(interpreter.executable)
    if core == "native" and recorder is None:
        raise UsageError(f"there is no native recorder for {interpreter.executable}")
    sandboxed = not (trust or _unsandboxed)
    native_core = str(recorder) if recorder else None
    plan = SandboxPlan(
        python=interpreter,
        native=native_core,
        readable=readable,
        sandboxed=sandboxed,
        provider=chosen_sandbox(),
        hash_seed=hash_seed,
    )
    libraries = chosen_libraries()
    if sandboxed:
        require_readable(libraries)
    return Setup(plan, limits, libraries)


class SandboxWorker:
    """One sandbox, opened for the first program and replaced when it breaks."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.sandbox: Sandbox | None = None
        self._limits = asdict(setup.limits)
        self._others: dict[str, LanguageWorker] = {}

    def record(
        self,
        program: Program,
        change: dict[str, Any] | None = None,
        control: Control | None = None,
        *,
        containers: bool = False,
        jumps: bool = False,
    ) -> Trace:
        """Record one program. If the sandbox breaks or the program does not start, try once more in a new one.

        Args:
            program: The program.
            change: A change, encoded by `encode_change`.
            control: The control of its hidden inputs.
            containers: Whether to number containers, which the readable core does.
            jumps: Whether to record conditional jumps.
        """
        if (program.flags or program.vm_flags) and (reason := flags_refusal(program)):
            return self.refused(program, reason, act="flag")
        refusals = program.lang.unavailable
        if change is not None and Feature.CHANGE in refusals:
            return self.refused(program, refusals[Feature.CHANGE])
        if control is not None and control.schedule is not None and Feature.SCHEDULE in refusals:
            return self.refused(program, refusals[Feature.SCHEDULE], act="control")
        if not program.lang.runs_in_interpreter:
            return self.in_language(program.language).record(program, encode(program.stdin), control)
        if control is not None and self.setup.plan.native is None:
            why = "it takes the native recorder, which was not built for this interpreter"
            return self.refused(program, why, act="control")
        extras = {"containers": containers, "jumps": jumps}
        return self._recorded(program, {"change": change, "control": as_spec(control), **extras}, control, extras)[0]

    def record_turns(self, program: Program, control: Control) -> tuple[Trace, dict[str, str]]:
        """Record one program whose threads take turns.

        Args:
            program: The program, in Python.
            control: The control of its hidden inputs, with a plan of its turns.

        Returns:
            The trace, and what the guest reports of the turns (guests/turns/turns.py), by name.
        """
        if not program.lang.runs_in_interpreter or self.setup.plan.native is None:
            return self.record(program, control=control), {}
        extras = {"containers": False, "jumps": False}
        wanted = {"change": None, "control": as_spec(control), **extras}
        trace, run = self._recorded(program, wanted, control, extras)
        return trace, decode(run.wire).meta

    def _recorded(
        self, program: Program, wanted: dict[str, Any], control: Control | None, extras: dict[str, bool]
    ) -> tuple[Trace, SandboxRun]:
        run = self._run(program, wanted)
        trace = self._trace(program, run, control, extras)
        if trace.outcome.kind == "host-fault" and not (len(trace) and self.sandbox and self.sandbox.alive):
            discard_sandbox(self.sandbox)
            run = self._run(program, wanted)
            trace = self._trace(program, run, control, extras)
        return trace, run

    def record_twice(self, program: Program, control: Control | None = None) -> Trace:
        """Record a program twice, and note `nondeterministic` if the runs differ."""
        first, second = self.record(program, control=control), self.record(program, control=control)
        same = (
            first.outcome == second.outcome
            and first.output == second.output
            and first.frames == second.frames
            and first.columns == second.columns
        )
        return first if same else replace(first, notes=(*first.notes, "nondeterministic"))

    def _run(self, program: Program, wanted: dict[str, Any]) -> SandboxRun:
        if self.sandbox is None or not self.sandbox.alive:
            self.close()
            self.sandbox = take_sandbox(self.setup.plan, self.setup.limits)
        return self.sandbox.run(self._spec(program) | wanted, encode(program.stdin))

    def _spec(self, program: Program) -> dict[str, Any]:
        return {
            "name": program.name,
            "source": program.source,
            "call": program.call,
            "argv": list(program.argv),
            "files": dict(program.files),
            "limits": self._limits,
        }

    def _trace(self, program: Program, run: SandboxRun, control: Control | None, extras: dict[str, bool]) -> Trace:
        sandboxed = self.setup.plan.sandboxed
        trace = traced(program, run, self._who(), self.setup.limits, sandboxed=sandboxed, **extras)
        return trace if control is None else noted(trace, control, run.wire)

    def _who(self) -> InterpreterInfo:
        python = self.setup.plan.python
        is_native = self.setup.plan.native and not self.setup.plan.readable
        return InterpreterInfo(python.name, python.version, "native" if is_native else "python")

    def refused(self, program: Program, why: str, act: str = "change") -> Trace:
        """Return the trace of a program that is not executed, because a change or control is impossible.

        Args:
            program: The program.
            why: The reason.
            act: What is impossible: `change`, `control` or `flag`.
        """
        is_own = program.lang.runs_in_interpreter
        who = replace(self._who(), core="python") if is_own else self.in_language(program.language).who
        note = "unchanged" if act == "change" else ""
        return unrun(program, who, self.setup.limits, Outcome("unsupported", f"{act}: {why}"), note=note)

    def in_language(self, language: str) -> LanguageWorker:
        """Return the worker that records programs of another language."""
        from worldline.recording.languages.worker import LanguageWorker

        if language not in self._others:
            plan = replace(self.setup.plan, libraries=self.setup.libraries)
            self._others[language] = LanguageWorker(language, plan, self.setup.limits)
        return self._others[language]

    def close(self) -> None:
        """Release the sandboxes."""
        if self.sandbox is not None:
            release_sandbox(self.sandbox)
            self.sandbox = None
        while self._others:
            self._others.popitem()[1].close()


def encode(text: str) -> bytes:
    """Encode text to its original bytes: surrogates that stand for bytes become these bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def record(
    program: Program,
    *,
    limits: Limits = DEFAULT_LIMITS,
    python: str | None = None,
    core: str = "auto",
    trust: bool = False,
    change: Change | None = None,
    control: Control | None = None,
    hash_seed: int = 0,
    containers: bool = False,
    jumps: bool = False,
) -> Trace:
    """Execute a program in the sandbox and record every step.

    Args:
        program: The program; `load_program` reads one from a file.
        limits: What the program may use.
        python: The Python interpreter that executes it.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        change: A value that is changed on the way, by the readable core; the trace is noted `changed` or `unchanged`.
        control: Who decides what the text of the program does not; the trace holds what was decided.
        hash_seed: The seed of string hashes.
        containers: Number the lists, dicts, sets and tuples, so that `Trace.held` says which values hold the same one.
            The readable core does this, for Python programs.
        jumps: Also record the conditional jumps of a Python program, as `Trace.jumps`.

    Returns:
        The trace. A change that cannot be made is an `unsupported` outcome that says why.

    Raises:
        UsageError: The arguments exclude each other.
        NoSandbox: There is no sandbox here.
    """
    if not isinstance(program, Program):
        raise UsageError(f'record takes a Program, not {type(program).__name__}: Program(source=..., name="a.py")')
    if change is not None and core == "native":
        raise UsageError("the native core makes no change; the readable one does")
    if containers and core == "native":
        raise UsageError("the native core does not number containers: leave out core='native'")
    wanted = None if change is None else _constructible(change)
    containers, jumps = (extra and program.lang.runs_in_interpreter for extra in (containers, jumps))
    core = "python" if change is not None or containers else core
    controlled = control is not None
    setup = prepare(limits=limits, python=python, core=core, trust=trust, hash_seed=hash_seed, controlled=controlled)
    worker = SandboxWorker(setup)
    try:
        if isinstance(wanted, str):
            return worker.refused(program, wanted)
        trace = worker.record(program, wanted, control, containers=containers, jumps=jumps)
        unmade = change is not None and "changed" not in trace.notes
        return replace(trace, notes=(*trace.notes, "unchanged")) if unmade else trace
    finally:
        worker.close()


def _constructible(change: Change) -> dict[str, Any] | str:
    from worldline.recording.constructible import encode_change

    return encode_change(change)


def flow_of(program: Program, *, trust: bool = False) -> bytes | None:
    """Return the control flow of a program of another language as JSON, or None if it is not known."""
    worker = SandboxWorker(prepare(limits=DEFAULT_LIMITS, python=None, core="auto", trust=trust))
    try:
        if program.lang.runs_in_interpreter:
            return None
        return worker.in_language(program.language).flow(program)
    finally:
        worker.close()


def record_many(
    programs: Iterable[Program],
    *,
    limits: Limits = DEFAULT_LIMITS,
    python: str | None = None,
    core: str = "auto",
    trust: bool = False,
    workers: int = 1,
    twice: bool = False,
    control: Control | None = None,
) -> Iterator[Trace]:
    """Record many programs.

    Args:
        programs: The programs.
        limits: What each program may use.
        python: The Python interpreter that executes them.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        workers: The number of sandboxes to use at the same time.
        twice: Record each program twice, and note `nondeterministic` if the runs differ.
        control: The control of the hidden inputs.

    Returns:
        The traces, in the order of the programs.

    Raises:
        UsageError: The arguments exclude each other.
        NoSandbox: There is no sandbox here.
    """
    if workers < 1:
        raise UsageError(f"workers must be at least 1, not {workers}")
    setup = prepare(limits=limits, python=python, core=core, trust=trust, controlled=control is not None)
    act = partial(_act, twice=twice, control=control)
    return _alone(programs, setup, act) if workers == 1 else _together(programs, setup, act, workers)


def _act(worker: SandboxWorker, program: Program, *, twice: bool, control: Control | None) -> Trace:
    return worker.record_twice(program, control) if twice else worker.record(program, control=control)


def _alone(
    programs: Iterable[Program], setup: Setup, act: Callable[[SandboxWorker, Program], Trace]
) -> Iterator[Trace]:
    worker = SandboxWorker(setup)
    try:
        for program in programs:
            yield act(worker, program)
    finally:
        worker.close()


def _together(
    programs: Iterable[Program], setup: Setup, act: Callable[[SandboxWorker, Program], Trace], workers: int
) -> Iterator[Trace]:
    """Record with one thread per sandbox; threads are enough to wait for the processes."""
    from concurrent.futures import Future, ThreadPoolExecutor

    sandbox_workers: list[SandboxWorker] = []
    local = threading.local()

    def recorded(program: Program) -> Trace:
        if not hasattr(local, "worker"):
            local.worker = SandboxWorker(setup)
            sandbox_workers.append(local.worker)
        return act(local.worker, program)

    pool = ThreadPoolExecutor(workers, "worldline-record")
    flight: deque[Future[Trace]] = deque()
    try:
        for program in programs:
            flight.append(pool.submit(recorded, program))
            while flight and (len(flight) >= MAX_IN_FLIGHT * workers or flight[0].done()):
                yield flight.popleft().result()
        while flight:
            yield flight.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for worker in sandbox_workers:
            worker.close()
