"""The actual and the predicted run side by side, as rows of text pieces that a terminal or a page renders.

Every text is escaped for one line: a model may have written anything.
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

MAX_VALUE_CHARS = 2_000
ACTIONS = ("event", "line", "missing", "extra")


@dataclass(frozen=True)
class CellPiece:
    """Some text of a cell. `kind` is `event`, `name`, `value`, `place` or `hidden`.

    `at` is the first character that differs from the piece beside it, if there is one.
    """

    text: str
    kind: str = "value"
    differs: bool = False
    at: int = 0


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """One row: the step, its place in the source, both cells (None: no such step), and the model's confidence.

    `kind` is `same`, `first` for the first divergence, `later` for others, `alone` if one run has no step there, or
    `gap` in place of `skipped` rows. `found` is the number of the predicted step.
    """

    kind: str
    step: int | None = None
    line: int | None = None
    file: str | None = None
    depth: int = 0
    wanted: tuple[CellPiece, ...] | None = None
    got: tuple[CellPiece, ...] | None = None
    confidence: float | None = None
    skipped: int = 0
    found: int | None = None


def values_of(row: ComparedRow) -> Iterator[str]:
    """Yield the values in both cells of a row."""
    for piece in (*(row.wanted or ()), *(row.got or ())):
        if piece.kind in ("value", "event"):
            yield piece.text.partition("=" if piece.kind == "value" else " ")[2]


def window(count: int, middle: int | None, max_rows: int) -> list[tuple[int, int]]:
    """Choose which of `count` rows to show: all, those around the middle, or the first and last; as half-open spans."""
    if not max_rows or count <= max_rows:
        return [(0, count)]
    if middle is None:
        return [(0, max_rows - max_rows // 4), (count - max_rows // 4, count)]
    start = max(0, min(middle - max_rows // 3, count - max_rows))
    return [(start, start + max_rows)]


def compared_rows(
    rows: Sequence[AlignedRow],
    actual: Sequence[Event],
    predicted: Sequence[Event],
    first: Divergence | None,
    confidences: Sequence[float] = (),
    max_rows: int = 0,
) -> Iterator[ComparedRow]:
    """Yield at most `max_rows` rows of two runs, around the first divergence; 0 for all rows.

    `confidences` are log-probabilities of the predicted steps.
    """
    middle = next((n for n, row in enumerate(rows) if first is not None and first in row.differs), None)
    left, right = _Cells(actual), _Cells(predicted)
    at = 0
    for start, end in window(len(rows), middle, max_rows):
        if start > at:
            yield ComparedRow(kind="gap", skipped=start - at)
        for number in range(start, end):
            row = rows[number]
            kind = "same" if row.truth is not None and row.found is not None else "alone"
            if row.differs:
                kind = "first" if number == middle else "later"
            yield _compared(row, kind, left, right, confidences)
        at = end
    if at < len(rows):
        yield ComparedRow(kind="gap", skipped=len(rows) - at)


def rows_of_run(events: Sequence[Event], confidences: Sequence[float] = (), max_rows: int = 0) -> Iterator[ComparedRow]:
    """Yield the rows of a single run."""
    rows = compared_rows([AlignedRow(i, None) for i in range(len(events))], events, (), None, confidences, max_rows)
    return (replace(row, kind="same") if row.kind == "alone" else row for row in rows)


def _compared(row: AlignedRow, kind: str, left: _Cells, right: _Cells, confidences: Sequence[float]) -> ComparedRow:
    actual = left.events[row.truth] if row.truth is not None else None
    predicted = right.events[row.found] if row.found is not None else None
    cells, moment = (left, actual) if actual is not None else (right, predicted)
    has_own_place = actual is None or predicted is None or actual.action != predicted.action
    step = row.found if right.events else row.truth  # of a single run, its own
    wanted, got = _marked(
        left.pieces(row.truth, row.differs, placed=False), right.pieces(row.found, row.differs, placed=has_own_place)
    )
    return ComparedRow(
        kind=kind,
        step=row.truth if row.truth is not None else row.found,
        line=moment.line if moment else None,
        file=moment.file if moment else None,
        depth=cells.depths.get(moment.frame, 0) if moment else 0,
        wanted=wanted,
        got=got,
        confidence=math.exp(confidences[step]) if step is not None and step < len(confidences) else None,
        found=step,
    )


_Cell = tuple[CellPiece, ...] | None


def _marked(wanted: _Cell, got: _Cell) -> tuple[_Cell, _Cell]:
    """Two cells; each piece that differs gets the first character at which it does."""
    if wanted is None or got is None:
        return wanted, got

    def marked(pieces: tuple[CellPiece, ...], others: tuple[CellPiece, ...]) -> tuple[CellPiece, ...]:
        texts = {_subject(piece): piece.text for piece in others if piece.differs}
        return tuple(
            replace(piece, at=first_difference(piece.text, texts[_subject(piece)]))
            if piece.differs and _subject(piece) in texts
            else piece
            for piece in pieces
        )

    return marked(wanted, got), marked(got, wanted)


def _subject(piece: CellPiece) -> str:
    return piece.text.partition("=")[0] if piece.kind == "value" else piece.text.partition(" ")[0]


class _Cells:
    """The cells of one run: what each event shows of its names, and the depth of its frame."""

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

    def pieces(self, at: int | None, differs: Sequence[Divergence], *, placed: bool) -> tuple[CellPiece, ...] | None:
        """Return the cell of an event; `placed`: with its line, if that is not the row's."""
        if at is None:
            return None
        moment, names = self.events[at], {divergence.name for divergence in differs}
        has_other_action = any(divergence.what in ACTIONS for divergence in differs)
        pieces = [] if self.threads is None else [CellPiece(f"thread {self.threads[at]}", "place")]

        def add(text: str, kind: str, differs: bool) -> None:
            pieces.append(CellPiece(printable(text), kind, differs))

        for kind, value in moment.hidden:
            text = f"{in_words(kind)}: {value[:MAX_VALUE_CHARS]}"
            add(text, "hidden", has_other_action or HIDDEN in names)
        if placed:
            add(f"line {_lines(moment)}", "place", has_other_action)
        if moment.event != "line":
            arg = f" {moment.arg[:MAX_VALUE_CHARS]}" if moment.arg is not None else ""
            add(moment.event + arg, "event", has_other_action or None in names)
        differing = {name: moment.values[name] for name in names if name is not None and name in moment.values}
        for name, value in {**self._changed[at], **differing}.items():
            add(f"{name}={value[:MAX_VALUE_CHARS]}", "value", has_other_action or name in names)
        for name in moment.gone:
            add(f"del {name}", "value", has_other_action or name in names)
        for name, other in moment.same.items():
            add(f"{name} is {other}" if other else f"{name} apart", "value", name in names)
        return tuple(pieces)


def _lines(moment: Event) -> str:
    return str(moment.line) if moment.line is not None else " or ".join(map(str, moment.lines)) or "?"
