"""The values of a true trace that a prediction reached: which were at risk, and which one went wrong.

A value counts when it is new and everything before it was predicted right, so each of them could have been
the first wrong one. `blame` finds what computed a wrong value; `blame.executed` counts what was executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.codec.reading import Event, Reading
from worldline.core.value import kind
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence

# Divergences that may be about a value.
_VALUES = ("value", "names", "output", "outcome")


class ValueAtRisk(NamedTuple):
    """A value of a true trace. `name` is None for what a step returns, raises or prints."""

    step: int
    name: str | None
    text: str
    type: str
    is_wrong: bool = False


def values(truth: Reading) -> Iterator[ValueAtRisk]:
    """Yield every new value of a trace. Meta's notation repeats all locals: repetitions are skipped."""
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
    """Yield the values up to the first wrong one, with it; or those before another kind of error."""
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
    return "wrong action" in (diagnosis.cause.name, diagnosis.cause.under)


def is_value(diagnosis: Diagnosis) -> bool:
    """Tell whether the first divergence is a wrong value, not part of a wrong action."""
    first = diagnosis.first
    return first is not None and not first.is_cut and first.what in _VALUES and not _is_action(diagnosis)
