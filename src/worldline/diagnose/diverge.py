"""Where a prediction diverges from the truth: the first divergence, every later one, and what differs there.

Both traces are aligned by event and line, again after wrong, missing and extra steps. Then aligned steps are
compared, values as values. In Meta's notation, which repeats all locals, a difference counts once, where it
starts. `cause` explains divergences.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.analyze.flow.functions import Functions
from worldline.codec.reading import Event, Reading
from worldline.core.events import FINAL, Pending
from worldline.diagnose.value_diff import ValueDifference, difference, same_value

GRAM = 3  # actions that must agree before two sequences count as aligned again
_WINDOW = 4
HIDDEN = "%"  # the name under which hidden inputs are written
Draws = tuple[tuple[str, str], ...]  # the hidden inputs of a step: kind and value
GONE = "-"  # the value of a deleted name, as in the compact notation


@dataclass(frozen=True)
class AlignedSpan:
    """`wanted` true actions from `truth` on, beside `got` predicted ones from `found` on."""

    truth: int
    found: int
    wanted: int
    got: int
    agrees: bool

    def pairs(self) -> Iterator[tuple[int | None, int | None]]:
        """Yield the positions side by side; None where one run has fewer actions."""
        for k in range(max(self.wanted, self.got)):
            yield self.truth + k if k < self.wanted else None, self.found + k if k < self.got else None


def align(
    truth: Sequence[Hashable], predicted: Sequence[Hashable], same: Callable[[int, int], bool]
) -> Iterator[AlignedSpan]:
    """Align two sequences of actions greedily, in linear time; `same` compares the actions at two positions.

    After a divergence, the nearest place is searched where both agree for `GRAM` actions. The search window
    doubles, so a search costs no more than what it skips.
    """
    i = j = 0
    while i < len(truth) or j < len(predicted):
        start = i
        while i < len(truth) and j < len(predicted) and same(i, j):
            i, j = i + 1, j + 1
        if i > start:
            yield AlignedSpan(start, j - (i - start), i - start, i - start, True)
        if i < len(truth) or j < len(predicted):
            a, b = _next_agreement(truth, predicted, i, j)
            yield AlignedSpan(i, j, a - i, b - j, False)
            i, j = a, b


def _next_agreement(truth: Sequence[Hashable], predicted: Sequence[Hashable], i: int, j: int) -> tuple[int, int]:
    """Find the nearest positions after (i, j) from which both agree; the ends if there are none."""
    width = _WINDOW
    while i < len(truth) and j < len(predicted):
        firsts: dict[tuple[Hashable, ...], int] = {}
        for a in range(i, min(i + width, len(truth))):
            firsts.setdefault(tuple(truth[a : a + GRAM]), a)
        near: list[tuple[int, int, int, int]] = []
        for b in range(j, min(j + width, len(predicted))):
            meets = firsts.get(tuple(predicted[b : b + GRAM]))
            if meets is not None and (meets, b) != (i, j):
                # Of places equally near, prefer the one that skips as much on both sides: a wrong step, not two lost.
                near.append((meets + b, abs((meets - i) - (b - j)), meets, b))
        if near:
            return min(near)[2:]
        if width >= max(len(truth) - i, len(predicted) - j):
            break
        width *= 2
    return len(truth), len(predicted)


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """A difference between a true step and the predicted one (`found`; None: the text has ended).

    `what`: `event`, `line`, `names`, `value`, `output`, `outcome`, `missing` or `extra`. `names`: one side
    does not change `name` (None), deletes it (`-`), or marks it as shared with another (`&other`). `value`
    without a name is what a step returns, yields or raises; with the name `%`, its hidden inputs. `steps`
    counts the steps of a span that does not align.
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
    def is_change(self) -> bool:
        """Whether the difference is in a change of a name."""
        return self.name is not None and self.name != HIDDEN

    @property
    def is_cut(self) -> bool:
        """Whether the only difference is that the text stops here, unfinished."""
        return self.what == "missing" and self.found is None


def diverge(truth: Reading, predicted: Reading) -> tuple[Divergence, ...]:
    """List every divergence in text order; empty if both traces say the same and end alike."""
    return tuple(_divergences(truth, predicted))


def _divergences(truth: Reading, predicted: Reading) -> Iterator[Divergence]:
    wanted, got = truth.events, predicted.events
    comparison = _Comparison(truth.outcome if truth.ended else -1)
    stop = len(wanted)
    for span in aligned(wanted, got):
        if span.agrees:
            for k in range(span.wanted):
                i, j = span.truth + k, span.found + k
                if not comparison.are_same(wanted[i], got[j]):
                    yield from comparison.compare(i, wanted[i], j, got[j])
        elif span.found == len(got):
            stop = span.truth
        else:
            comparison.is_shifted = True
            if span.truth < len(wanted):
                yield from _guessed(span, wanted[span.truth], got[span.found])
            yield from comparison.settle(*(event.frame for event in wanted[span.truth : span.truth + 1]))
            if span.truth < len(wanted) or truth.ended:  # what follows a cut truth is not known
                yield _unaligned(span, wanted, got, comparison.outcome)
    yield from comparison.settle(*list(comparison.pending.steps))
    yield from _end(truth, predicted, stop)


def _guessed(span: AlignedSpan, true: Event, predicted: Event) -> Iterator[Divergence]:
    """A draw with another value, at a step after which both continue differently: the draw came first."""
    if is_guess(true.hidden, predicted.hidden):
        pair = _StepPair(span.truth, span.found, true.line)
        yield pair.divergence("value", HIDDEN, _hidden(true), _hidden(predicted))


def is_guess(true: Draws, predicted: Draws) -> bool:
    """Tell whether the first hidden input that differs has the same kind and another value."""
    first = next((pair for pair in zip(true, predicted, strict=False) if pair[0] != pair[1]), None)
    return first is not None and first[0][0] == first[1][0]


def aligned(truth: Sequence[Event], predicted: Sequence[Event]) -> Iterator[AlignedSpan]:
    """Align two traces by event and line."""
    actions = [event.action for event in truth], [event.action for event in predicted]
    return align(*actions, lambda i, j: same_action(truth[i], predicted[j]))


def same_action(first: Event, second: Event) -> bool:
    """Tell whether two steps are the same event on the same line, as far as the texts determine the line."""
    if first.event != second.event:
        return False
    if first.line is not None and second.line is not None:
        return first.line == second.line
    return not set(first.lines).isdisjoint(second.lines)


def _unaligned(span: AlignedSpan, wanted: Sequence[Event], got: Sequence[Event], outcome: int) -> Divergence:
    """The divergence of a span that does not align, by its first steps."""
    true = wanted[span.truth] if span.truth < len(wanted) else None
    predicted = got[span.found]
    if not span.got:
        kind = "missing"
    elif not span.wanted or true is None:
        kind = "extra"
    elif true.event == predicted.event:
        kind = "line"
    else:
        ends = span.truth == outcome and predicted.event in FINAL and predicted.parent < 0
        kind = "outcome" if ends else "event"
    return Divergence(
        step=span.truth,
        found=span.found,
        what=kind,
        line=true.line if true else None,
        wanted=summary(true),
        got=summary(predicted),
        steps=(span.wanted, span.got),
    )


def summary(event: Event | None) -> str:
    """Write an event in a few words: its kind, its line, and its value."""
    if event is None:
        return "end"
    line = event.line if event.line is not None else "|".join(map(str, event.lines)) or "?"
    return f"{event.event} {line}" + (f" {event.arg}" if event.arg is not None else "")


def in_words(event: Event, functions: Functions) -> str:
    """Describe an event and its line: `g is called (line 4)`, `line 7`."""
    line = event.line if event.line is not None else " or ".join(map(str, event.lines)) or "?"
    if event.event == "call":
        name = functions.name(event.file, event.line, event.values, is_first=event.parent < 0)
        return f"{name} is called (line {line})"
    if event.event == "line":
        return f"line {line}"
    return f"{event.event} in line {line}" + (f" of {event.arg}" if event.arg is not None else "")


def _end(truth: Reading, predicted: Reading, step: int) -> Iterator[Divergence]:
    left = len(truth.events) - step
    if not left and predicted.ended == truth.ended:
        return
    event = truth.events[step] if left else None
    line = event.line if event else None
    wanted = summary(event) if left or truth.ended else "further steps"
    if predicted.ended:
        yield Divergence(step=step, found=None, what="outcome", line=line, wanted=wanted, got="end", steps=(left, 0))
    elif left or truth.ended:
        yield Divergence(step=step, found=None, what="missing", line=line, wanted=wanted, steps=(left, 0))


@dataclass
class _Comparison:
    """Compares aligned steps. Keeps track of matching frames and of differences that persist."""

    outcome: int
    is_shifted: bool = False
    frames: dict[int, int] = field(default_factory=dict)
    persistent: dict[int, dict[str, tuple[str | None, str | None]]] = field(default_factory=dict)
    pending: Pending[tuple[_StepPair, Event, Event]] = field(default_factory=Pending)

    def are_same(self, true: Event, predicted: Event) -> bool:
        """Tell whether two steps are equal and no earlier change is pending in their frame."""
        if true != predicted or true.whole:
            return False
        return self.frames.get(true.frame) == predicted.frame and true.frame not in self.pending.steps

    def settle(self, *frames: int) -> Iterator[Divergence]:
        """Yield what differs in the pending changes of these frames."""
        for frame in frames:
            pending = self.pending.drop(frame)
            if pending is not None:
                yield from _changes(*pending)

    def compare(self, step: int, true: Event, at: int, predicted: Event) -> Iterator[Divergence]:
        """Yield what differs between a true step and the predicted one, in the order of the true step."""
        pair = _StepPair(step, at, true.line)
        if true.hidden != predicted.hidden:  # draws are written before what depends on them
            yield pair.divergence("value", HIDDEN, _hidden(true), _hidden(predicted))
        pending = self.pending.settle(true.frame, true.event)
        if pending is not None:
            yield from _changes(*pending)
        if self.frames.setdefault(true.frame, predicted.frame) != predicted.frame or true.file != predicted.file:
            self.frames[true.frame] = predicted.frame
            if not self.is_shifted:  # after a shift, frames may be numbered differently
                yield pair.divergence(
                    "event", None, f"{summary(true)} of frame {true.frame}", f"of frame {predicted.frame}"
                )
        if true.whole and predicted.whole:
            yield from self._whole(pair, true, predicted)
        elif true != predicted and not (true.open or predicted.open):
            self.pending.hold(true.frame, true.event, (pair, true, predicted))
        if not _same(true.arg, predicted.arg):
            kind = "output" if true.event == "output" else "outcome" if step == self.outcome else "value"
            yield pair.divergence(kind, None, true.arg, predicted.arg)

    def _whole(self, pair: _StepPair, true: Event, predicted: Event) -> Iterator[Divergence]:
        """The locals of two events; a difference that was reported before is skipped."""
        persistent = self.persistent.setdefault(true.frame, {})
        for name in _both(true.values, predicted.values):
            wanted, got = true.values.get(name), predicted.values.get(name)
            known = persistent.get(name)
            if known is not None and (known[0] is wanted or known[0] == wanted) and known[1] == got:
                continue
            persistent[name] = wanted, got
            if not _same(wanted, got):
                yield pair.divergence("value" if wanted is not None and got is not None else "names", name, wanted, got)


class _StepPair(NamedTuple):
    """A true step and the predicted one beside it."""

    step: int
    found: int
    line: int | None

    def divergence(self, what: str, name: str | None, wanted: str | None, got: str | None) -> Divergence:
        """Return a divergence at this pair of steps."""
        part = None
        if what not in ("names", "event") and wanted is not None and got is not None:
            part = difference(wanted, got)
        return Divergence(
            step=self.step, found=self.found, what=what, line=self.line, name=name, wanted=wanted, got=got, part=part
        )


def _changes(pair: _StepPair, true: Event, predicted: Event) -> Iterator[Divergence]:
    """The changes of two steps: new values and deleted names, then sharing marks."""
    left, right = _with_gone(true), _with_gone(predicted)
    for name in _both(left, right):
        wanted, got = left.get(name), right.get(name)
        if not _same(wanted, got):
            is_value = wanted not in (None, GONE) and got not in (None, GONE)
            yield pair.divergence("value" if is_value else "names", name, wanted, got)
    for name in _both(true.same, predicted.same):
        if true.same.get(name, GONE) != predicted.same.get(name, GONE):
            yield pair.divergence("names", name, _mark(true.same, name), _mark(predicted.same, name))


def _with_gone(event: Event) -> Mapping[str, str]:
    return {**event.values, **dict.fromkeys(event.gone, GONE)} if event.gone else event.values


def _mark(same: Mapping[str, str | None], name: str) -> str | None:
    return f"&{same[name] or ''}" if name in same else None


def _both(first: Mapping[str, object], second: Mapping[str, object]) -> Iterator[str]:
    yield from first
    yield from (name for name in second if name not in first)


def _same(first: str | None, second: str | None) -> bool:
    return first == second or (first is not None and second is not None and same_value(first, second))


def _hidden(event: Event) -> str | None:
    return " ".join(f"{kind}={value}" for kind, value in event.hidden) or None
