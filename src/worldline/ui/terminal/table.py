"""A trace as a table in a terminal: one row per step, the source beside what happened until the next one.

A line that calls shows its change in the last row of its calls, after its own place. Rows are printed as they are
made, so a long trace takes little memory. Long values are shortened (`core.texts.excerpts`); `show --step` prints them
whole. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from rich.console import Console
from rich.text import Text

from worldline.core.events import EVENTS
from worldline.core.hidden import in_words
from worldline.core.program import Program
from worldline.core.text import line_in_words, plural, printable, printable_lines
from worldline.core.texts.earlier_values import EarlierValues
from worldline.core.texts.excerpts import change_excerpt, excerpt, room_of_each
from worldline.core.trace import NO_TEXT, Hidden, Step, Trace
from worldline.ui.session.marks.natives import legend
from worldline.ui.terminal.plain import print_line, program_title
from worldline.ui.terminal.source import HighlightedSource, fitted_place, place_column, place_in_source

STYLES = {
    "call": "green", "resume": "green", "return": "cyan", "yield": "magenta", "raise": "bold red",
    "output": "blue", "input": "blue", "exit": "yellow",
}  # fmt: skip
MAX_INDENT = 8  # deeper frames are drawn at this depth
MAX_VALUES = 20_000  # of a trace that are searched for special values of its language
MAX_TEXT = 2_000  # characters of one value that can matter to a row
_NO_NOTES: Mapping[int, Sequence[str]] = MappingProxyType({})
_NOTES = {"trusted": ": executed without a sandbox"}


def print_trace(
    console: Console, trace: Trace, *, rows: int = 200, notes: Mapping[int, Sequence[str]] = _NO_NOTES
) -> None:
    """Print a trace: heading, steps and how it ended.

    Args:
        console: Where to print.
        trace: The trace.
        rows: At most this many steps, the first and the last ones; 0 for all.
        notes: Notes about steps, such as the conditions they decided.
    """
    print_line(console, heading(trace))
    layout = TableLayout(console.width, trace, coloured=console.color_system is not None, notes=notes)
    for row in _rows(trace, layout, rows):
        print_line(console, row)
    for line in [*named_values(_values(trace), trace.program), *ending(trace)]:
        print_line(console, line, wrap=True)


def _values(trace: Trace) -> list[str]:
    """Every value of a trace once. A returned `None` counts only in JavaScript, where it may mean undefined."""
    columns, returns = trace.columns, EVENTS.index("return")
    args = zip(columns.event, columns.arg, strict=True)
    values = {*columns.change_value, *(arg for event, arg in args if event != returns)}
    results = {*columns.arg} - values
    if not trace.program.lang.returns_undefined:
        results = {value for value in results if value != NO_TEXT and columns.texts[value] != "None"}
    values = (values | results) - {NO_TEXT}
    return [columns.texts[value] for value in sorted(values)[:MAX_VALUES]]


def named_values(texts: Iterable[str], program: Program) -> Iterator[Text]:
    """Yield a footnote that names special values in the program's language, if there are any."""
    names = legend(texts, program.language)
    if names:
        yield Text(printable(f"in {program.lang.title}: {', '.join(names)}"), style="dim")


def heading(trace: Trace) -> Text:
    """Return what was executed, and by which interpreter."""
    interpreter = trace.interpreter
    executor = f"  {interpreter.name} {interpreter.version or '(not found)'}, {interpreter.core} core"
    flags = [*trace.program.flags, *trace.program.vm_flags]
    executor += f", flags {' '.join(flags)}" if flags else ""
    return Text.assemble((program_title(trace.program), "bold"), (printable(executor), "dim"))


def ending(trace: Trace) -> Iterator[Text]:
    """Yield what was printed, the notes, and how the execution ended."""
    for title, printed in (("output", trace.output), ("stderr", trace.stderr)):
        if printed:
            yield Text(f"{title}:", style="bold blue")
            lines = printable_lines(printed[:20_000].removesuffix("\n"))
            yield from (Text(f"  {line}") for line in lines[:40])
            if len(lines) > 40 or len(printed) > 20_000:
                yield Text(f"  ... {len(printed):,} characters in all", style="dim")
    for hidden in [draw for draw in trace.hidden if draw.step >= len(trace)][:20]:
        yield Text(printable(f"after the last step, {in_words(hidden.kind)}: {hidden.value}"), style="dim")
    if trace.hidden:
        yield Text(plural(len(trace.hidden), "hidden input"), style="dim")
    if len(trace.threads) > 1:
        yield Text(f"{len(trace.threads):,} threads: rows start with the number of their thread", style="dim")
    for note in trace.notes:
        yield Text(printable(f"note[{note}]{_NOTES.get(note, '')}"), style="yellow")
    style = "bold green" if trace.outcome.kind == "returned" else "bold red"
    detail = printable(f" {trace.outcome.detail[:MAX_TEXT]}".rstrip())
    yield Text.assemble((printable(trace.outcome.kind), style), detail, (f"  {len(trace):,} steps", "dim"))


class TableLayout:
    """Column widths for one console and one trace."""

    def __init__(
        self, width: int, trace: Trace, *, coloured: bool = True, notes: Mapping[int, Sequence[str]] = _NO_NOTES
    ) -> None:
        self.trace, self.notes = trace, notes
        self.sources = HighlightedSource(trace.program, coloured=coloured)
        self._earlier = EarlierValues(trace)
        self.hidden: dict[int, list[Hidden]] = {}
        for draw in trace.hidden:
            self.hidden.setdefault(draw.step, []).append(draw)
        self._codes: dict[tuple[str, int, int], Text] = {}
        self.step = max(4, len(str(len(trace))))
        # A trace has many steps and frames, but few lines at few depths.
        places = [(frame.file, min(frame.depth, MAX_INDENT)) for frame in trace.frames]
        used = {(*places[frame], line) for frame, line in zip(trace.columns.frame, trace.columns.line, strict=True)}
        self.has_files = any(file != trace.program.name for file, _, _ in used)
        self.line = place_column(self._place(file, line) for file, _, line in used)
        longest = max((self.source(*place).cell_len for place in used), default=0)
        rest = max(width - self.step - self.line - 6, 30)
        self.code = min(max(longest, 10), rest * 11 // 20)
        self.changes = rest - self.code

    def source(self, file: str, depth: int, line: int) -> Text:
        """Return the source line of a step, indented by its frame's depth."""
        return Text().append("│ " * depth, style="dim").append_text(self.sources.line(file, line))

    def _place(self, file: str, line: int) -> str:
        """Return the line of a step, after its file if the steps are in several."""
        return place_in_source(file, line, has_files=self.has_files)

    def row(self, step: Step) -> Text:
        """Return one step: its number, its line, the source, and what happened."""
        place = (self.trace.frames[step.frame].file, min(step.depth, MAX_INDENT), step.line)
        if place not in self._codes:
            self._codes[place] = code = self.source(*place)
            code.truncate(self.code, overflow="ellipsis", pad=True)
        code = self._codes[place]
        cells = Text("  ").join(self._happened(step))
        cells.truncate(self.changes, overflow="ellipsis")
        shown = fitted_place(self._place(place[0], step.line), self.line)
        row = Text.assemble((f"{step.i:>{self.step}} ", "dim"), (f"{shown:>{self.line}}  ", "yellow"))
        return row.append_text(code).append(" │ ", style="dim").append_text(cells)

    def _happened(self, step: Step) -> Iterator[Text]:
        """Yield what happened from a step to the next: its thread if there are several, hidden inputs, event, changes.

        Changes of lines that waited for this step follow; those of another frame have their place before them.
        """
        trace, makers = self.trace, self.trace.makers_shown(step.i)
        sizes = [len(name) + len(value) + 3 for maker in makers for name, value in maker.delta.items()]
        sizes += [len(step.event) + len(step.arg) + 3] if step.arg is not None else []
        room = room_of_each(sizes, self.changes)
        if len(trace.threads) > 1:
            yield Text(f"{step.thread}", style="yellow")
        hidden = self.hidden.get(step.i, ()) if step.event != "input" else ()  # the event itself shows what is read
        for draw in hidden:
            yield Text(printable(f"{in_words(draw.kind)}: {excerpt(draw.value, room)}"), style="magenta")
        if step.event != "line":
            event = step.event + (f" {trace.frames[step.frame].name}" if step.event == "call" else "")
            arg = f" {excerpt(step.arg, room - len(event) - 1)}" if step.arg is not None else ""
            yield Text(printable(event + arg), style=STYLES.get(step.event, ""))
        for maker in makers:
            parts = list(self._changes(maker, room))
            parts += [Text(f"({printable(text[:MAX_TEXT])})", "dim") for text in self.notes.get(maker.i, ())]
            if parts and maker.frame != step.frame:
                place = line_in_words(maker.line, trace.frames[maker.frame].name)
                parts[0] = Text().append(printable(f"{place}: "), "dim").append_text(parts[0])
            yield from parts

    def _changes(self, step: Step, room: int) -> Iterator[Text]:
        for name, value in step.delta.items():
            text = f"{name}={value}"
            if len(text) > room:
                text = change_excerpt(name, self._earlier.before(step.i, name, value), value, room)
            yield Text.assemble((printable(text[: len(name)]), "bold"), printable(text[len(name) :]))
        for name in step.gone:
            yield Text(printable(f"del {name}"), style="red")
        for name, other in step.same.items():
            yield Text(printable(f"{name} is {other}" if other else f"{name} not shared"), style="dim")


def _rows(trace: Trace, layout: TableLayout, rows: int) -> Iterator[Text]:
    total = len(trace)
    head, tail = (total, total) if not rows or total <= rows else (rows - rows // 4, total - rows // 4)
    yield from (layout.row(trace[i]) for i in range(head))
    if head < tail:
        yield Text(f"... {tail - head:,} steps not shown; --rows 0 shows all", style="dim italic")
    yield from (layout.row(trace[i]) for i in range(tail, total))
