"""What a model is trained on: a mixture of program sources and of modes to write their traces in.

A `Mixture` is the data part of a recipe. `documents` follows it: draws a program, records it, writes it in a drawn
mode, endlessly and the same for the same seed. Nothing here stores anything; `build` and `stream` do.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from inspect import signature
from itertools import count, islice
from typing import Any

from worldline.analyze.flow.operations import operations
from worldline.codec.compact.prompt import Compact
from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.events import EVENTS, RETURNING
from worldline.core.hidden import Control
from worldline.core.language import LANGUAGES
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import CHANCE, KINDS, MAX_BYTES, Document, document, meta_document
from worldline.data.forms.form import Draw, check, in_form
from worldline.data.lessons import KIND, MODE, OPERATION, REVEAL, SOURCE, Factors, chance
from worldline.data.mine.near import Benchmark
from worldline.programs.split import SPLITS, program_key, split_of
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import draws_apart, fits, record_all, stretched

ALL = "all"  # programs of every split
MAX_SHIFT = 9_999
META = 8  # times the bytes that a document may have, in Meta's format: it says the same in so many more
FORMLESS = 1_000  # programs of a source in a row that do not have its form: then none has
TOGETHER = 32  # programs a process: a fork costs as much as recording and writing several
SPACINGS = (2, 4, 8, 16, 32, 64)
_ASKED_AT = {EVENTS.index(event) for event in ("call", "line")}  # steps whose frame has names to ask for
_VALUED = {EVENTS.index(event) for event in RETURNING}
SMALL = Limits(
    steps=2_000, value_bytes=2_048, value_depth=50, trace_bytes=2 << 20, wall=4.0, memory=256 << 20, processes=8,
    output=8_192, disk=1 << 20,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where programs come from: `module:function`, called with a random.Random, and its share.

    Programs of the kind `chance` are recorded under a control, each with a seed of its own. With `argument`, the
    function is called with that first and gives the function that draws: so a file of mined
    programs is opened once. `form` is words of `forms.form.FORMS`: programs that have no such form are not drawn.
    """

    kind: str
    program: str
    weight: float = 1.0
    argument: str = ""
    form: str = ""

    def __post_init__(self) -> None:
        check(self.form)
        if self.kind not in KINDS:
            raise UsageError(f"the kind of a source is one of {', '.join(KINDS)}, not {self.kind!r}")
        if not self.weight > 0:
            raise UsageError(f"the weight of a source is positive, not {self.weight!r}")

    @property
    def label(self) -> str:
        """What draws, and the form: `source tasks shuffles`, `source chains among`."""
        module, _, name = self.program.partition(":")
        drawn = [module.rpartition(".")[2], *([name] if name != "program" else [])]
        spoken = [self.argument] if self.argument in LANGUAGES else []
        return " ".join([SOURCE, *dict.fromkeys(drawn), *spoken, *self.form.split()])


@dataclass(frozen=True, kw_only=True)
class Mode:
    """How traces are written, with how many queries at most, its share, and the kinds of programs it is for (all)."""

    weight: float
    options: Compact = field(default_factory=Compact)
    queries: int = 0
    kinds: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What sets it apart: `reveal 8`, `mode bare`; `mode whole` where nothing does."""
        options = self.options
        if options.reveal > 1:
            return f"{REVEAL} {options.reveal}"
        words = [word for word, is_so in (("bare", options.bare), ("queries", self.queries)) if is_so]
        words += ["element"] if options.delta == "element" else []
        words += ["conditions"] if options.conditions else []
        words += [f"hidden {options.hidden}"] if options.hidden != "predicted" else []
        return " ".join([MODE, *(words or ["whole"])])


GENERATE = Source(kind="generate", program="worldline.programs.generate:program", weight=0.8)
TASKS = Source(kind="tasks", program="worldline.programs.tasks:program", weight=0.2)
MODES = (
    Mode(weight=0.55),
    Mode(weight=0.20, options=Compact(bare=True)),
    *(Mode(weight=0.10 / len(SPACINGS), options=Compact(reveal=spacing)) for spacing in SPACINGS),
    Mode(weight=0.05, options=Compact(reveal=0), queries=4),
    Mode(weight=0.10, options=Compact(delta="element")),
)


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """The data of a recipe. Probabilities are of a document; a document of more than `max_bytes` is dropped.

    A shifted document stands, listing and trace, up to 9,999 lines further down, so that long line numbers are met.
    With the format `cwm` documents are in Meta's format, which has no modes, queries or line numbers: they may have
    META times the bytes.
    """

    sources: tuple[Source, ...] = (GENERATE, TASKS)
    modes: tuple[Mode, ...] = MODES
    max_bytes: int = MAX_BYTES
    shift: float = 0.15
    query: float = 0.05
    limits: Limits = SMALL
    split: str = "train"
    seed: int = 0
    format: str = DEFAULT_NOTATION
    leave_out: tuple[str, ...] = ()  # files of benchmarks: no program that is like one of theirs is drawn

    def __post_init__(self) -> None:
        if self.format not in NOTATIONS:
            raise UsageError(f"documents are written in {' or '.join(NOTATIONS)}, not {self.format!r}")
        if not self.sources or not self.modes:
            raise UsageError("a mixture has at least one source and one mode")
        if self.split not in (*SPLITS, ALL):
            raise UsageError(f"a split is one of {', '.join(SPLITS)}, {ALL}; not {self.split!r}")


def documents(
    mixture: Mixture, *, seed: int = 0, worker: int = 0, workers: int = 1, trust: bool = False,
    factors: Factors | None = None,
) -> Iterator[Document]:  # fmt: skip
    """Documents without end: the same ones for the same mixture, seed and worker of as many.

    `factors` of a curriculum multiply the shares; they are read again as they change.
    """
    factors = factors or Factors()
    found = runs(mixture, seed=seed, worker=worker, workers=workers, trust=trust, factors=factors)
    for rng, kind, trace, hashed in found:
        if made := written(mixture, rng, trace, kind=kind, hashed=hashed, factors=factors):
            yield made


def runs(
    mixture: Mixture, *, seed: int, worker: int, workers: int, trust: bool, factors: Factors | None = None
) -> Iterator[tuple[random.Random, str, Trace, str]]:
    """Recorded programs of the wanted split, each with the generator that chose it, its kind and its key."""
    rng = random.Random(f"{mixture.seed}/{seed}/{worker}/{workers}")
    programs = drawn(mixture, rng, factors)
    limits = stretched(mixture.limits, TOGETHER)
    recorder = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=trust, controlled=True))
    try:
        while True:
            chosen = _batch(programs)
            staged = [(kind, notation(mixture.format).staged(program)) for kind, program, _ in chosen]
            traces = _recorded(recorder, rng, staged)
            for (kind, program, hashed), (_, run), trace in zip(chosen, staged, traces, strict=True):
                if trace is not None:
                    yield rng, kind, trace if run is program else replace(trace, program=program), hashed
    finally:
        recorder.close()


def _recorded(
    recorder: BoxWorker, rng: random.Random, programs: list[tuple[str, Program]]
) -> list[Trace | None]:
    """The traces of programs, in their order: those of chance under fresh seeds, one by one where they need be."""
    plain = [at for at, (kind, _) in enumerate(programs) if kind != CHANCE]
    apart = [at for at, (kind, one) in enumerate(programs) if kind == CHANCE and draws_apart(one)]
    found: dict[int, Trace | None] = {}
    for some in (plain, apart):
        control = _control(rng) if some and some is apart else None
        traces = record_all(recorder, [programs[at][1] for at in some], control)
        found |= dict(zip(some, traces, strict=True))
    for at, (_, program) in enumerate(programs):
        if at not in found:
            found[at] = recorder.record(program, control=_control(rng))
    return [found[at] for at in range(len(programs))]


def _control(rng: random.Random) -> Control:
    return Control(seed=rng.getrandbits(48), schedule=rng.getrandbits(48))


def _batch(programs: Iterator[tuple[str, Program, str]]) -> list[tuple[str, Program, str]]:
    """As many as are recorded together: up to the first that cannot be."""
    chosen: list[tuple[str, Program, str]] = []
    for one in islice(programs, TOGETHER):
        chosen.append(one)
        if not fits(one[1]):
            break
    return chosen


def drawn(
    mixture: Mixture, rng: random.Random, factors: Factors | None = None
) -> Iterator[tuple[str, Program, str]]:
    """Programs of the wanted split, without end, each with its kind and its key.

    A draw that fails is a fault of its source: it is warned of and left out, unless one in ten fails.
    """
    choice = SourceChoice(mixture, factors or Factors())
    benchmark = Benchmark.read(mixture.leave_out) if mixture.leave_out else None
    failed = formless = 0
    for number in count(10):
        if not formless:
            source, draw = choice.pick(rng)
        try:
            program = draw(rng)
            hashed = program_key(program)
            if mixture.split not in (ALL, split_of(hashed)):
                continue
            if benchmark is not None and benchmark.like(program.source):
                continue
            made = (
                in_form(program, source.form, rng, _of_split(draw, mixture.split)) if source.form else program
            )
        except Exception as error:
            failed += 1
            if 10 * failed > number:
                raise UsageError(f"{source.program} fails too often: {error!r}") from error
            warnings.warn(f"{source.program} failed: {error!r}", stacklevel=2)
            continue
        formless = 0 if made else formless + 1  # then the same source again: shares are of what is drawn
        if formless == FORMLESS:
            raise UsageError(f"no program of {source.program} has the form {source.form!r}")
        if made:
            yield source.kind, made, hashed


def _of_split(draw: Draw, split: str) -> Draw:
    """Draws the same programs, but for those of other splits: none of them is shown, not even beside another."""

    def drawn_of_split(rng: random.Random) -> Program:
        while True:
            program = draw(rng)
            if split in (ALL, split_of(program_key(program))):
                return program

    return drawn_of_split


class SourceChoice:
    """The sources of a mixture and how often each is drawn from, by factors as they stand."""

    def __init__(self, mixture: Mixture, factors: Factors) -> None:
        self._sources, self._factors = mixture.sources, factors
        self._resolved = [resolve(source) for source in mixture.sources]
        self._factors.renewed()
        self._weigh()

    def _weigh(self) -> None:
        kinds, wanted = self._factors.of(KIND), self._factors.of(OPERATION)
        draws = [thinned(favouring(draw, kinds), wanted) for draw in self._resolved]
        self._draws = list(zip(self._sources, draws, strict=True))
        self._shares = [source.weight * self._factors(source.label) for source in self._sources]

    def pick(self, rng: random.Random) -> tuple[Source, Draw]:
        """A source and what draws its programs."""
        if self._factors.renewed():
            self._weigh()
        return rng.choices(self._draws, self._shares)[0]


def favouring(draw: Draw, kinds: Mapping[str, float]) -> Draw:
    """Draws the same, but its kinds of programs by other shares, where it has kinds."""
    having: Callable[..., Program] = draw
    return partial(having, favour=kinds) if kinds and "favour" in signature(draw).parameters else draw


def thinned(draw: Draw, wanted: Mapping[str, float]) -> Draw:
    """Draws the same, but programs with wanted operations more often: others are passed over."""

    def drawn_by_operation(rng: random.Random) -> Program:
        while True:
            program = draw(rng)
            found = operations(program.source) if program.lang.has_syntax_tree else ()
            if rng.random() < chance(found, wanted):
                return program

    return drawn_by_operation if wanted else draw


def resolve(source: Source) -> Draw:
    """The function that a source names."""
    module, _, name = source.program.partition(":")
    try:
        found: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"there is no source of programs {source.program!r}: {error}") from None
    draw: Draw = found(source.argument) if source.argument else found
    return draw


def written(
    mixture: Mixture, rng: random.Random, trace: Trace, *, kind: str, hashed: str = "",
    factors: Factors | None = None,
) -> Document | None:  # fmt: skip
    """A trace in a mode that is drawn from the mixture's, shifted and asked about as the mixture says."""
    if not notation(mixture.format).has_modes:
        return meta_document(trace, kind=kind, key=hashed, max_bytes=META * mixture.max_bytes)
    modes = [mode for mode in mixture.modes if not mode.kinds or kind in mode.kinds]
    if not modes:
        raise UsageError(f"the mixture has no mode for programs of the kind {kind}")
    weights = [mode.weight * (factors(mode.label) if factors else 1.0) for mode in modes]
    mode = rng.choices(modes, weights)[0]
    options, shift, most = mode.options, 0, mode.queries
    if rng.random() < mixture.shift and not trace.program.files:
        options, shift = replace(options, bare=True), rng.randint(1, MAX_SHIFT)
    if rng.random() < mixture.query:
        most = max(most, 3)
    asked = questions(trace, rng, rng.randint(1, most)) if most else []
    return document(
        trace, options, kind=kind, key=hashed, queries=asked, shift=shift, max_bytes=mixture.max_bytes
    )


def questions(trace: Trace, rng: random.Random, most: int) -> list[tuple[int, str]]:
    """At most so many random queries (step, name), in order: names of the step's own frame, or the step's own value."""
    columns = trace.columns
    places = [i for i, event in enumerate(columns.event) if event in _ASKED_AT or event in _VALUED]
    names: dict[int, dict[str, None]] = {}
    for i, frame in enumerate(columns.frame):
        for at in range(columns.change_at[i], columns.change_at[i + 1]):
            names.setdefault(frame, {})[columns.texts[columns.change_name[at]]] = None
    found = set()
    for i in rng.sample(places, min(most, len(places))):
        if columns.event[i] in _VALUED:
            found.add((i, ""))
        elif known := names.get(columns.frame[i]):
            found.add((i, rng.choice(list(known))))
    return sorted(found)
