"""Why a value is wrong: follow its wrong operands back to the operation that got right operands and erred.

Nothing is executed. The chain of a right value goes back to its inputs. Steps of one line and name, as in a loop, are
one link.
"""

from __future__ import annotations

from dataclasses import replace

from worldline.core.errors import UsageError
from worldline.diagnose.cause import Cause
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.failure.value_keys import keys_of
from worldline.diagnose.why.asked import AskedValue
from worldline.diagnose.why.chain import WhyChain, WhyLink
from worldline.diagnose.why.links import ExplainedValue, LinkFinder
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.traced_run import TracedRun, ValueSpot

MAX_LINKS = 12
HANDED_NAMES = {
    "return": "the returned value",
    "yield": "the yielded value",
    "raise": "the exception",
    "output": "the output",
    "input": "the input",
}
"""What a value is called that a step hands on."""
#: Steps that are looked at for one chain: those of a long loop are one link.
MAX_VISITS = 2_000


def why(diagnosis: Diagnosis, step: int, name: str | None = None) -> WhyChain:
    """Explain a value of a prediction.

    Args:
        diagnosis: The prediction beside its truth.
        step: A step of the prediction.
        name: A name as of after this step, or a part of one (`p.x`, `out[2]`); None for what the step returns,
            yields, raises or prints.

    Returns:
        The chain of operations that led to the value.

    Raises:
        UsageError: There is no such step, or neither run has such a value there.
    """
    runs = RunPair.of_events(diagnosis.sample.ask.program, diagnosis.truth.events, diagnosis.found.events)
    if not 0 <= step < len(runs.found.events):
        raise UsageError(f"there is no step {step}: the prediction has {len(runs.found.events)}")
    return why_value(runs, asked_value(runs, name, runs.place(predicted=step)), cause=diagnosis.cause)


def asked_value(
    runs: RunPair,
    name: str | None,
    place: int,
    *,
    frames: tuple[int | None, int | None] = (None, None),
    before: bool = False,
) -> AskedValue:
    """Return the value of both runs that a question is about.

    Args:
        runs: Both runs.
        name: A name or a part of one; None for what the steps of the place hand on.
        place: The number of a pair of steps.
        frames: The true and the predicted frame of the name. By default, the frame of the step that reads it.
        before: Whether the values before the steps are meant.

    Raises:
        UsageError: Neither run has such a value there.
    """
    true, predicted = runs.at(place)
    pair = runs.pairs[place] if 0 <= place < len(runs.pairs) else None
    if name is None:
        return _handed_value(runs, None if pair is None else pair.truth, None if pair is None else pair.found)
    root, keys = _split(name)
    is_now = (pair is not None and pair.truth == true), (pair is not None and pair.found == predicted)
    has_frames = frames != (None, None)
    spots = [
        _spot(view, root, step, frame, before=before and now, has_frames=has_frames)
        for view, step, frame, now in zip((runs.truth, runs.found), (true, predicted), frames, is_now, strict=True)
    ]
    if spots[0] is None and spots[1] is not None:
        spots[0] = _beside(runs.frame_in_truth(spots[1].frame), true, spots[1])
    if spots[1] is None and spots[0] is not None:
        spots[1] = _beside(runs.frame_in_found(spots[0].frame), predicted, spots[0])
    value = AskedValue(name, root, spots[0], spots[1], keys)
    if value.both(runs) == (None, None):
        raise UsageError(f"{name[:80]} has no value here, neither actual nor predicted")
    return value


def _split(name: str) -> tuple[str, tuple[str, ...]]:
    """A name and the keys of its part."""
    at = min((at for at in (name.find("."), name.find("[")) if at > 0), default=len(name))
    keys = keys_of(name[at:])
    if "".join(keys) != name[at:]:
        raise UsageError(f"{name[:80]} is not a name or a part of one, such as p.x or out[2]")
    return name[:at], keys


def _spot(
    view: TracedRun, name: str, step: int, frame: int | None, *, before: bool, has_frames: bool
) -> ValueSpot | None:
    if step < 0 or (has_frames and frame is None):
        return None
    return view.owner(step, name, before=before) if frame is None else ValueSpot(frame, step, before)


def _beside(frame: int | None, step: int, other: ValueSpot) -> ValueSpot | None:
    return None if frame is None or step < 0 else ValueSpot(frame, step, other.before)


def _handed_value(runs: RunPair, true: int | None, predicted: int | None) -> AskedValue:
    spots, event = list[ValueSpot | None](), ""
    for view, step in ((runs.truth, true), (runs.found, predicted)):
        moment = None if step is None else view.events[step]
        if step is None or moment is None or moment.arg is None:
            spots.append(None)
            continue
        event = moment.event
        spots.append(ValueSpot(moment.frame, step))
    if spots == [None, None]:
        raise UsageError("this step returns, yields, raises or prints nothing")
    return AskedValue(HANDED_NAMES.get(event, event), None, spots[0], spots[1])


def why_value(runs: RunPair, value: AskedValue, *, cause: Cause | None = None, max_links: int = MAX_LINKS) -> WhyChain:
    """Follow a value back through the operations that led to it.

    Args:
        runs: Both runs.
        value: The value, from `asked_value`.
        cause: Why the prediction first diverges: it names the operation of that link.
        max_links: How many links the chain has at most, origins apart.
    """
    wanted, got = value.both(runs)
    chain = _Chain(runs, max_links, cause, is_wrong=value.is_wrong(runs))
    chain.follow(value)
    return WhyChain(
        name=value.text, wanted=wanted, got=got, links=tuple(chain.links), notes=tuple(chain.notes), more=chain.more
    )


class _Chain:
    """The links of one value, from the newest step to older ones."""

    def __init__(self, runs: RunPair, max_links: int, cause: Cause | None, *, is_wrong: bool) -> None:
        self._runs, self._max_links, self._cause, self._is_wrong = runs, max_links, cause, is_wrong
        self._finder = LinkFinder(runs)
        self._waiting: list[tuple[ExplainedValue, int | None]] = []
        self._seen: set[tuple[object, ...]] = set()
        self._numbers: dict[tuple[object, ...], int] = {}
        self.links: list[WhyLink] = []
        self.notes: list[str] = []
        self.more = 0

    def follow(self, value: AskedValue) -> None:
        """Find every link behind a value, as far as there is room."""
        self._wait(value, None)
        visits = 0
        while self._waiting and visits < MAX_VISITS:
            visits += 1
            at = max(range(len(self._waiting)), key=lambda number: self._waiting[number][0].place)
            explained, feeds = self._waiting.pop(at)
            reads = [read for read in explained.reads if not self._is_wrong or read.is_wrong(self._runs)]
            number = self._put(explained, feeds, has_wrong=bool(reads))
            if explained.link.kind == "path":
                self._push(self._finder.decided(explained.place), number)
            for read in reads:
                self._wait(read, number)
        self.more += len(self._waiting)
        if self.more:
            self.notes.append(f"the chain is longer: {self.more} of its operations are left out")

    def _wait(self, value: AskedValue, feeds: int | None) -> None:
        explained = self._finder.explain(value)
        if explained is None:
            self.notes.append(f"no recorded step set {value.text}")
        self._push(explained, feeds)

    def _push(self, explained: ExplainedValue | None, feeds: int | None) -> None:
        if explained is None:
            return
        link = explained.link
        key = link.kind, link.name, link.truth, link.found
        if key not in self._seen:
            self._seen.add(key)
            self._waiting.append((explained, feeds))

    def _put(self, explained: ExplainedValue, feeds: int | None, *, has_wrong: bool) -> int | None:
        """Add a link, or count it with that of the same line and name. Return the number of the link."""
        link = self._judged(replace(explained.link, feeds=feeds), explained, has_wrong=has_wrong)
        root = link.name.partition("[")[0].partition(".")[0]
        key = link.kind, link.file, link.line, link.function, root
        if key in self._numbers and not link.is_origin:
            number = self._numbers[key]
            self.links[number] = replace(self.links[number], times=self.links[number].times + 1)
            return number
        if len(self.links) >= self._max_links and not link.is_origin:
            self.more += 1
            return feeds
        self._numbers.setdefault(key, len(self.links))
        self.links.append(link)
        return len(self.links) - 1

    def _judged(self, link: WhyLink, explained: ExplainedValue, *, has_wrong: bool) -> WhyLink:
        """A link that says whether its operation is the origin, named as the cause names it."""
        is_end = link.kind == "path" and self._finder.decided(explained.place) is None
        is_decision = link.kind == "decided" and (link.wanted != link.got or link.wanted is None)
        is_result = link.kind not in ("path", "decided") and link.is_wrong
        if not self._is_wrong or has_wrong or not (is_end or is_decision or is_result):
            return link
        link = replace(link, is_origin=True)
        cause = self._cause
        if cause is None or cause.divergence is None or not self._is_first(link, cause.divergence):
            return link
        note = "; ".join(filter(None, (link.note, cause.evidence)))
        return replace(link, operation=cause.operation or link.operation, note=note)

    def _is_first(self, link: WhyLink, first: Divergence) -> bool:
        """Whether a link is where the prediction first diverges."""
        if link.truth is None or first.step >= len(self._runs.truth.events):
            return False
        if link.kind == "decided":
            return self._runs.parting(self._runs.place(truth=first.step))[0] == link.truth
        view = self._runs.truth
        if link.kind == "argument" and view.events[first.step].event == "call":
            return view.previous(first.step, view.events[first.step].parent) == link.truth
        return link.truth == first.step or (view.events[first.step].whole and view.settled[link.truth] == first.step)
