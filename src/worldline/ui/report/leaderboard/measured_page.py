"""The report of a run whose suite has tables of its own in place of judged traces, as one page."""

from __future__ import annotations

from worldline.core.text import plural
from worldline.evaluation.leaderboard.entry import BoardEntry
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.markup import document, safe
from worldline.ui.report.page import STYLE
from worldline.ui.report.table_markup import table_markup


def measured_page(entry: BoardEntry) -> str:
    """Return the page of a measured run: all of its tables."""
    model = "; ".join([entry.model, *entry.way])
    body = [f"<h1>{safe(entry.suite)} <small>{safe(model)}</small></h1>"]
    body.append(f'<p class="lead">{safe(plural(entry.n, "program"))} measured</p>')
    body += [f'<p class="note">{safe(flag.note)}</p>' for flag in entry.flags]
    body += [f"<h2>{safe(table.title)}</h2>{table_markup(table)}" for table in entry.tables]
    return document(f"{entry.suite} · {model}", ROW_STYLE + STYLE, body)
