"""Arranges runs and published figures: which runs share a column, which share a row, and how they rank.

Runs share a column only if they are of one suite with the same settings and judged the same programs. A run whose
programs are not all in the column's largest run is flagged, or has a column of its own. Ranks are ranges: a run may
stand anywhere among those whose intervals overlap its own. Published figures have no rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.core.stats import Share
from worldline.core.text import plural
from worldline.evaluation.leaderboard.entry import BoardEntry, BoardFlag, Figure
from worldline.evaluation.suites.published import PublishedRow, PublishedSource, published_rows
from worldline.evaluation.table import Between

MIN_SHARED = 0.95  # of a run's programs that are in a column, for the run to stand in it
WEIGHTS_CHARS = 8  # of a digest, to tell rows apart
Rank = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class BoardColumn:
    """A suite on one set of programs.

    Attributes:
        settings: What distinguishes it from other columns of the suite, as phrases.
        figures: The names of its figures.
        programs: How many programs its largest run judged.
    """

    suite: str
    settings: tuple[str, ...]
    figures: tuple[str, ...]
    programs: int


@dataclass(frozen=True, kw_only=True)
class BoardCell:
    """The runs of a row in a column, or a published figure.

    Attributes:
        figures: By name, of the run with the most samples; of several, of the one with the lowest rate.
        n: How many samples were judged; None if it is not known.
        ranks: By figure: the best and the worst place that its interval allows.
        entries: The runs; none for a published figure.
    """

    figures: Mapping[str, Figure]
    n: int | None
    flags: tuple[BoardFlag, ...] = ()
    ranks: Mapping[str, Rank]
    entries: tuple[BoardEntry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    """A model and how it was asked; `source` if its figures were published, not measured here."""

    model: str
    way: str
    cells: tuple[BoardCell | None, ...]
    source: PublishedSource | None = None


@dataclass(frozen=True)
class Board:
    """A leaderboard: the rows of the column with the most cells in order, the best first."""

    columns: tuple[BoardColumn, ...]
    rows: tuple[BoardRow, ...]

    @property
    def entries(self) -> tuple[BoardEntry, ...]:
        """All runs, row by row."""
        cells = [cell for row in self.rows for cell in row.cells if cell is not None]
        return tuple(entry for cell in cells for entry in cell.entries)


def percent(figure: Figure | None) -> float | None:
    """Return a figure in %; None if it is unknown."""
    if isinstance(figure, Share | Between):
        return None if figure.rate is None else 100 * figure.rate
    return figure


def bounds(figure: Figure | None) -> tuple[float, float] | None:
    """Return the interval of a figure in %; None if it has none."""
    if isinstance(figure, Share) and figure.n:
        low, high = figure.interval
        return 100 * low, 100 * high
    return (100 * figure.low, 100 * figure.high) if isinstance(figure, Between) else None


def arrange(entries: Sequence[BoardEntry]) -> Board:
    """Arrange runs in rows and columns, beside the published figures of their suites."""
    groups = list(_columns(entries))
    labels = _labels(groups)
    columns = tuple(_column(group, settings) for group, settings in zip(groups, labels, strict=True))
    measured = _measured_rows(groups)
    rows = [*_with_ranks(measured), *_published_rows(columns)]
    return Board(columns, tuple(_ordered(rows, columns)))


# ---- columns


def _columns(entries: Sequence[BoardEntry]) -> Iterator[list[BoardEntry]]:
    """Groups of runs that judged the same programs, the largest run of each group first."""
    groups: list[list[BoardEntry]] = []
    for entry in sorted(entries, key=lambda entry: -len(entry.programs)):
        home = next((group for group in groups if _is_alike(group[0], entry)), None)
        if home is None:
            groups.append([entry])
        else:
            home.append(entry)
    # Suites in order of their figures, published ones included; so the fullest column is the first.
    figures = Counter(entry.suite for entry in entries)
    figures.update({suite: len(published_rows(suite)) for suite in figures})
    yield from sorted(
        groups, key=lambda group: (-figures[group[0].suite], group[0].suite, -len(group), -len(group[0].programs))
    )


def _is_alike(largest: BoardEntry, entry: BoardEntry) -> bool:
    if (largest.suite, dict(largest.settings)) != (entry.suite, dict(entry.settings)):
        return False
    return len(entry.programs & largest.programs) >= MIN_SHARED * len(entry.programs)


def _labels(groups: Sequence[Sequence[BoardEntry]]) -> list[tuple[str, ...]]:
    """The settings of each column as phrases; columns that would look alike get their seed or a number."""
    own = [tuple(f"{key} {value}" for key, value in group[0].settings.items()) for group in groups]
    names = [(group[0].suite, phrases) for group, phrases in zip(groups, own, strict=True)]
    seeded = [(*name, group[0].seed) for name, group in zip(names, groups, strict=True)]
    labels, numbers = [], Counter[tuple[object, ...]]()
    for name, with_seed, phrases, group in zip(names, seeded, own, groups, strict=True):
        numbers[with_seed] += 1
        label = list(phrases)
        if names.count(name) > 1 and len({other for other in seeded if other[:2] == name}) > 1:
            label.append(f"seed {group[0].seed}")
        if seeded.count(with_seed) > 1:
            label.append(f"programs {numbers[with_seed]}")
        labels.append(tuple(label))
    return labels


def _column(group: Sequence[BoardEntry], settings: tuple[str, ...]) -> BoardColumn:
    figures = dict.fromkeys(name for entry in group for name in entry.figures)
    return BoardColumn(suite=group[0].suite, settings=settings, figures=tuple(figures), programs=len(group[0].programs))


# ---- rows


def _measured_rows(groups: Sequence[Sequence[BoardEntry]]) -> list[BoardRow]:
    rows: dict[str, list[list[BoardEntry]]] = {}
    for at, group in enumerate(groups):
        for entry in group:
            rows.setdefault(entry.row, [[] for _ in groups])[at].append(entry)
    arranged = []
    firsts = [next(entry for entries in cells for entry in entries) for cells in rows.values()]
    for cells, way in zip(rows.values(), _ways(firsts), strict=True):
        first = next(entry for entries in cells for entry in entries)
        filled = [_cell(entries, groups[at][0]) if entries else None for at, entries in enumerate(cells)]
        arranged.append(BoardRow(model=first.model, way=way, cells=tuple(filled)))
    return arranged


def _ways(entries: Sequence[BoardEntry]) -> list[str]:
    """How each row was asked; rows that would look alike get their weights or a number."""
    names = [(entry.model, entry.way) for entry in entries]
    weighted = [(*name, entry.weights) for name, entry in zip(names, entries, strict=True)]
    ways, numbers = [], Counter[object]()
    for entry, name, with_weights in zip(entries, names, weighted, strict=True):
        numbers[with_weights] += 1
        phrases = list(entry.way)
        if names.count(name) > 1 and entry.weights:
            phrases.append(f"weights {entry.weights[:WEIGHTS_CHARS]}")
        if weighted.count(with_weights) > 1:
            phrases.append(f"setting {numbers[with_weights]}")
        ways.append("; ".join(phrases))
    return ways


def _cell(entries: Sequence[BoardEntry], largest: BoardEntry) -> BoardCell:
    marked = [_with_programs(entry, largest) for entry in entries]
    marked.sort(key=lambda entry: (not entry.is_ranked, -entry.n, next(_rates(entry), 0.0)))
    return BoardCell(figures=marked[0].figures, n=marked[0].n, flags=marked[0].flags, ranks={}, entries=tuple(marked))


def _rates(entry: BoardEntry) -> Iterator[float]:
    yield from (rate for figure in entry.figures.values() if (rate := percent(figure)) is not None)


def _with_programs(entry: BoardEntry, largest: BoardEntry) -> BoardEntry:
    """Flag a run that did not judge the programs of its column."""
    shared, all_programs = len(entry.programs & largest.programs), len(largest.programs)
    flags, is_ranked = list(entry.flags), entry.is_ranked
    if other := len(entry.programs) - shared:
        flags.append(
            BoardFlag("other programs", f"{plural(other, 'program')} of it no other run of the column judged.")
        )
    if shared < MIN_SHARED * all_programs:
        note = f"It judged {shared:,} of the {all_programs:,} programs of the column, so it has no rank."
        flags.append(BoardFlag("part", note))
        is_ranked = False
    return replace(entry, flags=tuple(flags), is_ranked=is_ranked)


def _with_ranks(rows: Sequence[BoardRow]) -> Iterator[BoardRow]:
    """Add the ranks to the cells that compete."""
    ranks = [_ranks([row.cells[at] for row in rows]) for at in range(len(rows[0].cells))] if rows else []
    for number, row in enumerate(rows):
        cells = [None if cell is None else replace(cell, ranks=ranks[at][number]) for at, cell in enumerate(row.cells)]
        yield replace(row, cells=tuple(cells))


def _ranks(cells: Sequence[BoardCell | None]) -> list[dict[str, Rank]]:
    """The ranks of the cells of one column, by figure."""
    ranked = [cell if cell is not None and cell.entries[0].is_ranked else None for cell in cells]
    names = dict.fromkeys(name for cell in ranked if cell is not None for name in cell.figures)
    ranks: list[dict[str, Rank]] = [{} for _ in cells]
    for name in names:
        known = {at: span for at, cell in enumerate(ranked) if cell and (span := bounds(cell.figures.get(name)))}
        if len(known) == 1:
            continue
        for at, (low, high) in known.items():
            above = sum(other_low > high for other_low, _ in known.values())
            below = sum(other_high < low for _, other_high in known.values())
            ranks[at][name] = (1 + above, len(known) - below)
    return ranks


# ---- published figures


def _published_rows(columns: Sequence[BoardColumn]) -> list[BoardRow]:
    """The published rows of the suites on the board. A column with other settings than the default has none."""
    rows: dict[tuple[str, str, PublishedSource], list[BoardCell | None]] = {}
    for at, column in enumerate(columns):
        if column != _main_column(columns, column.suite):
            continue
        for row in published_rows(column.suite):
            figures = {name: value for name, value in row.figures.items() if name in column.figures}
            if figures:
                cells = rows.setdefault((row.model, row.way, row.source), [None] * len(columns))
                cells[at] = BoardCell(figures=figures, n=row.n, flags=_published_flags(row, column), ranks={})
    return [
        BoardRow(model=model, way=way, cells=tuple(cells), source=source)
        for (model, way, source), cells in rows.items()
    ]


def _main_column(columns: Iterable[BoardColumn], suite: str) -> BoardColumn | None:
    """The column of a suite's own programs: default settings, the most programs."""
    plain = [column for column in columns if column.suite == suite and not _has_settings(column)]
    return max(plain, key=lambda column: column.programs, default=None)


def _has_settings(column: BoardColumn) -> bool:
    return any(not phrase.startswith(("seed ", "programs ")) for phrase in column.settings)


def _published_flags(row: PublishedRow, column: BoardColumn) -> tuple[BoardFlag, ...]:
    if row.n is None or row.n == column.programs:
        return ()
    note = f"Published for {row.n:,} samples; the runs of this column have {plural(column.programs, 'program')}."
    return (BoardFlag(f"n = {row.n:,}", note),)


# ---- order


def column_order(rows: Sequence[BoardRow], columns: Sequence[BoardColumn]) -> list[int]:
    """Return the places of the columns, the one with the most figures first."""
    counts = [sum(row.cells[at] is not None for row in rows) for at in range(len(columns))]
    return sorted(range(len(columns)), key=lambda at: -counts[at])


def _ordered(rows: Sequence[BoardRow], columns: Sequence[BoardColumn]) -> list[BoardRow]:
    """Rows by the fullest column, the best first; rows without a figure there come last, by the next column."""
    order = column_order(rows, columns)

    def key(row: BoardRow) -> tuple[list[tuple[bool, float]], str, str]:
        values = [_first_percent(row.cells[at]) for at in order]
        return [(value is None, -(value or 0.0)) for value in values], row.model.lower(), row.way

    return sorted(rows, key=key)


def _first_percent(cell: BoardCell | None) -> float | None:
    return percent(next(iter(cell.figures.values()), None)) if cell is not None else None
