"""worldline's byte-level code world model for `transformers`: bytes in, logits of the next byte out.

A text is a prompt (the numbered source and the call, which starts with `>`) and the trace after it. Delta layers
carry state, attention copies from the prompt and the newest bytes of the trace, MLPs compute. Attention has no
positions: it sees the whole prompt, and of the trace the newest `sliding_window` bytes.

This is what worldline's engine computes with `precision="fp32"`. By default the engine also rounds the inputs of most
matrices, which changes logits by about as much as another instruction set does. The file needs torch and transformers,
nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedModel, StoppingCriteria, StoppingCriteriaList
from transformers.modeling_outputs import CausalLMOutputWithPast

from .configuration_worldline import WorldlineConfig

NORM_EPSILON = 1e-6
NEWLINE, CALL = ord("\n"), ord(">")
# A trace ends with a line that holds a dot.
END_MARK = tuple(b"\n.\n")
# Bytes that go through the layers at once; bounds the memory of attention over a long prompt.
BLOCK_BYTES = 512


def rms_norm(x: Tensor) -> Tensor:
    """Scale to unit root mean square along the last axis."""
    return functional.rms_norm(x, (x.shape[-1],), eps=NORM_EPSILON)


def l2_norm(x: Tensor) -> Tensor:
    """Scale to unit length along the last axis."""
    return rms_norm(x) / math.sqrt(x.shape[-1])


# ---- what was read


@dataclass
class LayerCache:
    """Memory of one layer: the newest inputs of its convolutions, and a recurrent memory or keys and values."""

    mixer_tail: Tensor  # [batch, taps - 1, width]
    mlp_tail: Tensor
    memory: Tensor | None = None  # [batch, heads, head of the value, head of the key]
    keys: Tensor | None = None  # [batch, key-value heads, bytes, head]
    values: Tensor | None = None


@dataclass
class TraceCache:
    """Everything read so far that the future depends on. Its size stops growing with the trace after two windows.

    Attributes:
        layers: Memory of each layer.
        seen: Bytes read, padding included.
        length: Bytes read by each row, padding apart, [batch].
        prompt: Bytes of each row's prompt, [batch].
        in_trace: Whether the line of the call has ended, [batch].
        in_call: Whether the current line is that of the call, [batch].
        at_line_start: Whether the next byte starts a line, [batch].
        key_position: Position of each stored key in its row; negative for padding, [batch, keys].
        key_pinned: Whether it belongs to the prompt, [batch, keys].
    """

    layers: list[LayerCache]
    length: Tensor
    prompt: Tensor
    in_trace: Tensor
    in_call: Tensor
    at_line_start: Tensor
    key_position: Tensor
    key_pinned: Tensor
    seen: int = 0
    is_compileable: bool = field(default=False, init=False)
    is_croppable: bool = field(default=False, init=False)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the number of bytes read, padding included."""
        return self.seen

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Replace each row by the row that a beam search continues."""
        for holder in (self, *self.layers):
            for name, value in vars(holder).items():
                if isinstance(value, Tensor):
                    setattr(holder, name, value.index_select(0, beam_idx.to(value.device)))

    def drop_distant_keys(self, window: int) -> None:
        """Drop keys that no row will see again; done once in a window, so that a byte stays cheap."""
        if self.key_position.shape[1] < 2 * window:
            return
        newest = self.length[:, None]
        is_near = self.key_pinned | (newest - self.key_position < window)
        keep = (is_near & (self.key_position >= 0)).any(0)
        if self.key_position.shape[1] - int(keep.sum()) < window:
            return
        self.key_position, self.key_pinned = self.key_position[:, keep], self.key_pinned[:, keep]
        for layer in self.layers:
            if layer.keys is not None and layer.values is not None:
                layer.keys, layer.values = layer.keys[:, :, keep], layer.values[:, :, keep]


def empty_cache(config: WorldlineConfig, rows: int, like: Tensor) -> TraceCache:
    """Return the state before the first byte; `like` gives device and type of the numbers."""
    heads, size = config.num_delta_heads, config.head_dim
    layers = []
    for kind in config.mixers:
        tails = (like.new_zeros(rows, config.conv_taps - 1, config.hidden_size) for _ in range(2))
        layer = LayerCache(*tails)
        if kind == "delta":
            layer.memory = like.new_zeros(rows, heads, size, size, dtype=torch.float32)
        else:
            layer.keys, layer.values = (like.new_zeros(rows, config.num_key_value_heads, 0, size) for _ in range(2))
        layers.append(layer)
    counts = torch.zeros(rows, dtype=torch.long, device=like.device)
    flags = torch.zeros(rows, dtype=torch.bool, device=like.device)
    return TraceCache(
        layers,
        length=counts,
        prompt=counts,
        in_trace=flags,
        in_call=flags,
        at_line_start=~flags,
        key_position=counts[:, None][:, :0],
        key_pinned=flags[:, None][:, :0],
    )


@dataclass
class BlockLayout:
    """Where the bytes of a block stand in their texts; the same for every layer.

    Attributes:
        is_text: False for padding, [batch, bytes].
        position: Position in the text, negative for padding, [batch, bytes].
        seen: Number of keys that each byte sees, [batch, bytes].
        distance: Distance to each key of the trace, 0 to those of the prompt, [batch, bytes, keys].
        visible: Whether a byte sees a key, [batch, bytes, keys].
    """

    is_text: Tensor
    position: Tensor
    seen: Tensor
    distance: Tensor
    visible: Tensor


def place_block(cache: TraceCache, ids: Tensor, is_text: Tensor, window: int) -> BlockLayout:
    """Locate the bytes of a block, and enter them into the cache."""
    pinned = find_prompt(cache, ids, is_text)
    position = torch.where(is_text, cache.length[:, None] + is_text.cumsum(1) - 1, -1)
    cache.length = cache.length + is_text.sum(1)
    cache.prompt = cache.prompt + pinned.sum(1)
    cache.seen += ids.shape[1]
    cache.key_position = torch.cat([cache.key_position, position], 1)
    cache.key_pinned = torch.cat([cache.key_pinned, pinned], 1)
    prompt = cache.prompt[:, None]
    seen = torch.where(pinned, position + 1, prompt + (position - prompt + 1).clamp(max=window))
    key_position, key_pinned = cache.key_position[:, None], cache.key_pinned[:, None]
    distance = position[:, :, None] - key_position
    visible = (key_position >= 0) & (distance >= 0) & (key_pinned | (distance < window))
    return BlockLayout(is_text, position, seen, torch.where(key_pinned, 0, distance), visible)


def find_prompt(cache: TraceCache, ids: Tensor, is_text: Tensor) -> Tensor:
    """Return which bytes belong to the prompt: those up to the end of the first line that starts with `>`."""
    if bool(cache.in_trace.all()):
        return torch.zeros_like(is_text)
    pinned = []
    for byte, is_read in zip(ids.unbind(1), is_text.unbind(1), strict=True):
        pinned.append(is_read & ~cache.in_trace)
        is_newline = byte == NEWLINE
        in_call = torch.where(cache.at_line_start, byte == CALL, cache.in_call)
        cache.in_trace = cache.in_trace | (is_read & in_call & is_newline)
        cache.in_call = torch.where(is_read, in_call, cache.in_call)
        cache.at_line_start = torch.where(is_read, is_newline, cache.at_line_start)
    return torch.stack(pinned, 1)


# ---- layers


class WorldlineShortConv(nn.Module):
    """Causal convolution over the newest bytes, channel by channel."""

    def __init__(self, taps: int, width: int) -> None:
        super().__init__()
        self.taps = nn.Parameter(torch.zeros(taps, width))

    def forward(self, x: Tensor, position: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """Return the outputs, and the inputs that the next bytes need."""
        count, time = len(self.taps), x.shape[1]
        padded = torch.cat([tail, x], 1)
        out = x * (1 + self.taps[0])
        for back in range(1, count):
            earlier = padded[:, count - 1 - back : count - 1 - back + time]
            out = out + torch.where((position >= back)[..., None], earlier, 0.0) * self.taps[back]
        return out, padded[:, time:]


class WorldlineGatedDeltaNet(nn.Module):
    """Gated delta layer: an associative memory that can reflect as well as forget."""

    def __init__(self, config: WorldlineConfig) -> None:
        super().__init__()
        self.heads, self.size, self.steps = config.num_delta_heads, config.head_dim, config.householder_steps
        self.forgetting = config.num_forgetting_heads
        width = config.hidden_size
        self.qkvg_proj = nn.Linear(width, width * 2 * (1 + self.steps), bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)
        self.rates = nn.Parameter(torch.zeros(self.heads * self.steps + self.forgetting, width))
        self.rates_bias = nn.Parameter(torch.zeros(self.heads * self.steps + self.forgetting))

    def forward(self, x: Tensor, layout: BlockLayout, cache: LayerCache) -> Tensor:
        """Write each byte into the memory and read it."""
        width = x.shape[-1]
        q, k, v, gate = self.qkvg_proj(x).split([width, width * self.steps, width * self.steps, width], -1)
        q, gate = (y.unflatten(-1, (self.heads, self.size)) for y in (q, gate))
        k, v = (y.unflatten(-1, (self.steps, self.heads, self.size)) for y in (k, v))
        beta, decay = self._rates(x, layout.is_text)
        out, cache.memory = delta_rule(l2_norm(q).float(), l2_norm(k).float(), v.float(), beta, decay, cache.memory)
        mixed = rms_norm(out).to(x.dtype) * functional.silu(gate)
        return self.o_proj(mixed.flatten(-2))

    def _rates(self, x: Tensor, is_text: Tensor) -> tuple[Tensor, Tensor]:
        """How much of each value is written, and how much of the memory stays. Padding changes nothing."""
        raw = (functional.linear(x, self.rates) + self.rates_bias).float()
        write, forget = raw.split([self.heads * self.steps, self.forgetting], -1)
        beta = 2 * write.sigmoid().unflatten(-1, (self.steps, self.heads)) * is_text[..., None, None]
        decay = torch.where(is_text[..., None], (-forget).sigmoid(), 1.0)
        return beta, functional.pad(decay, (0, self.heads - self.forgetting), value=1.0)


def delta_rule(
    q: Tensor, k: Tensor, v: Tensor, beta: Tensor, decay: Tensor, memory: Tensor | None
) -> tuple[Tensor, Tensor]:
    """S <- decay S; S <- S + beta (v - S k) k^T for each step; o = S q. Return the outputs and the last memory."""
    assert memory is not None
    out = []
    for t in range(q.shape[1]):
        memory = memory * decay[:, t, :, None, None]
        for n in range(k.shape[2]):
            key = k[:, t, n, :, :, None]
            change = beta[:, t, n, :, None, None] * (v[:, t, n, :, :, None] - memory @ key)
            memory = memory + change * key.transpose(-1, -2)
        out.append((memory @ q[:, t, :, :, None]).squeeze(-1))
    return torch.stack(out, 1), memory


class WorldlineAttention(nn.Module):
    """Attention over the prompt and the newest bytes of the trace, with few key-value heads."""

    def __init__(self, config: WorldlineConfig) -> None:
        super().__init__()
        self.heads, self.shared, self.size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        self.slopes = config.distance_slopes
        width, queries = config.hidden_size, self.size * self.heads
        self.rows = (queries, self.size * self.shared, self.size * self.shared, queries)
        self.qkvg_proj = nn.Linear(width, sum(self.rows), bias=False)
        self.o_proj = nn.Linear(queries, width, bias=False)
        self.sharpness = nn.Parameter(torch.full((self.heads,), 1 / 6))

    def forward(self, x: Tensor, layout: BlockLayout, cache: LayerCache) -> Tensor:
        """Store the keys and values of the block, and read those in sight."""
        *qkv, gate = self.qkvg_proj(x).split(self.rows, -1)
        q, k, v = (y.unflatten(-1, (-1, self.size)).transpose(1, 2) for y in qkv)
        assert cache.keys is not None
        assert cache.values is not None
        cache.keys, cache.values = torch.cat([cache.keys, rms_norm(k)], 2), torch.cat([cache.values, v], 2)
        weights = self._weights(rms_norm(q), cache.keys, layout).to(x.dtype)
        out = (weights.unflatten(1, (self.shared, -1)) @ cache.values[:, :, None]).flatten(1, 2)
        return self.o_proj(out.transpose(1, 2).flatten(-2) * gate.sigmoid())

    def _weights(self, q: Tensor, keys: Tensor, layout: BlockLayout) -> Tensor:
        """Attention weights, [batch, heads, bytes, keys]. The more keys are in sight, the sharper they are."""
        stretch = layout.seen.clamp(min=1).float().log().clamp(min=1.0)[:, None, :, None]
        scale = stretch * self.sharpness.float()[:, None, None] / math.sqrt(self.size)
        q = (q.float() * scale).unflatten(1, (self.shared, -1))
        scores = (q @ keys[:, :, None].float().transpose(-1, -2)).flatten(1, 2)
        slopes = scores.new_tensor(self.slopes)[:, None, None]
        scores = scores - slopes * layout.distance[:, None]
        return scores.masked_fill(~layout.visible[:, None], torch.finfo(scores.dtype).min).softmax(-1)


class WorldlineGatedMLP(nn.Module):
    """MLP with a SiLU gate."""

    def __init__(self, config: WorldlineConfig) -> None:
        super().__init__()
        width, hidden = config.hidden_size, config.intermediate_size
        self.gate_up_proj = nn.Linear(width, 2 * hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the update of the residual stream."""
        gate, up = self.gate_up_proj(x).chunk(2, -1)
        return self.down_proj(functional.silu(gate) * up)


class WorldlineLayer(nn.Module):
    """A mixer and an MLP, each after a norm and a short convolution, each added to the stream."""

    def __init__(self, config: WorldlineConfig, kind: str) -> None:
        super().__init__()
        self.mixer_conv = WorldlineShortConv(config.conv_taps, config.hidden_size)
        self.mixer = WorldlineAttention(config) if kind == "attention" else WorldlineGatedDeltaNet(config)
        self.mlp_conv = WorldlineShortConv(config.conv_taps, config.hidden_size)
        self.mlp = WorldlineGatedMLP(config)

    def forward(self, x: Tensor, layout: BlockLayout, cache: LayerCache) -> Tensor:
        """Apply the layer to the residual stream, [batch, bytes, width]."""
        y, cache.mixer_tail = self.mixer_conv(rms_norm(x), layout.position, cache.mixer_tail)
        x = x + self.mixer(y, layout, cache)
        y, cache.mlp_tail = self.mlp_conv(rms_norm(x), layout.position, cache.mlp_tail)
        return x + self.mlp(y)


# ---- the model


class TraceEnd(StoppingCriteria):
    """Ends a row after the line that ends its trace. The name `eos_token_id` makes `generate` pad ended rows."""

    eos_token_id = END_MARK[-1]

    def __call__(self, input_ids: Tensor, scores: Any, **kwargs: Any) -> Tensor:
        """Return which rows have ended."""
        mark = input_ids.new_tensor(END_MARK)
        if input_ids.shape[1] < len(mark):
            return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)
        return (input_ids[:, -len(mark) :] == mark).all(1)


class WorldlineForCausalLM(PreTrainedModel, GenerationMixin):
    """The whole model. Token ids are bytes; `generate` ends each row after its trace."""

    config_class = WorldlineConfig
    base_model_prefix = "model"
    _no_split_modules = ("WorldlineLayer",)

    def __init__(self, config: WorldlineConfig) -> None:
        super().__init__(config)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(WorldlineLayer(config, kind) for kind in config.mixers)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        """Return False: `forward` creates a `TraceCache`."""
        return False

    def get_input_embeddings(self) -> nn.Module:
        """Return the embedding of the bytes."""
        return self.embed_tokens

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embedding of the bytes."""
        self.embed_tokens = value

    def get_output_embeddings(self) -> nn.Module:
        """Return the map to logits."""
        return self.lm_head

    def generate(
        self,
        inputs: Tensor | None = None,
        generation_config: Any = None,
        *,
        stopping_criteria: Any = None,
        **options: Any,
    ) -> Any:
        """Generate as every `transformers` model does, and end each row after its trace."""
        criteria = StoppingCriteriaList([*(stopping_criteria or ()), TraceEnd()])
        return super().generate(inputs, generation_config, stopping_criteria=criteria, **options)

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past_key_values: TraceCache | None = None,
        labels: Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int = 0,
        **options: Any,
    ) -> CausalLMOutputWithPast:
        """Read bytes and compute the logits of the byte after each.

        Args:
            input_ids: Bytes, [batch, bytes].
            attention_mask: 0 for padding, which stands on the left, [batch, bytes read so far].
            past_key_values: What was read before; changed in place.
            labels: Bytes to predict, as `input_ids`; -100 is ignored.
            use_cache: Whether to return the cache.
            logits_to_keep: Compute logits of this many last bytes only; 0 for all.
            options: `inputs_embeds` is refused; `position_ids` is ignored, positions follow from the bytes.

        Returns:
            Logits, the loss if there are labels, and the cache.
        """
        if input_ids is None or options.get("inputs_embeds") is not None:
            raise ValueError("this model reads bytes: pass input_ids, not inputs_embeds")
        is_text = read_mask(attention_mask, input_ids, is_first=past_key_values is None)
        cache = past_key_values
        if cache is None:
            cache = empty_cache(self.config, len(input_ids), self.embed_tokens.weight)
        hidden = self._read(input_ids, is_text, cache)
        logits = self.lm_head(hidden[:, -logits_to_keep:]).float()
        loss = None
        if labels is not None:
            predicted = logits[:, :-1].flatten(0, 1)
            loss = functional.cross_entropy(predicted, labels[:, 1:].flatten().to(logits.device))
        is_kept = use_cache if use_cache is not None else self.config.use_cache
        return CausalLMOutputWithPast(loss=loss, logits=logits, past_key_values=cache if is_kept else None)

    def _read(self, ids: Tensor, is_text: Tensor, cache: TraceCache) -> Tensor:
        """Return the normed residual stream after the last layer, block by block."""
        blocks = []
        for block, is_read in zip(ids.split(BLOCK_BYTES, 1), is_text.split(BLOCK_BYTES, 1), strict=True):
            layout = place_block(cache, block, is_read, self.config.sliding_window)
            x = rms_norm(self.embed_tokens(block))
            for layer, memory in zip(self.layers, cache.layers, strict=True):
                x = layer(x, layout, memory)
            cache.drop_distant_keys(self.config.sliding_window)
            blocks.append(rms_norm(x))
        return torch.cat(blocks, 1)


def read_mask(mask: Tensor | None, ids: Tensor, *, is_first: bool) -> Tensor:
    """Return which bytes are text. Padding elsewhere than on the left is refused."""
    if mask is None:
        return torch.ones_like(ids, dtype=torch.bool)
    if mask.ndim != 2:
        raise ValueError("attention_mask must have two axes, [batch, bytes]")
    is_text = mask[:, -ids.shape[1] :].bool()
    if is_first and bool((is_text[:, :-1] & ~is_text[:, 1:]).any()):
        raise ValueError("pad texts on the left: pass padding_side='left' to the tokenizer")
    return is_text
