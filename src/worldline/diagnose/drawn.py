"""Draws that no model can know: which it guessed otherwise, and the run that has its own draws.

A prediction that draws other values than the recorded run is a true story of another run. That run is made, with the
prediction's draws (`Control.given`), and the prediction is judged beside it. Nothing is executed here: `Rerun` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldline.codec.notation import notation
from worldline.codec.reading import Reading
from worldline.core.errors import UsageError
from worldline.core.events import ENDED
from worldline.core.hidden import READ, Control, is_possible
from worldline.core.trace import Hidden, Trace
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.diverge import HIDDEN, Divergence, is_guess
from worldline.diagnose.sample import Sample
from worldline.predict.interpreter import encode_trace
from worldline.predict.prediction import Prediction, PredictionRequest

_SEEDS = (1, 2, 3, 4)  # other runs that are looked at: one may draw the same


def draws(reading: Reading) -> tuple[Hidden, ...]:
    """The hidden inputs that a text tells of, in their order."""
    return tuple(Hidden(i, *one) for i, event in enumerate(reading.events) for one in event.hidden)


def decided(
    ask: PredictionRequest, hidden: Sequence[Hidden] | None = None, *, seed: int | None = None
) -> Control | None:
    """The control under which a requested program has these hidden inputs first; by default its own."""
    if ask.control is None:
        return None
    given = (ask.hidden or ask.control.given) if hidden is None else tuple(hidden)
    return replace(
        ask.control, given=given, whole=False, seed=(ask.control.seed or 0) if seed is None else seed
    )


def guess(
    sample: Sample, truth: Reading, found: Reading, first: Divergence | None
) -> tuple[str, str, str] | None:
    """The draw that a prediction parts by, which it could not know: its kind, what it was, what the model wrote.

    None where it parts by something else, where the draw was given, and where no draw of its kind is what it wrote.
    """
    if (
        sample.ask.options.hidden != "predicted"
        or first is None
        or first.name != HIDDEN
        or first.found is None
    ):
        return None
    one, other = truth.events[first.step].hidden, found.events[first.found].hidden
    if not is_guess(one, other):
        return None
    (kind, wanted), (_, got) = next(pair for pair in zip(one, other, strict=False) if pair[0] != pair[1])
    return (kind, wanted, got) if kind != READ and is_possible(kind, got) else None


def own_truth(sample: Sample, truth: Reading, found: Reading, record: Rerun | None) -> Sample | None:
    """The same prediction beside the run that has its draws; None where they are the true ones, or nobody runs it."""
    ask, mine = sample.ask, draws(found)
    if (
        record is None
        or ask.control is None
        or ask.options.hidden != "predicted"
        or not notation(sample.truth.codec).shows_io
    ):
        return None
    if not mine or mine == draws(truth)[: len(mine)]:
        return None
    control = decided(ask, mine)
    try:
        trace = record(ask.program, control)
    except UsageError:  # no draw has such a value
        return None
    text = encode_trace(replace(ask, given=b""), trace, sample.truth.codec)
    return replace(
        sample, ask=replace(ask, hidden=trace.hidden, control=control), truth=_as_truth(trace, text)
    )


def _as_truth(trace: Trace, text: bytes) -> Prediction:
    return Prediction(text=text, status="ended" if trace.outcome.kind in ENDED else "budget")


def other_runs(sample: Sample, step: int, record: Rerun) -> Sequence[tuple[bool, bytes]]:
    """Runs with other draws, as texts: from a step on, and (True) from the first on."""
    ask = sample.ask
    before = tuple(one for one in ask.hidden if one.step < step)
    found = []
    for seed in _SEEDS:
        for kept in dict.fromkeys((before, ())):
            control = decided(ask, kept, seed=(ask.control.seed or 0) + seed if ask.control else seed)
            trace = record(ask.program, control)
            found.append((not kept, encode_trace(replace(ask, given=b""), trace, sample.truth.codec)))
    return found
