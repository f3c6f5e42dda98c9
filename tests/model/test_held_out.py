"""What is measured on documents held out, whatever stands where no document is."""

from __future__ import annotations

import math
from typing import Any, cast

import torch

from worldline.model.hybrid import Trunk
from worldline.model.train.loss import evaluate, pack_held_out


class _Sure:
    """Knows every byte, but says nothing sensible in rows that no document fills."""

    def __call__(self, data: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        logits = 20.0 * torch.nn.functional.one_hot(data.roll(-1, 1).long(), 256).float()
        logits[data.eq(0).all(1)] = math.nan
        return logits


def test_an_empty_row_costs_nothing() -> None:
    held = pack_held_out([(b"1|x = 1\n>\n", b"(1\n1 x=1\n)None\n.\n")], rows=2, time=64)
    metrics = evaluate(cast(Trunk, _Sure()), held, torch.device("cpu"))
    assert metrics["held_out_answer"] == metrics["held_out_trace"] == 1.0
    assert 0 <= metrics["held_out_bits"] < 1e-3
