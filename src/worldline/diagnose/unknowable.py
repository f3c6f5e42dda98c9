"""A divergence that no model could have avoided: its value is another one whenever the program runs.

The proof is another recording, under another hash seed and in another process, that says something else at the very
place. Without one, or where a draw came out the same, the line itself must read what nobody can know.
"""

from __future__ import annotations

from dataclasses import replace

from worldline.diagnose.blame import Blame
from worldline.diagnose.diverge import Divergence, diverge, summary
from worldline.diagnose.reading import Event, Reading, read
from worldline.diagnose.sample import Sample
from worldline.diagnose.terms import Record
from worldline.flow.unknowable import ADDRESS, CLOCK, DRAW, INPUT, SYSTEM, unknowable_on, unknowables
from worldline.predict.interpreter import written

_ACTIONS = ("event", "line", "missing", "extra", "outcome")
OTHER = "something outside the program"


def unknowable(sample: Sample, truth: Reading, blamed: Blame, again: Record | None) -> tuple[str, str] | None:
    """What could not be known where a prediction parts, and the evidence; None where it could."""
    source, first = sample.ask.program.source, blamed.divergence
    kinds = unknowables(source)
    if not kinds:
        return None
    here = unknowable_on(source, blamed.line)
    if here == INPUT:
        is_shown = sample.truth.codec == "compact"  # its prompt has what is read
        return None if is_shown else (INPUT, "the notation does not show what is read: no model can know it")
    differs = None if again is None else _elsewhere(sample, truth, first, again)
    if differs is not None:
        return here or (next(iter(kinds)) if len(kinds) == 1 else OTHER), f"{differs}: no model can know it"
    # Two runs may draw the same, and have the same addresses; what does not depend on the clock is the same.
    is_read = here == DRAW or (here == ADDRESS and blamed.operation == "id")
    is_read = is_read or (again is None and here in (CLOCK, SYSTEM))
    return (here, f"line {blamed.line} reads {here}: no model can know it") if is_read else None


def _elsewhere(sample: Sample, truth: Reading, first: Divergence, again: Record) -> str | None:
    """What another run has at the place of a divergence, in words; None where it has the same."""
    text = written(replace(sample.ask, given=b""), again(sample.ask.program), sample.truth.codec)
    other = read(sample.ask, replace(sample.truth, text=text))
    for each in diverge(truth, other):
        if each.step > first.step:
            return None
        if each.step < first.step:
            continue
        if each.name == first.name or each.what in _ACTIONS:
            about = f"{each.name} is " if each.name and each.name != "%" else ""
            return f"{about}{each.wanted or summary(_at(truth, each.step))}, in another run {each.got or 'not there'}"
    return None


def _at(truth: Reading, step: int) -> Event | None:
    return truth.events[step] if step < len(truth.events) else None
