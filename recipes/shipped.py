"""The shipped model: what it is trained on, and how.

    python -m worldline.model.train --recipe recipes/shipped.py --out runs/shipped

Our own programs are generated, recorded (unboxed: they touch nothing) and encoded while the model trains: `WORKERS`
streams beside the trainer, under `WORLDLINE_STREAM_PYTHON` (CPython 3.11, whose frames the model learns; this
interpreter when it is not set). Mined programs are others' code: they were recorded boxed, beforehand. Rooms are
imported inside the functions: the trainer's machine needs torch alone, the streams' needs no torch.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldline.data.mine.quarry import Quarry
    from worldline.data.mixture import Mixture
    from worldline.data.sources import Live
    from worldline.model.train.config import Training

PYTHON = os.environ.get("WORLDLINE_STREAM_PYTHON", "")
WORKERS = int(os.environ.get("WORLDLINE_WORKERS", os.cpu_count() or 1))
# Documents of mined programs: `worldline data mine ... --documents FILE`.
MINED = os.environ.get("WORLDLINE_MINED", "")
BEGIN = os.environ.get("WORLDLINE_BEGIN") or None  # weights to go on from: `shipped`, or a model's folder
HELD_OUT = os.environ.get("WORLDLINE_HELD_OUT", "")  # a file of framed documents of the split `valid`
RATE = float(os.environ.get("WORLDLINE_RATE", "1"))  # a factor of the matrices' learning rate
LONGEST = 32_768  # bytes of a document
MINUTES = float(os.environ.get("WORLDLINE_MINUTES", "20"))

# Pure-Python packages, installed for the purpose in an environment of their own; their source stays there.
PACKAGES = """
addict algorithms art astor asttokens attr babel bidict bitstring bleach boltons bs4 cachetools
case_conversion chardet chess click colorama colour construct cowsay cssselect dateutil deepdiff
dictdiffer docutils dotty_dict emoji ftfy funcy furl fuzzywuzzy glom humanize hyperlink icalendar idna
inflect inflection intervals intervaltree ipaddress isort jellyfish jinja2 jmespath jsonpatch jsonpointer
langcodes lark markdown marshmallow mistune more_itertools mpmath munch natsort netaddr networkx nltk
num2words ordered_set packaging parse parso ply portion prettytable primefac pronouncing pycodestyle
pydash pyfiglet pyflakes pygments pyparsing pyphen pypinyin pyrsistent rfc3986 rich roman schema semver
simplejson slugify snowballstemmer sortedcontainers sqlparse stdnum strsimpy sudoku_py syllables tabulate
termcolor textdistance textstat texttable textwrap3 thefuzz tinycss2 titlecase tldextract tomli tomlkit
toolz transliterate unidecode uritools url_normalize validators w3lib wcwidth webcolors xmltodict yapf
"""


def quarry() -> Quarry:
    """Where real functions are mined: `worldline data mine` on these places."""
    from worldline.data.mine.quarry import Quarry

    return Quarry(places=("stdlib", *PACKAGES.split()))


def data() -> Mixture:
    """Generated programs and state-tracking tasks, in every mode."""
    from worldline.codec.compact.prompt import Compact
    from worldline.data.mixture import Mixture, Mode, Source

    # Of state-tracking tasks (elsewhere a hidden state is a guess), mostly short: the long ones are learned from them.
    spacings = {2: 0.16, 4: 0.16, 8: 0.12, 16: 0.08, 32: 0.05, 64: 0.04, 128: 0.02, 512: 0.01}
    modes = (
        Mode(weight=0.60),
        Mode(weight=0.24, options=Compact(bare=True)),
        Mode(weight=0.08, options=Compact(delta="element")),
        Mode(weight=0.04, options=Compact(reveal=0), queries=4),
        *(Mode(weight=share, options=Compact(reveal=n), kinds=("tasks",)) for n, share in spacings.items()),
    )
    sources = (
        Source(kind="generate", program="worldline.programs.generate:program", weight=0.70),
        Source(kind="generate", program="worldline.programs.generate.typed.chains:program", weight=0.08),
        Source(kind="generate", program="worldline.programs.generate.typed.pipelines:decide", weight=0.04),
        Source(
            kind="generate", program="worldline.programs.generate.typed.arithmetic:arithmetic", weight=0.02
        ),
        Source(kind="tasks", program="worldline.programs.tasks:program", weight=0.11),
        Source(kind="tasks", program="worldline.programs.tasks:permutations", weight=0.05),
    )
    return Mixture(sources=sources, modes=modes, max_bytes=LONGEST, query=0.03)


def live(*, split: str = "train", workers: int = WORKERS) -> Live:
    """Documents of `data()`, made while the model trains."""
    from worldline.data.sources import streams

    ahead = 64 * workers if split == "train" else 1
    return streams(__file__, split=split, workers=workers, ahead=ahead, python=PYTHON)


def training() -> Training:
    """One lease of an H200: 18.9M parameters, rows of 8 KB, at last of 32 KB."""
    from worldline.data.sources import Files
    from worldline.model.shape import Shape
    from worldline.model.train.config import Training
    from worldline.model.train.optimize import LearningRates

    return Training(
        shape=Shape(),
        sources=(live(), *((Files(paths=(MINED,), weight=0.12),) if MINED else ())),
        init_from=BEGIN,
        rows=16,
        time=8192,
        phases=((0.6, LONGEST, 4),),  # then permutations of 700 lines fit
        minutes=MINUTES,
        held_out=Files(paths=(HELD_OUT,)) if HELD_OUT else live(split="valid"),
        rates=LearningRates(matrix=0.02 * RATE),
        compile=os.environ.get("WORLDLINE_COMPILE", "1") == "1",
        log_every=20,
        eval_every=500,
        save_every=1000,
    )


def smoke() -> Training:
    """The same, small enough for a laptop's CPU: does everything run?"""
    from dataclasses import replace

    from worldline.model.shape import Shape

    return replace(
        training(), shape=Shape(depth=3), rows=4, time=1024, phases=(), minutes=0.0, steps=60, log_every=5,
        eval_every=30, save_every=30, held_out_documents=40, sources=(live(workers=1),),
    )  # fmt: skip
