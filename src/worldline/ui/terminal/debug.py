"""A prediction beside the actual execution in a terminal: the first divergence in colour, later ones dimmed.

Below the table: the cause with its evidence, the model's confidence, and the result of each intervention. All
text is escaped. `ui.report.debug_page` shows the same on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from worldline.core.program import Program
from worldline.core.text import around, printable
from worldline.diagnose.debug import Debugged
from worldline.diagnose.imagine import Imagined
from worldline.diagnose.scratch import ScratchStep
from worldline.diagnose.sentences import ending, percent, sentences
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows, rows_of_run, values_of, with_places
from worldline.ui.terminal.plain import print_line, program_title
from worldline.ui.terminal.source import HighlightedSource, fitted_place, place_column, place_in_source
from worldline.ui.terminal.table import MAX_INDENT, named_values

DEFAULT_ROWS = 36  # around the first divergence
NARROW = 48  # characters for source and cells together
CONFIDENCE = "confidence"
LABEL = 18  # columns of a sentence's label
_STYLES = {"event": "cyan", "place": "yellow", "value": "", "hidden": "magenta"}
_MARKS = {"same": ("  ", ""), "alone": ("- ", "dim"), "first": ("▶ ", "bold red"), "later": ("· ", "red dim")}


def print_debugged(console: Console, debugged: Debugged, *, rows: int = DEFAULT_ROWS, unfold: bool = False) -> None:
    """Print both traces side by side, then the sentences about their divergence.

    Args:
        console: Where to print.
        debugged: The result of `debug()`.
        rows: At most this many rows around the first divergence; 0 for all.
        unfold: Show the steps of a scratchpad.
    """
    diagnosis, sample = debugged.diagnosis, debugged.sample
    first = diagnosis.first
    shown = list(
        compared_rows(
            sample.ask.program,
            debugged.rows,
            diagnosis.truth.events,
            diagnosis.found.events,
            first,
            debugged.sure,
            rows,
            _value_width(console, 2),
        )
    )
    print_line(console, _heading(sample.ask.program, debugged.model))
    heads = ("actual", "predicted")
    _print_rows(console, sample.ask.program, shown, heads, debugged.folds, unfold=unfold)
    _print_names(console, sample.ask.program, shown)
    for label, text, style in sentences(debugged):
        print_sentence(console, label, text, style)


def print_imagined(console: Console, imagined: Imagined, *, rows: int = 200, unfold: bool = False) -> None:
    """Print a prediction alone; at most `rows` rows, 0 for all."""
    print_line(console, _heading(imagined.ask.program, imagined.model))
    events, width = imagined.reading.events, _value_width(console, 1)
    shown = list(rows_of_run(imagined.ask.program, events, imagined.sure, rows, width))
    _print_rows(console, imagined.ask.program, shown, ("predicted",), imagined.folds, unfold=unfold)
    _print_names(console, imagined.ask.program, shown)
    for label, text, style in ending(imagined.found, imagined.reading):
        print_sentence(console, label, text, style)


def _print_names(console: Console, program: Program, shown: Sequence[ComparedRow]) -> None:
    """Print the names of special values in the program's language."""
    for line in named_values((text for row in shown for text in values_of(row)), program):
        print_line(console, line, wrap=True)


# ---- rows


def _value_width(console: Console, sides: int) -> int:
    """About how many characters a cell has: its exact width depends on the source beside it."""
    return max((console.width - 24) // (sides + 1), 24)


def _heading(program: Program, model: str) -> Text:
    return Text.assemble((program_title(program), "bold"), (printable(f"  model {model}"), "dim"))


def _print_rows(
    console: Console,
    program: Program,
    shown: list[ComparedRow],
    heads: tuple[str, ...],
    folds: Sequence[Sequence[ScratchStep]],
    *,
    unfold: bool,
) -> None:
    sources = HighlightedSource(program, coloured=console.color_system is not None)
    numbers = max([4, *(len(str(row.step)) for row in shown)])
    has_files = any(row.file not in (None, program.name) for row in shown)
    places = {id(row): place_in_source(row.file or program.name, row.line, has_files=has_files) for row in shown}
    place_width = place_column(places.values())
    rest = max(console.width - numbers - place_width - 11 - 3 * len(heads), 8 * (len(heads) + 1))
    narrow = rest <= NARROW
    percents = 6 if narrow else len(CONFIDENCE)
    rest -= percents - 6
    codes = {id(row): _code(sources, program, row, bare=narrow) for row in shown if row.kind != "gap"}
    longest = max((code.cell_len for code in codes.values()), default=8)
    # In a narrow window the values get the space, and the source has no indent.
    code_width = min(max(longest, 8), rest * 5 // 16 if narrow else rest // (len(heads) + 1))
    cell = (rest - code_width) // len(heads)
    head = Text(" " * (numbers + 4 + place_width + code_width), style="dim")
    for title in heads:
        head.append(" │ ").append(f"{title:<{cell}}"[:cell])
    if not narrow and any(row.confidence is not None for row in shown):
        head.append(f" {CONFIDENCE}")
    print_line(console, head)
    for row in shown:
        if row.kind == "gap":
            gap = f"  ... {row.skipped:,} rows not shown; --rows 0 shows all"
            print_line(console, Text(gap, style="dim italic"))
            continue
        code = codes[id(row)]
        code.truncate(code_width, overflow="ellipsis", pad=True)
        place = fitted_place(places[id(row)], place_width)
        print_line(console, _row(row, code, numbers, f"{place:>{place_width}}", cell, len(heads), percents))
        if row.found is not None and row.found < len(folds):
            _print_fold(console, folds[row.found], numbers + 4 + place_width, unfold=unfold)


def _print_fold(console: Console, steps: Sequence[ScratchStep], indent: int, *, unfold: bool) -> None:
    """Print the scratchpad steps behind a step, or how many there are."""
    if steps and not unfold:
        print_line(console, Text(f"{'':{indent}}… {len(steps):,} steps on the scratchpad", style="dim italic"))
    for code, event in steps if unfold else ():
        parts = [event.event] if event.event != "line" else []
        parts += [event.arg] if event.arg is not None else []
        parts += [f"{name}={value}" for name, value in event.values.items()]
        print_line(console, Text(printable(f"{'':{indent}}  {code}  →  {'  '.join(parts)}"), style="dim"))


def _code(sources: HighlightedSource, program: Program, row: ComparedRow, *, bare: bool) -> Text:
    line = sources.line(row.file or program.name, row.line or 0)
    if bare:
        return line[len(line.plain) - len(line.plain.lstrip()) :]
    return Text().append("│ " * min(row.depth, MAX_INDENT), style="dim").append_text(line)


def _row(row: ComparedRow, code: Text, numbers: int, place: str, cell: int, sides: int, percents: int) -> Text:
    mark, style = _MARKS[row.kind]
    number = "" if row.step is None else str(row.step)
    text = Text.assemble((mark, style), (f"{number:>{numbers}} ", "dim"), (f"{place} ", "yellow"))
    text.append_text(code)
    for pieces, colour in ((row.wanted, "bold green"), (row.got, "bold red"))[:sides]:
        text.append(" │ ", style="dim").append_text(_cell(pieces, colour, cell, row.kind))
    if row.confidence is not None:
        text.append(f" {percent(row.confidence):>{percents}}", style="dim" if row.confidence >= 0.9 else "yellow")
    return text


def _cell(pieces: tuple[CellPiece, ...] | None, colour: str, width: int, kind: str) -> Text:
    if pieces is None:
        cell = Text("-", style="dim")
    else:
        cell = Text("  ").join(
            Text()
            .append(place, "dim")
            .append(piece.text, _differs(colour, kind) if piece.differs else _STYLES[piece.kind])
            for place, piece in with_places(_fitted(pieces, width))
        )
    cell.truncate(width, overflow="ellipsis", pad=True)
    return cell


def _fitted(pieces: tuple[CellPiece, ...], width: int) -> tuple[CellPiece, ...]:
    """The pieces of a cell that is too narrow for them: from the first difference on, cut around it."""
    first = next((n for n, piece in enumerate(pieces) if piece.differs), None)
    if first is None or _size(pieces) - 2 <= width:
        return pieces
    changed = pieces[first]
    if _size(pieces[:first]) + changed.at >= width:
        pieces = pieces[first:]
    if pieces[0] is changed and len(changed.place) + 2 + changed.at > width - 4:
        changed = replace(changed, place="")  # the value needs the room
        pieces = (changed, *pieces[1:])
    space = width
    name = (
        changed.text[: changed.text.find("=") + 1] if changed.kind == "value" else changed.text.partition(" ")[0] + " "
    )
    if pieces[0] is changed and changed.at > space - 4:
        head = name if len(name) < space // 2 else name[: space // 2 - 2] + "…" + name[-1]
        shown = around(changed.text[len(name) :], changed.at - len(name), max(space - len(head) - 2, 1), gap="…")
        return (replace(changed, text=head + shown), *pieces[1:])
    return pieces


def _size(pieces: Sequence[CellPiece]) -> int:
    """The characters that some pieces take, with the gap after each."""
    return sum(len(place) + len(piece.text) + 2 for place, piece in with_places(pieces))


def _differs(colour: str, kind: str) -> str:
    return colour if kind == "first" else colour.replace("bold", "dim")


def print_sentence(console: Console, label: str, text: str, style: str) -> None:
    """Print a sentence, wrapped beside its label."""
    for line in Text(text, style=style).wrap(console, max(console.width - LABEL, 24)):
        line.rstrip()
        print_line(console, Text.assemble((f"{label:<{LABEL}}", "dim"), line))
        label = ""
