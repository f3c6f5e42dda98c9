"""Mixtures: what a model is trained on, as program sources and modes to write traces in.

A `Mixture` is the data part of a recipe. `draw_documents` draws a program, records it and writes it in a
random mode, endlessly and reproducibly for a seed. `build` and `stream` store the documents.
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
from pathlib import Path
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
from worldline.data.document import CHANCE, KINDS, MAX_DOCUMENT_BYTES, Document, make_cwm_document, make_document
from worldline.data.forms.among import DrawProgram
from worldline.data.forms.form import apply_form, check_form
from worldline.data.lessons import KIND, MODE, OPERATION, REVEAL, SOURCE, Factors, acceptance_rate
from worldline.data.mine.near import Benchmark
from worldline.programs.split import SPLITS, program_key, split_of
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import draws_apart, fits, record_all, stretched

ALL_SPLITS = "all"
MAX_SHIFT_LINES = 9_999
# Meta's format needs this many times the bytes for the same content.
CWM_SIZE_FACTOR = 8
# Consecutive programs without the source's form, after which the source is refused.
MAX_FORMLESS_DRAWS = 1_000
# Programs per process: a fork costs as much as recording several.
BATCH_PROGRAMS = 32
SPACINGS = (2, 4, 8, 16, 32, 64)
# Steps whose frame has names to query.
_QUERY_EVENTS = {EVENTS.index(event) for event in ("call", "line")}
_VALUE_EVENTS = {EVENTS.index(event) for event in RETURNING}
DOCUMENT_LIMITS = Limits(
    steps=2_000,
    value_bytes=2_048,
    value_depth=50,
    trace_bytes=2 << 20,
    wall=4.0,
    memory=256 << 20,
    processes=8,
    output=8_192,
    disk=1 << 20,
)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where programs come from.

    Attributes:
        kind: Kind of the documents. Programs of the kind `chance` are recorded under a control, each with
            its own seed.
        program: `module:function`, called with a random.Random.
        weight: Share of the documents.
        argument: If set, the function is called with it first and returns the function that draws; a file
            of mined programs is thus opened once.
        form: Words of `forms.form.FORMS`; programs without such a form are not drawn.
    """

    kind: str
    program: str
    weight: float = 1.0
    argument: str = ""
    form: str = ""

    def __post_init__(self) -> None:
        check_form(self.form)
        if self.kind not in KINDS:
            raise UsageError(f"unknown kind of source {self.kind!r}: use one of {', '.join(KINDS)}")
        if not self.weight > 0:
            raise UsageError(f"the weight of a source must be positive, not {self.weight!r}")

    @property
    def label(self) -> str:
        """Label of the source and its form: `source tasks shuffles`, `source chains among`."""
        module, _, name = self.program.partition(":")
        drawn = [module.rpartition(".")[2], *([name] if name != "program" else [])]
        spoken = [self.argument] if self.argument in LANGUAGES else []
        return " ".join([SOURCE, *dict.fromkeys(drawn), *spoken, *self.form.split()])


@dataclass(frozen=True, kw_only=True)
class Mode:
    """How traces are written: options, most queries, share, and kinds of programs (all by default)."""

    weight: float
    options: Compact = field(default_factory=Compact)
    queries: int = 0
    kinds: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Label of the mode: `reveal 8`, `mode bare`, or `mode whole` for the plain one."""
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


def recorded_source(folder: str | Path, *, weight: float = 1.0) -> Source:
    """Return the source of a dataset that `record --pytest` wrote: its calls that stand alone and are not held out."""
    return Source(kind="mine", program="worldline.data.mine.recorded:drawer", argument=str(folder), weight=weight)


MODES = (
    Mode(weight=0.55),
    Mode(weight=0.20, options=Compact(bare=True)),
    *(Mode(weight=0.10 / len(SPACINGS), options=Compact(reveal=spacing)) for spacing in SPACINGS),
    Mode(weight=0.05, options=Compact(reveal=0), queries=4),
    Mode(weight=0.10, options=Compact(delta="element")),
)


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """Data of a recipe. Probabilities are per document.

    Attributes:
        sources: Where programs come from.
        modes: How traces are written. Meta's format (`cwm`) has no modes, queries or line numbers.
        max_bytes: Longer documents are dropped; in Meta's format `CWM_SIZE_FACTOR` times as many bytes.
        shift: Probability that a document is moved down by up to `MAX_SHIFT_LINES` lines.
        query: Probability of queries.
        limits: Limits of a recording.
        split: Split of the programs.
        seed: Seed of the mixture.
        format: Notation of the documents.
        leave_out: Benchmark files; programs similar to theirs are not drawn.
    """

    sources: tuple[Source, ...] = (GENERATE, TASKS)
    modes: tuple[Mode, ...] = MODES
    max_bytes: int = MAX_DOCUMENT_BYTES
    shift: float = 0.15
    query: float = 0.05
    limits: Limits = DOCUMENT_LIMITS
    split: str = "train"
    seed: int = 0
    format: str = DEFAULT_NOTATION
    leave_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in NOTATIONS:
            raise UsageError(f"unknown format {self.format!r}: use {' or '.join(NOTATIONS)}")
        if not self.sources or not self.modes:
            raise UsageError("a mixture needs at least one source and one mode")
        if self.split not in (*SPLITS, ALL_SPLITS):
            raise UsageError(f"unknown split {self.split!r}: use one of {', '.join(SPLITS)}, {ALL_SPLITS}")


def draw_documents(
    mixture: Mixture,
    *,
    seed: int = 0,
    worker: int = 0,
    workers: int = 1,
    trust: bool = False,
    factors: Factors | None = None,
) -> Iterator[Document]:
    """Draw documents without end, the same for the same mixture, seed and worker.

    Args:
        mixture: What to draw.
        seed: Seed of the stream.
        worker: Number of this worker.
        workers: Number of workers.
        trust: Whether to run programs without a sandbox.
        factors: Curriculum factors that multiply the shares; reread as they change.

    Yields:
        Documents.
    """
    factors = factors or Factors()
    recorded = record_runs(mixture, seed=seed, worker=worker, workers=workers, trust=trust, factors=factors)
    for rng, kind, trace, hashed in recorded:
        if item := write_document(mixture, rng, trace, kind=kind, hashed=hashed, factors=factors):
            yield item


def record_runs(
    mixture: Mixture, *, seed: int, worker: int, workers: int, trust: bool, factors: Factors | None = None
) -> Iterator[tuple[random.Random, str, Trace, str]]:
    """Record programs of the mixture's split; yield each with its random generator, kind and key."""
    rng = random.Random(f"{mixture.seed}/{seed}/{worker}/{workers}")
    programs = draw_programs(mixture, rng, factors)
    limits = stretched(mixture.limits, BATCH_PROGRAMS)
    recorder = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=trust, controlled=True))
    try:
        while True:
            chosen = _take_batch(programs)
            staged = [(kind, notation(mixture.format).staged(program)) for kind, program, _ in chosen]
            traces = _record_programs(recorder, rng, staged)
            for (kind, program, hashed), (_, run), trace in zip(chosen, staged, traces, strict=True):
                if trace is not None:
                    yield rng, kind, trace if run is program else replace(trace, program=program), hashed
    finally:
        recorder.close()


def _record_programs(
    recorder: SandboxWorker, rng: random.Random, programs: list[tuple[str, Program]]
) -> list[Trace | None]:
    """Traces of programs in their order. Stochastic ones get fresh seeds, one by one where needed."""
    plain = [at for at, (kind, _) in enumerate(programs) if kind != CHANCE]
    apart = [at for at, (kind, item) in enumerate(programs) if kind == CHANCE and draws_apart(item)]
    traced: dict[int, Trace | None] = {}
    for group in (plain, apart):
        control = _draw_control(rng) if group and group is apart else None
        traces = record_all(recorder, [programs[at][1] for at in group], control)
        traced |= dict(zip(group, traces, strict=True))
    for at, (_, program) in enumerate(programs):
        if at not in traced:
            traced[at] = recorder.record(program, control=_draw_control(rng))
    return [traced[at] for at in range(len(programs))]


def _draw_control(rng: random.Random) -> Control:
    return Control(seed=rng.getrandbits(48), schedule=rng.getrandbits(48))


def _take_batch(programs: Iterator[tuple[str, Program, str]]) -> list[tuple[str, Program, str]]:
    """Programs to record together, up to the first that cannot be."""
    chosen: list[tuple[str, Program, str]] = []
    for drawn in islice(programs, BATCH_PROGRAMS):
        chosen.append(drawn)
        if not fits(drawn[1]):
            break
    return chosen


def draw_programs(
    mixture: Mixture, rng: random.Random, factors: Factors | None = None
) -> Iterator[tuple[str, Program, str]]:
    """Draw programs of the mixture's split without end, each with its kind and key.

    A failing draw is skipped with a warning. More than one failure in ten raises UsageError.
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
            if mixture.split not in (ALL_SPLITS, split_of(hashed)):
                continue
            if benchmark is not None and benchmark.like(program.source):
                continue
            shaped = apply_form(program, source.form, rng, _only_split(draw, mixture.split)) if source.form else program
        except Exception as error:
            failed += 1
            if 10 * failed > number:
                raise UsageError(f"{source.program} fails too often: {error!r}") from error
            warnings.warn(f"{source.program} failed: {error!r}", stacklevel=2)
            continue
        # Without a form the same source draws again: shares count drawn programs.
        formless = 0 if shaped else formless + 1
        if formless == MAX_FORMLESS_DRAWS:
            raise UsageError(f"no program of {source.program} has the form {source.form!r}")
        if shaped:
            yield source.kind, shaped, hashed


def _only_split(draw: DrawProgram, split: str) -> DrawProgram:
    """Draw like `draw`, without programs of other splits."""

    def drawn_of_split(rng: random.Random) -> Program:
        while True:
            program = draw(rng)
            if split in (ALL_SPLITS, split_of(program_key(program))):
                return program

    return drawn_of_split


class SourceChoice:
    """Sources of a mixture and their current shares."""

    def __init__(self, mixture: Mixture, factors: Factors) -> None:
        self._sources, self._factors = mixture.sources, factors
        self._resolved = [resolve_source(source) for source in mixture.sources]
        self._factors.renewed()
        self._weigh()

    def _weigh(self) -> None:
        kinds, wanted = self._factors.of(KIND), self._factors.of(OPERATION)
        draws = [favor_operations(favor_kinds(draw, kinds), wanted) for draw in self._resolved]
        self._draws = list(zip(self._sources, draws, strict=True))
        self._shares = [source.weight * self._factors(source.label) for source in self._sources]

    def pick(self, rng: random.Random) -> tuple[Source, DrawProgram]:
        """Pick a source and its draw function."""
        if self._factors.renewed():
            self._weigh()
        return rng.choices(self._draws, self._shares)[0]


def favor_kinds(draw: DrawProgram, kinds: Mapping[str, float]) -> DrawProgram:
    """Change the shares of a draw function's kinds of programs, if it has kinds."""
    with_kinds: Callable[..., Program] = draw
    return partial(with_kinds, favour=kinds) if kinds and "favour" in signature(draw).parameters else draw


def favor_operations(draw: DrawProgram, wanted: Mapping[str, float]) -> DrawProgram:
    """Draw programs with wanted operations more often, by rejecting others."""

    def drawn_by_operation(rng: random.Random) -> Program:
        while True:
            program = draw(rng)
            used = operations(program.source) if program.lang.has_syntax_tree else ()
            if rng.random() < acceptance_rate(used, wanted):
                return program

    return drawn_by_operation if wanted else draw


def resolve_source(source: Source) -> DrawProgram:
    """Import the draw function of a source."""
    module, _, name = source.program.partition(":")
    try:
        function: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"no source of programs {source.program!r}: {error}") from None
    draw: DrawProgram = function(source.argument) if source.argument else function
    return draw


def write_document(
    mixture: Mixture, rng: random.Random, trace: Trace, *, kind: str, hashed: str = "", factors: Factors | None = None
) -> Document | None:
    """Write a trace in a random mode of the mixture.

    Args:
        mixture: Modes, shift and query probabilities.
        rng: Source of randomness.
        trace: Recorded run.
        kind: Kind of the document.
        hashed: Hash of the program.
        factors: Curriculum factors of the modes.

    Returns:
        The document, or None if the trace is not fit to learn from.

    Raises:
        UsageError: The mixture has no mode for this kind.
    """
    if not notation(mixture.format).has_modes:
        return make_cwm_document(trace, kind=kind, key=hashed, max_bytes=CWM_SIZE_FACTOR * mixture.max_bytes)
    modes = [mode for mode in mixture.modes if not mode.kinds or kind in mode.kinds]
    if not modes:
        raise UsageError(f"the mixture has no mode for programs of the kind {kind}")
    weights = [mode.weight * (factors(mode.label) if factors else 1.0) for mode in modes]
    mode = rng.choices(modes, weights)[0]
    options, shift, max_queries = mode.options, 0, mode.queries
    if rng.random() < mixture.shift and not trace.program.files:
        options, shift = replace(options, bare=True), rng.randint(1, MAX_SHIFT_LINES)
    if rng.random() < mixture.query:
        max_queries = max(max_queries, 3)
    queries = draw_queries(trace, rng, rng.randint(1, max_queries)) if max_queries else []
    return make_document(
        trace, options, kind=kind, key=hashed, queries=queries, shift=shift, max_bytes=mixture.max_bytes
    )


def draw_queries(trace: Trace, rng: random.Random, max_queries: int) -> list[tuple[int, str]]:
    """Draw at most `max_queries` queries (step, name), in order: names of the step's frame, or its value."""
    columns = trace.columns
    places = [i for i, event in enumerate(columns.event) if event in _QUERY_EVENTS or event in _VALUE_EVENTS]
    names: dict[int, dict[str, None]] = {}
    for i, frame in enumerate(columns.frame):
        for at in range(columns.change_at[i], columns.change_at[i + 1]):
            names.setdefault(frame, {})[columns.texts[columns.change_name[at]]] = None
    queries = set()
    for i in rng.sample(places, min(max_queries, len(places))):
        if columns.event[i] in _VALUE_EVENTS:
            queries.add((i, ""))
        elif known := names.get(columns.frame[i]):
            queries.add((i, rng.choice(list(known))))
    return sorted(queries)
