"""The tests of two revisions in a terminal: before and after side by side, around the first divergence.

All text is escaped. `ui.report.revisions_page` shows the same on a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.diagnose.revisions.sentences import sentences
from worldline.diagnose.revisions.source_map import SourceMap
from worldline.evaluation.revisions import ComparedTest, RevisionComparison
from worldline.ui.session.revision_rows import RevisionCell, RevisionRow, revision_rows
from worldline.ui.session.side_by_side import with_places
from worldline.ui.terminal.debug import print_sentence
from worldline.ui.terminal.plain import print_line

DEFAULT_ROWS = 24  # around the first divergence
MAX_TESTS = 10  # shown in full; the others have one line
_MARKS = {"same": ("  ", ""), "alone": ("  ", "dim"), "first": ("▶ ", "bold red"), "later": ("· ", "red dim")}
_STYLES = {"event": "cyan", "value": ""}
_SEPARATOR = " │ "


def print_revisions(
    console: Console, comparison: RevisionComparison, *, rows: int = DEFAULT_ROWS, out: str | None = None
) -> None:
    """Print the affected tests: those that differ in full, then how many are the same.

    Args:
        console: Where to print.
        comparison: The result of `compare_revisions()`.
        rows: At most this many rows around each first divergence; 0 for all.
        out: Where the tests are stored, if they are.
    """
    _print_heading(console, comparison)
    sources = comparison.sources
    diverging = comparison.diverging
    for compared in diverging[:MAX_TESTS]:
        print_line(console, Text())
        print_compared(console, compared, sources, rows)
    for compared in diverging[MAX_TESTS:]:
        before, after = compared.test.outcomes
        print_line(console, Text(printable(f"{compared.test.id}  {before} before, {after} after")))
    same = len(comparison.tests) - len(diverging)
    if same:
        print_line(console, Text())
        print_line(
            console, Text(f"{plural(same, 'other affected test')} with the same behaviour on both revisions", "dim")
        )
    for note in comparison.notes:
        print_sentence(console, "note", printable(note), "dim")
    if out is not None:
        stored = f"{plural(len(comparison.tests), 'affected test')} of both revisions in {out}; the comparison is its "
        print_sentence(console, "stored", printable(f"{stored}report.json"), "dim")


def _print_heading(console: Console, comparison: RevisionComparison) -> None:
    files = comparison.change.files
    facts = [
        f"{plural(len(files), 'changed file')}",
        f"{len(comparison.tests):,} of {plural(comparison.count[1], 'test')} affected",
        f"{len(comparison.fixed):,} fixed",
        f"{len(comparison.broken):,} broken",
    ]
    title = printable(f"{comparison.instance.id} since {comparison.change.since[:12]}")
    print_line(console, Text.assemble((title, "bold"), (f"  {', '.join(facts)}", "dim")))


def print_compared(console: Console, compared: ComparedTest, sources: SourceMap, rows: int) -> None:
    """Print one test: what differs in words, and the rows around the first divergence."""
    print_line(console, Text(printable(compared.test.id), style="bold"))
    for label, text, style in sentences(compared.test, compared.diff):
        print_sentence(console, label, text, style)
    if compared.diff is not None and compared.before is not None and compared.after is not None:
        width = max(console.width // 2 - 16, 24)
        shown = revision_rows(compared.before, compared.after, compared.diff, sources, rows, width)
        _print_rows(console, list(shown))


def _print_rows(console: Console, shown: Sequence[RevisionRow]) -> None:
    cells = [cell for row in shown for cell in (row.before, row.after) if cell is not None]
    numbers = max([3, *(len(str(cell.step)) for cell in cells)])
    width = max((console.width - 2 - len(_SEPARATOR)) // 2, 24)
    head = Text("  ", style="dim")
    head.append(f"{'before':<{width}}{_SEPARATOR}after")
    print_line(console, head)
    place = None
    for row in shown:
        if row.kind == "gap":
            gap = f"  ... {row.skipped:,} rows not shown; --rows 0 shows all"
            print_line(console, Text(gap, style="dim italic"))
            continue
        cell = row.after or row.before
        if cell is not None and (cell.file, cell.function) != place:
            place = cell.file, cell.function
            print_line(console, Text(printable(f"  {cell.file}  {cell.function}"), style="dim italic"))
        mark, style = _MARKS[row.kind]
        line = Text.assemble((mark, style), _cell(row.before, "-", "bold red", width, numbers, row.kind))
        line.append(_SEPARATOR, style="dim")
        line.append_text(_cell(row.after, "+", "bold green", width, numbers, row.kind))
        print_line(console, line)


def _cell(cell: RevisionCell | None, sign: str, colour: str, width: int, numbers: int, kind: str) -> Text:
    """One step in one column: its number, its line, whether the change wrote the line, its source and its values."""
    if cell is None:
        return Text(" " * width)
    start = Text.assemble((f"{cell.step:>{numbers}} ", "dim"), (f"{cell.line:>4}", "yellow"))
    start.append(sign if cell.is_changed else " ", style="bold yellow")
    start.append(" ")
    rest = width - start.cell_len
    values = Text("  ").join(
        Text().append(place, "dim").append(piece.text, _differs(colour, kind) if piece.differs else _STYLES[piece.kind])
        for place, piece in with_places(sorted(cell.pieces, key=lambda piece: not piece.differs))
    )
    code = Text(cell.code.strip() if cell.pieces[:1] == () or cell.pieces[0].kind != "event" else "")
    # The values get what the source leaves, and at least half.
    code_width = min(code.cell_len, max(rest - values.cell_len - 2, rest // 2))
    if code.cell_len:
        code.truncate(code_width, overflow="ellipsis", pad=True)
        code.append("  ")
    code.append_text(values)
    code.truncate(rest, overflow="ellipsis", pad=True)
    return start.append_text(code)


def _differs(colour: str, kind: str) -> str:
    return colour if kind == "first" else colour.replace("bold", "dim")
