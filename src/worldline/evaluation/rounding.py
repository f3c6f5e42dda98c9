"""What the rounding of a model's weights costs: the exact and the rounded one read the same runs, and write their own.

Logits are compared behind every byte of the truth, so that neither's own text decides what is compared; texts are
written by each as a user would have them.
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
    """Of `programs` and their `size` bytes of truth: logits apart, bits between both, and what each wrote.

    `divergence` is Kullback and Leibler's, from the exact one, in bits a byte; `bits` are those that the truth costs
    each. `turned` counts bytes whose likeliest next one is another, `alike` texts that are the same, `right` answers.
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
        """The figures in words."""
        return (
            f"{self.programs:,} programs, {self.size:,} bytes of true runs; exact (fp32) -> rounded",
            f"logits: {self.mean:.3g} apart on average, {self.most:.3g} at most; the likeliest byte is another at "
            f"{self.turned:,}; {self.divergence:.2g} bits a byte between both",
            f"bits a byte of the truth: {self.bits[0]:.5f} -> {self.bits[1]:.5f}",
            f"texts alike: {self.alike:,} of {self.programs:,}; answers right: {self.right[0]:,} -> {self.right[1]:,}",
        )


def check_rounding(model: str, exported: str, programs: int) -> RoundingCost:
    """Measure what the rounding of an exported model costs, on generated programs.

    Args:
        model: The model before it was exported: a folder, or `default`.
        exported: The folder that `export_model` wrote.
        programs: How many programs.

    Returns:
        How far the two are apart, and what each wrote.
    """
    exact = load_local(model, {"precision": "fp32"})
    return rounding_cost(load_generated(), exact, load_local(exported), limit=programs)


def rounding_cost(suite: Suite, exact: Local, rounded: Local, *, limit: int) -> RoundingCost:
    """Both on the first `limit` tasks of a suite that have a true answer."""
    tasks = list(islice(suite.tasks, limit))
    wrote = [_records(replace(suite, tasks=tasks), model) for model in (exact, rounded)]
    both = list(zip(*wrote, strict=True))
    sums = np.zeros(6)
    most = 0.0
    for record, _ in both:
        one, other = (_read(model.engine, record) for model in (exact, rounded))
        apart, true = np.abs(one - other), np.frombuffer(record.truth, np.uint8)
        before, after = _log_shares(one), _log_shares(other)
        between, at = (np.exp(before) * (before - after)).sum(-1), (np.arange(len(true)), true)
        turned = one.argmax(-1) != other.argmax(-1)
        sums += [
            len(true), apart.mean(-1).sum(), between.sum() / _BIT, -before[at].sum() / _BIT, -after[at].sum() / _BIT,
            turned.sum(),
        ]  # fmt: skip
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
        alike=sum(one.found.text == other.found.text for one, other in both),
        right=(_right(wrote[0]), _right(wrote[1])),
    )


def _records(suite: Suite, model: Local) -> list[Record]:
    kept: list[Record] = []
    run(suite, model, limit=None, keep=kept.append)
    return [record for record in kept if record.kind == "asked"]


def _right(records: list[Record]) -> int:
    return sum(record.judged.get("answer") == "right" for record in records)


def _read(engine: Any, record: Record) -> NDArray[np.float64]:
    """Logits before every byte of the truth."""
    state = engine.start()
    first = engine.feed(state, record.ask.prompt, pin=True)
    rest = engine.feed_all(state, record.truth[:-1], pin=False)
    logits: NDArray[np.float64] = np.concatenate([first[None], rest]).astype(np.float64)
    return logits


def _log_shares(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    down = logits - logits.max(-1, keepdims=True)
    shares: NDArray[np.float64] = down - np.log(np.exp(down).sum(-1, keepdims=True))
    return shares
