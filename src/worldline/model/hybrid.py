"""The trunk: bytes in, logits of the next byte out. Delta layers carry state, attention copies, MLPs compute.

Every norm is without weights (a gain would only be a factor of the matrix behind it). Training alone runs this; the
shipped model is decoded by model/engine, which must compute the same function.
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
from worldline.model.shape import HEAD, SHARED, TAPS, Shape

EPSILON = 1e-6
Carried = tuple[Any, ...]  # tensors that a layer carries from a row into the next one


def norm(x: Tensor) -> Tensor:
    """To unit root mean square along the last axis."""
    return functional.rms_norm(x, (x.shape[-1],), eps=EPSILON)


def unit(x: Tensor) -> Tensor:
    """To unit length along the last axis."""
    return norm(x) / math.sqrt(x.shape[-1])


def _blank(like: Tensor, *shape: int) -> Tensor:
    """Zeros, of the stream's kind."""
    return torch.zeros(shape, dtype=torch.bfloat16 if like.is_cuda else like.dtype, device=like.device)


class Matrix(nn.Module):
    """A linear map without bias; `parts` are the rows that belong together, for the optimizer."""

    def __init__(self, rows: tuple[int, ...], columns: int, *, zero: bool = False) -> None:
        super().__init__()
        self.parts = rows
        scale = 0.0 if zero else columns**-0.5
        self.weight = nn.Parameter(torch.randn(sum(rows), columns) * scale)

    def forward(self, x: Tensor) -> Tensor:
        return kernels.product(x, self.weight)


class Short(nn.Module):
    """A short convolution, channel by channel, of what is normed."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.taps = nn.Parameter(torch.zeros(TAPS, width))

    def forward(
        self, x: Tensor, added: Tensor | None, position: Tensor, tail: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """x + added, and the convolution of its norm; `tail` is the end of the row before, normed."""
        x = x if added is None else x + added
        normed, taps = norm(x), self.taps.to(x.dtype)
        out = normed * (1 + taps[0])
        longer = functional.pad(normed, (0, 0, TAPS - 1, 0)) if tail is None else torch.cat([tail, normed], 1)
        for back in range(1, TAPS):
            earlier = longer[:, TAPS - 1 - back :][:, : x.shape[1]]
            out = out + torch.where((position >= back).unsqueeze(-1), earlier, 0.0) * taps[back]
        return x, out


class Delta(nn.Module):
    """A gated delta layer: an associative memory that reflects as well as forgets."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.inner = Matrix(shape.delta_rows, shape.width)
        self.outer = Matrix((shape.width,), shape.width, zero=True)
        writes = shape.heads * shape.householders
        self.rates = nn.Parameter(torch.randn(writes + shape.gated, shape.width) * 0.1 * shape.width**-0.5)
        self.bias = nn.Parameter(torch.cat([torch.zeros(writes), _slow(shape.gated)]))

    def forward(
        self, x: Tensor, layout: BatchLayout, plan: BatchPlan | None, carried: Carried
    ) -> tuple[Tensor, Carried]:
        shape, steps = self.shape, self.shape.householders
        # One product for both maps, its width a multiple of 16: the rates by themselves would read x once more.
        joined = torch.cat([self.inner.weight, self.rates])
        wide: Any = kernels.product(x, functional.pad(joined, (0, 0, 0, -len(joined) % 16)))
        raw, wide = wide[..., sum(shape.delta_rows) : len(joined)], wide[..., : sum(shape.delta_rows)]
        q, k, v, gate = wide.split(shape.delta_rows, -1)
        q, gate = (y.unflatten(-1, (shape.heads, HEAD)) for y in (q, gate))
        k, v = (y.unflatten(-1, (steps, shape.heads, HEAD)) for y in (k, v))
        beta, g = self._rates(raw.float() + self.bias)
        state = carried[0] if carried else None
        out, last = kernels.delta_rule(
            unit(q), unit(k), v, beta.to(q.dtype), g, layout.position == 0, state, plan
        )
        mixed = self.outer((norm(out) * functional.silu(gate)).flatten(-2))
        return mixed, (last,) if carried and last is not None else ()

    def nothing(self, rows: int, layout: BatchLayout) -> Carried:
        """What a row carries on that has nothing before it."""
        blank = torch.zeros(
            rows, self.shape.heads, HEAD, HEAD, dtype=self.bias.dtype, device=self.bias.device
        )
        return (blank,)

    def _rates(self, raw: Tensor) -> tuple[Tensor, Tensor]:
        shape = self.shape
        writes = shape.heads * shape.householders
        write, decay = raw[..., :writes], raw[..., writes:]
        beta = 2 * write.sigmoid().reshape(*raw.shape[:-1], shape.householders, shape.heads)
        g = functional.pad(-functional.softplus(decay), (0, shape.heads - shape.gated))
        return beta, g


def _slow(heads: int) -> Tensor:
    """Biases at which the heads first forget at rates from 0.001 to 0.1 a byte."""
    rate = torch.logspace(-3, -1, heads) if heads > 1 else torch.full((heads,), 0.01)
    return rate.expm1().log()


class Attention(nn.Module):
    """Attention over the pinned prompt and the newest bytes, with few key-value heads."""

    slopes: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.inner = Matrix(shape.attention_rows, shape.width)
        self.outer = Matrix((shape.width,), HEAD * shape.queries, zero=True)
        self.sharpness = nn.Parameter(torch.full((shape.queries,), 1 / 6))
        self.register_buffer("slopes", torch.tensor(shape.slopes), persistent=False)

    def forward(
        self, x: Tensor, layout: BatchLayout, plan: BatchPlan | None, carried: Carried
    ) -> tuple[Tensor, Carried]:
        q, k, v, gate = self.inner(x).split(self.shape.attention_rows, -1)
        k, v = (y.unflatten(-1, (SHARED, HEAD)) for y in (k, v))
        k = norm(k)
        sharp = layout.seen.float().log().clamp(min=1.0).unsqueeze(-1) * self.sharpness
        q = norm(q.unflatten(-1, (self.shape.queries, HEAD))) * sharp.unsqueeze(-1).to(q.dtype)
        if carried:
            k, v = (torch.cat(pair, 1) for pair in zip(carried, (k, v), strict=True))
        out = kernels.attend(q, k, v, self.slopes, layout, plan)
        mixed = self.outer(out.flatten(-2) * gate.sigmoid())
        return mixed, tuple(mixers.keep(x, layout) for x in (k, v)) if carried else ()

    def nothing(self, rows: int, layout: BatchLayout) -> Carried:
        """What a row carries on that has nothing before it."""
        return tuple(_blank(self.sharpness, rows, layout.slots, SHARED, HEAD) for _ in range(2))


class Perceptron(nn.Module):
    """A gated perceptron."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.inner = Matrix((shape.hidden, shape.hidden), shape.width)
        self.outer = Matrix((shape.width,), shape.hidden, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.inner(x).chunk(2, -1)
        return cast(Tensor, self.outer(functional.silu(gate) * value))


class Layer(nn.Module):
    """A mixer and a perceptron, each behind a norm and a short convolution, each added to the stream."""

    def __init__(self, shape: Shape, kind: str) -> None:
        super().__init__()
        self.mixer_short = Short(shape.width)
        self.mixer = Attention(shape) if kind == "attention" else Delta(shape)
        self.mlp_short = Short(shape.width)
        self.mlp = Perceptron(shape)

    def forward(
        self,
        x: Tensor,
        added: Tensor | None,
        layout: BatchLayout,
        plan: BatchPlan | None = None,
        carried: Carried = (),
    ) -> tuple[Tensor, Tensor, Carried]:
        """From the stream and what is to be added to it: the same behind the layer, and what the next row needs.

        A sum is made where it is normed: by the next one who reads it.
        """
        tails: Carried = carried[:2] if carried else (None, None)
        x, y = self.mixer_short(x, added, layout.position, tails[0])
        ends = [x[:, 1 - TAPS :]]
        mixed, state = self.mixer(y, layout, plan, carried[2:])
        x, y = self.mlp_short(x, mixed, layout.position, tails[1])
        ends.append(x[:, 1 - TAPS :])
        if carried:
            pairs = zip(tails, ends, strict=True)
            tails = tuple(torch.cat([old, norm(end)], 1)[:, 1 - TAPS :] for old, end in pairs)
            state = tuple(tensor.detach().contiguous() for tensor in (*tails, *state))
        return x, self.mlp(y), state

    def nothing(self, rows: int, layout: BatchLayout) -> Carried:
        """What a row carries on that has nothing before it: two tails, and what the mixer does."""
        taps = self.mlp_short.taps
        tails = (_blank(taps, rows, TAPS - 1, taps.shape[1]) for _ in range(2))
        return *tails, *self.mixer.nothing(rows, layout)


class Trunk(nn.Module):
    """The whole model. `forward(bytes, position, prompt)` gives logits, all [batch, time]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embed = nn.Parameter(torch.randn(shape.vocabulary, shape.width))
        self.layers = nn.ModuleList(Layer(shape, kind) for kind in shape.layers)
        self.head = nn.Parameter(torch.zeros(shape.vocabulary, shape.width))

    def hidden(
        self,
        data: Tensor,
        position: Tensor,
        prompt: Tensor,
        carried: list[Carried] | None = None,
        *,
        kept: int = 0,
    ) -> Tensor:
        """The normed stream behind the last layer.

        `carried` is what each layer carried out of the rows before, without a gradient; it becomes what they carry out
        of these. `kept` bytes of a prompt stay visible to attention beyond a row.
        """
        layout = BatchLayout(position, prompt, self.shape.window, kept)
        plan = kernels.plan(layout, steps=self.shape.householders)
        table = norm(self.embed)  # normed before it is looked up: 256 rows instead of one a byte
        x = functional.embedding(data.int(), table.to(torch.bfloat16) if data.is_cuda else table)
        added = torch.zeros_like(x).requires_grad_(x.requires_grad)  # so that every layer is the same graph
        for n, layer in enumerate(self.layers):
            x, added, state = layer(x, added, layout, plan, carried[n] if carried else ())
            if carried:
                carried[n] = state
        return norm(x + added)

    def nothing(self, rows: int, *, kept: int) -> list[Carried]:
        """What every layer carries into rows that have nothing before them."""
        blank = torch.zeros(1, 1, dtype=torch.int32)
        layout = BatchLayout(blank, blank, self.shape.window, kept)
        return [cast(Layer, layer).nothing(rows, layout) for layer in self.layers]

    def forward(
        self,
        data: Tensor,
        position: Tensor,
        prompt: Tensor,
        carried: list[Carried] | None = None,
        *,
        kept: int = 0,
    ) -> Tensor:
        """Logits of the byte after each byte; with `kept` alone, of rows that have nothing before them."""
        if kept and carried is None:
            carried = self.nothing(len(data), kept=kept)
        x = self.hidden(data, position, prompt, carried, kept=kept)
        return functional.linear(x, self.head.to(x.dtype)).float()
