"""A divergence that no model could have avoided: its value is another one whenever the program runs.

The proof is another recording, under another hash seed and in another process, that says something else at the very
place. Without one, or where a draw came out the same, the line itself must read what nobody can know.
"""

from __future__ import annotations

import re
from dataclasses import replace

from worldline.analyze.flow.unknowable import ADDRESS, CLOCK, DRAW, INPUT, SYSTEM, unknowable_on, unknowables
from worldline.codec.notation import notation
from worldline.codec.reading import Event, Reading
from worldline.core.value import kind
from worldline.diagnose.blame.blame import Blame
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diverge import Divergence, diverge, summary
from worldline.diagnose.drawn import other_runs
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import encode_trace

_ACTIONS = ("event", "line", "missing", "extra", "outcome")
OTHER = "something outside the program"
# Words of other languages that may read what no source determines: only where there is one is a program run again.
_OUTSIDE = re.compile(
    r"rand|time|date|clock|instant|hash|uuid|pid\b|thread|async|promise|env|nonce|entropy|mt19937|%p|uninit|malloc",
    re.IGNORECASE,
)


def unknowable(
    sample: Sample,
    truth: Reading,
    blamed: Blame,
    again: Rerun | None,
    record: Rerun | None = None,
    *,
    is_half: bool = False,
) -> tuple[str, str] | None:
    """What could not be known where a prediction parts, and the evidence; None where it could.

    A value of a type that no run has there is wrong all the same, unless it breaks off (`is_half`). Where hidden inputs
    are controlled but not told (`blind`), the proof is a run with others; where they are told, they are known.
    """
    program, first = sample.ask.program, blamed.divergence
    if is_withheld(sample):
        return None if record is None else _withheld(sample, truth, first, record, is_half=is_half)
    if not program.lang.has_syntax_tree:
        return _foreign(sample, truth, blamed, again, is_half=is_half)
    source = program.source
    kinds = unknowables(source)
    if not kinds:
        return None
    here = unknowable_on(source, blamed.line)
    if here == INPUT:
        is_shown = notation(sample.truth.codec).shows_io  # its prompt has what is read
        return None if is_shown else (INPUT, "the notation does not show what is read: no model can know it")
    other = None if again is None else _elsewhere(sample, truth, first, again)
    if not is_half and _is_impossible(first, other):
        return None
    if other is not None:
        said = f"{_told(truth, other)}: no model can know it"
        return here or (next(iter(kinds)) if len(kinds) == 1 else OTHER), said
    if sample.ask.control is not None:
        return None
    # Two runs may draw the same, and have the same addresses; what does not depend on the clock is the same.
    is_read = here == DRAW or (here == ADDRESS and blamed.operation == "id")
    is_read = is_read or (again is None and here in (CLOCK, SYSTEM))
    return (here, f"line {blamed.line} reads {here}: no model can know it") if is_read else None


def _foreign(
    sample: Sample, truth: Reading, blamed: Blame, again: Rerun | None, *, is_half: bool
) -> tuple[str, str] | None:
    """The same of another language: what it reads is not known, so only another run can show that it differs."""
    if again is None or _OUTSIDE.search(sample.ask.program.source) is None:
        return None
    other = _elsewhere(sample, truth, blamed.divergence, again)
    if other is None or (not is_half and _is_impossible(blamed.divergence, other)):
        return None
    return OTHER, f"{_told(truth, other)}: no model can know it"


def _elsewhere(sample: Sample, truth: Reading, first: Divergence, again: Rerun) -> Divergence | None:
    """What another run has at the place of a divergence; None where it has the same."""
    text = encode_trace(replace(sample.ask, given=b""), again(sample.ask.program), sample.truth.codec)
    return _there(sample, truth, first, text)


def _there(
    sample: Sample, truth: Reading, first: Divergence, text: bytes, *, is_first: bool = False
) -> Divergence | None:
    """What a run with this text has at the place of a divergence; `is_first`: only where it is the same before."""
    for each in diverge(truth, read(sample.ask, replace(sample.truth, text=text))):
        if each.step > first.step:
            return None
        if each.step < first.step:
            if is_first:
                return None
            continue
        if each.name == first.name or each.what in _ACTIONS:
            return each
    return None


def is_withheld(sample: Sample) -> bool:
    """Whether hidden inputs decide the run, and the text does not tell them."""
    return sample.ask.control is not None and sample.ask.options.hidden == "blind" and bool(sample.ask.hidden)


def _withheld(
    sample: Sample, truth: Reading, first: Divergence, record: Rerun, *, is_half: bool
) -> tuple[str, str] | None:
    """What depends on a draw that the text does not tell, and nothing before it has shown."""
    for from_the_first, text in other_runs(sample, first.step, record):
        other = _there(sample, truth, first, text, is_first=from_the_first)
        if other is not None and (is_half or not _is_impossible(first, other)):
            later = [one.kind for one in sample.ask.hidden if one.step >= first.step]
            kind = next(iter(later or [one.kind for one in sample.ask.hidden]))
            return kind, f"{_told(truth, other)}: no model can know it, for the draw is not told"
    return None


def _is_impossible(first: Divergence, other: Divergence | None) -> bool:
    """Whether the model's value has another type than the value of either run."""
    if first.part is None or first.name == "%" or (other is not None and other.part is None):
        return False
    values = [first.wanted, other.got if other else None]
    return kind(first.got or "") not in [kind(value) for value in values if value]


def _told(truth: Reading, other: Divergence) -> str:
    about = f"{other.name} is " if other.name and other.name != "%" else ""
    wanted = other.wanted or summary(_at(truth, other.step))
    return f"{about}{wanted}, in another run {other.got or 'not there'}"


def _at(truth: Reading, step: int) -> Event | None:
    return truth.events[step] if step < len(truth.events) else None
