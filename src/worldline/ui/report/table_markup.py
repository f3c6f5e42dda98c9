"""A table as markup: texts aligned left, figures right, wide tables in their own scroll area."""

from __future__ import annotations

import re

from worldline.codec.token_split import LEFT
from worldline.evaluation.table import Table, text_of
from worldline.ui.report.markup import safe, short

MAX_TABLE_ROWS = 400
# Where a figure may go on in the next line, so that wide tables need no scrolling: before its interval and its n.
_BREAKS = re.compile(r"(?<= )(?=\(|of \d)")


def table_markup(table: Table) -> str:
    """Return a table with its note. Texts are aligned left and figures right."""
    are_texts = [all(isinstance(row[i], str) for row in table.rows) for i in range(len(table.heads))]
    head = "".join(
        f"<th{'' if is_text else ' class=figure'}>{safe(name)}"
        for name, is_text in zip(table.heads, are_texts, strict=True)
    )
    body = []
    for row in table.rows[:MAX_TABLE_ROWS]:
        cells = (_cell(text_of(cell), is_text) for cell, is_text in zip(row, are_texts, strict=True))
        body.append(f"<tr>{''.join(cells)}</tr>")
    more = len(table.rows) - MAX_TABLE_ROWS
    cut = f'<p class="note">{more:,} more rows are not shown.</p>' if more > 0 else ""
    note = f'<p class="note">{safe(table.note)}</p>' if table.note else ""
    return (
        f'<div class="wide"><table class="sums"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{cut}{note}"
    )


def _cell(text: str, is_text: bool) -> str:
    if not is_text:
        return f"<td class=figure>{_BREAKS.sub('<wbr>', safe(text))}"
    kind = " class=split" if LEFT in text else " class=long" if len(text) > 30 else ""
    return f"<td{kind}>{safe(short(text, 120))}"
