"""A run diff in bins: where the prediction is wrong, what follows from that, and the model's confidence."""

from __future__ import annotations

import math
from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.session.run_diff import CONSEQUENTIAL, RIGHT, WRONG, RunDiff, RunDiffRow
from worldline.ui.session.stepping import OPEN, verdicts

BINS = 1_000
CODES = (RIGHT, WRONG, CONSEQUENTIAL, OPEN)
"""The verdict that each number in a bin stands for."""
_BEST_TO_WORST = (OPEN, RIGHT, CONSEQUENTIAL, WRONG)


def timeline(run_diff: RunDiff, bins: int = BINS, written: int | None = None) -> dict[str, Any]:
    """Summarise the rows in at most `bins` bins; rows from number `written` on have no verdict.

    Each bin has the worst verdicts on actions and states as numbers (`CODES`), the lowest confidence, and whether the
    left and the right run have steps there.
    """
    if bins < 1:
        raise UsageError(f"a timeline needs at least one bin, not {bins}")
    rows = run_diff.rows
    per = max(1, -(-len(rows) // bins))
    known = len(rows) if written is None else written
    spans = (range(start, min(start + per, len(rows))) for start in range(0, len(rows), per))
    first = run_diff.first if run_diff.first is not None and run_diff.first < known else None
    return {"rows": len(rows), "per": per, "first": first, "bins": [_bin(run_diff, span, known) for span in spans]}


def _bin(run_diff: RunDiff, span: range, written: int) -> list[Any]:
    rows = run_diff.rows[span.start : span.stop]
    actions, states = zip(*(verdicts(run_diff, n, written) for n in span), strict=True)
    confidences = [confidence for row in rows if (confidence := _confidence(run_diff, row)) is not None]
    return [
        *(CODES.index(max(verdict, key=_BEST_TO_WORST.index)) for verdict in (actions, states)),
        min(confidences, default=None),
        int(any(row.left is not None for row in rows)),
        int(any(row.right is not None for row in rows)),
    ]


def _confidence(run_diff: RunDiff, row: RunDiffRow) -> float | None:
    """The confidence of the right run in its step, or of the left one if the right has none."""
    for run, step in ((run_diff.right, row.right), (run_diff.left, row.left)):
        confidence = run.confidence(step) if run is not None and step is not None else None
        if confidence is not None:
            return math.prod(confidence)
    return None
