"""Compare the traces of one test on two revisions: the first difference in behaviour, and the calls that differ.

Frames are paired from the outside in: the first frames of both traces, then the calls that paired steps make. The
steps of two paired frames are paired by event and line, lines mapped through the change. Lines that only one side has
stand between such pairs: their effects are compared where both sides meet again, so that a rewritten statement with
the same effect is no difference, and an added one that only sets new names is none either. Only names that both sides
have are compared. What happened first is decided by time, so that a call comes before the line that waits for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from worldline.core.events import EVENTS, LEAVING
from worldline.core.trace import Trace
from worldline.diagnose.diverge import align
from worldline.diagnose.revisions.alike import alike
from worldline.diagnose.revisions.difference import (
    CallDifference,
    NameDifference,
    RevisionDiff,
    RevisionDivergence,
    StepPlace,
)
from worldline.diagnose.revisions.frames import Key, TraceSide
from worldline.diagnose.revisions.source_map import SourceMap

MAX_CALLS = 200  # calls with different results that are kept
NOTHING_CHANGED = SourceMap()
#: A file, a function and what of it is not deterministic: a name, or one of the kinds of a divergence.
Noise = tuple[str, str, str]
# A destructor runs whenever an object is collected.
_UNORDERED = ".__del__"
_RESULTS = {"return": "result", "yield": "result", "raise": "exception", "output": "output", "exit": "result"}


def compare_traces(
    before: Trace, after: Trace, sources: SourceMap = NOTHING_CHANGED, *, noise: Collection[Noise] = ()
) -> RevisionDiff:
    """Find where two traces of one test differ in behaviour.

    Args:
        before: The trace on the revision before the change.
        after: The trace after it.
        sources: What became of each line.
        noise: What differs between two executions of one revision, from `noise_of`.

    Returns:
        The first divergence and everything needed to show it.
    """
    return _Comparison(before, after, sources, frozenset(noise)).result()


def noise_of(first: Trace, second: Trace) -> frozenset[Noise]:
    """Return what differs between two executions of the same revision: clocks, random numbers, addresses."""
    comparison = _Comparison(first, second, NOTHING_CHANGED, frozenset())
    comparison.run()
    return frozenset(noise for timed in comparison.found for noise in _noises(timed.divergence))


def _noises(divergence: RevisionDivergence) -> Iterator[Noise]:
    place = divergence.place
    function = divergence.callee or f"{place.file}:{place.function}"
    file, _, name = function.rpartition(":")
    for difference in divergence.names:
        yield file, name, difference.name
    if not divergence.names:
        yield file, name, divergence.kind


@dataclass(frozen=True)
class _Timed:
    """A divergence and when it is known."""

    time: int
    divergence: RevisionDivergence


@dataclass
class _FramePair:
    """Two frames that correspond, with the names that each has so far and the differences already reported."""

    before: int
    after: int

    def __post_init__(self) -> None:
        self.left: dict[str, str] = {}
        self.right: dict[str, str] = {}
        self.reported: dict[str, tuple[str, str]] = {}


@dataclass(frozen=True)
class _Stretch:
    """Steps of two paired frames, as half-open spans of positions.

    `kind` is `pair` for one step each that correspond, `gap` for lines that only one side has, and `split` where the
    two sides take different lines.
    """

    kind: str
    before: range
    after: range


class _Comparison:
    """One comparison of two traces."""

    def __init__(self, before: Trace, after: Trace, sources: SourceMap, noise: frozenset[Noise]) -> None:
        self.sources, self.noise = sources, noise
        self.left, self.right = (TraceSide(before, sources, is_before=True), TraceSide(after, sources, is_before=False))
        self.found: list[_Timed] = []
        self.calls: list[CallDifference] = []
        self.pairs: list[tuple[int, int]] = []
        self.differing: set[tuple[int | None, int | None]] = set()
        self.waiting: list[tuple[int, int]] = []

    def result(self) -> RevisionDiff:
        self.run()
        first = min(self.found, key=lambda timed: timed.time, default=None)
        self.calls.sort(key=lambda call: call.before + call.after)
        return RevisionDiff(
            first=None if first is None else self._located(first.divergence),
            count=len(self.found),
            reached=(self.left.reached, self.right.reached),
            calls=tuple(self.calls[:MAX_CALLS]),
            pairs=tuple(sorted(self.pairs, key=lambda pair: pair[1])),
            differing=frozenset(self.differing),
            steps=(len(self.left.trace), len(self.right.trace)),
            is_cut=self.left.is_cut or self.right.is_cut,
            imported=tuple(sorted(self.sources.touched_files)),
        )

    def run(self) -> None:
        """Pair all frames and compare them."""
        self._match(self.left.roots, self.right.roots, None)
        while self.waiting:
            self._frames(*self.waiting.pop())

    # ---- frames

    def _match(self, before: list[int], after: list[int], caller: tuple[int, int] | None) -> None:
        """Pair calls by their functions, in order. With a `caller`, a call that only one side makes is reported."""
        if not before and not after:
            return
        keys = [self.left.key(frame) for frame in before], [self.right.key(frame) for frame in after]
        if keys[0] == keys[1]:
            self.waiting += zip(before, after, strict=True)
            return
        matcher = SequenceMatcher(None, *keys, autojunk=False)
        for tag, i, stop_i, j, stop_j in matcher.get_opcodes():
            if tag == "equal":
                self.waiting += zip(before[i:stop_i], after[j:stop_j], strict=True)
            elif caller is not None:
                self._calls_differ(before[i:stop_i], after[j:stop_j], caller)

    def _calls_differ(self, before: list[int], after: list[int], caller: tuple[int, int]) -> None:
        """Report that a line calls other functions. `caller` are its steps."""
        gone, new = (
            [side.frame(frame) for frame in frames if not side.frame(frame).name.endswith(_UNORDERED)]
            for side, frames in ((self.left, before), (self.right, after))
        )
        if (not gone and (not new or self.left.is_cut)) or (not new and self.right.is_cut):
            return
        places = self.left.place(caller[0]), self.right.place(caller[1])
        time = sum(
            side.own[frames[0].serial][0] if frames else side.next_own(step)
            for side, frames, step in ((self.left, gone, caller[0]), (self.right, new, caller[1]))
        )
        was, now = ([f"{frame.file}:{frame.name}" for frame in frames] for frames in (gone, new))
        divergence = RevisionDivergence(
            kind="call", before=places[0], after=places[1], was=", ".join(was[:8]), now=", ".join(now[:8])
        )
        is_new = any(self.sources.is_touched(self.left.key(frame.serial)) for frame in gone)
        is_new = is_new or any(self.sources.is_touched(self.right.key(frame.serial)) for frame in new)
        self._add(time, replace(divergence, location="changed line") if is_new else divergence)

    def _frames(self, before: int, after: int) -> None:
        """Compare two frames that correspond."""
        pair = _FramePair(before, after)
        self._arguments(pair)
        for stretch in self._stretches(pair):
            if stretch.kind == "split":
                self._split(pair, stretch)
            else:
                self._effects(pair, stretch.before, stretch.after)
            if stretch.kind == "pair":
                self._results(pair, stretch.before[0], stretch.after[0])
            steps = None
            if stretch.kind == "pair":
                steps = self.left.own[before][stretch.before[0]], self.right.own[after][stretch.after[0]]
            children = self.left.children(before, stretch.before), self.right.children(after, stretch.after)
            self._match(*children, steps)
        self._ends(pair)

    def _stretches(self, pair: _FramePair) -> Iterator[_Stretch]:
        """Cut the steps of two frames into stretches, after their calls."""
        own = self.left.own[pair.before], self.right.own[pair.after]
        keys: tuple[list[Key], list[Key]] = [], []
        places: tuple[list[int], list[int]] = [], []
        frames = pair.before, pair.after
        for side, steps, frame, names, at in zip((self.left, self.right), own, frames, keys, places, strict=True):
            for position in range(1, len(steps)):
                key = side.anchor(frame, steps[position])
                if key is not None:
                    names.append(key)
                    at.append(position)
        i = j = 0
        for span in align(*keys, lambda a, b: keys[0][a] == keys[1][b]):
            if span.agrees:
                for k in range(span.wanted):
                    stop_i, stop_j = places[0][span.truth + k], places[1][span.found + k]
                    yield from _gap(i + 1, stop_i, j + 1, stop_j)
                    yield _Stretch("pair", range(stop_i, stop_i + 1), range(stop_j, stop_j + 1))
                    i, j = stop_i, stop_j
            else:
                stop_i = _stop(places[0], span.truth + span.wanted, len(own[0]))
                stop_j = _stop(places[1], span.found + span.got, len(own[1]))
                yield _Stretch("split", range(i + 1, stop_i), range(j + 1, stop_j))
                i, j = stop_i - 1, stop_j - 1
        yield from _gap(i + 1, len(own[0]), j + 1, len(own[1]))

    # ---- steps

    def _arguments(self, pair: _FramePair) -> None:
        """Compare what the two frames are called with; the difference belongs to the line that calls."""
        steps = self.left.step(pair.before, 0), self.right.step(pair.after, 0)
        self.pairs.append((steps[0].i, steps[1].i))
        pair.left.update(steps[0].delta)
        pair.right.update(steps[1].delta)
        names = self._differing(pair, [*steps[0].delta, *steps[1].delta])
        if not names:
            return
        frame = self.right.frame(pair.after)
        callers = self._caller(self.left, pair.before), self._caller(self.right, pair.after)
        divergence = RevisionDivergence(
            kind="argument",
            before=callers[0] or self.left.place(steps[0].i),
            after=callers[1] or self.right.place(steps[1].i),
            names=names,
            callee=f"{frame.file}:{frame.name}",
        )
        self.differing.add((steps[0].i, steps[1].i))
        if self.left.place(steps[0].i).is_changed or self.right.place(steps[1].i).is_changed:
            # Another default value, or another decorator.
            divergence = replace(divergence, location="changed line")
        self._add(steps[0].i + steps[1].i, divergence)

    def _caller(self, side: TraceSide, serial: int) -> StepPlace | None:
        """The step that calls a frame; None for the outermost."""
        parent, began = side.frame(serial).parent, side.own[serial][0]
        steps = [i for i in side.own.get(parent, ()) if i < began][-1:] if parent >= 0 else []
        return side.place(steps[0]) if steps else None

    def _effects(self, pair: _FramePair, before: range, after: range) -> None:
        """Apply the changes of some steps to the names of both frames, and compare the names they changed."""
        writers: tuple[dict[str, int], dict[str, int]] = {}, {}
        frames, states = (pair.before, pair.after), (pair.left, pair.right)
        spans = before, after
        for side, frame, state, span, wrote in zip(
            (self.left, self.right), frames, states, spans, writers, strict=True
        ):
            for position in span:
                step = side.step(frame, position)
                state.update(step.delta)
                wrote.update(dict.fromkeys(step.delta, position))
                for name in step.gone:
                    state.pop(name, None)
        own = self.left.own[pair.before], self.right.own[pair.after]
        self.pairs += zip((own[0][at] for at in before), (own[1][at] for at in after), strict=False)
        names = self._differing(pair, [*writers[0], *(name for name in writers[1] if name not in writers[0])])
        if not names or self.left.is_open(pair.before, before.stop) or self.right.is_open(pair.after, after.stop):
            return
        # A name that only one side writes belongs to the newest step of the other.
        at = (
            max((writers[0][name.name] for name in names if name.name in writers[0]), default=before.stop - 1),
            max((writers[1][name.name] for name in names if name.name in writers[1]), default=after.stop - 1),
        )
        steps = own[0][at[0]], own[1][at[1]]
        self.differing.add(steps)
        time = self.left.known_at(pair.before, at[0]) + self.right.known_at(pair.after, at[1])
        places = self.left.place(steps[0]), self.right.place(steps[1])
        self._add(time, RevisionDivergence(kind="value", before=places[0], after=places[1], names=names))

    def _differing(self, pair: _FramePair, names: list[str]) -> tuple[NameDifference, ...]:
        """The names that both frames have with different values; a difference that lasts is reported once."""
        different = list[NameDifference]()
        frame = self.right.frame(pair.after)
        for name in dict.fromkeys(names):
            before, after = pair.left.get(name), pair.right.get(name)
            if before is None or after is None or before == after:
                pair.reported.pop(name, None)
            elif pair.reported.get(name) != (before, after) and not alike(before, after):
                pair.reported[name] = before, after
                if (frame.file, frame.name, name) not in self.noise:
                    different.append(NameDifference(name, before, after))
        return tuple(different)

    def _results(self, pair: _FramePair, before: int, after: int) -> None:
        """Compare what two paired steps return, yield, raise or print."""
        steps = self.left.step(pair.before, before), self.right.step(pair.after, after)
        kind = _RESULTS.get(steps[0].event)
        if kind is None or alike(steps[0].arg, steps[1].arg):
            return
        self.differing.add((steps[0].i, steps[1].i))
        places = self.left.place(steps[0].i), self.right.place(steps[1].i)
        was, now = steps[0].arg or "", steps[1].arg or ""
        divergence = RevisionDivergence(kind=kind, before=places[0], after=places[1], was=was, now=now)
        self._add(steps[0].i + steps[1].i, divergence)

    def _split(self, pair: _FramePair, stretch: _Stretch) -> None:
        """Report that the two sides take different lines, then go on where they meet again."""
        nexts = self._next(pair, stretch)
        self._effects(pair, range(stretch.before.start, nexts[0]), range(stretch.after.start, nexts[1]))
        own = self.left.own[pair.before], self.right.own[pair.after]
        is_unknown = (
            nexts[0] >= len(own[0]) and not self.left.has_ended(pair.before),
            nexts[1] >= len(own[1]) and not self.right.has_ended(pair.after),
        )
        if not any(is_unknown):
            was, now = self._taken(self.left, own[0], nexts[0]), self._taken(self.right, own[1], nexts[1])
            kinds = {was.partition(" ")[0], now.partition(" ")[0]}
            kind = "exception" if "raise" in kinds else "output" if "output" in kinds else "line"
            deciders = own[0][nexts[0] - 1], own[1][nexts[1] - 1]
            places = self.left.place(deciders[0]), self.right.place(deciders[1])
            divergence = RevisionDivergence(kind=kind, before=places[0], after=places[1], was=was, now=now)
            if self._is_new_line(own, nexts):
                divergence = replace(divergence, location="changed line")
            self.differing.add(deciders)
            # The step that decides may wait for calls: the difference is known when it has ended.
            time = sum(side[min(at, len(side) - 1)] for side, at in zip(own, nexts, strict=True))
            self._add(time, divergence)
        self._effects(pair, range(nexts[0], stretch.before.stop), range(nexts[1], stretch.after.stop))

    def _next(self, pair: _FramePair, stretch: _Stretch) -> tuple[int, int]:
        """The positions of the first steps in a split at which the two sides differ.

        Lines that only one side has may come first. If a frame ends at such a line, that line is what differs, unless
        the other side has a version of it: then it is how the two lines end.
        """
        frames = (self.left, pair.before, stretch.before), (self.right, pair.after, stretch.after)
        anchors = [self._anchor(*frame) for frame in frames]
        starts = [self._start(*frame, at) for frame, at in zip(frames, anchors, strict=True)]
        sizes = [
            len({side.statement(side.own[serial][position]) for position in range(span.start, at)})
            for (side, serial, span), at in zip(frames, anchors, strict=True)
        ]
        is_rewritten = starts[0] < anchors[0] and starts[1] < anchors[1] and sizes[0] == sizes[1]
        chosen = anchors if is_rewritten else starts
        return chosen[0], chosen[1]

    def _anchor(self, side: TraceSide, serial: int, span: range) -> int:
        """The position of the first step that both sides may have."""
        own = side.own[serial]
        positions = range(span.start, len(own))
        return next((at for at in positions if side.anchor(serial, own[at]) is not None), len(own))

    def _start(self, side: TraceSide, serial: int, span: range, at: int) -> int:
        """The position at which the statement starts that ends a frame; it may have several lines."""
        own = side.own[serial]
        if at == span.start or at >= len(own) or EVENTS[side.trace.columns.event[own[at]]] == "line":
            return at
        start = at - 1
        while start > span.start and side.statement(own[start - 1]) == side.statement(own[at]):
            start -= 1
        return start

    def _is_new_line(self, own: tuple[list[int], list[int]], nexts: tuple[int, int]) -> bool:
        """Tell whether one side takes a line that the other does not have, or that the change rewrote."""
        sides = zip((self.left, self.right), own, nexts, strict=True)
        return any(at < len(steps) and side.place(steps[at]).is_changed for side, steps, at in sides)

    def _taken(self, side: TraceSide, own: list[int], at: int) -> str:
        """What a frame does next, in words."""
        if at >= len(own):
            return "end"
        step = side.trace[own[at]]
        if step.event == "line":
            return f"line {step.line}"
        return f"{step.event} {step.arg}" if step.arg is not None else step.event

    def _ends(self, pair: _FramePair) -> None:
        """Compare how two frames end."""
        last = self.left.step(pair.before, -1), self.right.step(pair.after, -1)
        if last[0].event not in LEAVING or last[1].event not in LEAVING or len(self.calls) > MAX_CALLS * 8:
            return
        ends = (last[0].event, last[0].arg or ""), (last[1].event, last[1].arg or "")
        frame = self.right.frame(pair.after)
        if ends[0][0] == ends[1][0] and alike(ends[0][1], ends[1][1]):
            return
        if (frame.file, frame.name, "result") not in self.noise:
            difference = CallDifference(
                function=f"{frame.file}:{frame.name}",
                arguments=self.right.step(pair.after, 0).delta,
                was=ends[0],
                now=ends[1],
                before=last[0].i,
                after=last[1].i,
            )
            self.calls.append(difference)

    # ---- places

    def _add(self, time: int, divergence: RevisionDivergence) -> None:
        if divergence.names or not self.noise.intersection(_noises(divergence)):
            self.found.append(_Timed(time, divergence))

    def _located(self, divergence: RevisionDivergence) -> RevisionDivergence:
        """Return a divergence with its location relative to the change."""
        places = [place for place in (divergence.before, divergence.after) if place is not None]
        if divergence.location == "changed line" or any(place.is_changed for place in places):
            return replace(divergence, location="changed line")
        keys = [self.sources.key(place.file, place.function, is_before=place is divergence.before) for place in places]
        is_near = any(self.sources.is_touched(key) for key in keys)
        return replace(divergence, location="changed function" if is_near else "elsewhere")


def _gap(i: int, stop_i: int, j: int, stop_j: int) -> Iterator[_Stretch]:
    if i < stop_i or j < stop_j:
        yield _Stretch("gap", range(i, stop_i), range(j, stop_j))


def _stop(places: list[int], anchor: int, end: int) -> int:
    """The position at which a split ends: the next anchor or, if there is none, the end of the frame."""
    return places[anchor] if anchor < len(places) else end
