"""Whether the rows of a scored file are a fair sample of the suite, or were selected by their outcome.

A file that holds only a model's failures gives rates that look like the model's: every operation in it fails often.
Such a file has no rates here, only counts. Two facts decide. Where the rows lie in the suite: all tasks, the first ones
or every n-th are no selection, however bad the model. And how many rows are right: without a known suite, a file with
next to no right row may be a selection, so its rates are withheld until `--data` shows that it is whole.

A run of `bench` is never a selection: its tasks are chosen before any prediction is made (`--max-programs`, `--shard`,
a resumed run).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from worldline.core.text import plural

FAILURES, PART = "failures", "part"
MIN_COVERED = 0.95  # of the suite, of its first tasks or of every n-th: the rest may be lost rows
MAX_RIGHT = 0.1  # with a larger share of right rows, a file of an unknown suite is not called a file of failures
MIN_ROWS = 5  # fewer rows say nothing about how they were selected
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Selection:
    """How the rows of a file were selected.

    Attributes:
        kind: `failures` (next to no right row), `part` (gaps all over the suite), or empty: a fair sample.
        rows: How many tasks the file has.
        right: How many of its judged rows have a right answer.
        judged: How many rows were judged.
        size: How many tasks the suite has; None if the suite is not known or has no end.
    """

    kind: str
    rows: int
    right: int
    judged: int
    size: int | None = None

    @property
    def has_rates(self) -> bool:
        """Whether the rates of the file can be read as those of the model."""
        return not self.kind

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest accuracy on the whole suite, by the rows that are missing; None if not known."""
        if not self.size or self.judged > min(self.rows, self.size):
            return None  # several rows of a task have no such bounds
        return self.right / self.size, (self.right + self.size - self.judged) / self.size

    @property
    def note(self) -> str:
        """What was found and what to do about it, in at most three sentences; empty for a fair sample."""
        if not self.kind:
            return ""
        right = f"{self.right:,} of {plural(self.judged, 'row')} {'is' if self.right == 1 else 'are'} right"
        tasks = f"{self.rows:,} of the suite's {self.size:,} tasks" if self.size else plural(self.rows, "task")
        has = f"The file has {tasks}"
        if self.kind == FAILURES:
            why = f"{has} and {right}: it seems to hold only failures."
        else:
            why = f"{has}, with gaps all over it, and {right}: rows may have been selected by their outcome."
        if (bounds := self.bounds) is not None:
            low, high = bounds
            why += f" On the whole suite, accuracy is between {100 * low:.1f} and {100 * high:.1f} %."
        advice = (
            "Score the whole output of the model; if these rows are a random sample, pass their tasks alone as --data."
            if self.size
            else "Score the whole output of the model; if this is all of it, pass the suite's file with --data."
        )
        return f"{why} Rates are withheld, counts stay. {advice}"

    def as_json(self) -> dict[str, Any]:
        """Return the selection, as the key `selection` of `--json`."""
        bounds = self.bounds
        return {
            "kind": self.kind,
            "rows": self.rows,
            "right": self.right,
            "judged": self.judged,
            "size": self.size,
            "bounds": None if bounds is None else list(bounds),
            "note": self.note,
        }


def read_selection(row: Any) -> Selection | None:
    """Return the selection that a report stores; None if it has none."""
    if not isinstance(row, dict):
        return None
    size = row.get("size")
    rows, right, judged = (int(row.get(key, 0)) for key in ("rows", "right", "judged"))
    return Selection(str(row.get("kind", "")), rows, right, judged, None if size is None else int(size))


def detect_selection(
    names: Sequence[str], suite: Sequence[str], right: int, judged: int, *, refused: int = 0, is_whole: bool = False
) -> Selection:
    """Find out whether the rows of a file are a selection.

    Args:
        names: The distinct tasks of the file.
        suite: The names of the suite's tasks in its order, as far as they are known.
        right: How many rows have a right answer.
        judged: How many rows were judged.
        refused: How many rows the file itself calls failed.
        is_whole: Whether `suite` has all names: it has an end, and its data is there.

    Returns:
        The selection; without a kind for a fair sample, and for a file that is too small to tell.
    """
    rows = len(names)
    in_suite = {name: place for place, name in enumerate(suite)}
    places = [in_suite[name] for name in names if name in in_suite]
    is_known = len(places) >= MIN_COVERED * rows
    size = len(suite) if is_known and is_whole else None
    # A suite may be shuffled by its seed, where a file has the benchmark's own order, by its numbers.
    by_number = {name: place for place, name in enumerate(sorted(suite, key=_numbered))}
    orders = (places, [by_number[name] for name in names if name in by_number])
    is_fair = rows < MIN_ROWS or not judged
    is_fair = is_fair or (is_known and any(_is_regular(sorted(order), size) for order in orders))
    is_failures = right <= MAX_RIGHT * judged or refused >= MIN_COVERED * judged
    kind = "" if is_fair else FAILURES if is_failures else PART if is_known else ""
    return Selection(kind, rows, right, judged, size)


def _numbered(name: str) -> list[tuple[int, str]]:
    """A key that sorts `a_10` after `a_9`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name)]


def _is_regular(places: Sequence[int], size: int | None) -> bool:
    """Whether the places are the suite, a run of neighbouring tasks, or every n-th of such a run, but for lost rows."""
    if size is not None and len(places) >= MIN_COVERED * size:
        return True
    steps = Counter(after - before for before, after in pairwise(places))
    step = steps.most_common(1)[0][0]
    in_step = [place for place in places if (place - places[0]) % step == 0]
    expected = (in_step[-1] - in_step[0]) // step + 1
    return len(in_step) >= MIN_COVERED * len(places) and len(in_step) >= MIN_COVERED * expected
