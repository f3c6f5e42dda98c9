"""The tests of two revisions as one self-contained page. `ui.session.revision_rows` makes the rows."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from worldline.core.text import plural
from worldline.diagnose.revisions.sentences import sentences
from worldline.evaluation.expected.check import TraceCheck
from worldline.evaluation.revisions import ComparedTest, RevisionComparison
from worldline.ui.report.debug_page import MAX_VALUE_CHARS, cell_markup
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.markup import document, safe
from worldline.ui.session import look
from worldline.ui.session.revision_rows import RevisionCell, RevisionRow, revision_rows

MAX_ROWS = 400  # of each test, around the first divergence
_STYLE = "\n" + files(__package__).joinpath("revisions_page.css").read_text("utf-8")
_SIDE = "<th>step<th>line<th>source<th>"
_HEADS = f"<tr>{_SIDE}before{_SIDE}after</tr>"


def page(comparison: RevisionComparison) -> str:
    """Return the page of a comparison."""
    title = f"{comparison.instance.id} since {comparison.change.since[:12]}"
    diverging = comparison.diverging
    summary = (
        f"{plural(len(comparison.change.files), 'changed file')}, "
        f"{len(comparison.tests):,} of {plural(comparison.count[1], 'test')} affected, "
        f"{len(comparison.fixed):,} fixed, {len(comparison.broken):,} broken, "
        f"{len(diverging):,} behave differently"
    )
    body = [f"<h1>{safe(title)} <small>{summary}</small></h1>"]
    for compared in diverging:
        body += _test(compared, comparison)
    if not diverging:
        body.append("<p>Every affected test behaves the same on both revisions.</p>")
    body += [f'<p class="soft">{safe(note)}</p>' for note in comparison.notes]
    return document(title, ROW_STYLE + _STYLE, body)


def check_page(check: TraceCheck) -> str:
    """Return the page of a check against stored traces."""
    title = f"{check.subject} compared with {check.expect}"
    summary = f"{len(check.changed):,} of {plural(check.count, check.noun)} changed"
    body = [f"<h1>{safe(title)} <small>{summary}</small></h1>"]
    body += [f"<p>{safe(problem)}</p>" for problem in check.problems]
    for comparison in check.comparisons:
        for compared in comparison.diverging:
            body += _test(compared, comparison)
    if check.is_unchanged:
        body.append("<p>Everything behaves as recorded.</p>")
    body += [f'<p class="soft">{safe(note)}</p>' for note in check.notes]
    return document(title, ROW_STYLE + _STYLE, body)


def _test(compared: ComparedTest, comparison: RevisionComparison) -> Iterator[str]:
    yield f"<h2>{safe(compared.test.id)}</h2>"
    facts = "".join(
        f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text, _ in sentences(compared.test, compared.diff)
    )
    yield f"<dl>{facts}</dl>"
    if compared.diff is None or compared.before is None or compared.after is None:
        return
    yield f"<details open><summary>both traces</summary><table><thead>{_HEADS}</thead><tbody>"
    place = None
    sources = comparison.sources
    for row in revision_rows(compared.before, compared.after, compared.diff, sources, MAX_ROWS, MAX_VALUE_CHARS):
        cell = row.after or row.before
        if cell is not None and (cell.file, cell.function) != place:
            place = cell.file, cell.function
            yield f'<tr class="function"><td colspan="8">{safe(f"{cell.file}  {cell.function}")}</td></tr>'
        yield _row(row)
    yield "</tbody></table></details>"


def _row(row: RevisionRow) -> str:
    if row.kind == "gap":
        return f'<tr class="gap"><td colspan="8">{row.skipped:,} rows are not shown</td></tr>'
    sign = f'<span class="sign wrong" title="first divergence">{look.SIGNS["wrong"]}</span> '
    before = _cells(row.before, row.after, "wanted", sign if row.kind == "first" else "")
    return f'<tr class="{row.kind}">{before}{_cells(row.after, row.before, "got", "")}</tr>'


def _cells(cell: RevisionCell | None, other: RevisionCell | None, side: str, sign: str) -> str:
    if cell is None:
        return f'<td class="n">{sign}</td><td></td><td></td><td></td>'
    values = cell_markup(cell.pieces, other.pieces if other is not None else None)
    changed = " changed" if cell.is_changed else ""
    return (
        f'<td class="n">{sign}{cell.step}</td><td class="n{changed}">{cell.line}</td>'
        f'<td class="source"><span class="soft">{"│ " * min(cell.depth, 8)}</span>{escape(cell.code)}</td>'
        f'<td class="{side}">{values}</td>'
    )
