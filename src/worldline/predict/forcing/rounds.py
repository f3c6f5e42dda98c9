"""A budget of queries spent in rounds: write to the end, choose the step that was least sure, write anew from there.

Where to ask never depends on the truth. How a round is written is each notation's own (`queries`, `frames.queries`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction


class Questioned(Protocol):
    """A text under inquiry: what was asked about it so far, and how sure the model was of each step."""

    spent: list[int]
    left: int | None

    @property
    def prediction(self) -> Prediction | None:
        """The text, once it was written."""
        ...

    @property
    def sure(self) -> list[StepConfidence]:
        """How sure the model was of each step."""
        ...


_Text = TypeVar("_Text", bound=Questioned)


def rounds(some: list[_Text], *, budget: int, write: Callable[[Sequence[_Text]], None]) -> Iterator[_Text]:
    """Texts with so many queries each; `write` writes those on in which the newest query can change anything."""
    if budget < 0:
        raise UsageError(f"a budget of {budget} queries")
    going = some
    for number in range(budget + 1):
        write([one for one in going if one.left is None or one.spent[-1] <= one.left])
        if number < budget:
            going = [one for one in going if _choose(one)]
    yield from some


def _choose(one: Questioned) -> bool:
    """Spends a query; False where there is no step to ask for, or the tool failed."""
    assert one.prediction is not None
    waiting = [(step.logprob, number) for number, step in enumerate(one.sure) if number not in one.spent]
    if one.prediction.status == "fault" or not waiting:
        return False
    one.spent.append(min(waiting)[1])
    return True
