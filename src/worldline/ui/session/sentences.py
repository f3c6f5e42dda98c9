"""Differences and causes as sentences, the same for every front end. Texts are cut; whoever shows them escapes them."""

from __future__ import annotations

from collections.abc import Iterable

from worldline.diagnose.cause import Cause
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence
from worldline.ui.session.clip import cut

LONGEST = 200  # characters of a value in a sentence
_DOES = {"event": "does", "line": "does", "missing": "leaves it out and does", "extra": "first does"}
_ABOUT = {"output": "the output", "outcome": "the outcome"}


def differences_in_words(differs: Iterable[Divergence]) -> str:
    """What differs at a row: what is so, and what the model makes of it."""
    sentences = (_action(each) if each.what in _DOES else _state(each) for each in differs)
    return "; ".join(sentences) or "it differs from what happens"


def _action(each: Divergence) -> str:
    wanted, got = cut(each.wanted or "the end", LONGEST), cut(each.got or "", LONGEST)
    return f"{wanted} comes next, and the model " + (f"{_DOES[each.what]} {got}" if got else "says no more")


def _state(each: Divergence) -> str:
    where = f"line {each.line}: " if each.line else ""
    about = "its hidden input" if each.name == HIDDEN else each.name or _ABOUT.get(each.what, "the value")
    return f"{where}{about} is {_worth(each.wanted)}, to the model {_worth(each.got)}"


def _worth(value: str | None) -> str:
    if value is None:
        return "as before"
    if value.startswith("&"):
        return f"the same as {value[1:]}" if value[1:] else "an object of its own"
    return "gone" if value == GONE else cut(value, LONGEST)


def cause_in_words(cause: Cause) -> str:
    """A cause, with what it is about and its evidence."""
    about = ", ".join(part for part in (cause.detail, cause.operation, cause.type, cause.under) if part)
    return f"{cause.name}{f' ({about})' if about else ''}{f': {cause.evidence}' if cause.evidence else ''}"
