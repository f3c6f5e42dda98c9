"""Build the trace of a run: decode its wire, decide its outcome and decode its output."""

from __future__ import annotations

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Columns, InterpreterInfo, Outcome, Trace
from worldline.recording import wire
from worldline.recording.exchange import SLACK
from worldline.recording.sandbox import SandboxRun
from worldline.recording.verdict import judge, readable


def traced(
    program: Program,
    run: SandboxRun,
    who: InterpreterInfo,
    limits: Limits,
    *,
    sandboxed: bool,
    containers: bool = False,
    jumps: bool = False,
) -> Trace:
    """Build the trace of a run.

    Args:
        program: The program.
        run: Its raw result.
        who: The interpreter, unless the wire names another.
        limits: The limits of the run.
        sandboxed: Whether it was sandboxed. If not, the trace is noted `trusted`.
        containers: Whether the recorder was told to number containers.
        jumps: Whether the recorder was told to record conditional jumps.
    """
    weight = limits.trace_bytes + SLACK
    decoded = wire.decode(run.wire, steps=limits.steps, weight=weight, containers=containers, jumps=jumps)
    meta = {**who.__dict__, **decoded.meta}
    return Trace(
        program=program,
        interpreter=InterpreterInfo(meta["name"], meta["version"], meta["core"]),
        limits=limits,
        outcome=judge(run, decoded.end, decoded.damage),
        columns=decoded.columns,
        frames=decoded.frames,
        output=readable(run.stdout, limits.output),
        stderr=readable(run.stderr, limits.output),
        hidden=tuple(decoded.hidden),
        notes=tuple(decoded.notes) + (() if sandboxed else ("trusted",)),
        held=decoded.held if containers else None,
        jumps=tuple(decoded.jumps) if jumps else None,
    )


def unrun(
    program: Program, who: InterpreterInfo, limits: Limits, outcome: Outcome, *, stderr: str = "", note: str = ""
) -> Trace:
    """Build the trace of a program that was not executed."""
    notes = (note,) if note else ()
    return Trace(program, who, limits, outcome, Columns(), (), stderr=stderr, notes=notes)
