"""A whole pair in so many bins: where something is wrong, what follows from it, and how sure the model was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldline.errors import UsageError
from worldline.explore.pair import CONSEQUENTIAL, RIGHT, WRONG, Pair, PairRow

BINS = 1_000
_RANK = {RIGHT: 0, CONSEQUENTIAL: 1, WRONG: 2}  # the worst of a bin is shown
_CODE = (0, 2, 1)


def timeline(pair: Pair, bins: int = BINS) -> dict[str, Any]:
    """The rows in bins: action, state (0 right, 1 wrong, 2 consequential), the least sure, which sides have steps."""
    if bins < 1:
        raise UsageError(f"a timeline has a bin or more, not {bins}")
    rows = pair.rows
    per = max(1, -(-len(rows) // bins))
    found = [_bin(pair, rows[start : start + per]) for start in range(0, len(rows), per)]
    return {"rows": len(rows), "per": per, "first": pair.first, "bins": found}


def _bin(pair: Pair, rows: Sequence[PairRow]) -> list[Any]:
    sure = [chance for row in rows if (chance := _sure(pair, row)) is not None]
    return [
        _CODE[max(_RANK[row.action] for row in rows)],
        _CODE[max(_RANK[row.state] for row in rows)],
        min(sure, default=None),
        int(any(row.left is not None for row in rows)),
        int(any(row.right is not None for row in rows)),
    ]


def _sure(pair: Pair, row: PairRow) -> float | None:
    """How sure the right side was of its step, or, where it does not say, the left."""
    for side, step in ((pair.right, row.right), (pair.left, row.left)):
        sure = side.sure(step) if side is not None and step is not None else None
        if sure is not None:
            return sure[0] * sure[1]
    return None
