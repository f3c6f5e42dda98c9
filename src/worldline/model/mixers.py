"""Sequence mixers, one byte at a time. This is the readable specification of kernels.py.

    delta rule   S <- exp(g) S;  S <- S + beta (v - S k) k^T  for each Householder step;  o = S q
    attention    no positions: keys of the prompt stay visible, of the trace the newest `window`
    convolution  a few bytes back, channel by channel

`beta` reaches 2, so I - beta k k^T has eigenvalues in [-1, 1]: a write can reflect (swap), not only
erase. Documents packed in one row never see each other: `position` counts from 0 in each, and the
first byte of a document starts from an empty state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class BatchLayout:
    """Position of every byte in its document, and the length of that document's prompt.

    Attributes:
        position: Integers, [batch, time].
        prompt: Integers, [batch, time].
        window: Recent bytes that attention sees.
        carry: If a document continues from the previous row: the prompt bytes that stay visible,
            besides the newest `window` bytes. 0 if rows do not continue.
    """

    position: Tensor
    prompt: Tensor
    window: int
    carry: int = 0

    @property
    def slots(self) -> int:
        """Number of keys of the previous row that precede a row's own keys."""
        return self.carry + self.window if self.carry else 0

    @property
    def begin(self) -> Tensor:
        """Index in its row where each byte's document starts; negative if it started in an earlier row."""
        return torch.arange(self.position.shape[1], device=self.position.device, dtype=torch.int32) - self.position

    @property
    def document(self) -> Tensor:
        """Number of the document that each byte belongs to, counted along its row."""
        return (self.position == 0).cumsum(1)

    @property
    def pinned(self) -> Tensor:
        """True where a byte belongs to its document's prompt, which stays visible."""
        return self.position < self.prompt

    @property
    def seen(self) -> Tensor:
        """Number of keys each byte sees, itself included."""
        recent = (self.position - self.prompt + 1).clamp(0, self.window)
        return torch.where(self.pinned, self.position + 1, self.prompt + recent)


def delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, g: Tensor, start: Tensor, state: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Apply the gated delta rule, with several Householder steps per byte.

    Args:
        q: Queries, [b, t, h, d].
        k: Keys, [b, t, n, h, d].
        v: Values, [b, t, n, h, d].
        beta: Write rates, [b, t, n, h].
        g: Logarithm of the decay, [b, t, h].
        start: True where a document starts, [b, t].
        state: State after the previous row, [b, h, v, k]; zero by default.

    Returns:
        The outputs, [b, t, h, d], and the state after the last byte.
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
    """Apply attention over the pinned prompt and a window of recent bytes.

    Args:
        q: Queries, already scaled, [b, t, h, d].
        k: Keys, [b, slots + t, kv_heads, d]. The carried prompt keys and the `window` newest keys of
            the previous row precede the row's own.
        v: Values, shaped like the keys.
        slopes: Penalty per byte of distance for keys of the trace, one per head.
        layout: Which byte belongs to which document.

    Returns:
        The outputs, [b, t, h, d].
    """
    group = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(group, 2), v.repeat_interleave(group, 2)
    document, position = layout.document, layout.position
    if layout.slots:
        carried_document, carried_position = _locate_carried_keys(layout)
        document, position = (torch.cat([carried_document, document], 1), torch.cat([carried_position, position], 1))
    distance = layout.position[:, :, None] - position[:, None, :]
    pinned = position[:, None, :] < layout.prompt[:, :, None]
    same_document = layout.document[:, :, None] == document[:, None, :]
    visible = same_document & (distance >= 0) & (pinned | (distance < layout.window))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    penalized = torch.where(pinned, 0, distance).unsqueeze(1)
    scores = scores - slopes.view(1, -1, 1, 1) * penalized
    scores = scores.masked_fill(~visible.unsqueeze(1), -math.inf)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)


def _locate_carried_keys(layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """Document (0, or -1 for an empty slot) and position of each key that precedes a row."""
    # Bytes of the document in earlier rows.
    earlier, prompt = layout.position[:, :1], layout.prompt[:, :1]
    pinned = torch.arange(layout.carry, device=earlier.device).expand(len(earlier), -1)
    recent = torch.arange(-layout.window, 0, device=earlier.device) + earlier
    is_filled = torch.cat([pinned < torch.minimum(prompt, earlier), (recent >= 0) & (recent >= prompt)], 1)
    return torch.where(is_filled, 0, -1), torch.cat([pinned, recent], 1)


def select_carried(rows: Tensor, layout: BatchLayout) -> Tensor:
    """Select the keys or values that the next row needs in front of its own.

    Args:
        rows: Keys or values, [b, slots + t, ...].
        layout: Layout of the row.

    Returns:
        The selected keys or values, [b, slots, ...].
    """
    begin = layout.begin[:, -1:]
    n = torch.arange(layout.carry, device=rows.device)
    pinned = torch.where(begin + n >= 0, layout.slots + begin + n, n).clamp(max=rows.shape[1] - 1)
    index = torch.cat([pinned, torch.arange(-layout.window, 0, device=rows.device) + rows.shape[1] + 0 * begin], 1)
    return rows.gather(1, index.long().view(*index.shape, 1, 1).expand(-1, -1, *rows.shape[2:]))


def short_conv(x: Tensor, taps: Tensor, position: Tensor, tail: Tensor | None = None) -> Tensor:
    """Add a weighted sum of a byte and the bytes before it in its document, channel by channel.

    Args:
        x: Inputs, [b, t, channels].
        taps: Weights, [n, channels], newest byte first.
        position: Position of every byte in its document, [b, t].
        tail: Last n - 1 inputs of the previous row; zero by default.

    Returns:
        The outputs, shaped like `x`.
    """
    out = x + x * taps[0]
    tail = torch.zeros_like(x[:, :1]).expand(-1, taps.shape[0] - 1, -1) if tail is None else tail
    padded = torch.cat([tail, x], 1)
    for back in range(1, taps.shape[0]):
        earlier = padded[:, taps.shape[0] - 1 - back :][:, : x.shape[1]]
        out = out + torch.where((position >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
    return out
