"""Record several small programs in one run, because a process costs more than their steps.

Each program is a module. A driver that is not recorded executes them one after another and discards
their exceptions. `record_all` returns the trace of each, or None for a program whose part cannot be
separated, did not end, or was interrupted by a limit. They share an interpreter: a program that
changes it (builtins, other modules) affects those after it, so use this only for harmless programs.
Programs with arguments, stdin or files run alone. Under a control they share its draws in order;
`draws_apart` tells for which programs the draws can be separated.
"""

from __future__ import annotations

import math
import re
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from worldline.core.errors import UsageError
from worldline.core.events import EVENTS
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.spelling import OBJECT_NUMBER, QUOTED
from worldline.core.texts.spliced import fresh_parts, selected
from worldline.core.trace import NO_TEXT, Columns, ConditionalJump, Frame, Outcome, Trace
from worldline.recording.recorder import SandboxWorker

_EXIT = EVENTS.index("exit")
_ENDS = {EVENTS.index("return"): "returned", EVENTS.index("raise"): "raised"}
_TOKENS = re.compile(f"{QUOTED}|{OBJECT_NUMBER}")
_LEFT_BEHIND = re.compile(r"\b(seed|Random|setstate|gauss|time|datetime|threading|asyncio|queue)\b")
_DRIVER = """\
import importlib, os
def run(calls):
    for number, call in enumerate(calls):
        name = f"program_{number}"
        try:
            if call is None:
                path = os.path.join(os.getcwd(), name + ".py")
                with open(path, "rb") as file:
                    code = compile(file.read(), path, "exec", dont_inherit=True)
                eval(code, {"__name__": "__main__", "__builtins__": __builtins__})
            elif name in modules:
                eval(compile(call, "<call>", "eval", dont_inherit=True), vars(modules[name]))
        except BaseException:
            pass
modules = {}
for number, call in enumerate(calls):
    try:
        if call is not None:
            modules[f"program_{number}"] = importlib.import_module(f"program_{number}")
    except BaseException:
        pass
"""


def record_all(
    worker: SandboxWorker,
    programs: Sequence[Program],
    control: Control | None = None,
    deadline: float = math.inf,
    *,
    jumps: bool = False,
) -> list[Trace | None]:
    """Record programs in as few runs as possible.

    Args:
        worker: The sandbox.
        programs: The programs.
        control: The control of their hidden inputs.
        deadline: No run starts after this time of `time.monotonic`.
        jumps: Whether to record conditional jumps.

    Returns:
        The traces in order, without the programs that did not start before the deadline.
    """
    traces: list[Trace | None] = [None] * len(programs)
    waiting = [i for i, program in enumerate(programs) if fits(program)]
    for i in set(range(len(programs))) - set(waiting):
        traces[i] = worker.record(programs[i], control=control, jumps=jumps)
    while waiting and time.monotonic() < deadline:
        several = [programs[i] for i in waiting]
        parts = unbundle(worker.record(bundle(several), control=control, jumps=jumps), several)
        for i, trace in zip(waiting, parts, strict=False):
            traces[i] = trace
        waiting = waiting[len(parts) :]
    return traces[: waiting[0]] if waiting else traces


def fits(program: Program) -> bool:
    """Tell whether a program can be recorded together with others: Python source and maybe a call."""
    return program.lang.runs_in_interpreter and not (program.argv or program.stdin or program.files)


def draws_apart(program: Program) -> bool:
    """Tell whether the draws of a program do not affect the next one: no seed, clock, thread or half-used pair."""
    return fits(program) and not _LEFT_BEHIND.search(program.source)


def stretched(limits: Limits, count: int) -> Limits:
    """Return the limits of a run of `count` programs that have these limits each.

    The total is less than their sum, because few programs use all of it.
    """
    share = max(1, count // 2)
    return replace(
        limits,
        steps=limits.steps * share,
        trace_bytes=limits.trace_bytes * share,
        output=limits.output * share,
        wall=limits.wall + 0.25 * count,
    )


def bundle(programs: Sequence[Program]) -> Program:
    """Return one program that executes these, each in its own module.

    Raises:
        UsageError: A program has arguments, stdin or files.
    """
    if not all(fits(program) for program in programs):
        raise UsageError("programs with arguments, stdin or files cannot be recorded together")
    calls = [program.call for program in programs]
    # The driver is compiled under another name than the program's file, so that its frames are not recorded.
    source = f'calls = {calls!r}\neval(compile({_DRIVER!r}, "<driver>", "exec"), globals())\n'
    files = tuple((f"program_{number}.py", program.source) for number, program in enumerate(programs))
    return Program(source=source, name="driver.py", call="run(calls)", files=files)


def unbundle(trace: Trace, programs: Sequence[Program]) -> list[Trace | None]:
    """Split the trace of a bundle. A bundle that a limit cut short gives fewer traces, but at least one."""
    traces: list[Trace | None] = [None] * len(programs)
    spans = _spans(trace)
    drawn = {hidden.step for hidden in trace.hidden}
    for span in spans.values():
        # A draw before its first step may belong to another program.
        if span is not None and span.steps.start in drawn:
            return traces
    for file, span in spans.items():
        if span is not None:
            traces[_number(file)] = _part(trace, programs[_number(file)], span)
    if trace.outcome.kind == "returned":
        return traces
    last = max(map(_number, spans), default=0)
    traces[last] = None  # it was running when the limit stopped the run
    return traces[: last + 1]


def _number(file: str) -> int:
    return int(file.removesuffix(".py").rpartition("_")[2])


@dataclass(frozen=True)
class _Span:
    """The steps and frames of one program."""

    steps: range
    frames: range


def _spans(trace: Trace) -> dict[str, _Span | None]:
    """Return the span of steps and frames of each file, or None if its steps are not contiguous."""
    files = [frame.file for frame in trace.frames]
    spans: dict[str, _Span | None] = {}
    start, column = 0, trace.columns.frame
    for i in range(1, len(column) + 1):
        file = files[column[start]]
        if i < len(column) and files[column[i]] == file:
            continue
        mine = column[start:i]
        frames = range(min(mine), max(mine) + 1)
        whole = file not in spans and all(files[number] == file for number in frames)
        spans[file] = _Span(range(start, i), frames) if whole else None
        start = i
    return spans


def _part(trace: Trace, program: Program, span: _Span) -> Trace | None:
    first, columns = span.frames.start, _cut(trace.columns, span)
    frames = [
        Frame(f.serial - first, f.name, program.name, max(f.parent - first, -1), f.depth)
        for f in (trace.frames[i] for i in span.frames)
    ]
    outcome = _outcome(columns, frames)
    if outcome is None:
        return None
    if program.call is None and outcome.kind == "returned":
        outcome = Outcome("returned")  # a script has no value
    begun = span.steps.start
    hidden = tuple(replace(draw, step=draw.step - begun) for draw in trace.hidden if draw.step in span.steps)
    return replace(
        trace,
        program=program,
        outcome=outcome,
        columns=columns,
        frames=frames,
        output="",
        stderr="",
        hidden=hidden,
        jumps=None if trace.jumps is None else _jumps(trace.jumps, span),
    )


def _jumps(jumps: Sequence[ConditionalJump], span: _Span) -> tuple[ConditionalJump, ...]:
    """Return the conditional jumps of one program, with its own numbers of steps and frames."""
    step, frame = span.steps.start, span.frames.start
    return tuple(
        jump._replace(step=jump.step - step, frame=jump.frame - frame) for jump in jumps if jump.frame in span.frames
    )


def _outcome(columns: Columns, frames: Sequence[Frame]) -> Outcome | None:
    """Return the outcome of a program from the last event of its last outermost frame, if that decides it."""
    if _EXIT in columns.event:
        return None
    for i in reversed(range(len(columns))):
        if frames[columns.frame[i]].parent < 0:
            event, arg = columns.event[i], columns.arg[i]
            text = "" if arg == NO_TEXT else columns.texts[arg]
            ended = event in _ENDS and not text.startswith("SystemExit(")  # alone, that would be an exit
            return Outcome(_ENDS[event], text) if ended else None
    return None


def _cut(whole: Columns, span: _Span) -> Columns:
    """Return the columns of one program, with its own texts and object numbers."""
    a, b = span.steps.start, span.steps.stop
    first, last = whole.change_at[a], whole.change_at[b]
    low, high = whole.same_at[a], whole.same_at[b]
    parts = {
        "arg": whole.arg[a:b],
        "change_name": whole.change_name[first:last],
        "change_value": whole.change_value[first:last],
        "same_name": whole.same_name[low:high],
        "same_value": whole.same_value[low:high],
    }
    used = dict.fromkeys(number for part in parts.values() for number in part if number != NO_TEXT)
    numbers = {old: new for new, old in enumerate(used)} | {NO_TEXT: NO_TEXT}
    frame = span.frames.start
    return Columns(
        event=whole.event[a:b],
        frame=array("I", [number - frame for number in whole.frame[a:b]]),
        line=whole.line[a:b],
        change_at=array("I", [at - first for at in whole.change_at[a : b + 1]]),
        same_at=array("I", [at - low for at in whole.same_at[a : b + 1]]),
        texts=_renumbered(whole.texts, list(used)),
        **{name: array("I", [numbers[old] for old in part]) for name, part in parts.items()},
    )


def _renumbered(texts: Sequence[str], used: list[int]) -> Sequence[str]:
    """Return these texts with objects renumbered from 1: the numbers of one program have no gap."""
    if not any("#" in text for text in fresh_parts(texts, 0, used)):
        return selected(texts, used)
    base = min(_numbers(texts[number] for number in used), default=1) - 1

    def lower(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else f"{match[1]}{int(match[2]) - base}"

    return selected(texts, used, (lambda text: _TOKENS.sub(lower, text) if "#" in text else text) if base else None)


def _numbers(texts: Iterable[str]) -> Iterable[int]:
    for text in texts:
        if "#" in text:
            yield from (int(match[2]) for match in _TOKENS.finditer(text) if match[1] is not None)
