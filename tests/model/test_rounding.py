"""What rounding costs is measured as it is: nothing between a model and itself, and torch's own divergence else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from nets import random_trunk, weights_of

from worldline.core.program import Program
from worldline.evaluation.rounding import rounding_cost
from worldline.evaluation.suites.suite import Suite, Task
from worldline.model.engine.quantization import quantize
from worldline.model.engine.reference import ReferenceEngine
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, dequantize
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")

SHAPE = Shape(depth=2, window=16)
PROGRAM = Program(source="def f(n):\n    return n + 1\n", call="f(3)")
TRUTH = b"(1 n=3\n2\n)4\n.\n"
SUITE = Suite(name="one", tasks=(Task(program=PROGRAM), replace(Task(program=PROGRAM), name="again")))


def model(weights: dict[str, FloatArray]) -> Local:
    """A model that writes by these weights."""
    return Local(ReferenceEngine(SHAPE, weights), name="a")


def logits(weights: dict[str, FloatArray]) -> torch.Tensor:
    """Those before every byte of the truth."""
    engine = ReferenceEngine(SHAPE, weights)
    state = engine.start()
    before = engine.feed(state, PredictionRequest(program=PROGRAM).prompt, pin=True)[None]
    return torch.from_numpy(np.concatenate([before, engine.feed_all(state, TRUTH[:-1], pin=False)])).double()


def test_nothing_is_between_a_model_and_itself() -> None:
    weights = weights_of(random_trunk(SHAPE))
    cost = rounding_cost(SUITE, model(weights), model(weights), limit=5)
    assert (cost.programs, cost.alike, cost.size) == (2, 2, 2 * len(TRUTH))
    assert (cost.most, cost.mean, cost.divergence, cost.turned) == (0, 0, 0, 0)
    assert cost.bits[0] == cost.bits[1] > 0


def test_what_is_between_two_is_what_torch_says() -> None:
    exact = weights_of(random_trunk(SHAPE))
    rounded = dequantize(quantize(SHAPE, exact))
    cost = rounding_cost(SUITE, model(exact), model(rounded), limit=1)
    exact_logits, rounded_logits = logits(exact), logits(rounded)
    assert cost.most == pytest.approx(float((exact_logits - rounded_logits).abs().max()))
    assert cost.mean == pytest.approx(float((exact_logits - rounded_logits).abs().mean()))
    shares = [torch.log_softmax(row_logits, -1) for row_logits in (exact_logits, rounded_logits)]
    between = torch.nn.functional.kl_div(shares[1], shares[0], log_target=True, reduction="sum")
    assert cost.divergence == pytest.approx(float(between) / len(TRUTH) / np.log(2))
    true = torch.tensor(list(TRUTH))
    for bits, share in zip(cost.bits, shares, strict=True):
        assert bits == pytest.approx(float(torch.nn.functional.nll_loss(share, true)) / np.log(2))
    assert cost.turned == int((exact_logits.argmax(-1) != rounded_logits.argmax(-1)).sum())
    assert 0 < cost.mean < cost.most
