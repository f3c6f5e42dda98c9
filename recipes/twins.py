"""The same trunk four ways: attention alone, recurrence alone, both, and more reflections. On tasks of state alone.

    python -m worldline.model.train --recipe recipes/twins.py --function hybrid --out runs/hybrid

What differs is `Shape.mix` and `householders`; documents, optimiser, schedule and budget are the same. `worldline bench
permutation --reveal 8,64,512 --model runs/hybrid` measures what each learned to carry.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mixture import Mixture
    from worldline.model.train.config import Training

WORKERS = int(os.environ.get("WORLDLINE_WORKERS", os.cpu_count() or 1))
STEPS = int(os.environ.get("WORLDLINE_STEPS", "800"))


def data() -> Mixture:
    """Permutations and other tasks; the state is shown every 1 to 512 steps."""
    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import Mixture, Mode, Source

    spacings = (1, 2, 4, 8, 16, 32, 64, 128, 512)
    return Mixture(
        sources=(
            Source(kind="tasks", program="worldline.programs.tasks:permutations", weight=0.7),
            Source(kind="tasks", program="worldline.programs.tasks:program", weight=0.3),
        ),
        modes=tuple(Mode(weight=1.0, options=Compact(reveal=spacing)) for spacing in spacings),
        max_bytes=8192,
        query=0.0,
    )


def _training(mix: str, *, householders: int = 1) -> Training:
    from worldline.data.sources import streams
    from worldline.model.shape import Shape
    from worldline.model.train.config import Training

    python = os.environ.get("WORLDLINE_STREAM_PYTHON", "")
    return Training(
        shape=Shape(depth=5, mix=mix, householders=householders),
        sources=(streams(__file__, workers=WORKERS, ahead=16 * WORKERS, python=python),),
        rows=16,
        time=8192,
        steps=STEPS,
        eval_every=0,
        save_every=0,
    )


def hybrid() -> Training:
    """Delta layers, every third one attends: what the shipped model is."""
    return _training("hybrid")


def attention() -> Training:
    """Attention in every layer."""
    return _training("attention")


def recurrence() -> Training:
    """Delta layers alone."""
    return _training("recurrence")


def reflecting() -> Training:
    """The hybrid with three reflections a byte: what arbitrary permutations ask for."""
    return _training("hybrid", householders=3)
