"""A failing test in a terminal: its last steps, who wrote the values that it compared, and the open calls.

All text is escaped. `ui.report.failure_page` shows the same on a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from worldline.core.program import Program
from worldline.core.text import plural, printable
from worldline.core.trace import Trace
from worldline.diagnose.failure.explanation import AssertedValue, FailureExplanation, ValueLink
from worldline.diagnose.failure.sentences import head_sentences, link_in_words, tail_sentences, value_in_words
from worldline.ui.session.last_steps import last_steps
from worldline.ui.session.side_by_side import ComparedRow, with_places
from worldline.ui.terminal.plain import print_line
from worldline.ui.terminal.source import HighlightedSource, fitted_place, place_column, place_in_source

DEFAULT_ROWS = 12
LABEL = 12  # columns of a sentence's label
MAX_INDENT = 6


def print_failure(console: Console, explanation: FailureExplanation, trace: Trace | None, *, rows: int = 12) -> None:
    """Print the last steps of a test, then why it failed.

    Args:
        console: Where to print.
        explanation: The result of `explain_failure()`.
        trace: The trace of the test, if it has one.
        rows: At most this many of the last steps; 0 for all.
    """
    style = "bold red" if explanation.exception else "bold"
    title = Text.assemble((printable(explanation.test_id), "bold"), "  ", (explanation.outcome, style))
    print_line(console, title.append(f"  {plural(explanation.steps, 'step')}", style="dim"))
    if trace is not None and explanation.steps:
        shown = last_steps(trace, explanation.steps, rows, max(console.width // 2 - 8, 24))
        _print_steps(console, trace.program, list(shown))
    for label, text, style in head_sentences(explanation):
        _print_sentence(console, label, text, style)
    for value in explanation.values:
        _print_value(console, value)
    for label, text, style in tail_sentences(explanation):
        _print_sentence(console, label, text, style)


def _print_steps(console: Console, program: Program, rows: Sequence[ComparedRow]) -> None:
    """Print steps in columns: number, file and line, source, and what changed."""
    sources = HighlightedSource(program, coloured=console.color_system is not None)
    shown = [row for row in rows if row.kind != "gap"]
    files = {row.file or program.name for row in shown}
    numbers = max([4, *(len(f"{row.step:,}") for row in shown)])
    has_files = files != {program.name}
    places = {id(row): place_in_source(row.file or program.name, row.line, has_files=has_files) for row in shown}
    place_width = place_column(places.values())
    rest = max(console.width - numbers - place_width - 8, 24)
    codes = {id(row): _code(sources, program, row) for row in shown}
    code_width = min(max([8, *(code.cell_len for code in codes.values())]), rest * 3 // 5)
    for row in rows:
        if row.kind == "gap":
            text = f"  ... {row.skipped:,} earlier steps not shown; --rows 0 shows all"
            print_line(console, Text(text, style="dim italic"))
            continue
        mark, style = ("▶ ", "bold red") if row.kind == "first" else ("  ", "")
        line = Text.assemble((mark, style), (f"{row.step:>{numbers},} ", "dim"))
        line.append(f"{fitted_place(places[id(row)], place_width):<{place_width}} ", style="yellow")
        code = codes[id(row)]
        code.truncate(code_width, overflow="ellipsis", pad=True)
        changes = Text("  ").join(
            Text().append(place, "dim").append(piece.text) for place, piece in with_places(row.wanted or ())
        )
        changes.truncate(rest - code_width, overflow="ellipsis")
        _print_cut(console, line.append_text(code).append(" │ ", style="dim").append_text(changes))


def _code(sources: HighlightedSource, program: Program, row: ComparedRow) -> Text:
    line = sources.line(row.file or program.name, row.line or 0)
    bare = line[len(line.plain) - len(line.plain.lstrip()) :]
    return Text().append("│ " * min(row.depth, MAX_INDENT), style="dim").append_text(bare)


def _print_value(console: Console, value: AssertedValue) -> None:
    """Print a value and the steps that it comes from, newest first."""
    _print_sentence(console, "value", value_in_words(value), "bold")
    places = [printable(f"{link.place.file}:{link.place.line}") for link in value.links]
    numbers = max([4, *(len(f"{link.place.step:,}") for link in value.links)])
    place_width = place_column(places)
    sources = [printable(link.place.source) for link in value.links]
    room = max(console.width - LABEL - numbers - place_width - 8, 24)
    source_width = min(max([8, *map(len, sources)]), room // 2)
    for link, place, source in zip(value.links, places, sources, strict=True):
        code = Text(source)
        code.truncate(source_width, overflow="ellipsis", pad=True)
        line = Text(" " * (LABEL - 2)).append("▶ " if link is value.writer else "  ", style="bold red")
        line.append(f"{link.place.step:>{numbers},} ", style="dim")
        line.append(f"{fitted_place(place, place_width):<{place_width}} ", style="yellow").append_text(code)
        _print_cut(console, line.append(" │ ", style="dim").append(link_in_words(link), style=_style(link, value)))
    for note in value.notes:
        print_line(console, Text(" " * LABEL + printable(note), style="dim"))


def _print_cut(console: Console, line: Text) -> None:
    line.truncate(console.width, overflow="ellipsis")
    print_line(console, line)


def _style(link: ValueLink, value: AssertedValue) -> str:
    return "bold red" if link is value.writer else "dim" if link.kind == "decided" else ""


def _print_sentence(console: Console, label: str, text: str, style: str) -> None:
    for line in Text(text, style=style).wrap(console, max(console.width - LABEL, 24)):
        line.rstrip()
        print_line(console, Text.assemble((f"{label:<{LABEL}}", "dim"), line))
        label = ""
