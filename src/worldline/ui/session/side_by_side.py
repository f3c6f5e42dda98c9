"""The actual and the predicted run side by side, as rows of text pieces that a terminal or a page renders.

A row shows what happened from its event to the next one (`core.events.shown_at`): the change of a line that calls is
in the last row of its calls, and so is a divergence of it. Every text is escaped for one line: a model may have written
anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.codec.reading import Event
from worldline.core.hidden import in_words
from worldline.core.program import Program
from worldline.core.text import first_difference, line_in_words, printable
from worldline.diagnose.debug import AlignedRow
from worldline.diagnose.diverge import HIDDEN, Divergence, same_action
from worldline.diagnose.reading import threads_of
from worldline.diagnose.why.traced_run import TracedRun

MAX_VALUE_CHARS = 2_000
ACTIONS = ("event", "line", "missing", "extra")


@dataclass(frozen=True)
class CellPiece:
    """Some text of a cell. `kind` is `event`, `name`, `value`, `place` or `hidden`.

    `at` is the first character that differs from the piece beside it, if there is one. `place` is the line that made
    a change, if it belongs to another frame than the row.
    """

    text: str
    kind: str = "value"
    differs: bool = False
    at: int = 0
    place: str = ""


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


def with_places(pieces: Iterable[CellPiece]) -> Iterator[tuple[str, CellPiece]]:
    """Yield each piece after the place to write before it: empty if that is the row's, or was just written."""
    before = ""
    for piece in pieces:
        yield f"{piece.place}: " if piece.place not in ("", before) else "", piece
        before = piece.place


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
    program: Program,
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
    left, right = _Cells(program, actual), _Cells(program, predicted)
    differs = _shown_divergences(rows, left, right)
    middle = next((n for n, row in enumerate(differs) if first is not None and first in row), None)
    at = 0
    for start, end in window(len(rows), middle, max_rows):
        if start > at:
            yield ComparedRow(kind="gap", skipped=start - at)
        for number in range(start, end):
            row = replace(rows[number], differs=tuple(differs[number]))
            kind = "same" if row.truth is not None and row.found is not None else "alone"
            if row.differs:
                kind = "first" if number == middle else "later"
            yield _compared(row, kind, left, right, confidences)
        at = end
    if at < len(rows):
        yield ComparedRow(kind="gap", skipped=len(rows) - at)


def rows_of_run(
    program: Program, events: Sequence[Event], confidences: Sequence[float] = (), max_rows: int = 0
) -> Iterator[ComparedRow]:
    """Yield the rows of a single run."""
    aligned = [AlignedRow(i, None) for i in range(len(events))]
    rows = compared_rows(program, aligned, events, (), None, confidences, max_rows)
    return (replace(row, kind="same") if row.kind == "alone" else row for row in rows)


def _shown_divergences(rows: Sequence[AlignedRow], left: _Cells, right: _Cells) -> list[list[Divergence]]:
    """For each row, the divergences that it shows."""
    of_left = {row.truth: n for n, row in enumerate(rows)}
    of_right = {row.found: n for n, row in enumerate(rows)}
    shown: list[list[Divergence]] = [[] for _ in rows]
    for n, row in enumerate(rows):
        for divergence in row.differs:
            shown[_row_of(divergence, n, left, right, (of_left, of_right))].append(divergence)
    return shown


def _row_of(
    divergence: Divergence,
    own: int,
    left: _Cells,
    right: _Cells,
    rows: tuple[Mapping[int | None, int], Mapping[int | None, int]],
) -> int:
    """The row that shows a divergence: for a change, the one in which both runs have shown it."""
    if not divergence.is_change or divergence.found is None or divergence.step >= len(left.events):
        return own
    makers = left.history.maker(divergence.step), right.history.maker(divergence.found)
    is_aligned = rows[0][makers[0]] == rows[1][makers[1]]
    if not is_aligned or not same_action(left.events[makers[0]], right.events[makers[1]]):
        return own
    return max(rows[0][left.history.shown_at(makers[0])], rows[1][right.history.shown_at(makers[1])])


def _compared(row: AlignedRow, kind: str, left: _Cells, right: _Cells, confidences: Sequence[float]) -> ComparedRow:
    actual = left.events[row.truth] if row.truth is not None else None
    predicted = right.events[row.found] if row.found is not None else None
    cells, moment = (left, actual) if actual is not None else (right, predicted)
    has_own_place = actual is None or predicted is None or actual.action != predicted.action
    step = row.found if right.events else row.truth  # of a single run, its own
    wanted, got = _marked(
        left.pieces(row.truth, row.differs, [divergence.step for divergence in row.differs], placed=False),
        right.pieces(row.found, row.differs, [divergence.found for divergence in row.differs], placed=has_own_place),
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
    return piece.place + piece.text.partition("=" if piece.kind == "value" else " ")[0]


class _Cells:
    """The cells of one run: what each event shows of its names, and the depth of its frame."""

    def __init__(self, program: Program, events: Sequence[Event]) -> None:
        self.events, self.depths = events, dict[int, int]()
        self.threads = threads_of(events)
        self._run = TracedRun(program, events)
        self.history = self._run.history
        for moment in events:
            if moment.frame not in self.depths:
                self.depths[moment.frame] = self.depths.get(moment.parent, -1) + 1

    def pieces(
        self, at: int | None, differs: Sequence[Divergence], stated: Sequence[int | None], *, placed: bool
    ) -> tuple[CellPiece, ...] | None:
        """Return the cell of an event; `placed`: with its line, if that is not the row's.

        `stated` are the events of this run in which the row's divergences are stated.
        """
        if at is None:
            return None
        moment, names = self.events[at], {divergence.name for divergence in differs}
        has_other_action = any(divergence.what in ACTIONS for divergence in differs)
        pieces = [] if self.threads is None else [CellPiece(f"thread {self.threads[at]}", "place")]
        for kind, value in moment.hidden:
            text = f"{in_words(kind)}: {value[:MAX_VALUE_CHARS]}"
            pieces.append(CellPiece(printable(text), "hidden", has_other_action or HIDDEN in names))
        if placed:
            pieces.append(CellPiece(f"line {_lines(moment)}", "place", has_other_action))
        if moment.event != "line":
            arg = f" {moment.arg[:MAX_VALUE_CHARS]}" if moment.arg is not None else ""
            pieces.append(CellPiece(printable(moment.event + arg), "event", has_other_action or None in names))
        by_maker: dict[int, dict[str, str | None]] = {}  # the names that differ: each maker's, with their values
        for divergence, event in zip(differs, stated, strict=True):
            if divergence.is_change and event is not None and event < len(self.events):
                value_or_none = self.events[event].values.get(divergence.name or "")
                by_maker.setdefault(self.history.maker(event), {})[divergence.name or ""] = value_or_none
        for maker in sorted({*self.history.makers_shown(at), *by_maker}, reverse=True):
            own = has_other_action and maker == at
            pieces += self._changes(maker, moment.frame, by_maker.get(maker, {}), has_other_action=own)
        return tuple(pieces)

    def _changes(
        self, maker: int, frame: int, differing: Mapping[str, str | None], *, has_other_action: bool
    ) -> Iterator[CellPiece]:
        """The changes that a step makes, in a row of a frame; and the values of names that differ."""
        event = self.events[maker]
        writes = [write for write in self.history.writes(self.history.shown_at(maker)) if write.writer == maker]
        values = {write.name: write.text for write in writes if write.text is not None}
        values |= {name: text for name, text in differing.items() if text is not None and name not in values}
        texts = [(name, f"{name}={text[:MAX_VALUE_CHARS]}") for name, text in values.items()]
        texts += [(write.name, f"del {write.name}") for write in writes if write.text is None]
        texts += [(name, f"{name} is {other}" if other else f"{name} apart") for name, other in event.same.items()]
        place = "" if event.frame == frame else printable(line_in_words(event.line, self._run.function(event.frame)))
        for name, text in texts:
            yield CellPiece(printable(text), "value", has_other_action or name in differing, place=place)


def _lines(moment: Event) -> str:
    return str(moment.line) if moment.line is not None else " or ".join(map(str, moment.lines)) or "?"
