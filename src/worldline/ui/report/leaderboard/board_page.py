"""The page of a leaderboard: models by suites, published figures beside measured ones.

The page is complete as it stands. Its one script, `sort.js`, is part of the page and only reorders its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from worldline.core.text import plural
from worldline.evaluation.leaderboard.board import (
    Board,
    BoardCell,
    BoardColumn,
    BoardRow,
    Rank,
    bounds,
    column_order,
    percent,
)
from worldline.evaluation.leaderboard.entry import TRACE, BoardEntry, BoardFlag, Figure
from worldline.evaluation.leaderboard.stored import CSV, DATA, Pages
from worldline.evaluation.suites.published import ANSWER, PublishedSource
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.markup import document, prose, safe, short
from worldline.ui.report.page import STYLE

HEADS = {ANSWER: "answers, %", TRACE: "traces, %"}
MAX_NAME_CHARS = 80
NOT_MEASURED = "published, not measured here"


def board_page(board: Board, pages: Pages) -> str:
    """Return the page; `pages` are the file names of the reports."""
    style = _read("board.css")
    measured = [row for row in board.rows if row.source is None]
    count = f"{plural(len(measured), 'row')} measured, {len(board.rows) - len(measured):,} published"
    body = (
        "<main>",
        f"<h1>Leaderboard <small>{count}</small></h1>",
        *_introduction(),
        *_switch(board),
        *_table(board, pages),
        *_runs(board, pages),
        *_sources(board),
        "</main>",
    )
    return document("Leaderboard", ROW_STYLE + STYLE + style, body, script=_read("sort.js"))


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _introduction() -> Iterator[str]:
    yield (
        "<p>Models and how they were asked, by suite. A figure links to the report of its run. Runs share a column "
        "only if they judged the same programs. Intervals are Wilson's, 95 %, and clustered where a program counts "
        "several times. A rank is the range of places that the intervals allow; it compares rates, not sample by "
        "sample: <code>worldline report RUN RUN</code> does that.</p>"
    )
    yield (
        f'<p><span class="flag cited">published</span> rows are {NOT_MEASURED}: they have no rank, and their source '
        "says what was measured. Other tags, such as "
        f'<span class="flag">forced</span>, are explained below. The data: <a href="{DATA}">JSON</a>, '
        f'<a href="{CSV}">CSV</a>.</p>'
    )


def _switch(board: Board) -> Iterator[str]:
    if any(row.source is not None for row in board.rows):
        yield '<p><label><input type="checkbox" id="show-published" checked> Show published rows</label></p>'


# ---- the table


def _table(board: Board, pages: Pages) -> Iterator[str]:
    yield '<div class="wide" tabindex="0" role="region" aria-label="Models by suites"><table class="board">'
    groups = "".join(
        f'<th scope="colgroup" colspan="{max(1, len(column.figures))}">{_column_name(column)}</th>'
        for column in board.columns
    )
    sorted_by = next(iter(column_order(board.rows, board.columns)), 0)
    figures = "".join(
        _figure_head(name, is_sorted=at == sorted_by and number == 0)
        for at, column in enumerate(board.columns)
        for number, name in enumerate(column.figures or (ANSWER,))
    )
    yield f'<thead><tr><td class="corner"></td>{groups}</tr><tr><th scope="col" class="name">model</th>{figures}</tr>'
    yield "</thead><tbody>"
    for row in board.rows:
        cells = "".join(_cells(row, column, cell, pages) for column, cell in zip(board.columns, row.cells, strict=True))
        kind = "measured" if row.source is None else "published"
        yield f'<tr class="{kind}">{_row_head(row)}{cells}</tr>'
    yield "</tbody></table></div>"


def _figure_head(name: str, *, is_sorted: bool) -> str:
    sort = ' aria-sort="descending"' if is_sorted else ""
    return f'<th scope="col" class="figure"{sort}>{safe(HEADS.get(name, name))}</th>'


def _column_name(column: BoardColumn) -> str:
    details = [*column.settings, plural(column.programs, "program")]
    return f"{safe(short(column.suite, MAX_NAME_CHARS))} <small>{safe(', '.join(details))}</small>"


def _row_head(row: BoardRow) -> str:
    name = safe(short(row.model, MAX_NAME_CHARS))
    way = f"<small>{safe(short(row.way, 2 * MAX_NAME_CHARS))}</small>" if row.way else ""
    cited = "" if row.source is None else _cited(row.source)
    return f'<th scope="row" class="name"><span class="model">{name}</span>{cited}{way}</th>'


def _cited(source: PublishedSource) -> str:
    about = safe(f"published: {source.title}")
    return f'<a class="flag cited" href="{safe(source.url)}" rel="noreferrer" aria-label="{about}">published</a>'


def _cells(row: BoardRow, column: BoardColumn, cell: BoardCell | None, pages: Pages) -> str:
    names = column.figures or (ANSWER,)
    if cell is None:
        return '<td class="figure none">-</td>' * len(names)
    return "".join(_figure(row, column, cell, name, pages, is_first=name == names[0]) for name in names)


def _figure(row: BoardRow, column: BoardColumn, cell: BoardCell, name: str, pages: Pages, *, is_first: bool) -> str:
    """One figure with its interval; the first of a cell has the samples, the flags and further runs."""
    figure = cell.figures.get(name)
    value = percent(figure)
    sort = "" if value is None else f' data-value="{value:.6f}"'
    text = _percent(value)
    first = next(iter(cell.entries), None)
    if value is None and is_first and first is not None and first.withheld is not None:
        text = f"{first.withheld.some:,} of {first.withheld.n:,} right"
    if first is not None and text != "-":
        text = _link(text, first, column, row, pages)
    parts = [text, _details(figure, cell.ranks.get(name))]
    if is_first:
        parts += [f"<small>n = {cell.n:,}</small>" if cell.n is not None else "", *map(_flag, cell.flags)]
        parts += [_other_run(entry, name, column, row, pages) for entry in cell.entries[1:]]
    return f'<td class="figure"{sort}>{"".join(parts)}</td>'


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _link(text: str, entry: BoardEntry, column: BoardColumn, row: BoardRow, pages: Pages) -> str:
    about = safe(f"{text}, report of {row.model} on {column.suite}")
    return f'<a href="{safe(pages[entry.run.origin])}" aria-label="{about}">{safe(text)}</a>'


def _details(figure: Figure | None, rank: Rank | None) -> str:
    span = bounds(figure)
    texts = [f"{span[0]:.1f} - {span[1]:.1f}"] if span is not None else []
    if rank is not None:
        best, worst = rank
        texts.append(f"rank {best}" if best == worst else f"rank {best} - {worst}")
    return "".join(f"<small>{text}</small>" for text in texts)


def _flag(flag: BoardFlag) -> str:
    return f'<span class="flag" title="{safe(flag.note)}">{safe(flag.name)}</span>'


def _other_run(entry: BoardEntry, name: str, column: BoardColumn, row: BoardRow, pages: Pages) -> str:
    value = percent(entry.figures.get(name))
    text = f"{entry.n:,} samples" if value is None else _percent(value)
    link = _link(text, entry, column, row, pages)
    return f'<small class="other">another run: {link}{"".join(map(_flag, entry.flags))}</small>'


# ---- what stands below it


def _runs(board: Board, pages: Pages) -> Iterator[str]:
    if not board.entries:
        return
    yield '<h2 id="runs">Runs</h2><ul class="runs">'
    for row in board.rows:
        for column, cell in zip(board.columns, row.cells, strict=True):
            for entry in () if cell is None else cell.entries:
                yield _run(entry, column, row, pages)
    yield "</ul>"


def _run(entry: BoardEntry, column: BoardColumn, row: BoardRow, pages: Pages) -> str:
    conclusion = [] if entry.conclusion is None else [entry.conclusion.where, entry.conclusion.why]
    notes = " ".join([*(flag.note for flag in entry.flags), *conclusion])
    name = safe(short(entry.run.name, MAX_NAME_CHARS))
    model = "; ".join(filter(None, (row.model, row.way)))
    about = f"{short(model, 2 * MAX_NAME_CHARS)} on {', '.join([entry.suite, *column.settings])}, n = {entry.n:,}"
    note = f'<p class="note">{prose(notes)}</p>' if notes else ""
    return f'<li><a href="{safe(pages[entry.run.origin])}">{name}</a>: {safe(about)}{note}</li>'


def _sources(board: Board) -> Iterator[str]:
    """The sources of the published rows, and what differs from the measured ones."""
    sources: dict[PublishedSource, int] = {}
    for row in board.rows:
        if row.source is not None:
            sources[row.source] = sources.get(row.source, 0) + 1
    if not sources:
        return
    yield (
        '<h2 id="published">Published rows</h2><p class="note">As their authors report them. Here, an answer counts '
        "if the value is right, and a trace if every step is.</p><dl>"
    )
    for source, count in sources.items():
        link = f'<a href="{safe(source.url)}" rel="noreferrer">{safe(source.title)}</a>'
        yield f"<dt>{plural(count, 'row')}</dt><dd>{link}: {safe(source.measured)}.</dd>"
    yield "</dl>"
