"""Why a value of a run diff is wrong: the chain behind it, for every front end, and as JSON with rows to go to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldline.core.errors import UsageError
from worldline.diagnose.cause import Cause
from worldline.diagnose.why.chain import WhyChain, WhyLink, is_different
from worldline.diagnose.why.sentences import place_in_words, verb_in_words
from worldline.diagnose.why.why import asked_value, why_value
from worldline.ui.session.branches.as_json import plain
from worldline.ui.session.clip import cut
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff

MAX_CHAIN_VALUE_CHARS = 400
MAX_STORED_CHAINS = 64  # of one run diff in a bundle
FramePair = tuple[int | None, int | None]


def why_row(
    run_diff: RunDiff,
    row: int,
    name: str | None,
    *,
    frames: FramePair = (None, None),
    before: bool = False,
    cause: Cause | None = None,
) -> WhyChain:
    """Explain a value of a row.

    Args:
        run_diff: Both runs.
        row: The number of the row.
        name: A name or a part of one, as of after the row; None for what the row's steps return, raise or print.
        frames: The frame of the name in the left and in the right run, if it is not that of the row.
        before: Whether the values before the row are meant.
        cause: The cause of the first divergence, if the left run is the truth.

    Raises:
        UsageError: There is no such row, or neither run has such a value there.
    """
    runs = run_diff.compared
    if not 0 <= row < len(run_diff.rows):
        raise UsageError(f"there is no row {row} of {len(run_diff.rows)}")
    for run, frame in ((runs.truth, frames[0]), (runs.found, frames[1])):
        if frame is not None and frame not in run.steps:
            raise UsageError(f"there is no frame {frame}")
    value = asked_value(runs, name, min(row, len(runs.pairs) - 1), frames=frames, before=before)
    return why_value(runs, value, cause=cause)


def chain_json(chain: WhyChain, run_diff: RunDiff) -> dict[str, Any]:
    """Return a chain as JSON: values are shortened, links have their rows and their words."""
    links = [_link_json(link, run_diff) for link in chain.links]
    answer: dict[str, Any] = plain({**_clipped(chain.as_json()), "links": links})
    return answer


def _link_json(link: WhyLink, run_diff: RunDiff) -> dict[str, Any]:
    fields = _clipped({**vars(link), "is_wrong": link.is_wrong})
    fields["operands"] = [_clipped({**vars(operand), "is_wrong": operand.is_wrong}) for operand in link.operands]
    side, step = ("right", link.found) if link.found is not None else ("left", link.truth)
    row = run_diff.row_of(side, step or 0)
    return {**fields, "row": row, "place": place_in_words(link), "verb": verb_in_words(link)}


def _clipped(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: cut(value, MAX_CHAIN_VALUE_CHARS) if isinstance(value, str) else value for name, value in fields.items()
    }


def stored_chains(run_diff: RunDiff, cause: Cause | None = None) -> dict[str, dict[str, Any]]:
    """Return the chains of the wrong values of a run diff, by `chain_key`, for a page without a server."""
    chains: dict[str, dict[str, Any]] = {}
    if run_diff.left is None:
        return chains
    for row, name, frames, key in _wrong_values(run_diff, run_diff.left):
        if len(chains) == MAX_STORED_CHAINS:
            break
        if key not in chains:
            chains[key] = chain_json(why_row(run_diff, row, name, frames=frames, cause=cause), run_diff)
    return chains


def chain_key(name: str | None, frames: FramePair, rows: tuple[int | None, int | None]) -> str:
    """Return the key of a stored chain: a name with the rows that wrote it; without a name, the row that hands it on.

    The page computes the same key (static/why.js).
    """
    places = [*(() if name is None else frames), *rows]
    return "/".join(["" if place is None else str(place) for place in places] + [name or ""])


def _wrong_values(run_diff: RunDiff, left: Run) -> Iterator[tuple[int, str | None, FramePair, str]]:
    """Yield the row, name, frames and key of every wrong value, where a row hands it on or reports its change."""
    runs, right = run_diff.compared, run_diff.right
    steps = [-1, -1]
    for n, row in enumerate(run_diff.rows):
        touched: dict[tuple[int, int, str], None] = {}
        args: list[str | None] = [None, None]
        for side, (run, step) in enumerate(((left, row.left), (right, row.right))):
            if step is None:
                continue
            steps[side], args[side] = step, run.events[step].arg
            for write in run.writes(step):
                other = (runs.frame_in_truth if side else runs.frame_in_found)(write.frame)
                if other is not None:
                    touched[(other, write.frame, write.name) if side else (write.frame, other, write.name)] = None
        if is_different(*args):
            yield n, None, (None, None), chain_key(None, (None, None), (n, None))
        for true_frame, frame, name in touched if -1 not in steps else ():
            values = left.history.value(true_frame, name, steps[0]), right.history.value(frame, name, steps[1])
            texts = [value[0] if value is not None else None for value in values]
            if is_different(*texts):
                rows = [
                    run_diff.row_of(side, value[1]) if value is not None and value[0] is not None else None
                    for side, value in zip(("left", "right"), values, strict=True)
                ]
                yield n, name, (true_frame, frame), chain_key(name, (true_frame, frame), (rows[0], rows[1]))
