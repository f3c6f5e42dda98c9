"""Programs in languages other than Python: their mixture, and a short training on them alone.

    python -m worldline.data.stream --recipe recipes/languages.py --count 20000 | xz > foreign.docs.xz
    WORLDLINE_FOREIGN=foreign.docs.xz WORLDLINE_BEGIN=shipped worldline train shipped -o runs/languages

`WORLDLINE_LANGUAGES` selects languages (`js,c`; all by default). `WORLDLINE_LEFT_OUT` names benchmark
files, separated by `:`; programs similar to theirs are not drawn.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mixture import Mixture, Source
    from worldline.model.train.config import Training

LANGUAGES = tuple(os.environ.get("WORLDLINE_LANGUAGES", "js,ts,java,c,cpp,rust,go").split(","))
LEFT_OUT = tuple(filter(None, os.environ.get("WORLDLINE_LEFT_OUT", "").split(":")))
FOREIGN = os.environ.get("WORLDLINE_FOREIGN", ".carry/foreign/train.docs.xz")
BEGIN = os.environ.get("WORLDLINE_BEGIN", "shipped")
MAX_DOCUMENT_BYTES = 16_384
# How often the state of a task is shown, besides the modes of all programs.
SPACINGS = {2: 0.2, 4: 0.2, 8: 0.2}


def data() -> Mixture:
    """Return ordinary programs, exercises, library functions and state-tracking tasks, as many in each language."""
    from dataclasses import replace

    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import DOCUMENT_LIMITS, Mixture, Mode, Source

    drawn = "worldline.programs.languages.draw"
    sources = (
        *(
            Source(kind="generate", program=f"{drawn}:ordinary", argument=language, weight=0.75)
            for language in LANGUAGES
        ),
        *container_sources("library_functions", 0.5),
        *container_sources("exercises", 1.0),
        *(Source(kind="tasks", program=f"{drawn}:state", argument=language, weight=0.25) for language in LANGUAGES),
    )
    modes = (
        Mode(weight=0.80),
        Mode(weight=0.14, options=Compact(delta="element")),
        Mode(weight=0.06, options=Compact(reveal=0), queries=4),
        *(Mode(weight=share, options=Compact(reveal=n), kinds=("tasks",)) for n, share in SPACINGS.items()),
    )
    # A JVM has its own threads, and a Rust binary has megabytes.
    limits = replace(DOCUMENT_LIMITS, wall=20.0, memory=1 << 30, processes=64, disk=64 << 20)
    return Mixture(
        sources=sources, modes=modes, max_bytes=MAX_DOCUMENT_BYTES, query=0.03, leave_out=LEFT_OUT, limits=limits
    )


def container_sources(module: str, weight: float) -> tuple[Source, ...]:
    """Return functions over each language's own containers and methods, by a module of `programs.languages`."""
    from worldline.data.mixture import Source
    from worldline.programs.languages.library_functions import TARGETS

    drawn = f"worldline.programs.languages.{module}:program"
    chosen = [language for language in LANGUAGES if language in TARGETS]
    return tuple(Source(kind="generate", program=drawn, argument=language, weight=weight) for language in chosen)


def library() -> Mixture:
    """Return only functions over each language's own containers and methods."""
    from dataclasses import replace

    return replace(data(), sources=(*container_sources("library_functions", 1.0), *container_sources("exercises", 2.0)))


def training() -> Training:
    """Train briefly from the shipped weights on these programs, on a CPU, to see whether they help."""
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
