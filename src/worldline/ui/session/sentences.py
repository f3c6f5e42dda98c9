"""Differences and causes as sentences, the same in every front end. Texts are shortened but not escaped."""

from __future__ import annotations

from collections.abc import Iterable

from worldline.diagnose.cause import Cause
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence
from worldline.ui.session.clip import cut

MAX_VALUE_CHARS = 200
_ACTIONS = {"event": "predicts", "line": "predicts", "missing": "skips it and predicts", "extra": "first predicts"}
_SUBJECTS = {"output": "the output", "outcome": "the outcome"}


def differences_in_words(differs: Iterable[Divergence]) -> str:
    """Describe the divergences of a row: what is actual, and what the model predicted."""
    sentences = (_action(divergence) if divergence.what in _ACTIONS else _state(divergence) for divergence in differs)
    return "; ".join(sentences) or "the prediction diverges"


def _action(divergence: Divergence) -> str:
    actual = cut(divergence.wanted or "the end", MAX_VALUE_CHARS)
    predicted = cut(divergence.got or "", MAX_VALUE_CHARS)
    action = f"{_ACTIONS[divergence.what]} {predicted}" if predicted else "predicts nothing more"
    return f"{actual} comes next, but the model {action}"


def _state(divergence: Divergence) -> str:
    place = f"line {divergence.line}: " if divergence.line else ""
    subject = divergence.name or _SUBJECTS.get(divergence.what, "the value")
    if divergence.name == HIDDEN:
        subject = "its hidden input"
    return f"{place}{subject} is {_value(divergence.wanted)}, predicted {_value(divergence.got)}"


def _value(value: str | None) -> str:
    if value is None:
        return "unchanged"
    if value.startswith("&"):
        return f"the same object as {value[1:]}" if value[1:] else "an object of its own"
    return "deleted" if value == GONE else cut(value, MAX_VALUE_CHARS)


def cause_in_words(cause: Cause) -> str:
    """Describe a cause: its name, its details and its evidence."""
    details = ", ".join(part for part in (cause.detail, cause.blamed, cause.type, cause.under) if part)
    return f"{cause.name}{f' ({details})' if details else ''}{f': {cause.evidence}' if cause.evidence else ''}"
