"""The ways to stop: where a run that goes on stops because it parts from the truth, or raises. One table for all.

`first-action` and `first-state` are the two ways in which a world model errs at all; `wrong` is each time that it errs
anew; `divergence` is every difference, also those that only follow. A cause names the one divergence that `diagnose`
blames. At positions (`stop_points`) a wrong action stops before its line, a wrong state where it is to be seen; rows
(`next_stop`) stop where the difference stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.analyze.flow.control import successors
from worldline.core.program import Program
from worldline.diagnose.cause import CAUSES, UNPARTED, Cause
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.marks.syntax import code_lines
from worldline.ui.session.run_diff import RIGHT, WRONG, RunDiff, RunDiffRow
from worldline.ui.session.sentences import cause_in_words, differences_in_words
from worldline.ui.session.stepping import OPEN, Stepper, verdicts, written_rows

Location = tuple[str | None, int]  # a file (None: the main one) and a line


@dataclass(frozen=True)
class StopKind:
    """A way to stop: its name, what it is called in a list, what it means, and both in the terminal's few words."""

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
            FIRST_ACTION, "First wrong action", "the model goes to a line that does not come next",
            "action", "the first wrong action: a line that does not come next",
        ),
        StopKind(
            FIRST_STATE, "First wrong state", "a value, name or output that the line does not leave",
            "value", "the first wrong value: one that the line does not leave",
        ),
        StopKind(
            NEW_ERROR, "Every new error", "it goes wrong although all that it knew was right",
            "wrong", "every new error, where all that was known before was right",
        ),
        StopKind(
            DIVERGENCE, "Any divergence", "whatever differs from the interpreter, also as a consequence",
            "any", "any divergence, also one that only follows",
        ),
        StopKind(
            CAUSE, "Cause", "where the cause of the first divergence is this one",
            "cause", "where the cause of the first divergence is seen",
        ),
        StopKind(
            RAISED, "Raised exceptions", "the program raises, as the model imagines it",
            "raise", "exceptions, as the model imagines them",
        ),
    )
}  # fmt: skip
"""Every way to stop, besides breakpoints."""
FIRSTS = {"action": FIRST_ACTION, "state": FIRST_STATE}
DEFAULT_STOPS = tuple(FIRSTS.values())
CAUSE_STOPS = {
    name.replace(" ", "-"): StopKind(
        name.replace(" ", "-"), f"Cause: {name}", STOPS[CAUSE].meaning, name, STOPS[CAUSE].sentence
    )
    for name in CAUSES
    if name not in UNPARTED
}
DETAILED_STOPS = {
    detail.name: detail
    for kind in STOPS.values()
    for detail in (CAUSE_STOPS.values() if kind.name == CAUSE else [kind])
}
"""The same with one kind for each cause, for whoever stops at one and not at another."""


@dataclass(frozen=True)
class StopPoint:
    """A position that stops somebody: the name of its kind, in a few words, and in full."""

    position: int
    kind: str
    title: str
    text: str


def stop_points(
    stepper: Stepper, run_diff: RunDiff | None, cause: Cause | None, *, growing: bool = False
) -> list[StopPoint]:
    """Every position that stops somebody, in order.

    While the run still grows, only what more steps cannot change: up to the first wrong action, and without a cause.
    """
    found = list(_raised(stepper))
    if run_diff is not None:
        found += _parted(stepper, run_diff, growing)
        found += () if growing else _blamed(stepper, cause)
    return sorted(found, key=lambda one: one.position)


def _raised(stepper: Stepper) -> Iterator[StopPoint]:
    for p, moment in enumerate(stepper.events):
        if moment.event == "raise":
            title = (moment.arg or "").partition("(")[0] or "an exception"
            yield StopPoint(p, RAISED, title, moment.arg or "")


def _first_wrong(run_diff: RunDiff, what: str, written: int) -> int | None:
    """The first row, of so many, whose `action` or `state` is wrong."""
    return next((row for row in range(written) if getattr(run_diff.rows[row], what) == WRONG), None)


def _parted(stepper: Stepper, run_diff: RunDiff, growing: bool) -> Iterator[StopPoint]:
    """What a pair of runs says, row by row."""
    firsts = {what: _first_wrong(run_diff, what, len(run_diff.rows)) for what in FIRSTS}
    following = _following(run_diff, len(stepper))
    for n, row in enumerate(run_diff.rows):
        if growing and row.right is None:
            return
        for what, first in FIRSTS.items():
            verdict: str = getattr(row, what)
            if verdict == RIGHT:
                continue
            position = _position(stepper, row, what, following[n])
            if growing and position >= len(stepper):
                return
            text = differences_in_words(row.differs)
            kinds = [first] if firsts[what] == n else []
            kinds += [NEW_ERROR] if verdict == WRONG else []
            kinds += [DIVERGENCE] if row.differs else []
            for kind in kinds:
                yield StopPoint(position, kind, f"{verdict} {what}", text)
        if growing and row.action != RIGHT:
            return


def _following(run_diff: RunDiff, end: int) -> list[int]:
    """For each row the found step in it, or the next that there is."""
    found = []
    for row in reversed(run_diff.rows):
        end = end if row.right is None else row.right
        found.append(end)
    return found[::-1]


def _position(stepper: Stepper, row: RunDiffRow, what: str, following: int) -> int:
    """Where a row's error is seen: a missing step, before the next one that there is."""
    if row.right is None:
        return following
    if what == "action":
        return row.right
    if any(one.name not in (None, "%") for one in row.differs):
        return stepper.settled(row.right)
    return min(row.right + 1, len(stepper))


def _blamed(stepper: Stepper, cause: Cause | None) -> Iterator[StopPoint]:
    if cause is None or cause.name in UNPARTED:
        return
    first = cause.divergence
    position = len(stepper)
    if first is not None and first.found is not None and first.found < len(stepper):
        is_state = first.what in ("value", "names", "output", "outcome")
        is_named = first.name not in (None, "%")
        position = stepper.settled(first.found) if is_state and is_named else first.found + is_state
    text = cause_in_words(cause)
    names = {cause.name, cause.under} - {""}
    for name in sorted(names):
        yield StopPoint(min(position, len(stepper)), name.replace(" ", "-"), name, text)


# ---- rows


def next_stop(
    run_diff: RunDiff,
    branch: Branch,
    rows: Iterable[int],
    *,
    stops: Collection[str],
    breakpoints: Collection[Location] = (),
) -> tuple[int, str] | None:
    """The first of some rows at which one of these kinds, or a breakpoint, stops, and why; None where none does."""
    written = written_rows(run_diff, branch)
    special = _special(run_diff, branch, written, stops)
    for row in rows:
        why = special.get(row) or _why(run_diff, row, written, stops, breakpoints)
        if why:
            return row, why
    return None


def _special(run_diff: RunDiff, branch: Branch, written: int, stops: Collection[str]) -> dict[int, str]:
    """The rows that are the first of their kind."""
    found: dict[int, str] = {}
    for what, stop in FIRSTS.items():
        row = _first_wrong(run_diff, what, written) if stop in stops else None
        if row is not None:
            found[row] = f"the first wrong {STOPS[stop].word}"
    cause = branch.cause
    if CAUSE in stops and cause is not None and cause.divergence is not None:
        row = next((i for i, one in enumerate(run_diff.rows) if cause.divergence in one.differs), None)
        if row is not None:
            found[row] = f"the cause: {cause.name}"
    return found


def _why(
    run_diff: RunDiff, row: int, written: int, stops: Collection[str], breakpoints: Collection[Location]
) -> str:
    if breakpoints:
        for location in locations(run_diff, row):
            if location in breakpoints:
                return f"the breakpoint at line {location[1]}"
    found = verdicts(run_diff, row, written)
    if NEW_ERROR in stops and WRONG in found:
        return "a new error"
    if DIVERGENCE in stops and not set(found) <= {RIGHT, OPEN}:
        return "a divergence"
    step = run_diff.rows[row].right
    if RAISED in stops and step is not None and run_diff.right.events[step].event == "raise":
        return "an exception"
    return ""


def locations(run_diff: RunDiff, row: int) -> Iterator[Location]:
    """The lines that run in a row, for either side."""
    for name in ("left", "right"):
        run, step = run_diff.run(name), getattr(run_diff.rows[row], name)
        if run is not None and step is not None:
            moment = run.events[step]
            if moment.event == "line" and moment.line is not None:
                yield moment.file, moment.line


def stop_index(run_diff: RunDiff, branch: Branch, per: int) -> dict[str, Any]:
    """For whoever walks through rows himself: the rows that DEFAULT_STOPS stop at, each with why, and, for each `per`
    rows, the lines of the main file at which a breakpoint would stop there."""
    special = _special(run_diff, branch, written_rows(run_diff, branch), DEFAULT_STOPS)
    bins = [range(start, min(start + per, len(run_diff.rows))) for start in range(0, len(run_diff.rows), per)]
    return {"stops": sorted(special.items()), "lines": [sorted(_lines(run_diff, rows)) for rows in bins]}


def stop_lines(run_diff: RunDiff, row: int) -> list[int]:
    """The lines of the main file at which a breakpoint stops in a row."""
    return sorted(_lines(run_diff, (row,)))


def _lines(run_diff: RunDiff, rows: Iterable[int]) -> set[int]:
    return {line for row in rows for file, line in locations(run_diff, row) if file is None}


@lru_cache(maxsize=256)
def runnable(program: Program, file: str | None = None) -> tuple[int, ...]:
    """The lines of a program's file that can run, where a breakpoint can stand: one between them moves to the next.

    Of a call, without those that only a module's body has. Of another language than Python, every line with code: which
    of them run only a guest knows, and whoever looks at a run may have none.
    """
    source = program.source if file is None else dict(program.files).get(file, "")
    if not program.lang.has_syntax_tree:
        return code_lines(source, program.language)
    lines: set[int] = set()
    for i, flow in enumerate(successors(source)):
        if i or program.call is None:
            lines |= flow.start.union(flow.next, *flow.next.values())
    return tuple(sorted(line for line in lines if line > 0))
