"""Configuration of a worldline model for `transformers`. Needs nothing of the package worldline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transformers import PretrainedConfig


class WorldlineConfig(PretrainedConfig):
    """Sizes of a model.

    Attributes:
        mixers: Kind of each layer, `delta` or `attention`.
        conv_taps: Bytes that a short convolution sees, the newest included.
        sliding_window: Newest bytes of the trace that attention sees besides the prompt.
        num_delta_heads: Heads of a delta layer.
        num_forgetting_heads: How many of them, the first ones, can forget.
        householder_steps: Writes into the memory of a delta layer per byte.
        distance_slopes: Score penalty per byte of distance in the trace, one for each attention head.
    """

    model_type = "worldline"
    keys_to_ignore_at_inference = ("past_key_values",)

    def __init__(
        self,
        *,
        vocab_size: int = 256,
        hidden_size: int = 448,
        intermediate_size: int = 1024,
        mixers: Sequence[str] = ("delta", "delta", "attention"),
        head_dim: int = 64,
        num_attention_heads: int = 8,
        num_key_value_heads: int = 2,
        num_delta_heads: int = 7,
        num_forgetting_heads: int = 3,
        householder_steps: int = 1,
        conv_taps: int = 4,
        sliding_window: int = 1024,
        distance_slopes: Sequence[float] = (0.0,) * 8,
        use_cache: bool = True,
        **kwargs: Any,
    ) -> None:
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.intermediate_size = intermediate_size
        self.mixers = list(mixers)
        self.num_hidden_layers = len(self.mixers)
        self.head_dim = head_dim
        self.num_attention_heads = num_attention_heads
        self.num_key_value_heads = num_key_value_heads
        self.num_delta_heads = num_delta_heads
        self.num_forgetting_heads = num_forgetting_heads
        self.householder_steps = householder_steps
        self.conv_taps = conv_taps
        self.sliding_window = sliding_window
        self.distance_slopes = list(distance_slopes)
        self.use_cache = use_cache
        super().__init__(**kwargs)
