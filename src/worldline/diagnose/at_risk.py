"""The values that a true run tells, one by one, as far as a prediction came: what was at risk, and what went wrong.

A value counts where it is told anew and all before it was predicted right, so that every one of them could have been
the first wrong one; an operation counts for each time that its line ran, likewise. It does not say what computed a
wrong value: that is `blame`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from worldline.core.value import kind
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.reading import Event, Reading
from worldline.flow.operations import SEQUENCES, on_line

_VALUES = (
    "value",
    "names",
    "output",
    "outcome",
)  # divergences that are about a value, where it is a told one


class ValueAtRisk(NamedTuple):
    """One value of a true run: the step, the name (none: what the step returns, raises or prints), the text."""

    step: int
    name: str | None
    text: str
    type: str
    is_wrong: bool = False


def values(truth: Reading) -> Iterator[ValueAtRisk]:
    """Every value that a run tells, where it is new: Meta's notation repeats all locals, which tells nothing."""
    known: dict[int, Mapping[str, str]] = {}
    for step, event in enumerate(truth.events):
        before = known.get(event.frame, {}) if event.whole and event.event != "call" else {}
        for name, text in event.values.items():
            if before.get(name) != text:
                yield ValueAtRisk(step, name, text, kind(text))
        if event.whole:
            known[event.frame] = event.values
        if event.arg is not None:
            yield ValueAtRisk(step, None, event.arg, _type(event))


def _type(event: Event) -> str:
    return {"raise": "exception", "output": "output"}.get(event.event) or kind(event.arg or "")


def at_risk(diagnosis: Diagnosis) -> Iterator[ValueAtRisk]:
    """The values up to the first wrong one, and that one; where something else went wrong, those before it."""
    first, is_value = diagnosis.first, _is_value(diagnosis)
    for value in values(diagnosis.truth):
        if first is not None and value.step >= first.step + is_value:
            return
        if first is not None and value.step == first.step and _is_it(value, first):
            yield value._replace(is_wrong=True)
            return
        yield value


def _is_it(value: ValueAtRisk, first: Divergence) -> bool:
    return (value.name, value.text) == (first.name, first.wanted)


def _is_action(diagnosis: Diagnosis) -> bool:
    """Whether the cause is a wrong action, of which a missing value is only a part."""
    return "wrong action" in (diagnosis.cause.name, diagnosis.cause.under)


def _is_value(diagnosis: Diagnosis) -> bool:
    """Whether what went wrong first is a value."""
    first = diagnosis.first
    return first is not None and not first.is_cut and first.what in _VALUES and not _is_action(diagnosis)


def executed(diagnosis: Diagnosis) -> Counter[str]:
    """How often each operation ran as far as the prediction came; several of one kind on a line count once.

    `argument` is the call from outside. An addition is a concatenation where its line gives a text, a list or a tuple.
    """
    ran, program, first = _Ran(), diagnosis.sample.ask.program, diagnosis.first
    end = None if first is None else first.step + _is_value(diagnosis)
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
    return ran.end()


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
            self.counts.update(on_line(*line, kind))
