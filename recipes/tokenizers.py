"""The tokenizer-swap control: what its models are trained on.

    python studies/tokenizers/study.py prepare

Generated programs alone (idioms among them), in the plain mode: whole deltas, every step revealed, no queries, lines
numbered from 1. So nothing but the cutting of the text into tokens can differ between the models.
"""

from __future__ import annotations

from dataclasses import replace

from worldline.data.mixture import GENERATE, Mixture, Mode

MAX_BYTES = 2048  # prompt and steps together: every model sees a whole document at once


def data() -> Mixture:
    """Programs of the training split."""
    return Mixture(sources=(GENERATE,), modes=(Mode(weight=1.0),), max_bytes=MAX_BYTES, shift=0.0, query=0.0)


def held_out() -> Mixture:
    """Programs of the test split, none of which is in training, not even renamed."""
    return replace(data(), split="test")
