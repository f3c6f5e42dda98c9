"""Draws that no model can know: which one was guessed differently, and the execution with the prediction's draws.

A prediction with other draws than the recorded run may be right about another run. The program is executed
with the prediction's draws (`Control.given`) through `Rerun`, and the prediction is judged against that run.
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

_SEEDS = (1, 2, 3, 4)  # several other runs, since one may draw the same values


def draws(reading: Reading) -> tuple[Hidden, ...]:
    """List the hidden inputs of a trace in order."""
    return tuple(Hidden(i, *draw) for i, event in enumerate(reading.events) for draw in event.hidden)


def control_of(
    ask: PredictionRequest, hidden: Sequence[Hidden] | None = None, *, seed: int | None = None
) -> Control | None:
    """Return the control that starts a requested program with these hidden inputs; by default with its own."""
    if ask.control is None:
        return None
    inputs = (ask.hidden or ask.control.given) if hidden is None else tuple(hidden)
    return replace(ask.control, given=inputs, whole=False, seed=(ask.control.seed or 0) if seed is None else seed)


def find_guess(
    sample: Sample, truth: Reading, predicted: Reading, first: Divergence | None
) -> tuple[str, str, str] | None:
    """Find the draw by which a prediction diverges and which it could not know.

    Returns:
        Its kind, its true value and the predicted one. None if the prediction diverges by something else,
            if the
        draw was given, or if no draw of that kind can have the predicted value.
    """
    if sample.ask.options.hidden != "predicted" or first is None or first.name != HIDDEN or first.found is None:
        return None
    true_draws, predicted_draws = truth.events[first.step].hidden, predicted.events[first.found].hidden
    if not is_guess(true_draws, predicted_draws):
        return None
    (kind, wanted), (_, got) = next(
        pair for pair in zip(true_draws, predicted_draws, strict=False) if pair[0] != pair[1]
    )
    return (kind, wanted, got) if kind != READ and is_possible(kind, got) else None


def record_own_draws(sample: Sample, truth: Reading, predicted: Reading, record: Rerun | None) -> Sample | None:
    """Record the program with the prediction's draws; None if they are the true ones, or it cannot be executed."""
    ask, mine = sample.ask, draws(predicted)
    if (
        record is None
        or ask.control is None
        or ask.options.hidden != "predicted"
        or not notation(sample.truth.codec).shows_io
    ):
        return None
    if not mine or mine == draws(truth)[: len(mine)]:
        return None
    control = control_of(ask, mine)
    try:
        trace = record(ask.program, control)
    except UsageError:  # no draw can have such a value
        return None
    text = encode_trace(replace(ask, given=b""), trace, sample.truth.codec)
    return replace(sample, ask=replace(ask, hidden=trace.hidden, control=control), truth=_as_truth(trace, text))


def _as_truth(trace: Trace, text: bytes) -> Prediction:
    return Prediction(text=text, status="ended" if trace.outcome.kind in ENDED else "budget")


def record_other_draws(sample: Sample, step: int, record: Rerun) -> Sequence[tuple[bool, bytes]]:
    """Record runs with other draws as texts: from `step` on and, marked True, from the first draw on."""
    ask = sample.ask
    before = tuple(draw for draw in ask.hidden if draw.step < step)
    texts = []
    for seed in _SEEDS:
        for shared in dict.fromkeys((before, ())):
            control = control_of(ask, shared, seed=(ask.control.seed or 0) + seed if ask.control else seed)
            trace = record(ask.program, control)
            texts.append((not shared, encode_trace(replace(ask, given=b""), trace, sample.truth.codec)))
    return texts
