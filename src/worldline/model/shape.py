"""Shape of a model: `depth` sets every other size.

Training (torch) and the engine (no torch) both read it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from worldline.core.errors import UsageError

# Channels per head.
HEAD_SIZE = 64
# Bytes that a short convolution sees, the newest included.
CONV_TAPS = 4
# Key-value heads of an attention layer.
KV_HEADS = 2
LAYER_MIXES = ("hybrid", "attention", "recurrence")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a model. Depth 8 gives a width of 448 and about 18M parameters.

    Attributes:
        depth: Sets the width, and the number of layers unless `stack` does.
        mix: Which layers attend: one of `LAYER_MIXES`.
        householders: Reflections per byte in a delta layer.
        window: Recent bytes an attention layer sees besides the pinned prompt.
        vocabulary: Number of token ids.
        stack: Number of layers if it differs from `depth`; a model grown deeper keeps its width.
    """

    depth: int = 8
    mix: str = "hybrid"
    householders: int = 1
    window: int = 1024
    vocabulary: int = 256
    stack: int = 0

    def __post_init__(self) -> None:
        if self.depth < 2 or self.stack < 0 or min(self.householders, self.window, self.vocabulary) < 1:
            raise UsageError(
                f"invalid model shape {asdict(self)}: depth is at least 2, stack at least 0, the other sizes at least 1"
            )
        if self.mix not in LAYER_MIXES:
            raise UsageError(f"mix must be one of {', '.join(LAYER_MIXES)}, not {self.mix!r}")

    @property
    def heads(self) -> int:
        """Number of heads of a delta layer."""
        return self.depth - 1

    @property
    def width(self) -> int:
        """Number of channels of the residual stream."""
        return HEAD_SIZE * self.heads

    @property
    def gated(self) -> int:
        """Number of heads of a delta layer that can forget; the others keep a value until it is overwritten."""
        return self.heads // 2

    @property
    def queries(self) -> int:
        """Number of query heads of an attention layer, a multiple of the key-value heads."""
        return KV_HEADS * -(-self.heads // KV_HEADS)

    @property
    def hidden(self) -> int:
        """Number of hidden channels of a layer's gated MLP."""
        return 128 * max(1, round(self.width / 56))

    @property
    def layers(self) -> tuple[str, ...]:
        """Kind of each layer, `delta` or `attention`. In the hybrid, every third layer attends."""
        count = self.stack or self.depth
        if self.mix == "hybrid":
            return tuple("attention" if i % 3 == 2 else "delta" for i in range(count))
        return ("attention" if self.mix == "attention" else "delta",) * count

    @property
    def slopes(self) -> tuple[float, ...]:
        """Score penalty per byte of distance, for each query head. The first half has none."""
        near = self.queries // 2
        free = self.queries - near
        return (0.0,) * free + tuple(4.0 ** -(i + 1) for i in range(near))

    @property
    def delta_rows(self) -> tuple[int, ...]:
        """Rows of a delta layer's input projection: queries, keys, values, gates."""
        step = self.width * self.householders
        return (self.width, step, step, self.width)

    @property
    def attention_rows(self) -> tuple[int, ...]:
        """Rows of an attention layer's input projection: queries, keys, values, gates."""
        return (HEAD_SIZE * self.queries, HEAD_SIZE * KV_HEADS, HEAD_SIZE * KV_HEADS, HEAD_SIZE * self.queries)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self)
