"""The actual and the predicted run side by side, as rows of text pieces that a terminal or a page renders.

A row shows what happened from its event to the next one (`core.events.shown_at`): the change of a line that calls is
in the last row of its calls, and so is a divergence of it. Long values are shortened (`core.texts.excerpts`); where two
differ, around the difference. Every text is escaped for one line: a model may have written anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.codec.reading import Event
from worldline.core.hidden import in_words
from worldline.core.program import Program
from worldline.core.text import around, first_difference, line_in_words, printable
from worldline.core.texts.excerpts import GAP, MIN_CHARS, change_excerpt, excerpt
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
    a change, if it belongs to another frame than the row. `name` is what a value or an event is about. `short` is the
    excerpt of a long text; `fitted_cells` chooses between the two.
    """

    text: str
    kind: str = "value"
    differs: bool = False
    at: int = 0
    place: str = ""
    name: str = ""
    short: str = ""

    @property
    def subject(self) -> tuple[str, str, str]:
        """What two pieces of a row have in common."""
        return self.kind, self.place, self.name


def value_piece(
    name: str, before: str | None, value: str, max_chars: int, *, differs: bool = False, place: str = ""
) -> CellPiece:
    """Return the change of a name as a piece. `before` is its value before, if that is known."""
    text = f"{name}={value}"
    short = printable(change_excerpt(name, before, value, max_chars)) if len(text) > max_chars else ""
    return CellPiece(printable(text), "value", differs, place=place, name=printable(name), short=short)


def event_piece(event: str, arg: str | None, max_chars: int, *, differs: bool = False) -> CellPiece:
    """Return an event with what it returns, raises or prints as a piece."""
    text = event if arg is None else f"{event} {arg}"
    short = ""
    if arg is not None and len(text) > max_chars:
        short = printable(f"{event} {excerpt(arg, max(max_chars - len(event) - 1, MIN_CHARS))}")
    return CellPiece(printable(text), "event", differs, name=event.partition(" ")[0], short=short)


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
    max_chars: int = MAX_VALUE_CHARS,
) -> Iterator[ComparedRow]:
    """Yield at most `max_rows` rows of two runs, around the first divergence; 0 for all rows.

    `confidences` are log-probabilities of the predicted steps. A value is shortened to about `max_chars` characters.
    """
    left, right = _Cells(program, actual, max_chars), _Cells(program, predicted, max_chars)
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
    program: Program,
    events: Sequence[Event],
    confidences: Sequence[float] = (),
    max_rows: int = 0,
    max_chars: int = MAX_VALUE_CHARS,
) -> Iterator[ComparedRow]:
    """Yield the rows of a single run."""
    aligned = [AlignedRow(i, None) for i in range(len(events))]
    rows = compared_rows(program, aligned, events, (), None, confidences, max_rows, max_chars)
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
    wanted, got = fitted_cells(
        left.pieces(row.truth, row.differs, [divergence.step for divergence in row.differs], placed=False),
        right.pieces(row.found, row.differs, [divergence.found for divergence in row.differs], placed=has_own_place),
        left.max_chars,
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


def fitted_cells(wanted: _Cell, got: _Cell, max_chars: int) -> tuple[_Cell, _Cell]:
    """Return two cells with shortened texts; each piece that differs has the first character at which it does."""
    wanted, got = _marked(wanted, got), _marked(got, wanted)
    wanted, got = _fitted(wanted, got, max_chars), _fitted(got, wanted, max_chars)
    return _marked(wanted, got), _marked(got, wanted)


def _beside(pieces: _Cell) -> dict[tuple[str, str, str], CellPiece]:
    return {piece.subject: piece for piece in pieces or () if piece.differs}


def _marked(pieces: _Cell, others: _Cell) -> _Cell:
    if pieces is None or others is None:
        return pieces
    beside = _beside(others)
    return tuple(
        replace(piece, at=first_difference(piece.text, beside[piece.subject].text))
        if piece.differs and piece.subject in beside
        else piece
        for piece in pieces
    )


def _fitted(pieces: _Cell, others: _Cell, max_chars: int) -> _Cell:
    if pieces is None:
        return None
    beside = _beside(others)
    return tuple(
        replace(piece, text=_short_text(piece, beside.get(piece.subject), max_chars)) if piece.short else piece
        for piece in pieces
    )


def _short_text(piece: CellPiece, other: CellPiece | None, max_chars: int) -> str:
    """The excerpt of a long piece; beside another value, the characters around the first difference.

    Where both are changes by position, and others, the changes say more.
    """
    sign = "=" if piece.kind == "value" else " "
    head = piece.name + sign
    if not piece.differs or other is None or other.text == piece.text:
        return piece.short
    are_changes = sign == "=" and all(side.short and not side.short.startswith(head) for side in (piece, other))
    if are_changes and piece.short != other.short:
        return piece.short
    if piece.at < len(head):
        return piece.short
    return head + around(piece.text[len(head) :], piece.at - len(head), max(max_chars - len(head), MIN_CHARS), gap=GAP)


class _Cells:
    """The cells of one run: what each event shows of its names, and the depth of its frame."""

    def __init__(self, program: Program, events: Sequence[Event], max_chars: int) -> None:
        self.events, self.depths, self.max_chars = events, dict[int, int](), max_chars
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
        pieces = [] if self.threads is None else [CellPiece(f"thread {self.threads[at]}", "place", name="thread")]
        for kind, value in moment.hidden:
            text = f"{in_words(kind)}: {excerpt(value, self.max_chars)}"
            pieces.append(
                CellPiece(printable(text), "hidden", has_other_action or HIDDEN in names, name=in_words(kind))
            )
        if placed:
            pieces.append(CellPiece(f"line {_lines(moment)}", "place", has_other_action, name="line"))
        if moment.event != "line":
            differs_here = has_other_action or None in names
            pieces.append(event_piece(moment.event, moment.arg, self.max_chars, differs=differs_here))
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
        changes = {write.name: (self.history.before(write), write.text) for write in writes if write.text is not None}
        values = {name: text for name, text in differing.items() if text is not None and name not in changes}
        changes |= {name: (None, text) for name, text in values.items()}
        place = "" if event.frame == frame else printable(line_in_words(event.line, self._run.function(event.frame)))
        for name, (before, text) in changes.items():
            differs = has_other_action or name in differing
            yield value_piece(name, before, text, self.max_chars, differs=differs, place=place)
        texts = [(write.name, f"del {write.name}") for write in writes if write.text is None]
        texts += [(name, f"{name} is {other}" if other else f"{name} apart") for name, other in event.same.items()]
        for name, text in texts:
            differs = has_other_action or name in differing
            yield CellPiece(printable(text), "value", differs, place=place, name=printable(text))


def _lines(moment: Event) -> str:
    return str(moment.line) if moment.line is not None else " or ".join(map(str, moment.lines)) or "?"
