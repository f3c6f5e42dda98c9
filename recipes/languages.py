"""Programs in other languages than Python: what a first share of them is made of, and a short training on them alone.

    python -m worldline.data.stream --recipe recipes/languages.py --count 20000 | xz > foreign.docs.xz
    WORLDLINE_FOREIGN=foreign.docs.xz WORLDLINE_BEGIN=shipped worldline train shipped -o runs/languages

`WORLDLINE_LANGUAGES` names other languages than all six (`js,c`); `WORLDLINE_LEFT_OUT` are benchmarks' files, `:`
between them: no program that is like one of theirs is drawn.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mixture import Mixture
    from worldline.model.train.config import Training

LANGUAGES = tuple(os.environ.get("WORLDLINE_LANGUAGES", "js,ts,java,c,cpp,rust").split(","))
LEFT_OUT = tuple(filter(None, os.environ.get("WORLDLINE_LEFT_OUT", "").split(":")))
FOREIGN = os.environ.get("WORLDLINE_FOREIGN", ".carry/foreign/train.docs.xz")
BEGIN = os.environ.get("WORLDLINE_BEGIN", "shipped")
LONGEST = 16_384  # bytes of a document
# How often the state of a task is shown, beside the modes of all programs.
SPACINGS = {2: 0.2, 4: 0.2, 8: 0.2}


def data() -> Mixture:
    """Ordinary programs and state-tracking tasks, as many of each language."""
    from dataclasses import replace

    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import DOCUMENT_LIMITS, Mixture, Mode, Source

    drawn = "worldline.programs.languages.draw"
    sources = (
        *(
            Source(kind="generate", program=f"{drawn}:ordinary", argument=language, weight=0.75)
            for language in LANGUAGES
        ),
        *(
            Source(kind="tasks", program=f"{drawn}:state", argument=language, weight=0.25)
            for language in LANGUAGES
        ),
    )
    modes = (
        Mode(weight=0.80),
        Mode(weight=0.14, options=Compact(delta="element")),
        Mode(weight=0.06, options=Compact(reveal=0), queries=4),
        *(Mode(weight=share, options=Compact(reveal=n), kinds=("tasks",)) for n, share in SPACINGS.items()),
    )
    # A JVM has threads of its own, and a Rust program is a file of megabytes.
    limits = replace(DOCUMENT_LIMITS, wall=20.0, memory=1 << 30, processes=64, disk=64 << 20)
    return Mixture(
        sources=sources, modes=modes, max_bytes=LONGEST, query=0.03, leave_out=LEFT_OUT, limits=limits
    )


def training() -> Training:
    """A short training from the shipped weights on these programs alone, on a CPU: do they teach anything?"""
    from worldline.data.sources import Files
    from worldline.model.shape import Shape
    from worldline.model.train.config import Training
    from worldline.model.train.optimize import LearningRates

    return Training(
        shape=Shape(stack=14),
        sources=(Files(paths=tuple(FOREIGN.split(":"))),),
        init_from=BEGIN,
        rows=2,
        time=2048,
        minutes=4.0,
        warmup=5,
        cooldown=0.5,
        held_out=Files(paths=(FOREIGN.replace("train", "valid"),)),
        held_out_documents=40,
        rates=LearningRates(matrix=0.004),
        compile=False,
        log_every=1,
        eval_every=0,
        save_every=0,
    )
