"""Writes tables and texts as LaTeX. It knows no run and writes no file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldline.core.text import printable
from worldline.evaluation.table import Table

MAX_TABULAR_ROWS = 40  # a longer LaTeX table is a `longtable`
MAX_CELL_CHARS = 60  # in LaTeX
_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}", "«": r"\guillemotleft{}", "»": r"\guillemotright{}", "…": r"\ldots{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip
_ESCAPED = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")


def latex(table: Table) -> str:
    """Return a table as `tabular` or `longtable` with booktabs rules. Title and note are comments."""
    heads, *rows = table.texts()
    are_texts = [all(isinstance(row[i], str | None) for row in table.rows) for i in range(len(heads))]
    spec = "".join("l" if is_text else "r" for is_text in are_texts)
    kind = "longtable" if len(rows) > MAX_TABULAR_ROWS else "tabular"
    head = [rf"\begin{{{kind}}}{{{spec}}}", r"\toprule", _latex_row(heads), r"\midrule"]
    if kind == "longtable":
        head += [r"\endhead", r"\bottomrule", r"\endfoot"]
    body = [_latex_row(row) for row in rows] + ([] if kind == "longtable" else [r"\bottomrule"])
    comments = [f"% {printable(text)}" for text in (table.title, table.note) if text]
    return "\n".join([*comments, *head, *body, rf"\end{{{kind}}}"]) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(latex_text(cell) for cell in cells) + r" \\"


def latex_text(text: str, max_chars: int = MAX_CELL_CHARS) -> str:
    """Return a text as one short line of LaTeX, with every special character escaped."""
    clean = printable(text)
    short = clean if len(clean) <= max_chars else clean[: max_chars - 1] + "…"
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], short)
