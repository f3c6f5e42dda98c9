"""A true run beside an imagined one, as rows of pieces: what a terminal colours and a page marks up. Knows neither.

Every text that it makes is escaped for one line (`core.escape`): a model may have written anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from worldline.codec.reading import Event
from worldline.core.hidden import in_words
from worldline.core.text import first_difference, printable
from worldline.diagnose.debug import AlignedRow
from worldline.diagnose.diverge import HIDDEN, Divergence
from worldline.diagnose.reading import threads_of

LONGEST = 2_000  # characters of one value that can matter to a row
ACTIONS = ("event", "line", "missing", "extra")


@dataclass(frozen=True)
class CellPiece:
    """Some text of a cell: an `event`, a `name`, a `value`, a `place` or what is `hidden`, and whether it differs.

    `at` is the character at which it parts from what stands beside it, where something does.
    """

    text: str
    kind: str = "value"
    differs: bool = False
    at: int = 0


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """One row: the step, its place in the source, both cells (None: there is no such step), and how sure it was.

    `kind`: `same`, `first` for the first divergence, `later` for the others, `alone` where one side has no step and
    nothing can be compared; `gap` stands for `skipped` rows.
    `found` is the number of the imagined step.
    """

    kind: str
    step: int | None = None
    line: int | None = None
    file: str | None = None
    depth: int = 0
    wanted: tuple[CellPiece, ...] | None = None
    got: tuple[CellPiece, ...] | None = None
    sure: float | None = None
    skipped: int = 0
    found: int | None = None


def values_of(row: ComparedRow) -> Iterator[str]:
    """The values in both cells of a row."""
    for piece in (*(row.wanted or ()), *(row.got or ())):
        if piece.kind in ("value", "event"):
            yield piece.text.partition("=" if piece.kind == "value" else " ")[2]


def window(count: int, middle: int | None, most: int) -> list[tuple[int, int]]:
    """The rows to show of so many: all, or those around the middle, or the first and the last; as half-open spans."""
    if not most or count <= most:
        return [(0, count)]
    if middle is None:
        return [(0, most - most // 4), (count - most // 4, count)]
    start = max(0, min(middle - most // 3, count - most))
    return [(start, start + most)]


def beside(
    rows: Sequence[AlignedRow],
    truth: Sequence[Event],
    found: Sequence[Event],
    first: Divergence | None,
    sure: Sequence[float] = (),
    most: int = 0,
) -> Iterator[ComparedRow]:
    """The rows of two runs, windowed around the first divergence."""
    middle = next((n for n, row in enumerate(rows) if first is not None and first in row.differs), None)
    wanted, got = _Side(truth), _Side(found)
    at = 0
    for start, end in window(len(rows), middle, most):
        if start > at:
            yield ComparedRow(kind="gap", skipped=start - at)
        for number in range(start, end):
            row = rows[number]
            kind = "same" if row.truth is not None and row.found is not None else "alone"
            if row.differs:
                kind = "first" if number == middle else "later"
            yield _compared(rows[number], kind, wanted, got, sure)
        at = end
    if at < len(rows):
        yield ComparedRow(kind="gap", skipped=len(rows) - at)


def alone(found: Sequence[Event], sure: Sequence[float] = (), most: int = 0) -> Iterator[ComparedRow]:
    """The rows of one run."""
    rows = beside([AlignedRow(i, None) for i in range(len(found))], found, (), None, sure, most)
    return (replace(row, kind="same") if row.kind == "alone" else row for row in rows)


def _compared(row: AlignedRow, kind: str, wanted: _Side, got: _Side, sure: Sequence[float]) -> ComparedRow:
    one = wanted.events[row.truth] if row.truth is not None else None
    other = got.events[row.found] if row.found is not None else None
    side, here = (wanted, one) if one is not None else (got, other)
    apart = one is None or other is None or one.action != other.action
    spoken = row.found if got.events else row.truth  # of a run alone, its own
    cells = _parted(
        wanted.pieces(row.truth, row.differs, placed=False), got.pieces(row.found, row.differs, placed=apart)
    )
    return ComparedRow(
        kind=kind,
        step=row.truth if row.truth is not None else row.found,
        line=here.line if here else None,
        file=here.file if here else None,
        depth=side.depths.get(here.frame, 0) if here else 0,
        wanted=cells[0],
        got=cells[1],
        sure=math.exp(sure[spoken]) if spoken is not None and spoken < len(sure) else None,
        found=spoken,
    )


_Cell = tuple[CellPiece, ...] | None


def _parted(one: _Cell, other: _Cell) -> tuple[_Cell, _Cell]:
    """Two cells, each piece that differs with the place where it parts from the other's piece of that name."""
    if one is None or other is None:
        return one, other

    def placed(pieces: tuple[CellPiece, ...], beside: tuple[CellPiece, ...]) -> tuple[CellPiece, ...]:
        known = {_about(piece): piece.text for piece in beside if piece.differs}
        return tuple(
            replace(piece, at=first_difference(piece.text, known[_about(piece)]))
            if piece.differs and _about(piece) in known
            else piece
            for piece in pieces
        )

    return placed(one, other), placed(other, one)


def _about(piece: CellPiece) -> str:
    return piece.text.partition("=")[0] if piece.kind == "value" else piece.text.partition(" ")[0]


class _Side:
    """The events of one side: what each shows of its names, and how deep its frame is."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events, self.depths = events, dict[int, int]()
        self._changed: list[dict[str, str]] = []
        self.threads = threads_of(events)
        known: dict[int, dict[str, str]] = {}
        for moment in events:
            if moment.frame not in self.depths:
                self.depths[moment.frame] = self.depths.get(moment.parent, -1) + 1
            if moment.whole:
                before = known.get(moment.frame, {})
                self._changed.append({n: v for n, v in moment.values.items() if before.get(n) != v})
                known[moment.frame] = dict(moment.values)
            else:
                self._changed.append(dict(moment.values))

    def pieces(
        self, at: int | None, differs: Sequence[Divergence], *, placed: bool
    ) -> tuple[CellPiece, ...] | None:
        """The cell of a moment; `placed`: with its line, since it is not the row's."""
        if at is None:
            return None
        moment, names = self.events[at], {one.name for one in differs if one.name is not None}
        whole = any(one.what in ACTIONS for one in differs)
        argued = any(one.name is None for one in differs)
        found = [] if self.threads is None else [CellPiece(f"thread {self.threads[at]}", "place")]
        for kind, value in moment.hidden:
            told = printable(f"{in_words(kind)}: {value[:LONGEST]}")
            found.append(CellPiece(told, "hidden", whole or HIDDEN in names))
        if placed:
            found.append(CellPiece(f"line {_lines(moment)}", "place", whole))
        if moment.event != "line":
            arg = f" {moment.arg[:LONGEST]}" if moment.arg is not None else ""
            found.append(CellPiece(printable(moment.event + arg), "event", whole or argued))
        values = self._changed[at] | {n: moment.values[n] for n in names if n in moment.values}
        for name, value in values.items():
            found.append(CellPiece(printable(f"{name}={value[:LONGEST]}"), "value", whole or name in names))
        found += [
            CellPiece(printable(f"del {name}"), "value", whole or name in names) for name in moment.gone
        ]
        for name, other in moment.same.items():
            found.append(
                CellPiece(
                    printable(f"{name} is {other}" if other else f"{name} apart"), "value", name in names
                )
            )
        return tuple(found)


def _lines(moment: Event) -> str:
    return str(moment.line) if moment.line is not None else " or ".join(map(str, moment.lines)) or "?"
