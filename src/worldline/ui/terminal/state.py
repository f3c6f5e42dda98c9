"""The state at one step: every name of every live frame, and which of them the step changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.state import state_at
from worldline.core.text import printable
from worldline.core.trace import Step, Trace
from worldline.ui.terminal.source import HighlightedSource
from worldline.ui.terminal.table import STYLES, heading, named_values

# An array with rows whose items hold no brackets themselves.
_NUMBERS = re.compile(r"ndarray\(shape=\(\d+, [\d, ]+\), dtype='[<>]?(?:bool|u?int|float|complex|[iufc]\d)")


def print_state(
    console: Console, trace: Trace, i: int, *, notes: Mapping[int, Sequence[str]] = MappingProxyType({})
) -> None:
    """Print step i, the notes about what it shows, and the state after it."""
    step = trace[i]
    state, makers = state_at(trace, step.i), trace.makers_shown(step.i)
    sources = HighlightedSource(trace.program, coloured=console.color_system is not None)
    console.print(heading(trace))
    console.print(_title(trace, step, sources), highlight=False)
    for note in (note for maker in makers for note in notes.get(maker.i, ())):
        console.print(Text(printable(f"({note})"), style="dim"), highlight=False)
    for serial, names in state.frames.items():
        frame = trace.frames[serial]
        where = Text(printable(f"frame {serial}  {frame.name}  {frame.file}"), style="bold")
        changed = {name for maker in makers if maker.frame == serial for name in (*maker.delta, *maker.same)}
        console.print(where, highlight=False)
        console.print(_names(names, changed) if names else Text("  no names", style="dim"))
    texts = [value for names in state.frames.values() for value in names.values()]
    for line in named_values([*texts, *([] if step.arg is None else [step.arg])], trace.program):
        console.print(line, highlight=False)
    for name in (name for maker in makers for name in maker.gone):
        console.print(Text(printable(f"del {name}"), style="red"), highlight=False)


def _title(trace: Trace, step: Step, sources: HighlightedSource) -> Text:
    frame = trace.frames[step.frame]
    arg = printable(f"  {step.arg}") if step.arg is not None else ""
    thread = f"thread {step.thread}  " if len(trace.threads) > 1 else ""
    place = "" if frame.file == trace.program.name else printable(f"{frame.file}, ")
    text = Text.assemble(
        (f"step {step.i} of {len(trace)}  ", "dim"),
        (thread, "magenta"),
        (step.event, STYLES.get(step.event, "bold")),
        (arg, "bold"),
        (f"  {place}line {step.line}  ", "yellow"),
    )
    line = sources.line(frame.file, step.line)
    return text.append_text(line[len(line.plain) - len(line.plain.lstrip()) :])


def _names(names: dict[str, str], changed: set[str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in names.items():
        mark = "* " if name in changed else "  "
        style = "bold green" if name in changed else "bold"
        table.add_row(Text(mark + printable(name), style=style), Text(_rows_apart(printable(value))))
    return table


def _rows_apart(value: str) -> str:
    """Write each row of an array of numbers on a line of its own."""
    return value.replace("=[[", "=\n  [[", 1).replace("], [", "],\n   [") if _NUMBERS.match(value) else value
