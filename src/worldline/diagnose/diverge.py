"""Where a prediction parts from the truth: the first divergence and every later one, and what differs there.

Both are aligned by event and line, again after wrong, missing and extra steps; then step is compared with step, values
as values. In Meta's notation, which repeats all locals, a difference counts where it begins, not where it lasts.
Why they part is not said here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.analyze.flow.functions import Functions
from worldline.codec.reading import Event, Reading
from worldline.core.events import FINAL, Pending
from worldline.core.value import equal
from worldline.diagnose.align import Span, align
from worldline.diagnose.value_diff import ValueDifference, difference

WHATS = ("event", "line", "names", "value", "output", "outcome", "missing", "extra")
HIDDEN = "%"  # the name under which hidden inputs are told
Draws = tuple[tuple[str, str], ...]  # the hidden inputs of a step: kind and value
GONE = "-"  # stands for the value of a name that is gone, as in the compact notation


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """One difference: the true step, the found one (None: the text has ended), what differs, and both sides.

    `names`: one side has no change of `name` (None), drops it (`-`), or has another sharing mark (`&other`).
    `value` without a name is what a step returns, yields or raises; of the name `%`, its hidden inputs. `steps` says
    how many steps of each side a stretch that does not align has.
    """

    step: int
    found: int | None
    what: str
    line: int | None = None
    name: str | None = None
    wanted: str | None = None
    got: str | None = None
    part: ValueDifference | None = None
    steps: tuple[int, int] = (1, 1)

    @property
    def is_cut(self) -> bool:
        """Whether nothing is wrong but that the text stops here, unfinished."""
        return self.what == "missing" and self.found is None


def diverge(truth: Reading, found: Reading) -> tuple[Divergence, ...]:
    """Every divergence, in the order in which a text tells them; none where both say the same and end alike."""
    return tuple(_divergences(truth, found))


def _divergences(truth: Reading, found: Reading) -> Iterator[Divergence]:
    wanted, got = truth.events, found.events
    pairs = _Pairs(truth.outcome if truth.ended else -1)
    stop = len(wanted)
    for span in aligned(wanted, got):
        if span.agrees:
            for i, j in zip(
                range(span.truth, span.truth + span.wanted), range(span.found, len(got)), strict=False
            ):
                if not pairs.are_same(wanted[i], got[j]):
                    yield from pairs.compare(i, wanted[i], j, got[j])
        elif span.found == len(got):
            stop = span.truth
        else:
            pairs.is_shifted = True
            if span.truth < len(wanted):
                yield from _guessed(span, wanted[span.truth], got[span.found])
            yield from pairs.settle(*(event.frame for event in wanted[span.truth : span.truth + 1]))
            if span.truth < len(wanted) or truth.ended:  # what follows a cut truth is not known
                yield _parted(span, wanted, got, pairs.outcome)
    yield from pairs.settle(*list(pairs.pending.steps))
    yield from _end(truth, found, stop)


def _guessed(span: Span, one: Event, other: Event) -> Iterator[Divergence]:
    """A draw that came out otherwise, at a step behind which both go other ways: it came first."""
    if is_guess(one.hidden, other.hidden):
        here = _Here(span.truth, span.found, one.line)
        yield here.tells("value", HIDDEN, _hidden(one), _hidden(other))


def is_guess(one: Draws, other: Draws) -> bool:
    """Whether the first hidden input in which two steps differ is of one kind, with another value."""
    first = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), None)
    return first is not None and first[0][0] == first[1][0]


def aligned(truth: Sequence[Event], found: Sequence[Event]) -> Iterator[Span]:
    """The stretches where both do the same things on the same lines, and those where they do not."""
    actions = [event.action for event in truth], [event.action for event in found]
    return align(*actions, lambda i, j: same_action(truth[i], found[j]))


def same_action(one: Event, other: Event) -> bool:
    """Whether two steps are one event on one line, as far as their texts settle the line."""
    if one.event != other.event:
        return False
    if one.line is not None and other.line is not None:
        return one.line == other.line
    return not set(one.lines).isdisjoint(other.lines)


def _parted(span: Span, wanted: Sequence[Event], got: Sequence[Event], outcome: int) -> Divergence:
    """What a stretch that does not align is, by its first steps."""
    one = wanted[span.truth] if span.truth < len(wanted) else None
    other = got[span.found]
    if not span.got:
        what = "missing"
    elif not span.wanted or one is None:
        what = "extra"
    elif one.event == other.event:
        what = "line"
    else:
        ends = span.truth == outcome and other.event in FINAL and other.parent < 0
        what = "outcome" if ends else "event"
    return Divergence(
        step=span.truth, found=span.found, what=what, line=one.line if one else None,
        wanted=summary(one), got=summary(other), steps=(span.wanted, span.got),
    )  # fmt: skip


def summary(event: Event | None) -> str:
    """An event in a few words: its event, its line, and what it carries."""
    if event is None:
        return "end"
    line = event.line if event.line is not None else "|".join(map(str, event.lines)) or "?"
    return f"{event.event} {line}" + (f" {event.arg}" if event.arg is not None else "")


def in_words(event: Event, functions: Functions) -> str:
    """What happens at an event, and where: `g is called (line 4)`, `it goes to line 7`."""
    line = event.line if event.line is not None else " or ".join(map(str, event.lines)) or "?"
    if event.event == "call":
        name = functions.name(event.file, event.line, event.values, is_first=event.parent < 0)
        return f"{name} is called (line {line})"
    if event.event == "line":
        return f"line {line}"
    return f"{event.event} in line {line}" + (f" of {event.arg}" if event.arg is not None else "")


def _end(truth: Reading, found: Reading, step: int) -> Iterator[Divergence]:
    left = len(truth.events) - step
    if not left and found.ended == truth.ended:
        return
    event = truth.events[step] if left else None
    line = event.line if event else None
    wanted = summary(event) if left or truth.ended else "further steps"
    if found.ended:
        yield Divergence(
            step=step, found=None, what="outcome", line=line, wanted=wanted, got="end", steps=(left, 0)
        )
    elif left or truth.ended:
        yield Divergence(step=step, found=None, what="missing", line=line, wanted=wanted, steps=(left, 0))


@dataclass
class _Pairs:
    """Compares steps that are aligned; remembers which frame is which, and the differences that last."""

    outcome: int
    is_shifted: bool = False
    frames: dict[int, int] = field(default_factory=dict)
    lasting: dict[int, dict[str, tuple[str | None, str | None]]] = field(default_factory=dict)
    pending: Pending[tuple[_Here, Event, Event]] = field(default_factory=Pending)

    def are_same(self, one: Event, other: Event) -> bool:
        """Whether two steps say the same, and nothing waits to be told with them: there is nothing to compare."""
        if one != other or one.whole:
            return False
        return self.frames.get(one.frame) == other.frame and one.frame not in self.pending.steps

    def settle(self, *frames: int) -> Iterator[Divergence]:
        """What differs in the changes of these frames' newest steps, whether the frames go on or not."""
        for frame in frames:
            waiting = self.pending.drop(frame)
            if waiting is not None:
                yield from _changes(*waiting)

    def compare(self, step: int, one: Event, found: int, other: Event) -> Iterator[Divergence]:
        """What differs between a true step and the found one beside it, in the order of the true step."""
        here = _Here(step, found, one.line)
        if one.hidden != other.hidden:  # what is drawn is told before what comes of it
            yield here.tells("value", HIDDEN, _hidden(one), _hidden(other))
        waiting = self.pending.settle(one.frame, one.event)
        if waiting is not None:
            yield from _changes(*waiting)
        if self.frames.setdefault(one.frame, other.frame) != other.frame or one.file != other.file:
            self.frames[one.frame] = other.frame
            if not self.is_shifted:  # later on, frames may well be numbered otherwise
                yield here.tells(
                    "event", None, f"{summary(one)} of frame {one.frame}", f"of frame {other.frame}"
                )
        if one.whole and other.whole:
            yield from self._whole(here, one, other)
        elif one != other and not (one.open or other.open):
            self.pending.hold(one.frame, one.event, (here, one, other))
        if not _same(one.arg, other.arg):
            what = "output" if one.event == "output" else "outcome" if step == self.outcome else "value"
            yield here.tells(what, None, one.arg, other.arg)

    def _whole(self, here: _Here, one: Event, other: Event) -> Iterator[Divergence]:
        """The locals of two events, each difference once: a pair of texts that was compared says nothing new."""
        lasting = self.lasting.setdefault(one.frame, {})
        for name in _both(one.values, other.values):
            wanted, got = one.values.get(name), other.values.get(name)
            known = lasting.get(name)
            if known is not None and (known[0] is wanted or known[0] == wanted) and known[1] == got:
                continue
            lasting[name] = wanted, got
            if not _same(wanted, got):
                yield here.tells(
                    "value" if wanted is not None and got is not None else "names", name, wanted, got
                )


class _Here(NamedTuple):
    """The place of a pair of steps."""

    step: int
    found: int
    line: int | None

    def tells(self, what: str, name: str | None, wanted: str | None, got: str | None) -> Divergence:
        """A divergence at this place."""
        where = (
            difference(wanted, got)
            if what not in ("names", "event") and wanted is not None and got is not None
            else None
        )
        return Divergence(
            step=self.step,
            found=self.found,
            what=what,
            line=self.line,
            name=name,
            wanted=wanted,
            got=got,
            part=where,
        )


def _changes(here: _Here, one: Event, other: Event) -> Iterator[Divergence]:
    """The changes of two steps: new values and names that are gone, then sharing."""
    left, right = _with_gone(one), _with_gone(other)
    for name in _both(left, right):
        wanted, got = left.get(name), right.get(name)
        if not _same(wanted, got):
            is_value = wanted not in (None, GONE) and got not in (None, GONE)
            yield here.tells("value" if is_value else "names", name, wanted, got)
    for name in _both(one.same, other.same):
        if one.same.get(name, GONE) != other.same.get(name, GONE):
            yield here.tells("names", name, _mark(one.same, name), _mark(other.same, name))


def _with_gone(event: Event) -> Mapping[str, str]:
    return {**event.values, **dict.fromkeys(event.gone, GONE)} if event.gone else event.values


def _mark(same: Mapping[str, str | None], name: str) -> str | None:
    return f"&{same[name] or ''}" if name in same else None


def _both(one: Mapping[str, object], other: Mapping[str, object]) -> Iterator[str]:
    yield from one
    yield from (name for name in other if name not in one)


def _same(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and equal(one, other))


def _hidden(event: Event) -> str | None:
    return " ".join(f"{kind}={value}" for kind, value in event.hidden) or None
