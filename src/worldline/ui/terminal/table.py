"""A trace as a table in the terminal: one row a step, the source beside what it changed.

Rows are printed as they are made, so a long trace costs no memory; long values are cropped, `show --step` has
them whole. Prints nothing that is not escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from rich.console import Console
from rich.text import Text

from worldline.core.events import EVENTS
from worldline.core.hidden import in_words
from worldline.core.program import Program
from worldline.core.text import printable, printable_lines
from worldline.core.trace import NO_TEXT, Hidden, Step, Trace
from worldline.ui.session.marks.natives import legend
from worldline.ui.terminal.source import HighlightedSource

STYLES = {
    "call": "green", "resume": "green", "return": "cyan", "yield": "magenta", "raise": "bold red",
    "output": "blue", "input": "blue", "exit": "yellow",
}  # fmt: skip
INDENTED = 8  # deeper frames are drawn at this depth
NAMED = 20_000  # texts of a trace that are looked through for words of its language
_NOTHING: Mapping[int, Sequence[str]] = MappingProxyType({})
SHOWN = 2_000  # characters of one value that can matter to a row


def print_trace(
    console: Console, trace: Trace, *, rows: int = 200, said: Mapping[int, Sequence[str]] = _NOTHING
) -> None:
    """The whole table: heading, steps (the first and last when there are more than `rows`), how it ended.

    `said` has what is told of a step beside what it did: the conditions that it decided by.
    """
    _print(console, heading(trace))
    layout = TableLayout(console.width, trace, coloured=console.color_system is not None, said=said)
    for row in _rows(trace, layout, rows):
        _print(console, row)
    for line in [*named_values(_told(trace), trace.program), *ending(trace)]:
        _print(console, line, wrap=True)


def _told(trace: Trace) -> list[str]:
    """The values of a trace, each once; a `None` that is only returned may be no value at all, but in JavaScript."""
    columns, returns = trace.columns, EVENTS.index("return")
    args = zip(columns.event, columns.arg, strict=True)
    told = {*columns.change_value, *(arg for event, arg in args if event != returns)}
    given = {*columns.arg} - told
    if not trace.program.lang.returns_undefined:
        given = {each for each in given if each != NO_TEXT and columns.texts[each] != "None"}
    told = (told | given) - {NO_TEXT}
    return [columns.texts[each] for each in sorted(told)[:NAMED]]


def named_values(texts: Iterable[str], program: Program) -> Iterator[Text]:
    """What the words in some values are called in the language of a program: a footnote, or nothing."""
    told = legend(texts, program.language)
    if told:
        yield Text(printable(f"in {program.lang.title}: {', '.join(told)}"), style="dim")


def heading(trace: Trace) -> Text:
    """What was run, and by whom."""
    program, interpreter = trace.program, trace.interpreter
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    who = f"  {interpreter.name} {interpreter.version or '(not found)'}, {interpreter.core} core"
    return Text.assemble((printable(what), "bold"), (printable(who), "dim"))


def ending(trace: Trace) -> Iterator[Text]:
    """What was printed, what was noticed, how it ended."""
    for title, printed in (("output", trace.output), ("stderr", trace.stderr)):
        if printed:
            yield Text(f"{title}:", style="bold blue")
            lines = printable_lines(printed[:20_000].removesuffix("\n"))
            yield from (Text(f"  {line}") for line in lines[:40])
            if len(lines) > 40 or len(printed) > 20_000:
                yield Text(f"  ... {len(printed):,} characters in all", style="dim")
    for hidden in [one for one in trace.hidden if one.step >= len(trace)][:20]:
        yield Text(printable(f"after the last step, {in_words(hidden.kind)}: {hidden.value}"), style="dim")
    if trace.hidden:
        yield Text(f"{len(trace.hidden):,} hidden input{'s' * (len(trace.hidden) != 1)}", style="dim")
    if len(trace.threads) > 1:
        yield Text(f"{len(trace.threads):,} threads: the number before a row's changes", style="dim")
    for note in trace.notes:
        yield Text(printable(f"note[{note}]{_NOTES.get(note, '')}"), style="yellow")
    style = "bold green" if trace.outcome.kind == "returned" else "bold red"
    detail = printable(f" {trace.outcome.detail[:SHOWN]}".rstrip())
    yield Text.assemble((printable(trace.outcome.kind), style), detail, (f"  {len(trace):,} steps", "dim"))


_NOTES = {"trusted": ": it ran without a box"}


class TableLayout:
    """Column widths for one console and one trace."""

    def __init__(
        self,
        width: int,
        trace: Trace,
        *,
        coloured: bool = True,
        said: Mapping[int, Sequence[str]] = _NOTHING,
    ) -> None:
        self.trace, self.said = trace, said
        self.sources = HighlightedSource(trace.program, coloured=coloured)
        self.hidden: dict[int, list[Hidden]] = {}
        for one in trace.hidden:
            self.hidden.setdefault(one.step, []).append(one)
        self._codes: dict[tuple[str, int, int], Text] = {}
        self.step = max(4, len(str(len(trace))))
        # A trace has many steps and frames, but few lines at few depths.
        places = [(frame.file, min(frame.depth, INDENTED)) for frame in trace.frames]
        used = {
            (*places[frame], line)
            for frame, line in zip(trace.columns.frame, trace.columns.line, strict=True)
        }
        self.line = max([4, *(len(str(line)) for _, _, line in used)])
        longest = max((self.source(*place).cell_len for place in used), default=0)
        rest = max(width - self.step - self.line - 6, 30)
        self.code = min(max(longest, 10), rest * 11 // 20)
        self.changes = rest - self.code

    def source(self, file: str, depth: int, line: int) -> Text:
        """The source line of a step, moved right by its frame's depth."""
        return Text().append("│ " * depth, style="dim").append_text(self.sources.line(file, line))

    def row(self, step: Step) -> Text:
        """One step: its number, its line, the source, what happened."""
        place = (self.trace.frames[step.frame].file, min(step.depth, INDENTED), step.line)
        if place not in self._codes:
            self._codes[place] = code = self.source(*place)
            code.truncate(self.code, overflow="ellipsis", pad=True)
        code = self._codes[place]
        told = [Text(printable(f"({text[:SHOWN]})"), style="dim") for text in self.said.get(step.i, ())]
        what = Text("  ").join(
            [one for one in (changes(self.trace, step, self.hidden.get(step.i, ())), *told) if one.plain]
        )
        what.truncate(self.changes, overflow="ellipsis")
        row = Text.assemble((f"{step.i:>{self.step}} ", "dim"), (f"{step.line:>{self.line}}  ", "yellow"))
        return row.append_text(code).append(" │ ", style="dim").append_text(what)


def changes(trace: Trace, step: Step, hidden: Iterable[Hidden] = ()) -> Text:
    """What a step did, in words: its thread where there are several, its hidden inputs, its event, changes, value."""
    parts = [Text(f"{step.thread}", style="yellow")] if len(trace.threads) > 1 else []
    for one in hidden:
        told = printable(f"{in_words(one.kind)}: {one.value[:SHOWN]}")
        parts.append(Text(told, style="magenta"))
    if step.event != "line":
        name = f" {trace.frames[step.frame].name}" if step.event == "call" else ""
        arg = f" {step.arg[:SHOWN]}" if step.arg is not None else ""
        parts.append(Text(printable(step.event + name + arg), style=STYLES.get(step.event, "")))
    for name, value in step.delta.items():
        parts.append(Text.assemble((printable(name), "bold"), printable(f"={value[:SHOWN]}")))
    parts += [Text(printable(f"del {name}"), style="red") for name in step.gone]
    for name, other in step.same.items():
        parts.append(Text(printable(f"{name} is {other}" if other else f"{name} apart"), style="dim"))
    return Text("  ").join(parts)


def _rows(trace: Trace, layout: TableLayout, rows: int) -> Iterator[Text]:
    total = len(trace)
    head, tail = (total, total) if not rows or total <= rows else (rows - rows // 4, total - rows // 4)
    yield from (layout.row(trace[i]) for i in range(head))
    if head < tail:
        yield Text(f"... {tail - head:,} steps between are not shown; --rows 0 shows all", style="dim italic")
    yield from (layout.row(trace[i]) for i in range(tail, total))


def _print(console: Console, text: Text, *, wrap: bool = False) -> None:
    """Rich would colour and wrap by its own lights: neither is wanted."""
    text.no_wrap = not wrap
    console.print(text, highlight=False, markup=False, emoji=False, overflow="fold" if wrap else "crop")
