"""Measures what rounding a model's weights costs.

The logits of the exact and the rounded model are compared after every byte of the true traces, so that the comparison
does not depend on what either writes. Then both predict the same programs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.generated import load as load_generated
from worldline.evaluation.suites.suite import Suite
from worldline.predict.local import Local
from worldline.predict.models import load_local

_BIT = np.log(2.0)


@dataclass(frozen=True, kw_only=True)
class RoundingCost:
    """How an exact and a rounded model differ. Pairs hold the exact model's figure first.

    Attributes:
        size: The size of the true traces in bytes.
        most: The largest difference of two logits.
        mean: The mean difference of two logits.
        divergence: The Kullback-Leibler divergence from the exact model, in bits per byte.
        bits: The bits per byte of the true traces.
        turned: How many bytes have another likeliest next byte.
        alike: How many predictions are identical.
        right: How many answers are right.
    """

    programs: int
    size: int
    most: float
    mean: float
    divergence: float
    bits: tuple[float, float]
    turned: int
    alike: int
    right: tuple[int, int]

    def lines(self) -> tuple[str, ...]:
        """Return the figures as lines of text."""
        return (
            f"{self.programs:,} programs, {self.size:,} bytes of true traces; exact (fp32) -> rounded",
            f"logits: mean difference {self.mean:.3g}, at most {self.most:.3g}; the likeliest byte differs at "
            f"{self.turned:,}; divergence {self.divergence:.2g} bits per byte",
            f"bits per byte of the true traces: {self.bits[0]:.5f} -> {self.bits[1]:.5f}",
            f"identical predictions: {self.alike:,} of {self.programs:,}; answers right: "
            f"{self.right[0]:,} -> {self.right[1]:,}",
        )


def check_rounding(model: str, exported: str, programs: int) -> RoundingCost:
    """Measure what the rounding of an exported model costs, on generated programs.

    Args:
        model: The model before it was exported: a folder, or `default`.
        exported: The folder that `export_model` wrote.
        programs: The number of programs.

    Returns:
        How the two models differ.
    """
    exact = load_local(model, {"precision": "fp32"})
    return rounding_cost(load_generated(), exact, load_local(exported), limit=programs)


def rounding_cost(suite: Suite, exact: Local, rounded: Local, *, limit: int) -> RoundingCost:
    """Compare two models on the first `limit` tasks of a suite that have a true answer."""
    tasks = list(islice(suite.tasks, limit))
    wrote = [_records(replace(suite, tasks=tasks), model) for model in (exact, rounded)]
    both = list(zip(*wrote, strict=True))
    sums = np.zeros(6)
    most = 0.0
    for record, _ in both:
        exact_logits, rounded_logits = (_read(model.engine, record) for model in (exact, rounded))
        apart, true = np.abs(exact_logits - rounded_logits), np.frombuffer(record.truth, np.uint8)
        before, after = _log_softmax(exact_logits), _log_softmax(rounded_logits)
        between, at = (np.exp(before) * (before - after)).sum(-1), (np.arange(len(true)), true)
        turned = exact_logits.argmax(-1) != rounded_logits.argmax(-1)
        costs = [-before[at].sum() / _BIT, -after[at].sum() / _BIT]
        sums += [len(true), apart.mean(-1).sum(), between.sum() / _BIT, *costs, turned.sum()]
        most = max(most, float(apart.max(initial=0)))
    size = max(1, int(sums[0]))
    mean, divergence, first, second = (float(n) / size for n in sums[1:5])
    return RoundingCost(
        programs=len(both),
        size=int(sums[0]),
        most=most,
        mean=mean,
        divergence=divergence,
        bits=(first, second),
        turned=int(sums[5]),
        alike=sum(exact_logits.found.text == rounded_logits.found.text for exact_logits, rounded_logits in both),
        right=(_right(wrote[0]), _right(wrote[1])),
    )


def _records(suite: Suite, model: Local) -> list[Record]:
    records: list[Record] = []
    run(suite, model, limit=None, on_record=records.append)
    return [record for record in records if record.kind == "asked"]


def _right(records: list[Record]) -> int:
    return sum(record.judged.get("answer") == "right" for record in records)


def _read(engine: Any, record: Record) -> NDArray[np.float64]:
    """Logits before every byte of the truth."""
    state = engine.start()
    first = engine.feed(state, record.ask.prompt, pin=True)
    rest = engine.feed_all(state, record.truth[:-1], pin=False)
    logits: NDArray[np.float64] = np.concatenate([first[None], rest]).astype(np.float64)
    return logits


def _log_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = logits - logits.max(-1, keepdims=True)
    log_probabilities: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return log_probabilities
