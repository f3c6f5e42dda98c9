"""A published table as LaTeX: intervals in brackets, sources below, and a document that includes every table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from string import Template

from worldline.core.stats import RateDifference, Share
from worldline.evaluation.suites.published import PublishedSource
from worldline.evaluation.table import Cell, Table
from worldline.ui.report.latex import latex, latex_text

MAX_NOTE_CHARS = 600


def paper_latex(name: str, caption: str, model: str, table: Table, sources: Sequence[PublishedSource]) -> str:
    """Return a table with its caption, its label and its sources."""
    rows = tuple(tuple(map(_short_cell, row)) for row in table.rows)
    notes = [f"[{number}] {source_text(source)}" for number, source in enumerate(sources, 1)]
    intervals = "Measured: in %, with 95 % intervals in brackets and n in parentheses."
    return _template("table").substitute(
        caption=latex_text(caption, MAX_NOTE_CHARS),
        model=latex_text(model),
        name=name,
        tabular=latex(replace(table, rows=rows, note="")).removesuffix("\n"),
        notes="\n\n".join(latex_text(text, MAX_NOTE_CHARS) for text in (intervals, f"{table.note}.", *notes)),
    )


def document_latex(parts: Iterable[tuple[str, bool]]) -> str:
    """Return a document with the tables by name, each with its figure if it was drawn."""
    lines = []
    for name, has_figure in parts:
        lines.append(rf"\input{{{name}.tex}}")
        if has_figure:
            lines.append(rf"\begin{{figure}}\centering\includegraphics{{{name}.pdf}}\end{{figure}}")
    return _template("document").substitute(parts="\n".join(lines))


def source_text(source: PublishedSource) -> str:
    """Return a source with its address and what was measured there."""
    return f"{source.title}, {source.url}: {source.measured}."


def _short_cell(cell: Cell) -> Cell:
    """A share or a difference in few characters."""
    if isinstance(cell, Share):
        if cell.rate is None:
            return None
        low, high = cell.interval
        return f"{100 * cell.rate:.1f} [{100 * low:.1f}, {100 * high:.1f}] ({cell.n:,})"
    if isinstance(cell, RateDifference):
        return f"{100 * cell.rate:+.1f} [{100 * cell.low:+.1f}, {100 * cell.high:+.1f}]"
    return cell


@cache
def _template(name: str) -> Template:
    return Template(files(__package__).joinpath(f"{name}.tex.txt").read_text("utf-8"))
