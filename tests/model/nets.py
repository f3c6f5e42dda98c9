"""Random nets whose every parameter matters: what a fresh trunk starts at zero is drawn here too."""

from __future__ import annotations

import numpy as np
import torch

from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray


def random_trunk(shape: Shape, seed: int = 0) -> Trunk:
    """A trunk with random outer matrices, taps, head and rates: logits of about unit size that depend on everything."""
    torch.manual_seed(seed)
    trunk = Trunk(shape).eval()
    with torch.no_grad():
        for name, weights in trunk.named_parameters():
            if name.endswith(("outer.weight", "head")):
                weights.normal_(std=weights.shape[1] ** -0.5)
            elif name.endswith("taps"):
                weights.normal_(std=0.3)
            elif name.endswith("rates"):
                weights.normal_(std=weights.shape[1] ** -0.5)
            elif name.endswith("sharpness"):
                weights.uniform_(0.1, 0.5)
    return trunk


def weights_of(trunk: Trunk) -> dict[str, FloatArray]:
    """The parameters as the engines take them."""
    return {name: value.detach().numpy() for name, value in trunk.state_dict().items()}


def trunk_logits(trunk: Trunk, data: bytes, prompt: int) -> FloatArray:
    """What the trunk says after every byte."""
    position = torch.arange(len(data))[None]
    with torch.no_grad():
        logits: FloatArray = trunk(torch.tensor([list(data)]), position, torch.full_like(position, prompt))[0].numpy()
    return logits


def random_bytes(count: int, seed: int = 0) -> bytes:
    """Bytes of a seed."""
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8).tobytes()
