"""What mixes bytes along a sequence, one byte after another: slow, readable, and the specification of kernels.py.

    delta rule   S <- exp(g) S;  S <- S + beta (v - S k) k^T  for each Householder step;  o = S q
    attention    no positions: keys of the prompt stay visible, of the trace the newest `window`
    convolution  a few bytes back, channel by channel

`beta` reaches 2, so that I - beta k k^T has eigenvalues in [-1, 1]: a write may reflect (swap), not only erase.
Documents packed in one row never see each other: `position` counts from 0 in each, and a document's first byte
starts from an empty state. Nothing here is fast, and nothing here knows what the bytes mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class BatchLayout:
    """Where each byte of a batch stands: its position in its document, and how long that document's prompt is."""

    position: Tensor  # [batch, time], integers
    prompt: Tensor  # [batch, time], integers
    window: int

    @property
    def document(self) -> Tensor:
        """A number for the document that each byte belongs to, counted along its row."""
        return (self.position == 0).cumsum(1)

    @property
    def pinned(self) -> Tensor:
        """Whether a byte is of its document's prompt, which stays visible."""
        return self.position < self.prompt

    @property
    def seen(self) -> Tensor:
        """How many keys each byte sees, itself included."""
        recent = (self.position - self.prompt + 1).clamp(0, self.window)
        return torch.where(self.pinned, self.position + 1, self.prompt + recent)


def delta_rule(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, start: Tensor) -> Tensor:
    """[batch, time, heads, 64] from the gated delta rule with k, v and beta of several steps a byte.

    q [b, t, h, d]; k, v [b, t, n, h, d]; beta [b, t, n, h]; g [b, t, h], log of the decay; start [b, t]: a document
    begins.
    """
    batch, time, steps, heads, size = k.shape
    state = q.new_zeros(batch, heads, v.shape[-1], size)
    out = []
    for t in range(time):
        fresh = start[:, t].view(batch, 1, 1, 1)
        state = torch.where(fresh, torch.zeros_like(state), state * g[:, t, :, None, None].exp())
        for n in range(steps):
            held = torch.einsum("bhvk,bhk->bhv", state, k[:, t, n])
            change = beta[:, t, n, :, None] * (v[:, t, n] - held)
            state = state + torch.einsum("bhv,bhk->bhvk", change, k[:, t, n])
        out.append(torch.einsum("bhvk,bhk->bhv", state, q[:, t]))
    return torch.stack(out, 1)


def attend(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout) -> Tensor:
    """[batch, time, heads, 64] from attention over the pinned prompt and a window of recent bytes.

    q [b, t, h, d] already scaled; k, v [b, t, shared, d]; a key of the trace loses `slopes` for each byte of distance.
    """
    group = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(group, 2), v.repeat_interleave(group, 2)
    time = torch.arange(q.shape[1], device=q.device)
    distance = time[:, None] - time[None, :]
    pinned = layout.pinned[:, None, :]
    same = layout.document[:, :, None] == layout.document[:, None, :]
    visible = same & (distance >= 0) & (pinned | (distance < layout.window))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    far = torch.where(pinned, 0, distance).unsqueeze(1)
    scores = scores - slopes.view(1, -1, 1, 1) * far
    scores = scores.masked_fill(~visible.unsqueeze(1), -math.inf)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)


def convolve(x: Tensor, taps: Tensor, position: Tensor) -> Tensor:
    """x plus a weighted sum of it and the bytes before it in its document; taps [n, channels], newest first."""
    out = x + x * taps[0]
    for back in range(1, taps.shape[0]):
        earlier = torch.zeros_like(x)
        earlier[:, back:] = x[:, :-back]
        out = out + torch.where((position >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
    return out
