"""The shipped model: its training data and its training.

    python -m worldline.model.train --recipe recipes/shipped.py --out runs/shipped

Our own programs are generated, recorded without a sandbox (they touch nothing) and encoded while the
model trains. `WORKERS` streams run next to the trainer, under `WORLDLINE_STREAM_PYTHON` (CPython 3.11,
whose frames the model learns; by default this interpreter).

Mined functions are third-party code. `MINERS` streams find calls of them in `WORLDLINE_QUARRY` (folders,
packages or `stdlib`, separated by `:`), in the sandbox. `WORLDLINE_TRUST_MINED=1` runs them without one,
on a disposable machine.

Programs in other languages are recorded beforehand, where their toolchains are: `WORLDLINE_FOREIGN`
names the files (recipes/languages.py). Stochastic programs are streamed with the others, each with its
own seed, or read from the files of `WORLDLINE_CHANCE`, which `python -m worldline.data.stream --recipe
recipes/shipped.py --function stochastic` writes.

Packages are imported inside the functions: the trainer needs only torch, and the streams need none.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mine.mining_source import MiningSource
    from worldline.data.mixture import Mixture
    from worldline.data.sources import Files, Live
    from worldline.model.train.config import Training

PYTHON = os.environ.get("WORLDLINE_STREAM_PYTHON", "")
WORKERS = int(os.environ.get("WORLDLINE_WORKERS", os.cpu_count() or 1))
MINERS = int(os.environ.get("WORLDLINE_MINERS", "0"))
QUARRY = os.environ.get("WORLDLINE_QUARRY", "stdlib")
# Benchmark file; programs similar to its own are not mined.
LEFT_OUT = os.environ.get("WORLDLINE_LEFT_OUT", "")
TRUST_MINED = os.environ.get("WORLDLINE_TRUST_MINED", "") == "1"
# Weights to start from: `shipped`, or a model folder.
BEGIN = os.environ.get("WORLDLINE_BEGIN") or None
# Framed documents of other languages: recipes/languages.py.
FOREIGN = os.environ.get("WORLDLINE_FOREIGN", "")
# Framed documents of stochastic programs, instead of streams.
CHANCE = os.environ.get("WORLDLINE_CHANCE", "")
# Framed documents of the split `valid`.
HELD_OUT = os.environ.get("WORLDLINE_HELD_OUT", "")
# Factor of the learning rate of matrices.
RATE = float(os.environ.get("WORLDLINE_RATE", "0.5"))
COOLDOWN = float(os.environ.get("WORLDLINE_COOLDOWN", "0.55"))
MINUTES = float(os.environ.get("WORLDLINE_MINUTES", "20"))
# Seed of the document order: a run that continues another one takes another seed, and so other documents.
SEED = int(os.environ.get("WORLDLINE_SEED", "0"))
MAX_DOCUMENT_BYTES = 32_768
# 1: a tutor measures the model while it trains, and lessons it nearly masters come more often (docs/how-to/learn.md).
ADAPTIVE = os.environ.get("WORLDLINE_ADAPTIVE", "") == "1"
CURRICULUM = "{run}/curriculum.json"
# Documents ahead with a curriculum: about two seconds of training.
ADAPTIVE_POOL = 2048
# Bytes of other languages per byte of our own programs.
FOREIGN_SHARE = float(os.environ.get("WORLDLINE_FOREIGN_SHARE", "0.16"))
# Bytes of stochastic programs from files per byte of our own programs.
CHANCE_SHARE = 0.12
# Bytes of mined programs per byte of our own programs.
MINED_SHARE = 0.45

# Programs, their share of the documents, and their form. Nearly half have one operation per line, or
# loops over characters instead of string methods.
PROGRAMS = (
    ("generate.guided:program", 0.160, ""),
    ("generate.guided:program", 0.240, "flatten"),
    ("generate.guided:program", 0.040, "chars"),
    ("generate.guided:program", 0.020, "among"),
    ("generate.guided:program", 0.010, "script"),
    ("generate:program", 0.170, ""),
    ("generate:hard", 0.080, ""),
    ("generate:program", 0.180, "flatten"),
    ("generate:hard", 0.140, "flatten"),
    ("generate:program", 0.030, "chars"),
    ("generate:program", 0.030, "among"),
    ("generate:program", 0.020, "flatten among"),
    ("generate:program", 0.020, "method"),
    ("generate:program", 0.010, "flatten method"),
    ("generate:program", 0.020, "nested"),
    ("generate:program", 0.020, "script"),
    ("generate:program", 0.010, "among script"),
    ("generate.typed.chains:program", 0.020, ""),
    ("generate.typed.chains:program", 0.020, "among"),
    ("generate.typed.chains:program", 0.010, "flatten"),
    ("generate.typed.pipelines:decide", 0.010, ""),
    ("generate.typed.arithmetic:arithmetic", 0.030, ""),
    ("generate.practice:program", 0.090, ""),
    ("generate.practice:program", 0.110, "flatten"),
    ("machines:program", 0.030, ""),
    ("machines:program", 0.010, "flatten"),
)
TASKS = (("tasks:program", 0.035), ("tasks:shuffles", 0.060), ("tasks:permutations", 0.007))
# Programs whose text does not determine their run: about 10 % of the documents.
STOCHASTIC = (
    ("generate.chance:program", 0.075, ""),
    ("generate.chance:program", 0.040, "flatten"),
    ("generate.chance:program", 0.010, "script"),
    ("generate.chance:program", 0.005, "among"),
    ("generate.draws:program", 0.020, ""),
    ("machines:commanded", 0.015, ""),
)
# How their hidden inputs are written; in 0.96 of the modes the model writes them itself.
HIDDEN = {"given": 0.25, "blind": 0.15}
# The notation in which the model predicts by default: every assigned name and every decision.
EVERYTHING = {"assigned": True, "conditions": True}
# Shares of how often a task's state is shown; 0.96 is left for all other modes.
SPACINGS = {2: 0.50, 4: 0.70, 8: 1.00, 16: 0.16, 32: 0.08, 64: 0.06, 512: 0.02}


def quarry() -> MiningSource:
    """Return where real functions are mined: `worldline data mine --recipe shipped`, places of quarry.txt."""
    from worldline.data.mine.mining_source import read_mining_source

    return read_mining_source(Path(__file__).with_name("quarry.txt"))


def data() -> Mixture:
    """Return generated programs in every form, stochastic ones, and state-tracking tasks, in every mode."""
    from dataclasses import replace

    whole = _mixture()
    from_files = tuple(source for source in whole.sources if source.kind != "chance")
    return replace(whole, sources=from_files) if CHANCE else whole


def stochastic() -> Mixture:
    """Return only the stochastic programs of `data()`."""
    from dataclasses import replace

    whole = _mixture()
    return replace(whole, sources=tuple(source for source in whole.sources if source.kind == "chance"), max_bytes=4096)


def _mixture() -> Mixture:
    from dataclasses import replace

    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import Mixture, Mode, Source

    whole = Compact(**EVERYTHING)
    modes = (
        Mode(weight=0.54, options=whole),
        Mode(weight=0.22, options=replace(whole, bare=True)),
        Mode(weight=0.04, options=replace(whole, delta="element")),
        Mode(weight=0.07),
        Mode(weight=0.04, options=Compact(bare=True)),
        Mode(weight=0.01, options=Compact(delta="element")),
        Mode(weight=0.04, options=Compact(reveal=0), queries=4),
        *(Mode(weight=share, options=replace(whole, reveal=n), kinds=("tasks",)) for n, share in SPACINGS.items()),
        *(Mode(weight=share, options=replace(whole, hidden=how), kinds=("chance",)) for how, share in HIDDEN.items()),
    )
    sources = (
        *(
            Source(kind="generate", program=f"worldline.programs.{name}", weight=share, form=form)
            for name, share, form in PROGRAMS
        ),
        *(Source(kind="tasks", program=f"worldline.programs.{name}", weight=share) for name, share in TASKS),
        *(
            Source(kind="chance", program=f"worldline.programs.{name}", weight=share, form=form)
            for name, share, form in STOCHASTIC
        ),
    )
    return Mixture(sources=sources, modes=modes, max_bytes=MAX_DOCUMENT_BYTES, query=0.03)


def live(*, split: str = "train", workers: int = WORKERS, adaptive: bool = False) -> Live:
    """Stream documents of `data()` while the model trains; if adaptive, by the tutor's curriculum."""
    from worldline.data.sources import DEFAULT_POOL_SIZE, streams

    ahead = 64 * workers if split == "train" else 1
    return streams(
        __file__,
        split=split,
        workers=workers,
        ahead=ahead,
        python=PYTHON,
        curriculum=CURRICULUM if adaptive else "",
        pool=ADAPTIVE_POOL if adaptive else DEFAULT_POOL_SIZE,
    )


def tutor() -> tuple[str, ...]:
    """Return the command that sets drills of `data()` and updates the curriculum."""
    words = (PYTHON or sys.executable, "-m", "worldline.learning.tutor", "--recipe", __file__)
    return (*words, "--out", CURRICULUM, "--trust")


def mined(*, workers: int = MINERS) -> Live:
    """Stream documents of mined functions while the model trains."""
    from worldline.data.sources import Live

    words = ("nice", "-n", "19", PYTHON or sys.executable, "-m", "worldline.data.mine.stream", *QUARRY.split(":"))
    which = ("--recipe", __file__, "--split", "train", "--seed", "{seed}", "--worker", "{worker}")
    further = (*(("--leave-out", LEFT_OUT) if LEFT_OUT else ()), *(["--trust"] * TRUST_MINED))
    return Live(
        commands=((*words, *which, "--workers", str(workers), *further),) * workers,
        weight=MINED_SHARE,
        repeat=3,
        ahead=64,
    )


def foreign() -> Files:
    """Return recorded documents of programs in other languages."""
    from worldline.data.sources import Files

    return Files(paths=tuple(FOREIGN.split(":")), weight=FOREIGN_SHARE)


def chance() -> Files:
    """Return recorded documents of stochastic programs."""
    from worldline.data.sources import Files

    return Files(paths=tuple(CHANCE.split(":")), weight=CHANCE_SHARE)


def training() -> Training:
    """Train 33M parameters (14 layers) on an H200, on rows of 8 KB and finally 32 KB."""
    from worldline.data.sources import Files
    from worldline.model.shape import Shape
    from worldline.model.train.config import Training
    from worldline.model.train.optimize import LearningRates

    return Training(
        shape=Shape(stack=14),
        sources=(
            live(adaptive=ADAPTIVE),
            *((mined(),) if MINERS else ()),
            *((foreign(),) if FOREIGN else ()),
            *((chance(),) if CHANCE else ()),
        ),
        tutor=tutor() if ADAPTIVE else (),
        init_from=BEGIN,
        rows=16,
        time=8192,
        phases=((0.75, MAX_DOCUMENT_BYTES, 4),),
        minutes=MINUTES,
        seed=SEED,
        warmup=100,
        cooldown=COOLDOWN,
        held_out=Files(paths=(HELD_OUT,)) if HELD_OUT else live(split="valid"),
        held_out_documents=640,
        modes=tuple(EVERYTHING),
        rates=LearningRates(matrix=0.02 * RATE),
        compile=os.environ.get("WORLDLINE_COMPILE", "1") == "1",
        log_every=20,
        eval_every=1000,
        save_every=2000,
    )


def warm() -> Training:
    """Run a few steps on rows of every length, so that everything is compiled."""
    from dataclasses import replace

    whole = training()
    held_out = whole.held_out
    assert held_out is not None
    return replace(
        whole,
        sources=(held_out,),
        tutor=(),
        init_from=None,
        minutes=0.0,
        steps=4,
        phases=((0.5, MAX_DOCUMENT_BYTES, 4),),
        log_every=1,
        eval_every=0,
        save_every=0,
        held_out_documents=64,
    )


def smoke() -> Training:
    """Train a model small enough for a laptop's CPU, to check that everything runs."""
    from dataclasses import replace

    from worldline.model.shape import Shape

    return replace(
        training(),
        shape=Shape(depth=3, stack=5),
        init_from=None,
        rows=4,
        time=1024,
        phases=((0.75, 4096, 1),),
        minutes=0.0,
        steps=40,
        warmup=5,
        log_every=5,
        eval_every=20,
        save_every=20,
        held_out_documents=40,
        sources=(live(workers=1, adaptive=ADAPTIVE), *((mined(workers=1),) if MINERS else ())),
    )
