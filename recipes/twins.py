"""Ablations of the mixer: attention only, recurrence only, the hybrid, and more reflections, on state tasks.

    python -m worldline.model.train --recipe recipes/twins.py --function hybrid --out runs/hybrid

Only `Shape.mix` and `householders` differ; documents, optimizer, schedule and budget are equal.
`worldline bench permutation --reveal 8,64,512 --model runs/hybrid` measures what each learned to carry.

`climbing_hybrid` and `climbing_attention` follow the curriculum of docs/how-to/learn.md: a spacing comes more
often once a tutor finds the previous one mastered; `RUN/curriculum.log.jsonl` says when.
`WORLDLINE_DEPTH`, `_ROWS` and `_TIME` make them small enough for a CPU.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mixture import Mixture
    from worldline.model.train.config import Training

WORKERS = int(os.environ.get("WORLDLINE_WORKERS", os.cpu_count() or 1))
STEPS = int(os.environ.get("WORLDLINE_STEPS", "800"))
MINUTES = float(os.environ.get("WORLDLINE_MINUTES", "4"))
DEPTH, ROWS, TIME = (
    int(os.environ.get(f"WORLDLINE_{name}", default))
    for name, default in (("DEPTH", "5"), ("ROWS", "16"), ("TIME", "8192"))
)


def data() -> Mixture:
    """Return permutations and other tasks; the state is shown every 1 to 512 steps."""
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
    """Train delta layers with every third one attending, like the shipped model."""
    return _training("hybrid")


def attention() -> Training:
    """Train attention in every layer."""
    return _training("attention")


def recurrence() -> Training:
    """Train delta layers only."""
    return _training("recurrence")


def reflecting() -> Training:
    """Train the hybrid with three reflections per byte, which arbitrary permutations need."""
    return _training("hybrid", householders=3)


def shuffled() -> Mixture:
    """Return shuffles of up to 72 lines; the state is shown always, or every 2 to 64 steps."""
    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import Mixture, Mode, Source

    return Mixture(
        sources=(Source(kind="tasks", program="worldline.programs.tasks:shuffles"),),
        modes=(Mode(weight=1.0), *(Mode(weight=0.5, options=Compact(reveal=2**n)) for n in range(1, 7))),
        max_bytes=8192,
        query=0.0,
        shift=0.0,
    )


def _climbing(mix: str) -> Training:
    from worldline.data.sources import streams
    from worldline.model.shape import Shape
    from worldline.model.train.config import Training

    python, curriculum = os.environ.get("WORLDLINE_STREAM_PYTHON", ""), "{run}/curriculum.json"
    words = (python or sys.executable, "-m", "worldline.learning.tutor", "--recipe", __file__, "--function", "shuffled")
    return Training(
        shape=Shape(depth=DEPTH, mix=mix),
        sources=(
            streams(
                __file__,
                function="shuffled",
                workers=WORKERS,
                ahead=16 * WORKERS,
                python=python,
                curriculum=curriculum,
                pool=512,
            ),
        ),
        tutor=(*words, "--trust", "--size", str(ROWS * TIME * 9 // 10), "--out", curriculum),
        drill_every=10.0 if TIME * ROWS > 1 << 16 else 40.0,
        rows=ROWS,
        time=TIME,
        minutes=MINUTES,
        cooldown=0.3,
        eval_every=0,
        save_every=0,
    )


def climbing_hybrid() -> Training:
    """Train the hybrid, one spacing after another."""
    return _climbing("hybrid")


def climbing_attention() -> Training:
    """Train attention in every layer, one spacing after another."""
    return _climbing("attention")
