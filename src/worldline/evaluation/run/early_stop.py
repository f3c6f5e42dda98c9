"""Stops a run whose first answers are all unreadable: it would measure the way of asking, and not the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from worldline.evaluation.run.record import Record
from worldline.evaluation.run.text_form import is_checkpoint
from worldline.evaluation.score import Verdict
from worldline.predict.predictor import ModelInfo

FIRST_ANSWERS = 8  # that decide


class EarlyStop:
    """Decides once, after the first answers. A run that stores a readable answer is never stopped."""

    def __init__(self, *, is_active: bool, stored: Iterable[Record] = ()) -> None:
        self._is_active = is_active and not any(record.counts and record.verdict().is_readable for record in stored)

    def should_stop(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether the first answers are there, and none of them can be read."""
        if not self._is_active or len(verdicts) != FIRST_ANSWERS:
            return False
        return not any(verdict.is_readable for verdict in verdicts)


def can_be_asked_otherwise(model: ModelInfo) -> bool:
    """Whether another way of asking may help: not if texts are stored, or a checkpoint has learned too little."""
    return not model.is_replay and not is_checkpoint(model.name, is_scored=False)


def take_verdicts(
    batches: Iterator[Iterable[Verdict]],
    verdicts: list[Verdict],
    early: EarlyStop,
    *,
    on_verdict: Callable[[Verdict], None] | None,
    on_batch: Callable[[], None],
) -> bool:
    """Add the verdicts of all batches to those of a run, and return whether it was stopped early.

    Requests in progress end with it: batches are closed. `on_batch` is called after each.
    """
    try:
        for batch in batches:
            try:
                for verdict in batch:
                    verdicts.append(verdict)
                    if on_verdict is not None:
                        on_verdict(verdict)
                    if early.should_stop(verdicts):
                        return True
            finally:
                _close(batch)
                on_batch()
    finally:
        _close(batches)
    return False


def _close(values: Iterable[object]) -> None:
    """Close a generator; other iterables hold nothing open."""
    getattr(values, "close", lambda: None)()
