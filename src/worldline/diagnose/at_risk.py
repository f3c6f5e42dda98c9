"""The values that a true run tells, one by one, as far as a prediction came: what was at risk, and what went wrong.

A value counts where it is told anew and all before it was predicted right, so that every one of them could have been
the first wrong one. It does not say what computed a wrong value: that is `blame`'s; nor what ran: `executed`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.codec.reading import Event, Reading
from worldline.core.value import kind
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence

_VALUES = (
    "value",
    "names",
    "output",
    "outcome",
)  # divergences that are about a value, where it is a told one


class ValueAtRisk(NamedTuple):
    """One value of a true run: the step, the name (none: what the step returns, raises or prints), the text."""

    step: int
    name: str | None
    text: str
    type: str
    is_wrong: bool = False


def values(truth: Reading) -> Iterator[ValueAtRisk]:
    """Every value that a run tells, where it is new: Meta's notation repeats all locals, which tells nothing."""
    known: dict[int, Mapping[str, str]] = {}
    for step, event in enumerate(truth.events):
        before = known.get(event.frame, {}) if event.whole and event.event != "call" else {}
        for name, text in event.values.items():
            if before.get(name) != text:
                yield ValueAtRisk(step, name, text, kind(text))
        if event.whole:
            known[event.frame] = event.values
        if event.arg is not None:
            yield ValueAtRisk(step, None, event.arg, _type(event))


def _type(event: Event) -> str:
    return {"raise": "exception", "output": "output"}.get(event.event) or kind(event.arg or "")


def at_risk(diagnosis: Diagnosis) -> Iterator[ValueAtRisk]:
    """The values up to the first wrong one, and that one; where something else went wrong, those before it."""
    first, is_about_value = diagnosis.first, is_value(diagnosis)
    for value in values(diagnosis.truth):
        if first is not None and value.step >= first.step + is_about_value:
            return
        if first is not None and value.step == first.step and _is_it(value, first):
            yield value._replace(is_wrong=True)
            return
        yield value


def _is_it(value: ValueAtRisk, first: Divergence) -> bool:
    return (value.name, value.text) == (first.name, first.wanted)


def _is_action(diagnosis: Diagnosis) -> bool:
    """Whether the cause is a wrong action, of which a missing value is only a part."""
    return "wrong action" in (diagnosis.cause.name, diagnosis.cause.under)


def is_value(diagnosis: Diagnosis) -> bool:
    """Whether what went wrong first is a value."""
    first = diagnosis.first
    return first is not None and not first.is_cut and first.what in _VALUES and not _is_action(diagnosis)
