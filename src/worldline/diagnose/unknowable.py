"""Divergences that no model could have avoided: the value differs from run to run.

The proof is another recording, in another process under another hash seed, that has another value at the same
step. Without one, or if a draw came out the same, the line itself must read something that cannot be known.
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
from worldline.diagnose.drawn import record_other_draws
from worldline.diagnose.reading import read
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import encode_trace

_ACTIONS = ("event", "line", "missing", "extra", "outcome")
OTHER = "something outside the program"
# Words of other languages that may read hidden inputs. Only programs that contain one are executed again.
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
    """Find out whether a divergence could not be known.

    A value of a type that no run has there is wrong in any case, unless it is unfinished (`is_half`). If
    hidden inputs are controlled but not shown (`blind`), the proof is a run with other ones; if they are
    shown, they are known.

    Returns:
        What could not be known, and the evidence; None if it could.
    """
    program, first = sample.ask.program, blamed.divergence
    if is_withheld(sample):
        return None if record is None else _withheld(sample, truth, first, record, is_half=is_half)
    if not program.lang.has_syntax_tree:
        return _in_other_language(sample, truth, blamed, again, is_half=is_half)
    source = program.source
    kinds = unknowables(source)
    if not kinds:
        return None
    kind = unknowable_on(source, blamed.line)
    if kind == INPUT:
        is_shown = notation(sample.truth.codec).shows_io  # then the prompt has the input
        return None if is_shown else (INPUT, "the notation does not show the input: no model can know it")
    other = None if again is None else _other_run(sample, truth, first, again)
    if not is_half and _is_impossible(first, other):
        return None
    if other is not None:
        evidence = f"{_evidence(truth, other)}: no model can know it"
        return kind or (next(iter(kinds)) if len(kinds) == 1 else OTHER), evidence
    if sample.ask.control is not None:
        return None
    # Two runs may have the same draws and addresses by chance.
    is_read = kind == DRAW or (kind == ADDRESS and blamed.operation == "id")
    is_read = is_read or (again is None and kind in (CLOCK, SYSTEM))
    return (kind, f"line {blamed.line} reads {kind}: no model can know it") if is_read else None


def _in_other_language(
    sample: Sample, truth: Reading, blamed: Blame, again: Rerun | None, *, is_half: bool
) -> tuple[str, str] | None:
    """The same for another language. What a line reads is not known there, so only another run can be the proof."""
    if again is None or _OUTSIDE.search(sample.ask.program.source) is None:
        return None
    other = _other_run(sample, truth, blamed.divergence, again)
    if other is None or (not is_half and _is_impossible(blamed.divergence, other)):
        return None
    return OTHER, f"{_evidence(truth, other)}: no model can know it"


def _other_run(sample: Sample, truth: Reading, first: Divergence, again: Rerun) -> Divergence | None:
    """What another run has at the step of a divergence; None if it has the same."""
    text = encode_trace(replace(sample.ask, given=b""), again(sample.ask.program), sample.truth.codec)
    return _difference_at(sample, truth, first, text)


def _difference_at(
    sample: Sample, truth: Reading, first: Divergence, text: bytes, *, is_first: bool = False
) -> Divergence | None:
    """What the trace of another run has at the step of a divergence; `is_first`: only if all before is the same."""
    for divergence in diverge(truth, read(sample.ask, replace(sample.truth, text=text))):
        if divergence.step > first.step:
            return None
        if divergence.step < first.step:
            if is_first:
                return None
            continue
        if divergence.name == first.name or divergence.what in _ACTIONS:
            return divergence
    return None


def is_withheld(sample: Sample) -> bool:
    """Tell whether the execution depends on hidden inputs that the text does not show."""
    return sample.ask.control is not None and sample.ask.options.hidden == "blind" and bool(sample.ask.hidden)


def _withheld(
    sample: Sample, truth: Reading, first: Divergence, record: Rerun, *, is_half: bool
) -> tuple[str, str] | None:
    """What depends on a draw that the text does not show."""
    for from_the_first, text in record_other_draws(sample, first.step, record):
        other = _difference_at(sample, truth, first, text, is_first=from_the_first)
        if other is not None and (is_half or not _is_impossible(first, other)):
            later = [draw.kind for draw in sample.ask.hidden if draw.step >= first.step]
            kind = next(iter(later or [draw.kind for draw in sample.ask.hidden]))
            return kind, f"{_evidence(truth, other)}: no model can know it, since the draw is not shown"
    return None


def _is_impossible(first: Divergence, other: Divergence | None) -> bool:
    """Whether the predicted value has another type than the value of either run."""
    if first.part is None or first.name == "%" or (other is not None and other.part is None):
        return False
    values = [first.wanted, other.got if other else None]
    return kind(first.got or "") not in [kind(value) for value in values if value]


def _evidence(truth: Reading, other: Divergence) -> str:
    about = f"{other.name} is " if other.name and other.name != "%" else ""
    wanted = other.wanted or summary(_at(truth, other.step))
    return f"{about}{wanted}, in another run {other.got or 'missing'}"


def _at(truth: Reading, step: int) -> Event | None:
    return truth.events[step] if step < len(truth.events) else None
