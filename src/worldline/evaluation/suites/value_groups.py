"""Values of steps by what they hold: a string, a container or object with a string, or neither.

Each step is predicted from the true text before it. Its values are those it gives to names or returns. They count only
if the step's action is right: a value of another step is not comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from worldline.codec.reading import Event
from worldline.core.clusters.shares import clustered
from worldline.core.malformed import Malformed
from worldline.core.stats import Share
from worldline.core.value import Value, equal, parse
from worldline.diagnose.reading import read
from worldline.evaluation.table import Table
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.prediction import Prediction, PredictionRequest

STRING, HOLDING, OTHER = GROUPS = ("string", "holding strings", "other")
TITLE = "wrong values by what they hold"
NOTE = "every step is predicted after the truth; values of steps with a wrong action are not counted"

Counts = Mapping[str, tuple[int, int]]
"""Wrong values and all values, by group."""


class CountedValues(Protocol):
    """A program whose values were counted."""

    @property
    def values(self) -> Counts | None:
        """The counts; None if they are not known."""


def value_group(text: str) -> str:
    """Return the group of a canonical value."""
    value = parse(text)
    if isinstance(value, Malformed):
        return OTHER
    if value.kind == "str":
        return STRING
    return HOLDING if any(part.kind == "str" for part in _parts(value)) else OTHER


def _parts(value: Value) -> Iterator[Value]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += [*part.items, *(field for _, field in part.fields)]


def count_values(ask: PredictionRequest, rolled: ForcedRollout, ends: Iterable[bytes]) -> Counts | None:
    """Count the values of a rollout under the forcing `next`; None if its text does not have one event per step.

    Args:
        ask: The request.
        rolled: The rollout.
        ends: Texts that are not steps.

    Returns:
        The counts by group.
    """
    truth, own, at = rolled.prediction, list[tuple[int, bytes | None]](), 0
    for step in rolled.steps:
        if step.wanted not in ends:
            is_equal = step.same_action and step.same_state
            own.append((at, None if is_equal or step.found is None else step.found))
        at += len(step.wanted)
    actual = read(ask, truth).events
    if len(actual) != len(own):
        return None
    counts = dict.fromkeys(GROUPS, (0, 0))
    for number, (expected, (start, found_text)) in enumerate(zip(actual, own, strict=True)):
        predicted = expected if found_text is None else _event(ask, truth, truth.text[:start] + found_text, number)
        if predicted is None or predicted.action == expected.action:
            for value, is_wrong in _judged(expected, predicted):
                wrong, total = counts[group := value_group(value)]
                counts[group] = wrong + is_wrong, total + 1
    return counts


def _event(ask: PredictionRequest, truth: Prediction, text: bytes, number: int) -> Event | None:
    events = read(ask, Prediction(text=text, status="budget", codec=truth.codec)).events
    return events[number] if number < len(events) else None


def _judged(expected: Event, predicted: Event | None) -> Iterator[tuple[str, bool]]:
    """Yield each value of a true step, and whether the prediction has another one or none."""
    pairs = [(value, predicted.values.get(name) if predicted else None) for name, value in expected.values.items()]
    if expected.arg is not None and expected.event == "return":
        pairs.append((expected.arg, predicted.arg if predicted else None))
    yield from ((value, other is None or (value != other and not equal(value, other))) for value, other in pairs)


def by_value(programs: Iterable[CountedValues]) -> Table:
    """Return the share of wrong values by group, with intervals clustered by program."""
    known = [program.values for program in programs if program.values is not None]
    rows = [(group, _share(counts.get(group, (0, 0)) for counts in known)) for group in GROUPS]
    return Table(TITLE, ("values", "wrong"), tuple(rows) if known else (), NOTE)


def _share(counts: Iterable[tuple[int, int]]) -> Share:
    return clustered((wrong, total) for wrong, total in counts)
