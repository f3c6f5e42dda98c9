"""A whole pair in so many bins: where something is wrong, what follows from it, and how sure the model was."""

from __future__ import annotations

from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.session.run_diff import CONSEQUENTIAL, RIGHT, WRONG, RunDiff, RunDiffRow
from worldline.ui.session.stepping import OPEN, verdicts

BINS = 1_000
CODES = (RIGHT, WRONG, CONSEQUENTIAL, OPEN)
"""What the numbers of a bin mean."""
_RANKED = (OPEN, RIGHT, CONSEQUENTIAL, WRONG)  # the worst of a bin is shown
_RANK = {verdict: rank for rank, verdict in enumerate(_RANKED)}


def timeline(run_diff: RunDiff, bins: int = BINS, written: int | None = None) -> dict[str, Any]:
    """The rows in bins: action and state as numbers (CODES), the least sure, which sides have steps.

    Of rows behind the first `written` ones, where that is said, nothing is judged.
    """
    if bins < 1:
        raise UsageError(f"a timeline has a bin or more, not {bins}")
    rows = run_diff.rows
    per = max(1, -(-len(rows) // bins))
    known = len(rows) if written is None else written
    spans = (range(start, min(start + per, len(rows))) for start in range(0, len(rows), per))
    found = [_bin(run_diff, span, known) for span in spans]
    first = run_diff.first if run_diff.first is not None and run_diff.first < known else None
    return {"rows": len(rows), "per": per, "first": first, "bins": found}


def _bin(run_diff: RunDiff, span: range, written: int) -> list[Any]:
    rows = run_diff.rows[span.start : span.stop]
    told = [verdicts(run_diff, n, written) for n in span]
    sure = [chance for row in rows if (chance := _sure(run_diff, row)) is not None]
    return [
        *(CODES.index(_RANKED[max(_RANK[one[what]] for one in told)]) for what in (0, 1)),
        min(sure, default=None),
        int(any(row.left is not None for row in rows)),
        int(any(row.right is not None for row in rows)),
    ]


def _sure(run_diff: RunDiff, row: RunDiffRow) -> float | None:
    """How sure the right side was of its step, or, where it does not say, the left."""
    for run, step in ((run_diff.right, row.right), (run_diff.left, row.left)):
        sure = run.sure(step) if run is not None and step is not None else None
        if sure is not None:
            return sure[0] * sure[1]
    return None
