"""What a model imagines beside what happens, in a terminal: the first divergence in colour, later ones dimmer.

Below it what the model believed there, how sure it was, the cause with its evidence, and what each intervention did. A page of
the same is `debug_page`. Prints nothing that is not escaped.
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
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows, rows_of_run, values_of
from worldline.ui.terminal.source import HighlightedSource
from worldline.ui.terminal.table import named_values

WINDOW = 36  # rows around the divergence, unless all are asked for
NARROW = 48  # characters for source and cells together
IMAGINED = "what the model imagines"
_SHORT = {IMAGINED: "imagined"}  # where a column is narrower than its head
INDENTED = 8  # deeper frames are drawn at this depth
_STYLES = {"event": "cyan", "place": "yellow", "value": "", "hidden": "magenta"}
_MARKS = {"same": ("  ", ""), "alone": ("- ", "dim"), "first": ("▶ ", "bold red"), "later": ("· ", "red dim")}


def print_debugged(console: Console, found: Debugged, *, rows: int = WINDOW, unfold: bool = False) -> None:
    """Both runs side by side, then why they part; `rows` at most, 0 for all; `unfold` shows scratchpads' steps."""
    diagnosis, sample = found.diagnosis, found.sample
    first = diagnosis.first
    shown = list(
        compared_rows(found.rows, diagnosis.truth.events, diagnosis.found.events, first, found.sure, rows)
    )
    _print(console, _heading(sample.ask.program, found.model))
    heads = ("what happens", IMAGINED)
    _print_rows(console, sample.ask.program, shown, heads, found.folds, unfold=unfold)
    _print_names(console, sample.ask.program, shown)
    for name, text, style in sentences(found):
        _tell(console, name, text, style)


def print_imagined(console: Console, found: Imagined, *, rows: int = 200, unfold: bool = False) -> None:
    """The prediction alone."""
    _print(console, _heading(found.ask.program, found.model))
    shown = list(rows_of_run(found.reading.events, found.sure, rows))
    _print_rows(console, found.ask.program, shown, (IMAGINED,), found.folds, unfold=unfold)
    _print_names(console, found.ask.program, shown)
    for name, text, style in ending(found.found, found.reading):
        _tell(console, name, text, style)


def _print_names(console: Console, program: Program, shown: Sequence[ComparedRow]) -> None:
    """What the values are called in the program's language."""
    for line in named_values((text for row in shown for text in values_of(row)), program):
        _print(console, line, wrap=True)


# ---- rows


def _heading(program: Program, model: str) -> Text:
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    return Text.assemble((printable(what), "bold"), (printable(f"  {model}"), "dim"))


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
    rest = max(console.width - numbers - 6 - 4 - 5 - 3 * len(heads), 8 * (len(heads) + 1))
    narrow = rest <= NARROW
    codes = {id(row): _code(sources, program, row, bare=narrow) for row in shown if row.kind != "gap"}
    longest = max((code.cell_len for code in codes.values()), default=8)
    # In a narrow window the values have the room, and the source no indent: its number says which line it is.
    code_width = min(max(longest, 8), rest * 5 // 16 if narrow else rest // (len(heads) + 1))
    cell = (rest - code_width) // len(heads)
    head = Text(" " * (numbers + 8 + code_width), style="dim")
    for title in heads:
        title = title if len(title) <= cell else _SHORT.get(title, title)
        head.append(" │ ").append(f"{title:<{cell}}"[:cell])
    _print(console, head)
    for row in shown:
        if row.kind == "gap":
            _print(
                console,
                Text(f"  ... {row.skipped:,} rows are not shown; --rows 0 shows all", style="dim italic"),
            )
            continue
        code = codes[id(row)]
        code.truncate(code_width, overflow="ellipsis", pad=True)
        _print(console, _row(row, code, numbers, cell, len(heads)))
        if row.found is not None and row.found < len(folds):
            _print_fold(console, folds[row.found], numbers + 8, unfold=unfold)


def _print_fold(console: Console, steps: Sequence[ScratchStep], indent: int, *, unfold: bool) -> None:
    """What was imagined in place of a step: how many steps, or each of them."""
    if steps and not unfold:
        _print(console, Text(f"{'':{indent}}… {len(steps):,} steps of scratch", style="dim italic"))
    for code, event in steps if unfold else ():
        told = [event.event] if event.event != "line" else []
        told += [event.arg] if event.arg is not None else []
        told += [f"{name}={value}" for name, value in event.values.items()]
        _print(console, Text(printable(f"{'':{indent}}  {code}  →  {'  '.join(told)}"), style="dim"))


def _code(sources: HighlightedSource, program: Program, row: ComparedRow, *, bare: bool) -> Text:
    line = sources.line(row.file or program.name, row.line or 0)
    if bare:
        return line[len(line.plain) - len(line.plain.lstrip()) :]
    return Text().append("│ " * min(row.depth, INDENTED), style="dim").append_text(line)


def _row(row: ComparedRow, code: Text, numbers: int, cell: int, sides: int) -> Text:
    mark, style = _MARKS[row.kind]
    number = "" if row.step is None else str(row.step)
    line = "" if row.line is None else str(row.line)
    text = Text.assemble((mark, style), (f"{number:>{numbers}} ", "dim"), (f"{line:>4} ", "yellow"))
    text.append_text(code)
    for pieces, colour in ((row.wanted, "bold green"), (row.got, "bold red"))[:sides]:
        text.append(" │ ", style="dim").append_text(_cell(pieces, colour, cell, row.kind))
    if row.confidence is not None:
        text.append(f" {percent(row.confidence):>6}", style="dim" if row.confidence >= 0.9 else "yellow")
    return text


def _cell(pieces: tuple[CellPiece, ...] | None, colour: str, width: int, kind: str) -> Text:
    if pieces is None:
        found = Text("-", style="dim")
    else:
        found = Text("  ").join(
            Text(piece.text, style=_differs(colour, kind) if piece.differs else _STYLES[piece.kind])
            for piece in _fitted(pieces, width)
        )
    found.truncate(width, overflow="ellipsis", pad=True)
    return found


def _fitted(pieces: tuple[CellPiece, ...], width: int) -> tuple[CellPiece, ...]:
    """The pieces of a cell that is too narrow for them, from what differs on, and that around where it does."""
    first = next((n for n, piece in enumerate(pieces) if piece.differs), None)
    if first is None or sum(len(piece.text) + 2 for piece in pieces) - 2 <= width:
        return pieces
    one, room = pieces[first], width
    if sum(len(piece.text) + 2 for piece in pieces[:first]) + one.at >= width:
        pieces = pieces[first:]
    name = one.text[: one.text.find("=") + 1] if one.kind == "value" else one.text.partition(" ")[0] + " "
    if pieces[0] is one and one.at > room - 4:
        head = name if len(name) < room // 2 else name[: room // 2 - 2] + "…" + name[-1]
        shown = around(one.text[len(name) :], one.at - len(name), max(room - len(head) - 2, 1), gap="…")
        return (replace(one, text=head + shown), *pieces[1:])
    return pieces


def _differs(colour: str, kind: str) -> str:
    return colour if kind == "first" else colour.replace("bold", "dim")


def _tell(console: Console, name: str, text: str, style: str) -> None:
    _print(console, Text.assemble((f"{name:<10}", "dim"), (text, style)), wrap=True)


def _print(console: Console, text: Text, *, wrap: bool = False) -> None:
    """Rich would colour and wrap by its own lights: neither is wanted."""
    text.no_wrap = not wrap
    console.print(text, highlight=False, markup=False, emoji=False, overflow="fold" if wrap else "crop")
