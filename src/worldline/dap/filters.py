"""Exception filters that are ways to go wrong: where a run stops because it parts from the truth, or raises.

`first-action` and `first-state` are the two ways in which a world model errs at all; `wrong` is each time that it errs
anew; `divergence` is every difference, also those that only follow. A cause names the one divergence that `diagnose`
blames. A wrong action stops before its line, a wrong state where it is to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from worldline.dap.track import Track
from worldline.dap.variables import cut
from worldline.diagnose.cause import CAUSES, Cause
from worldline.diagnose.diverge import GONE, Divergence
from worldline.explore.pair import Pair, PairRow

RAISED = "raised"
NO_DIVERGENCE = ("right", "scorer artefact", "tool fault")  # causes at which no step goes wrong
CAUSED = {name.replace(" ", "-") for name in CAUSES if name not in NO_DIVERGENCE}
FILTERS = {
    "first-action": ("First wrong action", "the model goes to a line that does not come next"),
    "first-state": ("First wrong state", "a value, name or output that the line does not leave"),
    "wrong": ("Every new error", "it goes wrong although all that it knew was right"),
    "divergence": ("Any divergence", "whatever differs from the interpreter, also as a consequence"),
    **{
        name.replace(" ", "-"): (f"Cause: {name}", "where the cause of the first divergence is this one")
        for name in CAUSES
        if name not in NO_DIVERGENCE
    },
    RAISED: ("Raised exceptions", "the program raises, as the model imagines it"),
}
DEFAULT = ("first-action", "first-state")
_DOES = {"event": "does", "line": "does", "missing": "leaves it out and does", "extra": "first does"}
_ABOUT = {"output": "the output", "outcome": "the outcome"}


@dataclass(frozen=True)
class Wrong:
    """A place where something is wrong: its filter, in a few words, and in full."""

    place: int
    filter: str
    title: str
    told: str


def wrongs(track: Track, pair: Pair | None, cause: Cause | None, *, growing: bool = False) -> list[Wrong]:
    """Every place where something is wrong, in the order of places.

    While the run still grows, only what more steps cannot change: up to the first wrong action, and without a cause.
    """
    found = list(_raised(track))
    if pair is not None:
        found += _parted(track, pair, growing)
        found += () if growing else _blamed(track, cause)
    return sorted(found, key=lambda one: one.place)


def _raised(track: Track) -> Iterator[Wrong]:
    for p, moment in enumerate(track.moments):
        if moment.event == "raise":
            yield Wrong(p, RAISED, (moment.arg or "").partition("(")[0] or "an exception", moment.arg or "")


def _parted(track: Track, pair: Pair, growing: bool) -> Iterator[Wrong]:
    """What a pair of runs says, row by row."""
    firsts: set[str] = set()
    for row, following in zip(pair.rows, _following(pair, len(track)), strict=True):
        if growing and row.right is None:
            return
        for what, verdict in (("action", row.action), ("state", row.state)):
            if verdict == "right":
                continue
            place, told = _place(track, row, what, following), in_words(row.differs)
            if growing and place >= len(track):
                return
            if verdict == "wrong" and what not in firsts:
                firsts.add(what)
                yield Wrong(place, f"first-{what}", f"wrong {what}", told)
            if verdict == "wrong":
                yield Wrong(place, "wrong", f"wrong {what}", told)
            if row.differs:
                yield Wrong(place, "divergence", f"{verdict} {what}", told)
        if growing and row.action != "right":
            return


def _following(pair: Pair, end: int) -> list[int]:
    """For each row the found step in it, or the next that there is."""
    found = []
    for row in reversed(pair.rows):
        end = end if row.right is None else row.right
        found.append(end)
    return found[::-1]


def _place(track: Track, row: PairRow, what: str, following: int) -> int:
    """Where a row's error is seen: a missing step, before the next one that there is."""
    if row.right is None:
        return following
    if what == "action":
        return row.right
    if any(one.name not in (None, "%") for one in row.differs):
        return track.settled(row.right)
    return min(row.right + 1, len(track))


def _blamed(track: Track, cause: Cause | None) -> Iterator[Wrong]:
    if cause is None or cause.name in NO_DIVERGENCE:
        return
    first = cause.divergence
    place = len(track)
    if first is not None and first.found is not None and first.found < len(track):
        is_state = first.what in ("value", "names", "output", "outcome")
        is_named = first.name not in (None, "%")
        place = track.settled(first.found) if is_state and is_named else first.found + is_state
    told = cause_in_words(cause)
    names = {cause.name, cause.under} - {""}
    for name in sorted(names):
        yield Wrong(min(place, len(track)), name.replace(" ", "-"), name, told)


def in_words(differs: Iterable[Divergence]) -> str:
    """What differs at a row: what is so, and what the model makes of it."""
    told = (_action(each) if each.what in _DOES else _state(each) for each in differs)
    return "; ".join(told) or "it differs from what happens"


def _action(each: Divergence) -> str:
    wanted, got = cut(each.wanted or "the end", 200), cut(each.got or "", 200)
    return f"{wanted} comes next, and the model " + (f"{_DOES[each.what]} {got}" if got else "says no more")


def _state(each: Divergence) -> str:
    where = f"line {each.line}: " if each.line else ""
    about = "its hidden input" if each.name == "%" else each.name or _ABOUT.get(each.what, "the value")
    return f"{where}{about} is {_worth(each.wanted)}, to the model {_worth(each.got)}"


def _worth(value: str | None) -> str:
    if value is None:
        return "as before"
    if value.startswith("&"):
        return f"the same as {value[1:]}" if value[1:] else "an object of its own"
    return "gone" if value == GONE else cut(value, 200)


def cause_in_words(cause: Cause) -> str:
    """A cause, with what it is about and its evidence."""
    about = ", ".join(part for part in (cause.detail, cause.operation, cause.type, cause.under) if part)
    return f"{cause.name}{f' ({about})' if about else ''}{f': {cause.evidence}' if cause.evidence else ''}"
