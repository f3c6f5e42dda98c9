"""The result of `debug` as one self-contained page. `side_by_side` makes the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.core.text import printable_lines
from worldline.diagnose.debug import Debugged
from worldline.diagnose.sentences import percent, sentences
from worldline.ui.report.markup import coloured_lines, command, document, marked, safe
from worldline.ui.session import look
from worldline.ui.session.marks.natives import legend
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows, values_of, with_places

MAX_ROWS = 2_000  # around the divergence; the texts below the table are complete
MAX_VALUE_CHARS = 160  # in the table
MAX_TEXT_CHARS = 1 << 20
STYLE = "\n" + look.style() + files(__package__).joinpath("debug_page.css").read_text("utf-8")
_HEADS = "<tr><th>step<th>line<th>source<th>actual<th>predicted<th>confidence</tr>"


def page(result: Debugged) -> str:
    """Return the page of a debugged program."""
    title = command(result.sample.ask.program)
    facts = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text, _ in sentences(result))
    body = (
        f"<h1>{safe(title)} <small>{safe(result.model)}</small></h1>",
        f"<dl>{facts}</dl>",
        *_table(result),
        *_texts(result),
    )
    return document(title, STYLE, body)


def _table(result: Debugged) -> Iterator[str]:
    diagnosis, program = result.diagnosis, result.sample.ask.program
    first = diagnosis.first
    files = {**dict(program.files), program.name: program.source}
    lines = {name: coloured_lines(text, language_of(name)) for name, text in files.items()}
    yield f"<table><thead>{_HEADS}</thead>"
    yield "<tbody>"
    shown = list(
        compared_rows(
            program,
            result.rows,
            diagnosis.truth.events,
            diagnosis.found.events,
            first,
            result.sure,
            MAX_ROWS,
            MAX_VALUE_CHARS,
        )
    )
    for row in shown:
        yield table_row(row, lines.get(row.file or program.name, []))
    yield f"</tbody></table>{named_values(shown, program)}"


def named_values(shown: Sequence[ComparedRow], program: Program) -> str:
    """Explain the words in the values of some rows by the program's language; empty if none needs it."""
    names = legend((text for row in shown for text in values_of(row)), program.language)
    return f"<p class=soft>{safe(f'In {program.lang.title}: ' + ', '.join(names))}.</p>" if names else ""


def table_row(row: ComparedRow, lines: list[str]) -> str:
    """Return one row of the actual and the predicted run. `lines` are markup."""
    if row.kind == "gap":
        return f'<tr class="gap"><td colspan="6">{row.skipped:,} rows are not shown</td></tr>'
    number, line = ("" if value is None else str(value) for value in (row.step, row.line))
    sign = f'<span class="sign wrong" title="first divergence">{look.SIGNS["wrong"]}</span> '
    number = sign + number if row.kind == "first" else number
    code = lines[row.line - 1] if row.line is not None and 0 < row.line <= len(lines) else ""
    confidence = "" if row.confidence is None else percent(row.confidence)
    return (
        f'<tr class="{row.kind}"><td class="n">{number}</td><td class="n">{line}</td>'
        f'<td class="source"><span class="soft">{"│ " * min(row.depth, 8)}</span>{code}</td>'
        f'<td class="wanted">{cell_markup(row.wanted, row.got)}</td>'
        f'<td class="got">{cell_markup(row.got, row.wanted)}</td>'
        f'<td class="n">{confidence}</td></tr>'
    )


def cell_markup(pieces: tuple[CellPiece, ...] | None, others: tuple[CellPiece, ...] | None) -> str:
    """Return one cell; what differs from the cell beside it is marked."""
    if pieces is None:
        return '<span class="soft">no step</span>'
    beside = {piece.subject: piece.text for piece in others or ()}
    return " ".join(
        f'{place_markup(place)}<span class="piece {piece.kind}{" differs" if piece.differs else ""}">'
        f"{marked(piece.text, beside.get(piece.subject)) if piece.differs else escape(piece.text)}</span>"
        for place, piece in with_places(pieces)
    )


def place_markup(place: str) -> str:
    """Return the place of changes that belong to another frame than their row; empty if there is none."""
    return f'<span class="soft">{escape(place)}</span>' if place else ""


def _texts(result: Debugged) -> Iterator[str]:
    """Yield the program and both texts, folded."""
    sample = result.sample
    texts = {"program": sample.ask.prompt, "true text": sample.truth.text, "predicted text": sample.found.text}
    for title, data in texts.items():
        text = data.decode("utf-8", "backslashreplace")
        shown = "\n".join(printable_lines(text[:MAX_TEXT_CHARS]))
        is_cut = len(text) > MAX_TEXT_CHARS
        note = f" (the first {MAX_TEXT_CHARS:,} of {len(text):,} characters)" if is_cut else ""
        yield f"<details><summary>{title}{note}</summary><pre>{escape(shown)}</pre></details>"
