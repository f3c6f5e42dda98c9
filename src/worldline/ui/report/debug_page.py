"""A debugged run as one self-contained page: no script, no network, everything escaped. Rows by `side_by_side`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.core.text import printable, printable_lines
from worldline.diagnose.debug import Debugged
from worldline.diagnose.sentences import percent, sentences
from worldline.ui.report.source import coloured_lines, marked
from worldline.ui.session import look
from worldline.ui.session.marks.natives import legend
from worldline.ui.session.side_by_side import CellPiece, ComparedRow, compared_rows, values_of

ROWS = 2_000  # rows of the table around the divergence; the texts below it are whole
TEXT = 1 << 20  # characters of a text
BRAND = '<header class="brand">worldline</header>'  # as on the page of `view`
STYLE = "\n" + look.style() + files(__package__).joinpath("debug_page.css").read_text("utf-8")


def page(found: Debugged) -> str:
    """The whole page."""
    program = found.sample.ask.program
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{_safe(what)}</title><style>{STYLE}</style></head><body>",
        BRAND,
        f"<h1>{_safe(what)} <small>{_safe(found.model)}</small></h1>",
        "<dl>"
        + "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text, _ in sentences(found))
        + "</dl>",
        *_table(found),
        *_texts(found),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _safe(text: str) -> str:
    return escape(printable(text))


def _table(found: Debugged) -> Iterator[str]:
    diagnosis, program = found.diagnosis, found.sample.ask.program
    first = diagnosis.first
    files = {**dict(program.files), program.name: program.source}
    lines = {name: coloured_lines(text, language_of(name)) for name, text in files.items()}
    yield "<table><thead><tr><th>step<th>line<th>source<th>what happens<th>what the model imagines<th>sure</tr></thead>"
    yield "<tbody>"
    shown = list(
        compared_rows(found.rows, diagnosis.truth.events, diagnosis.found.events, first, found.sure, ROWS)
    )
    for row in shown:
        yield table_row(row, lines.get(row.file or program.name, []))
    yield f"</tbody></table>{named_values(shown, program)}"


def named_values(shown: Sequence[ComparedRow], program: Program) -> str:
    """What the words in the values of some rows are called in the program's language; nothing where all is said."""
    told = legend((text for row in shown for text in values_of(row)), program.language)
    said = f"In {program.lang.title}: {', '.join(told)}."
    return f"<p class=soft>{_safe(said)}</p>" if told else ""


def table_row(row: ComparedRow, lines: list[str]) -> str:
    """One row of two runs side by side; the lines are markup."""
    if row.kind == "gap":
        return f'<tr class="gap"><td colspan="6">{row.skipped:,} rows are not shown</td></tr>'
    number, line = ("" if each is None else str(each) for each in (row.step, row.line))
    sign = f'<span class="sign wrong" title="the first divergence">{look.SIGNS["wrong"]}</span> '
    number = sign + number if row.kind == "first" else number
    code = lines[row.line - 1] if row.line is not None and 0 < row.line <= len(lines) else ""
    sure = "" if row.confidence is None else percent(row.confidence)
    return (
        f'<tr class="{row.kind}"><td class="n">{number}</td><td class="n">{line}</td>'
        f'<td class="source"><span class="soft">{"│ " * min(row.depth, 8)}</span>{code}</td>'
        f'<td class="wanted">{_cell(row.wanted, row.got)}</td><td class="got">{_cell(row.got, row.wanted)}</td>'
        f'<td class="n">{sure}</td></tr>'
    )


def _cell(pieces: tuple[CellPiece, ...] | None, others: tuple[CellPiece, ...] | None) -> str:
    if pieces is None:
        return '<span class="soft">no step</span>'
    beside = {_subject(piece): piece.text for piece in others or ()}
    return " ".join(
        f'<span class="piece {piece.kind}{" differs" if piece.differs else ""}">'
        f"{marked(piece.text, beside.get(_subject(piece))) if piece.differs else escape(piece.text)}</span>"
        for piece in pieces
    )


def _subject(piece: CellPiece) -> str:
    """What a piece is about: a name, or an event."""
    return piece.kind + (
        piece.text.partition("=")[0] if piece.kind == "value" else piece.text.partition(" ")[0]
    )


def _texts(found: Debugged) -> Iterator[str]:
    """The program and both texts, whole, to be opened."""
    sample = found.sample
    prompt, truth, wrote = (
        data.decode("utf-8", "backslashreplace")
        for data in (sample.ask.prompt, sample.truth.text, sample.found.text)
    )
    for title, text in (("program", prompt), ("true text", truth), ("the model's text", wrote)):
        shown = "\n".join(printable_lines(text[:TEXT]))
        cut = f" (the first {TEXT:,} of {len(text):,} characters)" if len(text) > TEXT else ""
        yield f"<details><summary>{escape(title)}{cut}</summary><pre>{escape(shown)}</pre></details>"
