"""A wrong branch: the condition that a prediction misjudged, with its true values.

Conditions are read from the events of both traces; nothing is evaluated. A caller that can execute programs
may pass `Nearest` to find the input for which the model's branch would have been right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from worldline.analyze.flow.conditions import Condition, PathView, names_of, path_conditions
from worldline.analyze.flow.functions import Functions
from worldline.core.events import CHANGELESS
from worldline.core.program import Program

if TYPE_CHECKING:
    from worldline.codec.reading import Event
    from worldline.diagnose.diagnosis import Diagnosis

CONTROL = ("line", "event", "outcome", "missing", "extra")
MAX_NAMES = 4  # names of a condition whose values are shown


@dataclass(frozen=True, kw_only=True)
class OtherInput:
    """A call for which a condition goes the other way. `exact`: every decision before it stays the same."""

    call: str
    exact: bool = True


class TurningInput(Protocol):
    """An executed input for which a condition goes the other way."""

    @property
    def call(self) -> str:
        """The call."""

    @property
    def exact(self) -> bool:
        """Whether everything before the condition went the same way."""


Nearest = Callable[[Program, int], TurningInput | None]
"""Finds the input nearest to the program's call that turns the condition of a step; None if there is none."""


# How a condition that holds, and one that does not, is described; then the same for the model's assumption.
_TRUTHS = ("is true", "is false", "were true", "were false")
_WORDS = {
    "for": ("has a next", "is over", "had a next", "were over"),
    "case": ("matches", "does not match", "matched", "did not match"),
    "except": ("takes it", "does not take it", "took it", "did not take it"),
}


@dataclass(frozen=True, kw_only=True)
class WrongBranch:
    """A condition that the model took for its opposite, with the true values of its names.

    `first`: nothing was wrong before it. `nearest` is an input for which the model's branch is right; None if
    none was found, or none `sought`.
    """

    condition: Condition
    values: Mapping[str, str]
    first: bool
    nearest: OtherInput | None = None
    sought: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the part of `debug --json` about the branch."""
        return {
            **vars(self.condition),
            "values": dict(self.values),
            "first": self.first,
            "nearest": None if self.nearest is None else vars(self.nearest),
        }

    def in_words(self, shorten: Callable[[str], str]) -> str:
        """Describe the true condition and the model's assumption. `shorten` shortens values."""
        condition, words = self.condition, _WORDS.get(self.condition.kind, _TRUTHS)
        values = " and ".join(f"{name} is {shorten(value)}" for name, value in self.values.items())
        because = f" ({values})" if values else ""
        true, other = words[not condition.taken], words[2 + condition.taken]
        return f"line {condition.line}: `{condition.text}` {true}{because}; the model continues as if it {other}"

    def nearest_in_words(self) -> str:
        """Describe the input for which the model's branch is right; empty if none was searched."""
        if self.nearest is None:
            return "no input found for which the model's branch is right" if self.sought else ""
        rest = "" if self.nearest.exact else ", after other decisions"
        return f"for {self.nearest.call} the model's branch is right{rest}"


def read_conditions(program: Program, events: Sequence[Event]) -> tuple[Condition, ...]:
    """Read the conditions of a trace; none from Meta's notation, which leaves lines open."""
    if any(event.whole or event.line is None for event in events):
        return ()
    functions, codes, firsts = Functions(program), dict[int, tuple[str, str, int]](), dict[str | None, int]()
    for event in events:
        if event.frame not in codes:
            is_first = firsts.setdefault(event.file, event.frame) == event.frame
            name = functions.name(event.file, event.line, event.values, is_first=is_first)
            codes[event.frame] = name, event.file or program.name, event.parent
    path = PathView(
        [event.event for event in events],
        [event.line or 0 for event in events],
        [event.frame for event in events],
        codes,
        lambda i: events[i].values,
        lambda i: events[i].arg,
    )
    return path_conditions(program, path)


def wrong_branch(diagnosis: Diagnosis) -> WrongBranch | None:
    """Find the condition that decided the first control-flow divergence; None if none did."""
    first = next((d for d in diagnosis.divergences if d.what in CONTROL and d.found is not None), None)
    if first is None or not diagnosis.sample.ask.program.lang.has_syntax_tree:
        return None
    wanted, got = diagnosis.truth.events, diagnosis.found.events
    step, other = _before(wanted, first.step), _before(got, first.found or 0)
    if step is None or other is None or wanted[step].action != got[other].action:
        return None
    true, predicted = (
        {
            (condition.line, condition.text, condition.kind): condition
            for condition in read_conditions(diagnosis.sample.ask.program, events)
            if condition.step == at
        }
        for events, at in ((wanted, step), (got, other))
    )
    for key, condition in true.items():
        if key in predicted and predicted[key].taken != condition.taken:
            is_first = diagnosis.divergences[0] is first
            return WrongBranch(condition=condition, values=_values(wanted, condition), first=is_first)
    return None


def _before(events: Sequence[Event], at: int) -> int | None:
    """The step before one in its frame; for a call, the newest step of the caller."""
    if at >= len(events):
        return None
    frame = events[at].parent if events[at].event == "call" else events[at].frame
    earlier = range(at - 1, -1, -1)
    return next((i for i in earlier if events[i].frame == frame and events[i].event not in CHANGELESS), None)


def _values(events: Sequence[Event], condition: Condition) -> dict[str, str]:
    """The values of a condition's names before its step."""
    frame, outer = events[condition.step].frame, events[0].frame
    known: dict[int, dict[str, str]] = {frame: {}, outer: {}}
    for event in events[: condition.step]:
        if event.frame in (frame, outer):  # a function sees the names of its module
            mine = known[event.frame]
            mine.update(event.values)
            for name in event.gone:
                mine.pop(name, None)
    every = {**known[outer], **known[frame]}
    return {name: every[name] for name in names_of(condition)[:MAX_NAMES] if name in every}
