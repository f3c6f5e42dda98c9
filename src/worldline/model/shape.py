"""The shape of a model: one dial, the rest derived. Read by the trunk (torch) and by the engine (no torch) alike."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from worldline.core.errors import UsageError

HEAD = 64  # channels a head
TAPS = 4  # bytes that a short convolution sees, the newest included
SHARED = 2  # key-value heads of an attention layer
MIXES = ("hybrid", "attention", "recurrence")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """`depth` is the dial: 8 layers are 448 wide and about 18M parameters. `mix` says which layers attend.

    `stack` is the number of layers where it is not `depth`: a model that was grown deeper keeps its width.
    """

    depth: int = 8
    mix: str = "hybrid"
    householders: int = 1  # reflections a byte in a delta layer
    window: int = 1024  # recent bytes an attention layer sees beside the pinned prompt
    vocabulary: int = 256
    stack: int = 0

    def __post_init__(self) -> None:
        if self.depth < 2 or self.stack < 0 or min(self.householders, self.window, self.vocabulary) < 1:
            raise UsageError(f"no model has the shape {asdict(self)}")
        if self.mix not in MIXES:
            raise UsageError(f"mix must be one of {', '.join(MIXES)}, not {self.mix!r}")

    @property
    def heads(self) -> int:
        """Heads of a delta layer."""
        return self.depth - 1

    @property
    def width(self) -> int:
        """Channels of the residual stream."""
        return HEAD * self.heads

    @property
    def gated(self) -> int:
        """Heads of a delta layer that can forget; the others keep what they hold until it is overwritten."""
        return self.heads // 2

    @property
    def queries(self) -> int:
        """Query heads of an attention layer: a multiple of the key-value heads."""
        return SHARED * -(-self.heads // SHARED)

    @property
    def hidden(self) -> int:
        """Channels inside a layer's gated perceptron."""
        return 128 * max(1, round(self.width / 56))

    @property
    def layers(self) -> tuple[str, ...]:
        """What each layer mixes by: `delta` or `attention`; in the hybrid every third one attends."""
        count = self.stack or self.depth
        if self.mix == "hybrid":
            return tuple("attention" if i % 3 == 2 else "delta" for i in range(count))
        return ("attention" if self.mix == "attention" else "delta",) * count

    @property
    def slopes(self) -> tuple[float, ...]:
        """For each query head, what a byte of distance costs a key of the trace; nothing for the first half."""
        near = self.queries // 2
        free = self.queries - near
        return (0.0,) * free + tuple(4.0 ** -(i + 1) for i in range(near))

    @property
    def delta_rows(self) -> tuple[int, ...]:
        """Rows of a delta layer's inner matrix: queries, keys, values, gates."""
        step = self.width * self.householders
        return (self.width, step, step, self.width)

    @property
    def attention_rows(self) -> tuple[int, ...]:
        """Rows of an attention layer's inner matrix: queries, keys, values, gates."""
        return (HEAD * self.queries, HEAD * SHARED, HEAD * SHARED, HEAD * self.queries)

    def to_json(self) -> dict[str, Any]:
        """The fields alone."""
        return asdict(self)
