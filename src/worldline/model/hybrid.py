"""The trunk: bytes in, logits of the next byte out.

Delta layers carry state, attention copies, MLPs compute. No norm has weights: a gain would only be a
factor of the matrix after it. Only training runs this module. The engine decodes the shipped model
and must compute the same function.
"""

from __future__ import annotations

import math
from typing import Any, cast

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from worldline.model import kernels, mixers
from worldline.model.batch_plan import BatchPlan
from worldline.model.mixers import BatchLayout
from worldline.model.shape import CONV_TAPS, HEAD_SIZE, KV_HEADS, Shape

NORM_EPSILON = 1e-6
# Tensors that a layer carries from one row into the next.
LayerState = tuple[Any, ...]


def rms_norm(x: Tensor) -> Tensor:
    """Scale to unit root mean square along the last axis."""
    return functional.rms_norm(x, (x.shape[-1],), eps=NORM_EPSILON)


def l2_norm(x: Tensor) -> Tensor:
    """Scale to unit length along the last axis."""
    return rms_norm(x) / math.sqrt(x.shape[-1])


def _zeros(like: Tensor, *shape: int) -> Tensor:
    """Zeros in the residual stream's dtype and on its device."""
    return torch.zeros(shape, dtype=torch.bfloat16 if like.is_cuda else like.dtype, device=like.device)


class Linear(nn.Module):
    """Linear map without bias.

    Attributes:
        parts: Rows of each map that is fused into the weight. The optimizer treats them separately.
    """

    def __init__(self, rows: tuple[int, ...], columns: int, *, zero: bool = False) -> None:
        super().__init__()
        self.parts = rows
        scale = 0.0 if zero else columns**-0.5
        self.weight = nn.Parameter(torch.randn(sum(rows), columns) * scale)

    def forward(self, x: Tensor) -> Tensor:
        return kernels.linear(x, self.weight)


class ShortConv(nn.Module):
    """RMS norm followed by a short causal convolution, channel by channel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.taps = nn.Parameter(torch.zeros(CONV_TAPS, width))

    def forward(
        self, x: Tensor, update: Tensor | None, position: Tensor, tail: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Add a pending update to the stream and convolve the normed sum.

        Args:
            x: Residual stream, [b, t, width].
            update: Update to add first, if any.
            position: Position of every byte in its document, [b, t].
            tail: Normed end of the previous row.

        Returns:
            The stream with the update, and the convolved norm.
        """
        x = x if update is None else x + update
        normed, taps = rms_norm(x), self.taps.to(x.dtype)
        out = normed * (1 + taps[0])
        time = x.shape[1]
        # Bytes of the document that precede each byte within reach.
        reach = position
        if tail is None:
            reach = torch.minimum(position, torch.arange(time, dtype=position.dtype, device=position.device))
        padded = normed if tail is None else torch.cat([tail, normed], 1)
        for back in range(1, CONV_TAPS):
            # A rotation instead of padding: one kernel reads the neighbours, and no copy of the row is written.
            earlier = padded.roll(back, 1)[:, -time:]
            out = out + torch.where((reach >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
        return x, out


class GatedDeltaNet(nn.Module):
    """Gated delta layer: an associative memory that can reflect as well as forget."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.inner = Linear(shape.delta_rows, shape.width)
        self.outer = Linear((shape.width,), shape.width, zero=True)
        writes = shape.heads * shape.householders
        self.rates = nn.Parameter(torch.randn(writes + shape.gated, shape.width) * 0.1 * shape.width**-0.5)
        self.bias = nn.Parameter(torch.cat([torch.zeros(writes), _decay_bias(shape.gated)]))

    def forward(
        self, x: Tensor, layout: BatchLayout, plan: BatchPlan | None, state: LayerState
    ) -> tuple[Tensor, LayerState]:
        shape, steps = self.shape, self.shape.householders
        # One product for both maps, padded to a multiple of 16: the rates alone would read x again.
        joined = torch.cat([self.inner.weight, self.rates])
        padding = -len(joined) % 16
        projected: Any = kernels.linear(x, functional.pad(joined, (0, 0, 0, padding)))
        # Split at once: the gradients are then written to one buffer, without a sum of padded parts.
        q, k, v, gate, raw_rates, _ = projected.split((*shape.delta_rows, len(self.rates), padding), -1)
        q, gate = (y.unflatten(-1, (shape.heads, HEAD_SIZE)) for y in (q, gate))
        k, v = (y.unflatten(-1, (steps, shape.heads, HEAD_SIZE)) for y in (k, v))
        beta, g = self._rates(raw_rates.float() + self.bias)
        memory = state[0] if state else None
        out, last_memory = kernels.delta_rule(
            l2_norm(q), l2_norm(k), v.contiguous(), beta.to(q.dtype), g, layout.position == 0, memory, plan
        )
        mixed = self.outer((rms_norm(out) * functional.silu(gate)).flatten(-2))
        return mixed, (last_memory,) if state and last_memory is not None else ()

    def initial_state(self, rows: int, layout: BatchLayout) -> LayerState:
        """Return the state of rows that continue nothing."""
        memory = torch.zeros(
            rows, self.shape.heads, HEAD_SIZE, HEAD_SIZE, dtype=self.bias.dtype, device=self.bias.device
        )
        return (memory,)

    def _rates(self, raw: Tensor) -> tuple[Tensor, Tensor]:
        shape = self.shape
        writes = shape.heads * shape.householders
        write, decay = raw[..., :writes], raw[..., writes:]
        beta = 2 * write.sigmoid().reshape(*raw.shape[:-1], shape.householders, shape.heads)
        g = functional.pad(-functional.softplus(decay), (0, shape.heads - shape.gated))
        return beta, g


def _decay_bias(heads: int) -> Tensor:
    """Biases at which the heads first forget at rates from 0.001 to 0.1 per byte."""
    rate = torch.logspace(-3, -1, heads) if heads > 1 else torch.full((heads,), 0.01)
    return rate.expm1().log()


class Attention(nn.Module):
    """Attention over the pinned prompt and the newest bytes, with few key-value heads."""

    slopes: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.inner = Linear(shape.attention_rows, shape.width)
        self.outer = Linear((shape.width,), HEAD_SIZE * shape.queries, zero=True)
        self.sharpness = nn.Parameter(torch.full((shape.queries,), 1 / 6))
        self.register_buffer("slopes", torch.tensor(shape.slopes), persistent=False)

    def forward(
        self, x: Tensor, layout: BatchLayout, plan: BatchPlan | None, state: LayerState
    ) -> tuple[Tensor, LayerState]:
        q, k, v, gate = self.inner(x).split(self.shape.attention_rows, -1)
        k, v = (y.unflatten(-1, (KV_HEADS, HEAD_SIZE)) for y in (k, v))
        k = rms_norm(k)
        sharpness = layout.seen.float().log().clamp(min=1.0).unsqueeze(-1) * self.sharpness
        q = rms_norm(q.unflatten(-1, (self.shape.queries, HEAD_SIZE))) * sharpness.unsqueeze(-1).to(q.dtype)
        if state:
            k, v = (torch.cat(pair, 1) for pair in zip(state, (k, v), strict=True))
        out = kernels.attend(q, k, v, self.slopes, layout, plan)
        mixed = self.outer(out.flatten(-2) * gate.sigmoid())
        return mixed, tuple(mixers.select_carried(x, layout) for x in (k, v)) if state else ()

    def initial_state(self, rows: int, layout: BatchLayout) -> LayerState:
        """Return the state of rows that continue nothing."""
        return tuple(_zeros(self.sharpness, rows, layout.slots, KV_HEADS, HEAD_SIZE) for _ in range(2))


class GatedMLP(nn.Module):
    """MLP with a SiLU gate."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.inner = Linear((shape.hidden, shape.hidden), shape.width)
        self.outer = Linear((shape.width,), shape.hidden, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.outer(kernels.gated_silu(self.inner(x))))


class Layer(nn.Module):
    """A mixer and an MLP, each after a norm and a short convolution, each added to the stream."""

    def __init__(self, shape: Shape, kind: str) -> None:
        super().__init__()
        self.mixer_short = ShortConv(shape.width)
        self.mixer = Attention(shape) if kind == "attention" else GatedDeltaNet(shape)
        self.mlp_short = ShortConv(shape.width)
        self.mlp = GatedMLP(shape)

    def forward(
        self,
        x: Tensor,
        update: Tensor | None,
        layout: BatchLayout,
        plan: BatchPlan | None = None,
        state: LayerState = (),
    ) -> tuple[Tensor, Tensor, LayerState]:
        """Apply the layer to the residual stream.

        The next reader adds the returned update, at the point where it norms the sum.

        Args:
            x: Residual stream, [b, t, width].
            update: Update of the previous layer, to be added first.
            layout: Layout of the batch.
            plan: Plan of the batch, on a GPU.
            state: State after the previous rows, if the rows continue.

        Returns:
            The stream, this layer's update, and the state for the next rows (empty if they do not continue).
        """
        tails: LayerState = state[:2] if state else (None, None)
        x, y = self.mixer_short(x, update, layout.position, tails[0])
        ends = [x[:, 1 - CONV_TAPS :]]
        mixed, new_state = self.mixer(y, layout, plan, state[2:])
        x, y = self.mlp_short(x, mixed, layout.position, tails[1])
        ends.append(x[:, 1 - CONV_TAPS :])
        if state:
            pairs = zip(tails, ends, strict=True)
            tails = tuple(torch.cat([old, rms_norm(end)], 1)[:, 1 - CONV_TAPS :] for old, end in pairs)
            new_state = tuple(tensor.detach().contiguous() for tensor in (*tails, *new_state))
        return x, self.mlp(y), new_state

    def initial_state(self, rows: int, layout: BatchLayout) -> LayerState:
        """Return the state of rows that continue nothing: two convolution tails and the mixer's state."""
        taps = self.mlp_short.taps
        tails = (_zeros(taps, rows, CONV_TAPS - 1, taps.shape[1]) for _ in range(2))
        return *tails, *self.mixer.initial_state(rows, layout)


class Trunk(nn.Module):
    """The whole model: `forward(data, position, prompt)` returns logits; inputs are [batch, time]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embed = nn.Parameter(torch.randn(shape.vocabulary, shape.width))
        self.layers = nn.ModuleList(Layer(shape, kind) for kind in shape.layers)
        self.head = nn.Parameter(torch.zeros(shape.vocabulary, shape.width))

    def hidden(
        self, data: Tensor, position: Tensor, prompt: Tensor, states: list[LayerState] | None = None, *, carry: int = 0
    ) -> Tensor:
        """Compute the normed residual stream after the last layer.

        Args:
            data: Bytes, [batch, time].
            position: Position of every byte in its document.
            prompt: Length of the prompt of every byte's document.
            states: State of each layer after the previous rows, without gradients. Replaced in place by
                the state after these rows.
            carry: Prompt bytes that stay visible to attention when a document continues in the next row.

        Returns:
            The stream, [batch, time, width].
        """
        layout = BatchLayout(position, prompt, self.shape.window, carry)
        plan = kernels.plan_batch(layout, steps=self.shape.householders)
        # Normed before the lookup: 256 rows instead of one per byte.
        table = rms_norm(self.embed)
        x = functional.embedding(data.int(), table.to(torch.bfloat16) if data.is_cuda else table)
        # A zero update, so that every layer is the same graph.
        update = torch.zeros_like(x).requires_grad_(x.requires_grad)
        for n, layer in enumerate(self.layers):
            x, update, new_state = layer(x, update, layout, plan, states[n] if states else ())
            if states:
                states[n] = new_state
        return rms_norm(x + update)

    def initial_state(self, rows: int, *, carry: int) -> list[LayerState]:
        """Return the state of every layer for rows that continue nothing."""
        empty = torch.zeros(1, 1, dtype=torch.int32)
        layout = BatchLayout(empty, empty, self.shape.window, carry)
        return [cast(Layer, layer).initial_state(rows, layout) for layer in self.layers]

    def forward(
        self, data: Tensor, position: Tensor, prompt: Tensor, states: list[LayerState] | None = None, *, carry: int = 0
    ) -> Tensor:
        """Compute the logits of the byte after each byte.

        Args:
            data: Bytes, [batch, time].
            position: Position of every byte in its document.
            prompt: Length of the prompt of every byte's document.
            states: State of each layer after the previous rows; replaced in place.
            carry: Prompt bytes that stay visible in the next row. Without `states`, rows continue nothing.

        Returns:
            The logits in float32, [batch, time, vocabulary].
        """
        if carry and states is None:
            states = self.initial_state(len(data), carry=carry)
        x = self.hidden(data, position, prompt, states, carry=carry)
        return functional.linear(x, self.head.to(x.dtype)).float()
