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
from worldline.model.engine.reference import ReferenceEngine
from worldline.model.engine.rounding import engine_form
from worldline.model.shape import Shape
from worldline.model.weights import Array, widened
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest

pytestmark = pytest.mark.usefixtures("box")

SHAPE = Shape(depth=2, window=16)
PROGRAM = Program(source="def f(n):\n    return n + 1\n", call="f(3)")
TRUTH = b"(1 n=3\n2\n)4\n.\n"
SUITE = Suite(name="one", tasks=(Task(program=PROGRAM), replace(Task(program=PROGRAM), name="again")))


def model(weights: dict[str, Array]) -> Local:
    """A model that writes by these weights."""
    return Local(ReferenceEngine(SHAPE, weights), name="a")


def logits(weights: dict[str, Array]) -> torch.Tensor:
    """Those before every byte of the truth."""
    engine = ReferenceEngine(SHAPE, weights)
    state = engine.start()
    before = engine.feed(state, PredictionRequest(program=PROGRAM).prompt, pin=True)[None]
    return torch.from_numpy(np.concatenate([before, engine.feed_all(state, TRUTH[:-1], pin=False)])).double()


def test_nothing_is_between_a_model_and_itself() -> None:
    weights = weights_of(random_trunk(SHAPE))
    found = rounding_cost(SUITE, model(weights), model(weights), limit=5)
    assert (found.programs, found.alike, found.size) == (2, 2, 2 * len(TRUTH))
    assert (found.most, found.mean, found.divergence, found.turned) == (0, 0, 0, 0)
    assert found.bits[0] == found.bits[1] > 0


def test_what_is_between_two_is_what_torch_says() -> None:
    exact = weights_of(random_trunk(SHAPE))
    rounded = widened(engine_form(SHAPE, exact))
    found = rounding_cost(SUITE, model(exact), model(rounded), limit=1)
    one, other = logits(exact), logits(rounded)
    assert found.most == pytest.approx(float((one - other).abs().max()))
    assert found.mean == pytest.approx(float((one - other).abs().mean()))
    shares = [torch.log_softmax(each, -1) for each in (one, other)]
    between = torch.nn.functional.kl_div(shares[1], shares[0], log_target=True, reduction="sum")
    assert found.divergence == pytest.approx(float(between) / len(TRUTH) / np.log(2))
    true = torch.tensor(list(TRUTH))
    for bits, share in zip(found.bits, shares, strict=True):
        assert bits == pytest.approx(float(torch.nn.functional.nll_loss(share, true)) / np.log(2))
    assert found.turned == int((one.argmax(-1) != other.argmax(-1)).sum())
    assert 0 < found.mean < found.most
