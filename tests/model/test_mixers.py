"""The readable mixers do what their formulas say, checked against even more literal ones."""

from __future__ import annotations

import math

import torch

from worldline.model import mixers
from worldline.model.mixers import BatchLayout

WINDOW = 4


def layout(*lengths: tuple[int, int], window: int = WINDOW) -> BatchLayout:
    """One row of documents, each given as (prompt, steps)."""
    position = torch.cat([torch.arange(a + b) for a, b in lengths])[None]
    prompt = torch.cat([torch.full((a + b,), a) for a, b in lengths])[None]
    return BatchLayout(position, prompt, window)


def test_a_reflection_swaps_what_two_keys_hold() -> None:
    """beta = 2 along (a - b) / sqrt 2 with nothing written exchanges the values under a and b."""
    a, b = torch.eye(64)[:2]
    k = torch.stack([a, b, (a - b) / math.sqrt(2), a]).view(1, 4, 1, 1, 64)
    v = torch.stack([torch.full((64,), 1.0), torch.full((64,), 2.0), torch.zeros(64), torch.zeros(64)])
    beta = torch.tensor([1.0, 1.0, 2.0, 0.0]).view(1, 4, 1, 1)
    q = torch.stack([a, b, a, b]).view(1, 4, 1, 64)
    start = torch.tensor([[True, False, False, False]])
    out, _ = mixers.delta_rule(q, k, v.view(1, 4, 1, 1, 64), beta, torch.zeros(1, 4, 1), start)
    assert torch.allclose(out[0, :, 0, 0], torch.tensor([1.0, 2.0, 2.0, 1.0]), atol=1e-6)


def test_an_ungated_head_forgets_nothing() -> None:
    a = torch.eye(64)[0]
    time = 300
    k = a.expand(1, time, 1, 1, 64)
    beta = torch.zeros(1, time, 1, 1)
    beta[0, 0] = 1.0
    start = torch.arange(time)[None] == 0
    out, _ = mixers.delta_rule(k[:, :, 0], k, k, beta, torch.zeros(1, time, 1), start)
    assert torch.equal(out[0, -1, 0], a)


def test_what_attention_sees() -> None:
    """Of its own document: the whole prompt so far, and the newest bytes of the trace."""
    where = layout((3, 5), (2, 2))
    time = where.position.shape[1]
    q, k = torch.zeros(1, time, 2, 64), torch.zeros(1, time, 2, 64)
    v = torch.eye(time, 64).view(1, time, 1, 64).expand(1, time, 2, 64)
    out = mixers.attend(q, k, v, torch.zeros(2), where)[0, :, 0, :time]
    seen = [[j for j in range(time) if out[i, j] > 0] for i in range(time)]
    wanted = [[j for j in range(8 * (i >= 8), i + 1) if j in (0, 1, 2, 8, 9) or i - j < WINDOW] for i in range(time)]
    assert seen == wanted
    assert [len(keys) for keys in seen] == where.seen[0].tolist()


def test_distance_costs_only_in_the_trace() -> None:
    where = layout((2, 2), window=10)
    flat = torch.zeros(1, 4, 2, 64)
    v = torch.eye(4, 64).view(1, 4, 1, 64).expand(1, 4, 2, 64)
    out = mixers.attend(flat, flat, v, torch.tensor([0.0, 0.5]), where)[0, 3, :, :4]
    assert torch.allclose(out[0], torch.full((4,), 0.25))
    weights = torch.tensor([1.0, 1.0, math.exp(-0.5), 1.0])
    assert torch.allclose(out[1], weights / weights.sum())


def test_a_convolution_stays_in_its_document() -> None:
    where = layout((1, 2), (2, 1))
    x = torch.arange(1.0, 7.0).view(1, 6, 1)
    taps = torch.tensor([[0.5], [10.0], [100.0]])
    out = mixers.short_conv(x, taps, where.position)[0, :, 0]
    assert out.tolist() == [1.5, 13.0, 124.5, 6.0, 47.5, 459.0]
