"""The full state at one step: every name of every live frame, whole, and which of them the step changed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.state import State
from worldline.core.trace import EVENTS, Step, Trace
from worldline.view.escape import printable
from worldline.view.source import Sources
from worldline.view.table import STYLES, heading


def live(trace: Trace, i: int) -> list[int]:
    """The frames alive after step i: suspended ones, then the stack of its frame, outermost first."""
    stack: list[int] = []
    serial = trace.columns.frame[i]
    while serial >= 0:
        stack.insert(0, serial)
        serial = trace.frames[serial].parent
    last = dict(zip(trace.columns.frame[: i + 1], trace.columns.event[: i + 1], strict=True))
    suspended = {serial for serial, event in last.items() if EVENTS[event] == "yield"}
    return sorted(suspended.difference(stack)) + stack


def known(trace: Trace, i: int) -> State:
    """The live frames as far as they are known when step i is done.

    A line's changes are those seen at its own frame's next event. Of the frames that wait for another, the newest
    line is not done, so its changes are still to come; a call's are its arguments, which are there at once.
    """
    frames = live(trace, i)
    newest = dict(zip(trace.columns.frame[: i + 1], range(i + 1), strict=True))
    state = State({serial: {} for serial in frames})
    for at in range(i + 1):
        serial = trace.columns.frame[at]
        waits = serial != trace.columns.frame[i] and at == newest[serial]
        if serial in state.frames and not (waits and EVENTS[trace.columns.event[at]] != "call"):
            state.apply(trace[at])
    return state


def print_state(console: Console, trace: Trace, i: int) -> None:
    """Step i, and the state when it was done: what its line had changed is in it."""
    step = trace[i]
    state = known(trace, step.i)
    sources = Sources(trace.program)
    console.print(heading(trace))
    console.print(_title(trace, step, sources), highlight=False)
    for serial, names in state.frames.items():
        frame = trace.frames[serial]
        where = Text(printable(f"frame {serial}  {frame.name}  {frame.file}"), style="bold")
        changed = {*step.delta, *step.same} if serial == step.frame else set()
        console.print(where, highlight=False)
        console.print(_names(names, changed) if names else Text("  no names", style="dim"))
    for name in step.gone:
        console.print(Text(printable(f"del {name}"), style="red"), highlight=False)


def _title(trace: Trace, step: Step, sources: Sources) -> Text:
    frame = trace.frames[step.frame]
    arg = printable(f"  {step.arg}") if step.arg is not None else ""
    text = Text.assemble(
        (f"step {step.i} of {len(trace)}  ", "dim"), (step.event, STYLES.get(step.event, "bold")),
        (arg, "bold"), (f"  line {step.line}  ", "yellow"),
    )  # fmt: skip
    line = sources.line(frame.file, step.line)
    return text.append_text(line[len(line.plain) - len(line.plain.lstrip()) :])


def _names(names: dict[str, str], changed: set[str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in names.items():
        mark = "* " if name in changed else "  "
        style = "bold green" if name in changed else "bold"
        table.add_row(Text(mark + printable(name), style=style), Text(printable(value)))
    return table
