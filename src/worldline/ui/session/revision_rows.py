"""Two traces of one test side by side, as rows of text pieces that a terminal or a page renders.

Each side has its own source, because the lines of two revisions differ. A row shows what happened from its steps to the
next ones (`core.events.shown_at`), and is marked if that differs. Every text is escaped for one line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.text import line_in_words, printable
from worldline.core.texts.earlier_values import EarlierValues
from worldline.core.texts.excerpts import MIN_CHARS
from worldline.core.trace import Trace
from worldline.diagnose.revisions.alike import alike
from worldline.diagnose.revisions.difference import RevisionDiff, RevisionDivergence
from worldline.diagnose.revisions.source_map import SourceMap
from worldline.ui.session.side_by_side import MAX_VALUE_CHARS, CellPiece, event_piece, fitted_cells, value_piece, window


@dataclass(frozen=True, kw_only=True)
class RevisionCell:
    """One step of one revision: its place, its source line, and what it changed."""

    step: int
    file: str
    function: str
    line: int
    code: str
    depth: int
    is_changed: bool
    pieces: tuple[CellPiece, ...]


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """A step before the change beside the one after it (None: there is none).

    `kind` is `same`, `first` for the first divergence, `later` for others, `alone` if one side has no step there, or
    `gap` in place of `skipped` rows.
    """

    kind: str
    before: RevisionCell | None = None
    after: RevisionCell | None = None
    skipped: int = 0


def revision_rows(
    before: Trace,
    after: Trace,
    diff: RevisionDiff,
    sources: SourceMap,
    max_rows: int = 0,
    max_chars: int = MAX_VALUE_CHARS,
) -> Iterator[RevisionRow]:
    """Yield at most `max_rows` rows of two traces, around the first divergence; 0 for all rows.

    A value is shortened to about `max_chars` characters.
    """
    rows = diff.rows()
    shown = _ShownRows(before, after, rows)
    differing, middle = shown.differing(diff.differing), shown.first(diff.first)
    left = _Cells(before, sources, max_chars, is_before=True)
    right = _Cells(after, sources, max_chars, is_before=False)
    at = 0
    for start, end in window(len(rows), middle, max_rows):
        if start > at:
            yield RevisionRow(kind="gap", skipped=start - at)
        for number in range(start, end):
            i, j = rows[number]
            kind = "alone" if i is None or j is None else "same"
            if number in differing or number == middle:
                kind = "first" if number == middle else "later"
            others = None if j is None else _values(after, j), None if i is None else _values(before, i)
            args = None if j is None else after[j].arg, None if i is None else before[i].arg
            cells = left.cell(i, others[0], args[0]), right.cell(j, others[1], args[1])
            fitted = _fitted(*cells, max_chars)
            yield RevisionRow(kind=kind, before=fitted[0], after=fitted[1])
        at = end
    if at < len(rows):
        yield RevisionRow(kind="gap", skipped=len(rows) - at)


def _fitted(
    before: RevisionCell | None, after: RevisionCell | None, max_chars: int
) -> tuple[RevisionCell | None, RevisionCell | None]:
    """Two cells with shortened texts."""
    wanted, got = (None if cell is None else cell.pieces for cell in (before, after))
    wanted, got = fitted_cells(wanted, got, max_chars)
    return (
        None if before is None else replace(before, pieces=wanted or ()),
        None if after is None else replace(after, pieces=got or ()),
    )


_Pairs = Sequence[tuple[int | None, int | None]]


class _ShownRows:
    """The rows that show the differences of two traces."""

    def __init__(self, before: Trace, after: Trace, rows: _Pairs) -> None:
        self._before, self._after, self._rows = before, after, rows
        self._of_before = {i: number for number, (i, _) in enumerate(rows) if i is not None}
        self._of_after = {j: number for number, (_, j) in enumerate(rows) if j is not None}

    def differing(self, pairs: Collection[tuple[int | None, int | None]]) -> set[int]:
        """Return the rows that show what differs between pairs of steps."""
        return {
            self._of_change(number) if self._has_other_change(*pair) else number
            for number, pair in enumerate(self._rows)
            if pair in pairs
        }

    def first(self, divergence: RevisionDivergence | None) -> int | None:
        """Return the row that shows a divergence; None if there is none."""
        if divergence is None:
            return None
        places = divergence.before, divergence.after
        steps = tuple(None if place is None else place.step for place in places)
        number = next((n for n, pair in enumerate(self._rows) if pair == steps), None)
        if number is None and steps[1] is not None:
            number = self._of_after.get(steps[1])
        return number if number is None or divergence.kind != "value" else self._of_change(number)

    def _of_change(self, number: int) -> int:
        i, j = self._rows[number]
        shown = [] if i is None else [self._of_before[self._before.shown_at[i]]]
        shown += [] if j is None else [self._of_after[self._after.shown_at[j]]]
        return max(shown)

    def _has_other_change(self, i: int | None, j: int | None) -> bool:
        if i is None or j is None:
            return False
        left, right = self._before[i].delta, self._after[j].delta
        return left.keys() != right.keys() or any(not alike(value, right[name]) for name, value in left.items())


def _values(trace: Trace, i: int) -> dict[str, str]:
    """The values that a step shows, by name; if two frames change one name, that of the inner one."""
    return {name: value for maker in reversed(trace.makers_shown(i)) for name, value in maker.delta.items()}


class _Cells:
    """Makes the cells of one side."""

    def __init__(self, trace: Trace, sources: SourceMap, max_chars: int, *, is_before: bool) -> None:
        self._trace, self._sources, self._max_chars, self._is_before = trace, sources, max_chars, is_before
        self._earlier = EarlierValues(trace)
        self._lines: dict[str, list[str]] = {}

    def cell(self, i: int | None, others: dict[str, str] | None, other_arg: str | None) -> RevisionCell | None:
        """Return the cell of a step; `others` are the changes of the step beside it."""
        if i is None:
            return None
        step, frame = self._trace[i], self._trace.frames[self._trace.columns.frame[i]]
        pieces = list[CellPiece]()
        if step.event != "line":
            differs = others is not None and not alike(step.arg, other_arg)
            name = f" {frame.name}" if step.event == "call" else ""
            pieces.append(event_piece(step.event + name, step.arg, self._max_chars, differs=differs))
        for maker in self._trace.makers_shown(i):
            function = self._trace.frames[maker.frame].name
            place = "" if maker.frame == step.frame else printable(line_in_words(maker.line, function))
            for name, value in maker.delta.items():
                differs = others is not None and name in others and not alike(value, others[name])
                before = self._earlier.before(maker.i, name, value) if len(value) > MIN_CHARS else None
                pieces.append(value_piece(name, before, value, self._max_chars, differs=differs, place=place))
            pieces += [
                CellPiece(printable(f"del {name}"), "value", place=place, name=printable(f"del {name}"))
                for name in maker.gone
            ]
        return RevisionCell(
            step=i,
            file=frame.file,
            function=frame.name,
            line=step.line,
            code=self._code(frame.file, step.line),
            depth=step.depth,
            is_changed=self._sources.is_changed(frame.file, step.line, is_before=self._is_before),
            pieces=tuple(pieces),
        )

    def _code(self, file: str, line: int) -> str:
        if file not in self._lines:
            self._lines[file] = source_lines(_source(self._trace.program, file), "python")
        lines = self._lines[file]
        return printable(lines[line - 1].expandtabs(4)) if 0 < line <= len(lines) else ""


def _source(program: Program, file: str) -> str:
    return program.source if file == program.name else dict(program.files).get(file, "")
