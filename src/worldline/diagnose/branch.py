"""Where a prediction takes a wrong branch: the condition of the true path, and what it held for.

The truth's conditions are read off its events, the model's off what it wrote; nothing is evaluated. Who can run
programs may say at which input the model's branch would have been right (`Nearest`): diagnosing runs nothing itself.
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
    from worldline.diagnose.diverge import Divergence

CONTROL = ("line", "event", "outcome", "missing", "extra")
NAMES = 4  # of a test, whose values are told


@dataclass(frozen=True, kw_only=True)
class OtherInput:
    """A call at which a condition goes the other way; `exact`: all that came before it went the same way."""

    call: str
    exact: bool = True


class TurningInput(Protocol):
    """An input that was executed, and at which a condition goes the other way."""

    @property
    def call(self) -> str:
        """The call."""

    @property
    def exact(self) -> bool:
        """Whether everything before the condition went the same way."""


Nearest = Callable[[Program, int], TurningInput | None]
"""Who runs programs says which input, nearest to a program's call, turns the condition of a step; None: none found."""


# What a test does where it holds and where not, and what a model goes on as if it did.
_TRUTHS = ("is true", "is false", "were true", "were false")
_WORDS = {
    "for": ("has a next", "is over", "had a next", "were over"),
    "case": ("matches", "does not match", "matched", "did not match"),
    "except": ("takes it", "does not take it", "took it", "did not take it"),
}


@dataclass(frozen=True, kw_only=True)
class WrongBranch:
    """A condition that the model took for the opposite: the true one, and the values that it was of, by name.

    `first` says whether nothing was wrong before it. `nearest` is an input at which the model would have been right,
    None where none was found, or none was `sought`.
    """

    condition: Condition
    values: Mapping[str, str]
    first: bool
    nearest: OtherInput | None = None
    sought: bool = False

    def as_json(self) -> dict[str, Any]:
        """What `debug --json` prints of it."""
        told = {**vars(self.condition), "values": dict(self.values), "first": self.first}
        return {**told, "nearest": None if self.nearest is None else vars(self.nearest)}

    def in_words(self, shorten: Callable[[str], str]) -> str:
        """The condition of the true path, and that the model went the other way."""
        one, words = self.condition, _WORDS.get(self.condition.kind, _TRUTHS)
        values = " and ".join(f"{name} is {shorten(value)}" for name, value in self.values.items())
        since = f", since {values}" if values else ""
        true, other = words[not one.taken], words[2 + one.taken]
        return f"line {one.line}: `{one.text}` {true}{since}; the model went on as if it {other}"

    def nearest_in_words(self) -> str:
        """At which input the model's branch is right."""
        if self.nearest is None:
            return "no input was found at which the model's branch is the true one" if self.sought else ""
        rest = "" if self.nearest.exact else ", after another beginning"
        return f"at {self.nearest.call} the model's branch is the true one{rest}"


def read_conditions(program: Program, events: Sequence[Event]) -> tuple[Condition, ...]:
    """The conditions of a run as a text tells it; none of Meta's notation, which leaves lines open."""
    if any(event.whole or event.line is None for event in events):
        return ()
    functions, codes, firsts = Functions(program), dict[int, tuple[str, str, int]](), dict[str | None, int]()
    for event in events:
        if event.frame not in codes:
            is_first = firsts.setdefault(event.file, event.frame) == event.frame
            name = functions.name(event.file, event.line, event.values, is_first=is_first)
            codes[event.frame] = name, event.file or program.name, event.parent
    path = PathView(
        [event.event for event in events], [event.line or 0 for event in events], [event.frame for event in events],
        codes, lambda i: events[i].values, lambda i: events[i].arg,
    )  # fmt: skip
    return path_conditions(program, path)


def wrong_branch(diagnosis: Diagnosis) -> WrongBranch | None:
    """Where the prediction first goes another way than the truth, if a condition decided that; None otherwise."""
    parts = (one for one in diagnosis.divergences if one.what in CONTROL and one.found is not None)
    first = next(parts, None)
    if first is None or not diagnosis.sample.ask.program.lang.has_syntax_tree:
        return None
    wanted, got = diagnosis.truth.events, diagnosis.found.events
    step, other = _before(wanted, first.step), _before(got, first.found or 0)
    if step is None or other is None or wanted[step].action != got[other].action:
        return None
    true, said = (
        {
            (one.line, one.text, one.kind): one
            for one in read_conditions(diagnosis.sample.ask.program, events)
            if one.step == at
        }
        for events, at in ((wanted, step), (got, other))
    )
    for key, one in true.items():
        if key in said and said[key].taken != one.taken:
            return WrongBranch(condition=one, values=_values(wanted, one), first=_is_first(diagnosis, first))
    return None


def _is_first(diagnosis: Diagnosis, control: Divergence) -> bool:
    return diagnosis.divergences[0] is control


def _before(events: Sequence[Event], at: int) -> int | None:
    """The step before one in its frame; of a frame that begins, the newest step of the frame around it."""
    if at >= len(events):
        return None
    frame = events[at].parent if events[at].event == "call" else events[at].frame
    earlier = range(at - 1, -1, -1)
    return next((i for i in earlier if events[i].frame == frame and events[i].event not in CHANGELESS), None)


def _values(events: Sequence[Event], one: Condition) -> dict[str, str]:
    """The values of a test's names before its step, in the order in which it has them."""
    frame, outer = events[one.step].frame, events[0].frame
    known: dict[int, dict[str, str]] = {frame: {}, outer: {}}
    for event in events[: one.step]:
        if event.frame in (frame, outer):  # a module's names are a function's too
            mine = known[event.frame]
            mine.update(event.values)
            for name in event.gone:
                mine.pop(name, None)
    every = {**known[outer], **known[frame]}
    return {name: every[name] for name in names_of(one)[:NAMES] if name in every}
