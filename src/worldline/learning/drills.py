"""Fresh documents to measure a model by: of each source of a mixture, each kind of generated program, a spacing.

Each knows its labels and where in its steps which operation shows its value or decides. Nothing is scored here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from worldline.analyze.flow.operations import condition, of_name, of_result
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import turns
from worldline.core.events import EVENTS
from worldline.core.fault import RowFault, fenced
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import CHANCE, Document
from worldline.data.exchange import Score
from worldline.data.forms.among import DrawProgram
from worldline.data.forms.form import apply_form
from worldline.data.lessons import KIND, OPERATION, REVEAL
from worldline.data.mixture import (
    BATCH_PROGRAMS,
    Mixture,
    Mode,
    Source,
    favor_kinds,
    resolve_source,
    write_document,
)
from worldline.learning.curriculum import Result
from worldline.programs.generate import SHARES
from worldline.programs.split import program_key, split_of
from worldline.programs.tasks import permutation
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

EXAM = 64  # lines of the shuffles that a spacing is held on
LONGEST = 8192  # bytes of a drill
TRIES = 400  # programs drawn for one drill before its lesson is passed over
_CHANGED = re.compile(rb" -?([^\W\d]\w*)")
GENERATED = "worldline.programs.generate:program"


@dataclass(frozen=True)
class Lesson:
    """What drills are drawn of: the label they count for, the source, and what draws its programs."""

    label: str
    source: Source
    draw: DrawProgram


@dataclass(frozen=True)
class Drill:
    """A document, the labels that it counts for, and (operation, start, end) of what is shown in its steps."""

    document: Document
    labels: tuple[str, ...]
    shown: tuple[tuple[str, int, int], ...] = ()

    def results(self, score: Score) -> Iterator[Result]:
        """What a score says under each label; of a document that was not scored, nothing."""
        if not score.hits:
            return
        for label in self.labels:
            yield Result(label, all(score.hits), sum(score.logprobs))
        for operation, start, end in self.shown:
            right, chance = all(score.hits[start:end]), sum(score.logprobs[start:end])
            yield Result(f"{OPERATION} {operation}", right, chance)


def lessons(mixture: Mixture) -> list[Lesson]:
    """Every source of a mixture, and every kind of generated program where it has them.

    Programs of chance are no lesson: whether a draw is met is luck.
    """
    found = [
        Lesson(source.label, source, resolve_source(source))
        for source in mixture.sources
        if source.kind != CHANCE
    ]
    plain = [one for one in found if one.source.program == GENERATED and not one.source.form][:1]
    for one in plain:
        for name in SHARES:
            alone = favor_kinds(one.draw, dict.fromkeys(SHARES, 0.0) | {name: 1.0})
            found.append(replace(one, label=f"{KIND} {name}", draw=alone))
    return found


class DrillBook:
    """Draws drills of a mixture, the same ones for the same seed, and records them."""

    def __init__(self, mixture: Mixture, *, seed: int, split: str, trust: bool = False) -> None:
        sparse = [mode for mode in mixture.modes if mode.options.reveal > 1]
        self.spacings = {mode.options.reveal: mode.weight for mode in sparse}
        self._mixture = replace(mixture, max_bytes=min(LONGEST, mixture.max_bytes), split=split)
        self._modes = [mode for mode in mixture.modes if mode.options.reveal <= 1]
        self._lessons = lessons(mixture)
        self._rng = random.Random(f"drills/{mixture.seed}/{seed}")
        self._next = 0
        self.faults = 0  # drills on which the tool failed, which are in no rate
        limits = stretched(mixture.limits, BATCH_PROGRAMS)
        self._recorder = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=trust))

    def drills(self, count: int) -> list[Drill]:
        """So many drills at most, of the lessons in turn, each in a mode drawn from the mixture's."""
        chosen = [(lesson, self._program(lesson)) for lesson in islice(self._in_turn(), count)]
        found = []
        for lesson, trace in self._recorded([(lesson, program) for lesson, program in chosen if program]):
            modes = [mode for mode in self._modes if not mode.kinds or lesson.source.kind in mode.kinds]
            if modes:
                mode = self._rng.choices(modes, [mode.weight for mode in modes])[0]
                found.append(self._drill(trace, lesson.source.kind, mode, (lesson.label, mode.label)))
        return [drill for drill in found if drill is not None]

    def exams(self, spacing: int, count: int) -> list[Drill]:
        """So many shuffles of `EXAM` lines, the state shown every `spacing` steps."""
        programs: list[tuple[None, Program]] = []
        while len(programs) < count:
            program = permutation(self._rng, length=EXAM)
            if split_of(program_key(program)) == self._mixture.split:
                programs.append((None, program))
        mode = Mode(weight=1.0, options=Compact(reveal=spacing))
        made = (
            self._drill(trace, "tasks", mode, (f"{REVEAL} {spacing}",))
            for _, trace in self._recorded(programs)
        )
        return [drill for drill in made if drill is not None]

    def close(self) -> None:
        """End the recorder."""
        self._recorder.close()

    def _in_turn(self) -> Iterator[Lesson]:
        while True:
            self._next += 1
            yield self._lessons[self._next % len(self._lessons)]

    def _program(self, lesson: Lesson) -> Program | None:
        """A program of the lesson, of the split, in its form; None if none was met."""
        for _ in range(TRIES):
            program = lesson.draw(self._rng)
            if split_of(program_key(program)) != self._mixture.split:
                continue
            form = lesson.source.form
            made = apply_form(program, form, self._rng, self._of_split(lesson.draw)) if form else program
            if made is not None:
                return made
        return None

    def _of_split(self, draw: DrawProgram) -> DrawProgram:
        def drawn(rng: random.Random) -> Program:
            while split_of(program_key(program := draw(rng))) != self._mixture.split:
                pass
            return program

        return drawn

    def _recorded(self, chosen: Sequence[tuple[Any, Program]]) -> Iterator[tuple[Any, Trace]]:
        for at in range(0, len(chosen), BATCH_PROGRAMS):
            some = chosen[at : at + BATCH_PROGRAMS]
            traces = record_all(self._recorder, [program for _, program in some])
            for (lesson, _), trace in zip(some, traces, strict=True):
                if trace is not None:
                    yield lesson, trace

    def _drill(self, trace: Trace, kind: str, mode: Mode, labels: tuple[str, ...]) -> Drill | None:
        alone = replace(self._mixture, modes=(mode,), shift=0.0, query=0.0)
        made = write_document(alone, self._rng, trace, kind=kind)
        if made is None:
            return None
        plain = mode.options.reveal == 1 and not mode.queries and not trace.program.files
        shown = fenced(operations_shown, trace, made.steps) if plain else ()
        if isinstance(shown, RowFault):
            self.faults += 1
            return None
        return Drill(made, labels, shown)


def operations_shown(trace: Trace, steps: bytes) -> tuple[tuple[str, int, int], ...]:
    """Where in a document's steps a line shows what its operation gave, or which way a condition went."""
    source = (
        trace.program.source if trace.program.language == "python" else ""
    )  # other operations have no names
    columns, found = trace.columns, list[tuple[str, int, int]]()
    lines: dict[int, int] = {}  # by frame: the line that ran last
    for i, turn in enumerate(turns(steps)[: len(trace)]):
        event, line, frame, own = EVENTS[columns.event[i]], columns.line[i], columns.frame[i], turn.lines[-1]
        decides = condition(source, lines[frame]) if frame in lines else None
        if decides is not None:
            found.append((decides.name, own.start, own.action))
        if own.end - own.action > 1:  # more than the end of the line
            found.append((_operation(source, line, event, steps[own.action : own.end]), own.action, own.end))
        lines[frame] = line
    return tuple(found)


def _operation(source: str, line: int, event: str, state: bytes) -> str:
    """What gave a step its value: the first name that it changes, or what it returns, yields or prints."""
    if event == "line":
        name = _CHANGED.match(state)
        return of_name(source, line, name[1].decode()).name if name else "unknown"
    return {"call": "argument"}.get(event) or of_result(source, line, event).name
