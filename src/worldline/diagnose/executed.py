"""How often each operation was executed on true steps, as far as a prediction came: what failures are a share of.

Every operation that stands on a line is counted when the line runs, those that a short cut or an empty loop leaves out
as well; several of one kind on a line count once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from worldline.diagnose.at_risk import is_value, values
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.reading import Event
from worldline.flow.operations import SEQUENCES, executed


def executed_operations(diagnosis: Diagnosis) -> dict[str, int]:
    """Counts up to the first divergence and with it; the operation that it is about is there at least once.

    `argument` is the call from outside. An addition is a concatenation where its line gives a text, a list or a tuple.
    """
    ran, program, first = _Ran(), diagnosis.sample.ask.program, diagnosis.first
    end = None if first is None else first.step + is_value(diagnosis)
    sources: dict[str | None, str] = {None: program.source}
    sources.update(program.files)
    kinds: dict[int, list[str]] = {}
    for value in values(diagnosis.truth):
        kinds.setdefault(value.step, []).append(value.type)
    for step, event in enumerate(diagnosis.truth.events):
        if step == end:
            break
        if (
            event.event == "call"
            and event.parent < 0
            and program.call is not None
            and not ran.counts["argument"]
        ):
            ran.counts["argument"] += 1
        is_last = first is not None and step == first.step
        ran.tell(event, sources.get(event.file, ""), kinds.get(step, ()), is_last=is_last)
    counts, blamed = ran.end(), diagnosis.cause.operation
    if blamed and not counts[blamed]:
        counts[blamed] = 1
    return dict(counts)


class _Ran:
    """Lines that ran, each counted once the kind of its value is known: with it, or by its frame's next event."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.waiting: dict[int, tuple[str, int | None]] = {}

    def tell(self, event: Event, source: str, kinds: Iterable[str], *, is_last: bool) -> None:
        """One event with the kinds of the values that it tells; the last one of Meta's runs no line any more."""
        is_told = event.whole or event.event in ("return", "yield")
        self._count(self.waiting.pop(event.frame, None), kinds if is_told else ())
        if event.event != "line" or (event.whole and is_last):
            return
        line = source, event.action[1]
        if event.whole or not event.values:
            self.waiting[event.frame] = line
        else:
            self._count(line, kinds)

    def end(self) -> Counter[str]:
        """All that ran."""
        for line in self.waiting.values():
            self._count(line, ())
        return self.counts

    def _count(self, line: tuple[str, int | None] | None, kinds: Iterable[str]) -> None:
        if line is not None:
            kind = next((one for one in kinds if one in SEQUENCES), "")
            self.counts.update(executed(*line, kind))
