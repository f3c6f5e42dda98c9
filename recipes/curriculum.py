"""Compare a fixed mixture with one that follows failures, for the same minutes, everything else equal.

    python -m worldline.model.train --recipe recipes/curriculum.py --function fixed --out runs/fixed
    python -m worldline.model.train --recipe recipes/curriculum.py --function adaptive --out runs/adaptive

`recipes/exam.py` measures both on the same fresh documents, by lesson and by operation. Both start from
the weights of `WORLDLINE_BEGIN`, on what recipes/shipped.py generates, in rows of one length.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.model.train.config import Training

SHIPPED = Path(__file__).with_name("shipped.py")
MINUTES = float(os.environ.get("WORLDLINE_MINUTES", "4"))


def _training(*, adaptive: bool) -> Training:
    from dataclasses import replace
    from typing import Any, cast

    from worldline.data.recipe import load_recipe
    from worldline.data.sources import streams

    whole = cast(Any, load_recipe(SHIPPED, "training"))
    python, workers = (os.environ.get("WORLDLINE_STREAM_PYTHON", ""), int(os.environ.get("WORLDLINE_WORKERS", "1")))
    curriculum = "{run}/curriculum.json"
    live = streams(
        str(SHIPPED),
        workers=workers,
        ahead=64 * workers,
        python=python,
        pool=2048,
        curriculum=curriculum if adaptive else "",
    )
    import sys

    tutor = (python or sys.executable, "-m", "worldline.learning.tutor", "--recipe", str(SHIPPED), "--trust")
    config: Training = replace(
        whole,
        sources=(live,),
        phases=(),
        minutes=MINUTES,
        eval_every=0,
        save_every=0,
        tutor=(*tutor, "--out", curriculum) if adaptive else (),
    )
    return config


def fixed() -> Training:
    """Train with the recipe's shares throughout."""
    return _training(adaptive=False)


def adaptive() -> Training:
    """Train with shares that follow what the model nearly masters."""
    return _training(adaptive=True)
