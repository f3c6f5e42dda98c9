"""The kinds of stops: where `continue` stops because the prediction diverges or raises. One table for all front ends.

`first-action` and `first-state` are the first divergences of either kind; `wrong` is every new error; `divergence` is
every difference, including consequences. A cause stops at the divergence that `diagnose` explains. Positions
(`stop_points`) stop before the line of a wrong action, and at the line that made a wrong state, when it is done; rows
(`next_stop`) stop at the row that shows the divergence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.analyze.flow.control import successors
from worldline.core.program import Program
from worldline.diagnose.cause import CAUSES, CAUSES_WITHOUT_DIVERGENCE, Cause
from worldline.diagnose.diverge import Divergence
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.marks.syntax import code_lines
from worldline.ui.session.run_diff import RIGHT, WRONG, RunDiff, RunDiffRow
from worldline.ui.session.sentences import cause_in_words, differences_in_words
from worldline.ui.session.stepping import OPEN, Stepper, verdicts, written_rows

Location = tuple[str | None, int]  # a file (None: the main one) and a line
_STATES = ("value", "names", "output", "outcome")


@dataclass(frozen=True)
class StopKind:
    """A kind of stop: its name, its label and description in an editor, and both for the terminal."""

    name: str
    label: str
    meaning: str
    word: str
    sentence: str


FIRST_ACTION, FIRST_STATE, NEW_ERROR, DIVERGENCE = "first-action", "first-state", "wrong", "divergence"
CAUSE, RAISED = "cause", "raised"
STOPS = {
    kind.name: kind
    for kind in (
        StopKind(
            FIRST_ACTION, "First wrong action", "The first predicted line that does not execute next.",
            "action", "the first wrong action: a line that does not execute next",
        ),
        StopKind(
            FIRST_STATE, "First wrong state", "The first predicted value, name or output that is not the actual one.",
            "value", "the first wrong value, name or output",
        ),
        StopKind(
            NEW_ERROR, "Every new error", "Every wrong step after a correct state.",
            "wrong", "every new error: a wrong step after a correct state",
        ),
        StopKind(
            DIVERGENCE, "Any divergence", "Every difference from the actual run, including consequences.",
            "any", "any divergence, including consequences",
        ),
        StopKind(
            CAUSE, "Cause", "The first divergence, if it has this cause.",
            "cause", "the divergence that the cause explains",
        ),
        StopKind(
            RAISED, "Raised exceptions", "Every exception that the model predicts.",
            "raise", "predicted exceptions",
        ),
    )
}  # fmt: skip
"""Every kind of stop besides breakpoints."""
FIRSTS = {"action": FIRST_ACTION, "state": FIRST_STATE}
DEFAULT_STOPS = tuple(FIRSTS.values())
CAUSE_STOPS = {
    name.replace(" ", "-"): StopKind(
        name.replace(" ", "-"), f"Cause: {name}", STOPS[CAUSE].meaning, name, STOPS[CAUSE].sentence
    )
    for name in CAUSES
    if name not in CAUSES_WITHOUT_DIVERGENCE
}
DETAILED_STOPS = {
    detail.name: detail
    for kind in STOPS.values()
    for detail in (CAUSE_STOPS.values() if kind.name == CAUSE else [kind])
}
"""The same, with one kind for each cause."""


@dataclass(frozen=True)
class StopPoint:
    """A position to stop at: the name of its kind, a title and a sentence. `done`: the step whose line has executed."""

    position: int
    kind: str
    title: str
    text: str
    done: int | None = None

    @property
    def order(self) -> int:
        """The place of the point among the positions: one with a step that is done comes after that without."""
        return order_of(self.position, self.done)


def order_of(position: int, done: int | None = None) -> int:
    """Return a number that orders positions, with and without a step that is done."""
    return 2 * position + (done is not None)


def stop_points(
    stepper: Stepper, run_diff: RunDiff | None, cause: Cause | None, *, is_running: bool = False
) -> list[StopPoint]:
    """List the positions to stop at, in order.

    While the model `is_running`, only points that further steps cannot change are listed: up to the first wrong
    action, and without a cause.
    """
    points = list(_raised(stepper))
    if run_diff is not None:
        points += _divergences(stepper, run_diff, is_running)
        points += () if is_running else _caused(stepper, cause)
    return sorted(points, key=lambda point: point.order)


def _raised(stepper: Stepper) -> Iterator[StopPoint]:
    for p, moment in enumerate(stepper.events):
        if moment.event == "raise":
            title = (moment.arg or "").partition("(")[0] or "exception"
            yield StopPoint(p, RAISED, title, moment.arg or "")


def _first_wrong(run_diff: RunDiff, part: str, written: int) -> int | None:
    """The first of `written` rows whose `action` or `state` is wrong."""
    return next((row for row in range(written) if getattr(run_diff.rows[row], part) == WRONG), None)


def _divergences(stepper: Stepper, run_diff: RunDiff, is_running: bool) -> Iterator[StopPoint]:
    """The stops of a run diff, row by row."""
    firsts = {part: _first_wrong(run_diff, part, len(run_diff.rows)) for part in FIRSTS}
    following = _following(run_diff, len(stepper))
    for n, row in enumerate(run_diff.rows):
        if is_running and row.right is None:
            return
        for part, first in FIRSTS.items():
            verdict: str = getattr(row, part)
            if verdict == RIGHT:
                continue
            position, done = _position(stepper, row, part, following[n])
            if is_running and position + (done is not None) >= len(stepper):
                return
            text = differences_in_words(row.differs)
            kinds = [first] if firsts[part] == n else []
            kinds += [NEW_ERROR] if verdict == WRONG else []
            kinds += [DIVERGENCE] if row.differs else []
            for kind in kinds:
                yield StopPoint(position, kind, f"{verdict} {part}", text, done)
        if is_running and row.action != RIGHT:
            return


def _following(run_diff: RunDiff, end: int) -> list[int]:
    """For each row its predicted step, or the next one after it."""
    steps = []
    for row in reversed(run_diff.rows):
        end = end if row.right is None else row.right
        steps.append(end)
    return steps[::-1]


def _position(stepper: Stepper, row: RunDiffRow, part: str, following: int) -> tuple[int, int | None]:
    """The position that shows the error of a row, and the step that is done there; for a missing step, the next one."""
    if row.right is None:
        return following, None
    if part == "action":
        return row.right, None
    states = [divergence for divergence in row.differs if divergence.what in _STATES]
    return _done_at(stepper, states[0]) if states else (row.right, row.right)


def _done_at(stepper: Stepper, divergence: Divergence) -> tuple[int, int | None]:
    """The position that shows a wrong state of the prediction, and the step that made it."""
    step = divergence.found
    if step is None or step >= len(stepper):
        return len(stepper), None
    maker = stepper.run.history.maker(step) if divergence.is_change else step
    return (stepper.run.history.shown_at(maker) if divergence.is_change else step), maker


def _caused(stepper: Stepper, cause: Cause | None) -> Iterator[StopPoint]:
    if cause is None or cause.name in CAUSES_WITHOUT_DIVERGENCE:
        return
    first = cause.divergence
    position, done = len(stepper), None
    if first is not None and first.found is not None:
        is_state = first.what in _STATES
        position, done = _done_at(stepper, first) if is_state else (min(first.found, len(stepper)), None)
    text = cause_in_words(cause)
    names = {cause.name, cause.under} - {""}
    for name in sorted(names):
        yield StopPoint(position, name.replace(" ", "-"), name, text, done)


# ---- rows


def next_stop(
    run_diff: RunDiff,
    branch: Branch,
    rows: Iterable[int],
    *,
    stops: Collection[str],
    breakpoints: Collection[Location] = (),
) -> tuple[int, str] | None:
    """Find the first of some rows to stop at, and the reason: one of these kinds of stops, or a breakpoint."""
    written = written_rows(run_diff, branch)
    firsts = _first_stops(run_diff, branch, written, stops)
    for row in rows:
        reason = firsts.get(row) or _reason(run_diff, row, written, stops, breakpoints)
        if reason:
            return row, reason
    return None


def _first_stops(run_diff: RunDiff, branch: Branch, written: int, stops: Collection[str]) -> dict[int, str]:
    """The rows that are the first of their kind, with the reason to stop."""
    reasons: dict[int, str] = {}
    for part, stop in FIRSTS.items():
        row = _first_wrong(run_diff, part, written) if stop in stops else None
        if row is not None:
            reasons[row] = f"the first wrong {STOPS[stop].word}"
    cause = branch.cause
    if CAUSE in stops and cause is not None and cause.divergence is not None:
        row = next((i for i, line in enumerate(run_diff.rows) if cause.divergence in line.differs), None)
        if row is not None:
            reasons[row] = f"the cause: {cause.name}"
    return reasons


def _reason(
    run_diff: RunDiff, row: int, written: int, stops: Collection[str], breakpoints: Collection[Location]
) -> str:
    if breakpoints:
        for location in locations(run_diff, row):
            if location in breakpoints:
                return f"the breakpoint at line {location[1]}"
    both = verdicts(run_diff, row, written)
    if NEW_ERROR in stops and WRONG in both:
        return "a new error"
    if DIVERGENCE in stops and not set(both) <= {RIGHT, OPEN}:
        return "a divergence"
    step = run_diff.rows[row].right
    if RAISED in stops and step is not None and run_diff.right.events[step].event == "raise":
        return "an exception"
    return ""


def locations(run_diff: RunDiff, row: int) -> Iterator[Location]:
    """Yield the lines that execute in a row, in either run."""
    for name in ("left", "right"):
        run, step = run_diff.run(name), getattr(run_diff.rows[row], name)
        if run is not None and step is not None:
            moment = run.events[step]
            if moment.event == "line" and moment.line is not None:
                yield moment.file, moment.line


def stop_index(run_diff: RunDiff, branch: Branch, per: int) -> dict[str, Any]:
    """Return an index for a client that steps on its own.

    It has the rows at which DEFAULT_STOPS stop, with the reason, and the lines that execute in every `per` rows.
    """
    firsts = _first_stops(run_diff, branch, written_rows(run_diff, branch), DEFAULT_STOPS)
    bins = [range(start, min(start + per, len(run_diff.rows))) for start in range(0, len(run_diff.rows), per)]
    index = {"stops": sorted(firsts.items()), "lines": [sorted(_lines(run_diff, rows)) for rows in bins]}
    elsewhere = [[place for row in rows for place in stop_places(run_diff, row)] for rows in bins]
    return {**index, "elsewhere": [sorted(set(places)) for places in elsewhere]} if any(elsewhere) else index


def stop_lines(run_diff: RunDiff, row: int) -> list[int]:
    """Return the lines of the main file that execute in a row."""
    return sorted(_lines(run_diff, (row,)))


def stop_places(run_diff: RunDiff, row: int) -> list[str]:
    """Return the lines of other files that execute in a row, as `FILE:LINE`."""
    return sorted({f"{file}:{line}" for file, line in locations(run_diff, row) if file is not None})


def _lines(run_diff: RunDiff, rows: Iterable[int]) -> set[int]:
    return {line for row in rows for file, line in locations(run_diff, row) if file is None}


@lru_cache(maxsize=256)
def runnable_lines(program: Program, file: str | None = None) -> tuple[int, ...]:
    """Return the lines of a program's file that can execute, and so can have a breakpoint.

    For a call, lines of the module's body are left out. For languages other than Python every line with code counts:
    only a toolchain knows which of them execute, and a reader of a run may not have one.
    """
    source = program.source if file is None else dict(program.files).get(file, "")
    if not program.lang.has_syntax_tree:
        return code_lines(source, program.language)
    lines: set[int] = set()
    for i, flow in enumerate(successors(source)):
        if i or program.call is None:
            lines |= flow.start.union(flow.next, *flow.next.values())
    return tuple(sorted(line for line in lines if line > 0))
