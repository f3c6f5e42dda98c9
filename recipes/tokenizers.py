"""Training data of the tokenizer study.

    python studies/tokenizers/study.py prepare

Only generated programs in the plain mode: whole deltas, every step shown, no queries, lines numbered
from 1. The models can then differ only in how the text is split into tokens.
"""

from __future__ import annotations

from dataclasses import replace

from worldline.data.mixture import GENERATE, Mixture, Mode

# Prompt and steps together: every model sees a whole document at once.
MAX_BYTES = 2048


def data() -> Mixture:
    """Return programs of the training split."""
    return Mixture(sources=(GENERATE,), modes=(Mode(weight=1.0),), max_bytes=MAX_BYTES, shift=0.0, query=0.0)


def held_out() -> Mixture:
    """Return programs of the test split; none is in training, not even renamed."""
    return replace(data(), split="test")
