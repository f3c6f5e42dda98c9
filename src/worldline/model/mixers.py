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
    kept: int = (
        0  # of a document that goes on from the row before: so many bytes of its prompt, and `window` newest
    )

    @property
    def slots(self) -> int:
        """How many keys of the row before stand in front of a row's own."""
        return self.kept + self.window if self.kept else 0

    @property
    def begin(self) -> Tensor:
        """Where in its row each byte's document begins; below 0 if it began in a row before."""
        return (
            torch.arange(self.position.shape[1], device=self.position.device, dtype=torch.int32)
            - self.position
        )

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


def delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, start: Tensor, state: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """[batch, time, heads, 64] from the gated delta rule with k, v and beta of several steps a byte; the last state.

    q [b, t, h, d]; k, v [b, t, n, h, d]; beta [b, t, n, h]; g [b, t, h], log of the decay; start [b, t]: a document
    begins; state [b, h, v, k], that of the row before.
    """
    batch, time, steps, heads, size = k.shape
    state = q.new_zeros(batch, heads, v.shape[-1], size) if state is None else state
    out = []
    for t in range(time):
        fresh = start[:, t].view(batch, 1, 1, 1)
        state = torch.where(fresh, torch.zeros_like(state), state * g[:, t, :, None, None].exp())
        for n in range(steps):
            held = torch.einsum("bhvk,bhk->bhv", state, k[:, t, n])
            change = beta[:, t, n, :, None] * (v[:, t, n] - held)
            state = state + torch.einsum("bhv,bhk->bhvk", change, k[:, t, n])
        out.append(torch.einsum("bhvk,bhk->bhv", state, q[:, t]))
    return torch.stack(out, 1), state


def attend(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, layout: BatchLayout) -> Tensor:
    """[batch, time, heads, 64] from attention over the pinned prompt and a window of recent bytes.

    q [b, t, h, d] already scaled; k, v [b, slots + t, shared, d]; a key of the trace loses `slopes` for each byte of
    distance. In front of a row's own keys stand those `kept` of the prompt and the `window` newest of the row before.
    """
    group = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(group, 2), v.repeat_interleave(group, 2)
    document, position = layout.document, layout.position
    if layout.slots:
        there, places = _carried(layout)
        document, position = torch.cat([there, document], 1), torch.cat([places, position], 1)
    distance = layout.position[:, :, None] - position[:, None, :]
    pinned = position[:, None, :] < layout.prompt[:, :, None]
    same = layout.document[:, :, None] == document[:, None, :]
    visible = same & (distance >= 0) & (pinned | (distance < layout.window))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    far = torch.where(pinned, 0, distance).unsqueeze(1)
    scores = scores - slopes.view(1, -1, 1, 1) * far
    scores = scores.masked_fill(~visible.unsqueeze(1), -math.inf)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)


def _carried(layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """Of each key that stands in front of a row: its document (0, or -1 where there is none) and its place in it."""
    come, prompt = layout.position[:, :1], layout.prompt[:, :1]  # bytes in rows before
    pinned = torch.arange(layout.kept, device=come.device).expand(len(come), -1)
    recent = torch.arange(-layout.window, 0, device=come.device) + come
    there = torch.cat([pinned < torch.minimum(prompt, come), (recent >= 0) & (recent >= prompt)], 1)
    return torch.where(there, 0, -1), torch.cat([pinned, recent], 1)


def keep(rows: Tensor, layout: BatchLayout) -> Tensor:
    """What of keys or values [b, slots + t, ...] the row behind this one needs in front of its own: [b, slots, ...]."""
    begin = layout.begin[:, -1:]
    n = torch.arange(layout.kept, device=rows.device)
    pinned = torch.where(begin + n >= 0, layout.slots + begin + n, n).clamp(max=rows.shape[1] - 1)
    place = torch.cat(
        [pinned, torch.arange(-layout.window, 0, device=rows.device) + rows.shape[1] + 0 * begin], 1
    )
    return rows.gather(1, place.long().view(*place.shape, 1, 1).expand(-1, -1, *rows.shape[2:]))


def convolve(x: Tensor, taps: Tensor, position: Tensor, tail: Tensor | None = None) -> Tensor:
    """x plus a weighted sum of it and the bytes before it in its document; taps [n, channels], newest first.

    `tail` is the end of the row before, a byte shorter than the taps.
    """
    out = x + x * taps[0]
    tail = torch.zeros_like(x[:, :1]).expand(-1, taps.shape[0] - 1, -1) if tail is None else tail
    longer = torch.cat([tail, x], 1)
    for back in range(1, taps.shape[0]):
        earlier = longer[:, taps.shape[0] - 1 - back :][:, : x.shape[1]]
        out = out + torch.where((position >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
    return out
