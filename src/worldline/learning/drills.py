"""Draw fresh documents to measure a model by: of each source, each kind of generated program, each spacing.

Each drill knows its labels and where its steps show the value or decision of which operation.
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
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import CHANCE, Document
from worldline.data.exchange import Score
from worldline.data.forms.among import DrawProgram
from worldline.data.forms.form import apply_form
from worldline.data.lessons import KIND, OPERATION, REVEAL
from worldline.data.mixture import BATCH_PROGRAMS, Mixture, Mode, Source, favor_kinds, resolve_source, write_document
from worldline.learning.curriculum import DrillResult
from worldline.programs.generate import SHARES
from worldline.programs.split import program_key, split_of
from worldline.programs.tasks import permutation
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

# Lines of the shuffles that a spacing is tested on.
EXAM_LINES = 64
MAX_DRILL_BYTES = 8192
# Programs drawn for one drill before its lesson is skipped.
MAX_DRAWS = 400
_CHANGED = re.compile(rb" -?([^\W\d]\w*)")
GENERATED = "worldline.programs.generate:program"


@dataclass(frozen=True)
class Lesson:
    """What drills are drawn from: label, source, and its draw function."""

    label: str
    source: Source
    draw: DrawProgram


@dataclass(frozen=True)
class Drill:
    """A document, its labels, and (operation, start, end) of what its steps show."""

    document: Document
    labels: tuple[str, ...]
    shown: tuple[tuple[str, int, int], ...] = ()

    def results(self, score: Score) -> Iterator[DrillResult]:
        """Yield the results under each label; none if the document was not scored."""
        if not score.hits:
            return
        for label in self.labels:
            yield DrillResult(label, all(score.hits), sum(score.logprobs))
        for operation, start, end in self.shown:
            right, chance = all(score.hits[start:end]), sum(score.logprobs[start:end])
            yield DrillResult(f"{OPERATION} {operation}", right, chance)


def list_lessons(mixture: Mixture) -> list[Lesson]:
    """List every source of a mixture and every kind of generated program. Stochastic programs are excluded."""
    lessons = [
        Lesson(source.label, source, resolve_source(source)) for source in mixture.sources if source.kind != CHANCE
    ]
    plain = [lesson for lesson in lessons if lesson.source.program == GENERATED and not lesson.source.form][:1]
    for lesson in plain:
        for name in SHARES:
            alone = favor_kinds(lesson.draw, dict.fromkeys(SHARES, 0.0) | {name: 1.0})
            lessons.append(replace(lesson, label=f"{KIND} {name}", draw=alone))
    return lessons


class DrillBook:
    """Draws and records drills of a mixture, the same for the same seed."""

    def __init__(self, mixture: Mixture, *, seed: int, split: str, trust: bool = False) -> None:
        sparse = [mode for mode in mixture.modes if mode.options.reveal > 1]
        self.spacings = {mode.options.reveal: mode.weight for mode in sparse}
        self._mixture = replace(mixture, max_bytes=min(MAX_DRILL_BYTES, mixture.max_bytes), split=split)
        self._modes = [mode for mode in mixture.modes if mode.options.reveal <= 1]
        self._lessons = list_lessons(mixture)
        self._rng = random.Random(f"drills/{mixture.seed}/{seed}")
        self._next = 0
        # Drills on which the tool failed; they count in no rate.
        self.faults = 0
        limits = stretched(mixture.limits, BATCH_PROGRAMS)
        self._recorder = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=trust))

    def drills(self, count: int) -> list[Drill]:
        """Draw at most `count` drills, lessons in turn, each in a random mode."""
        chosen = [(lesson, self._program(lesson)) for lesson in islice(self._in_turn(), count)]
        drawn = []
        for lesson, trace in self._recorded([(lesson, program) for lesson, program in chosen if program]):
            modes = [mode for mode in self._modes if not mode.kinds or lesson.source.kind in mode.kinds]
            if modes:
                mode = self._rng.choices(modes, [mode.weight for mode in modes])[0]
                drawn.append(self._drill(trace, lesson.source.kind, mode, (lesson.label, mode.label)))
        return [drill for drill in drawn if drill is not None]

    def exams(self, spacing: int, count: int) -> list[Drill]:
        """Draw `count` shuffles of `EXAM_LINES` lines, the state shown every `spacing` steps."""
        programs: list[tuple[None, Program]] = []
        while len(programs) < count:
            program = permutation(self._rng, length=EXAM_LINES)
            if split_of(program_key(program)) == self._mixture.split:
                programs.append((None, program))
        mode = Mode(weight=1.0, options=Compact(reveal=spacing))
        drawn = (self._drill(trace, "tasks", mode, (f"{REVEAL} {spacing}",)) for _, trace in self._recorded(programs))
        return [drill for drill in drawn if drill is not None]

    def close(self) -> None:
        """Stop the recorder."""
        self._recorder.close()

    def _in_turn(self) -> Iterator[Lesson]:
        while True:
            self._next += 1
            yield self._lessons[self._next % len(self._lessons)]

    def _program(self, lesson: Lesson) -> Program | None:
        """A program of the lesson in its split and form; None if none was drawn."""
        for _ in range(MAX_DRAWS):
            program = lesson.draw(self._rng)
            if split_of(program_key(program)) != self._mixture.split:
                continue
            form = lesson.source.form
            shaped = apply_form(program, form, self._rng, self._of_split(lesson.draw)) if form else program
            if shaped is not None:
                return shaped
        return None

    def _of_split(self, draw: DrawProgram) -> DrawProgram:
        def drawn(rng: random.Random) -> Program:
            while split_of(program_key(program := draw(rng))) != self._mixture.split:
                pass
            return program

        return drawn

    def _recorded(self, chosen: Sequence[tuple[Any, Program]]) -> Iterator[tuple[Any, Trace]]:
        for at in range(0, len(chosen), BATCH_PROGRAMS):
            batch = chosen[at : at + BATCH_PROGRAMS]
            traces = record_all(self._recorder, [program for _, program in batch])
            for (lesson, _), trace in zip(batch, traces, strict=True):
                if trace is not None:
                    yield lesson, trace

    def _drill(self, trace: Trace, kind: str, mode: Mode, labels: tuple[str, ...]) -> Drill | None:
        alone = replace(self._mixture, modes=(mode,), shift=0.0, query=0.0)
        document = write_document(alone, self._rng, trace, kind=kind)
        if document is None:
            return None
        plain = mode.options.reveal == 1 and not mode.queries and not trace.program.files
        shown = call_or_fault(locate_operations, trace, document.steps) if plain else ()
        if isinstance(shown, RowFault):
            self.faults += 1
            return None
        return Drill(document, labels, shown)


def locate_operations(trace: Trace, steps: bytes) -> tuple[tuple[str, int, int], ...]:
    """Locate in a document's steps the results of operations and the outcomes of conditions."""
    # Operations of other languages have no names.
    source = trace.program.source if trace.program.lang.has_syntax_tree else ""
    columns, shown = trace.columns, list[tuple[str, int, int]]()
    # By frame: the line that ran last.
    lines: dict[int, int] = {}
    for i, turn in enumerate(turns(steps)[: len(trace)]):
        event, line, frame, own = EVENTS[columns.event[i]], columns.line[i], columns.frame[i], turn.lines[-1]
        decides = condition(source, lines[frame]) if frame in lines else None
        if decides is not None:
            shown.append((decides.name, own.start, own.action))
        # More than the end of the line.
        if own.end - own.action > 1:
            shown.append((_operation_name(source, line, event, steps[own.action : own.end]), own.action, own.end))
        lines[frame] = line
    return tuple(shown)


def _operation_name(source: str, line: int, event: str, state: bytes) -> str:
    """What gave a step its value: the first name it changes, or what it returns, yields or prints."""
    if event == "line":
        name = _CHANGED.match(state)
        return of_name(source, line, name[1].decode()).name if name else "unknown"
    return {"call": "argument"}.get(event) or of_result(source, line, event).name
