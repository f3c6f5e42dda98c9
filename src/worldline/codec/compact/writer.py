"""The compact notation: a trace as the shortest text that a byte-level model can read and write line by line.

`encode` = `prompt` + `encode_steps`. docs/reference/format.md, section 5, has the grammar; `codec.compact.parse`
reads it back. Left out: the interpreter, the limits, standard error, notes, the names of functions (the line of
their `def` is there) and, by default, the alias column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldline.analyze.flow.assigned import assigned_names
from worldline.analyze.flow.conditions import conditions
from worldline.codec.compact.changes import KnownNames
from worldline.codec.compact.frames import NOBODY, Cursor
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.words import hidden_line, name_text
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS, ENDED, RETURNING, Pending, known_at
from worldline.core.program import Program
from worldline.core.state import State
from worldline.core.texts.spliced import SplicedTexts
from worldline.core.trace import Frame, Hidden, Step, Trace
from worldline.core.value import quote

HELD, NOT_HELD = "^\n", "^!\n"
# A test that suspends ends some steps after it started.
_SUSPENDING = re.compile(r"\b(?:yield|await)\b")
MARKS = {"return": ")", "raise": "!", "yield": "*", "output": ":", "input": "<", "exit": "$"}


@dataclass(frozen=True)
class Query:
    """A query for one name after one step (the empty name: the step's own value), and the answer (None: no value)."""

    step: int
    name: str
    value: str | None = None


StepDecision = tuple[int, bool]
"""A step with a test, and whether the test held."""


@dataclass(frozen=True)
class RecordedSteps:
    """What the writer needs of a trace. `decisions` are those of the mode `conditions`, in the order of the steps."""

    program: Program
    steps: Sequence[Step]
    frames: Sequence[Frame]
    hidden: Sequence[Hidden]
    ended: bool
    decisions: Sequence[StepDecision] = ()


def encode(trace: Trace, options: Compact | None = None) -> bytes:
    """Write a whole trace: the prompt and the steps."""
    return prompt(trace.program, options, trace.hidden) + encode_steps(trace, options)


def encode_steps(trace: Trace, options: Compact | None = None, *, queries: Iterable[tuple[int, str]] = ()) -> bytes:
    """Write the part that a model must predict.

    `queries` are steps and names; each query is written with its answer as soon as that is known. Raises UsageError
    if a step does not exist or has no names.
    """
    shown = conditions(trace) if options is not None and options.conditions else ()
    # Large values are made step by step: together they may not fit in memory.
    is_large = isinstance(trace.columns.texts, SplicedTexts)
    run = RecordedSteps(
        trace.program,
        trace.steps if is_large else list(trace.steps),
        list(trace.frames),
        trace.hidden,
        trace.outcome.kind in ENDED,
        [(condition.step, condition.taken) for condition in shown if not _SUSPENDING.search(condition.text)],
    )
    return write(run, options or Compact(), _answered(run, queries))


def _query_line(name: str) -> str:
    """The query for a name of the running frame; the empty name is the value of the last step."""
    return f"?{name_text(name) if name else ''}\n"


def _answered(run: RecordedSteps, queries: Iterable[tuple[int, str]]) -> list[Query]:
    wanted: dict[int, list[str]] = {}
    for i, name in queries:
        if not 0 <= i < len(run.steps):
            raise UsageError(f"no step {i} in a trace of {len(run.steps)}")
        wanted.setdefault(i, []).append(name)
    state, answered = State(), []
    for step in run.steps:
        state.apply(step)
        for name in wanted.get(step.i, ()):
            if name and (step.event in RETURNING or step.event in CHANGELESS):
                raise UsageError(f"step {step.i} ({step.event}) has no names to query; query at its line")
            answered.append(Query(step.i, name, state.frames[step.frame].get(name) if name else step.arg))
    return answered


def write(run: RecordedSteps, options: Compact, queries: Sequence[Query] = ()) -> bytes:
    """Write recorded steps with queries and their answers."""
    writer = _CompactWriter(run, options, queries)
    for step in run.steps:
        writer.step(step)
    writer.end()
    return "".join(writer.out).encode()


class _CompactWriter:
    """Walks the steps once and moves the `Cursor`; `out` are the lines so far."""

    def __init__(self, run: RecordedSteps, options: Compact, queries: Sequence[Query]) -> None:
        self.run, self.options, self.out = run, options, list[str]()
        self._cursor, self._names = Cursor(), KnownNames(options)
        self._files = {name: i for i, (name, _) in reversed(list(enumerate(_files(run.program))))}
        self._lines: dict[int, int] = {}
        # The steps whose changes come late.
        self._pending = Pending[Step]()
        self._last_use, self._late = _survey(run)
        self._assigned = assigned_by_step(run) if options.assigned else {}
        self._hidden: dict[int, list[Hidden]] = {}
        for hidden in run.hidden:
            if not options.tells(hidden.kind):
                continue
            self._hidden.setdefault(hidden.step, []).append(hidden)
        self._decisions: dict[int, list[bool]] = {}
        # The decisions of the newest step of each frame.
        self._decided: dict[int, list[bool]] = {}
        for i, taken in run.decisions if options.conditions else ():
            self._decisions.setdefault(i, []).append(taken)
        self._queries: dict[int, list[Query]] = {}
        for query in queries:
            self._queries.setdefault(query.step, []).append(query)

    def step(self, step: Step) -> None:
        """Write everything that one step adds: hidden inputs, moves, late changes, decisions, its own line."""
        self._check(step)
        for hidden in self._hidden.pop(step.i, ()):
            self.out.append(hidden_line(hidden))
            if (thread := hidden.thread) is not None:
                self._cursor.go(thread)
        self._reach(step)
        late = self._late_changes(step)
        self._write_decisions(step)
        mark = self._mark(step) + late
        changes = self._own_changes(step)
        self.out.append(f"{mark}{changes}\n")
        self._lines[step.frame] = step.line
        self._cursor.last = step.frame
        self._write_queries(step.i, named=False)
        if step.event not in CHANGELESS and step.i not in self._late:
            self._write_queries(step.i, named=True)

    def _write_decisions(self, step: Step) -> None:
        """Write what the previous step of the frame decided, in separate lines: this step follows from it."""
        if step.event in CHANGELESS:
            return
        self.out += [HELD if taken else NOT_HELD for taken in self._decided.pop(step.frame, ())]
        if step.i in self._decisions:
            self._decided[step.frame] = self._decisions[step.i]

    def end(self) -> None:
        """Write what stands after the last step."""
        for i in sorted(self._hidden):
            self.out += [hidden_line(hidden) for hidden in self._hidden[i]]
        if self.run.ended:
            self.out.append(".\n")

    def _check(self, step: Step) -> None:
        frame_count = len(self._lines)
        if step.event == "call":
            is_possible = step.frame == frame_count and self.run.frames[step.frame].parent < frame_count
        else:
            is_possible = 0 <= step.frame < frame_count
        if step.event == "resume":
            is_possible = is_possible and self._cursor.is_suspended(step.frame)
        if step.event in CHANGELESS:
            is_possible = is_possible and not (step.delta or step.gone or step.same)
        if not is_possible:
            raise UsageError(f"step {step.i} ({step.event}): its frame cannot have such a step")

    def _reach(self, step: Step) -> None:
        """Leave frames, or switch, until the frame of the step is the running one."""
        if step.event == "resume" or self._is_epilogue(step):
            return
        target = self.run.frames[step.frame].parent if step.event == "call" else step.frame
        cursor = self._cursor
        while cursor.top not in (target, NOBODY) and self._last_use[cursor.top] < step.i:
            if target != NOBODY and not cursor.running[target]:
                break
            self._names.forget(cursor.pop())
            self.out.append("/\n")
        if cursor.top != target:
            self.out.append(f"@{cursor.refer(target) if target != NOBODY else '.'}\n")
            cursor.push(target)

    def _is_epilogue(self, step: Step) -> bool:
        """Whether a step is output or the like after the last frame ended: it belongs to that frame."""
        return step.event in CHANGELESS and self._cursor.top == NOBODY and self._cursor.last == step.frame

    def _late_changes(self, step: Step) -> str:
        """Write the changes of the frame's pending step as a line; for a resume, return them as text of its line."""
        pending = self._pending.settle(step.frame, step.event)
        if pending is None:
            return ""
        changes = self._changes(pending)
        if step.event == "resume":
            return changes + " |" if changes else ""
        if changes:
            self.out.append(f"{changes}\n")
        self._write_queries(pending.i, named=True)
        return ""

    def _own_changes(self, step: Step) -> str:
        """The changes that are known at once, because nothing else happens before the next event of the frame."""
        if step.event in CHANGELESS:
            return ""
        if step.i in self._late:
            self._pending.hold(step.frame, step.event, step)
            return ""
        changes = self._changes(step)
        if step.event == "return":
            self._names.forget(step.frame)
        return changes

    def _changes(self, step: Step) -> str:
        return self._names.write(step, self.options.reveals(step.i), self._assigned.get(step.i, ()))

    def _mark(self, step: Step) -> str:
        """The action of a step: its line if it is not the obvious one, its mark, and its value if it is shown."""
        if step.event == "call":
            return self._call(step)
        if step.event not in CHANGELESS and step.event != "resume":
            self._cursor.wake(step.frame)
        if step.event == "line":
            return str(step.line)
        line = "" if self._lines[step.frame] == step.line else str(step.line)
        if step.event == "resume":
            reference = self._cursor.refer(step.frame)
            self._cursor.push(step.frame)
            self._cursor.wake(step.frame)
            return f"{line}~{reference}"
        leaves = step.event == "raise" and self._last_use[step.frame] == step.i
        value = self._value(step, leaves)
        if step.event == "yield":
            self._cursor.suspend()
        elif step.event == "return" or leaves:
            self._cursor.pop()
        return f"{line}{')' if leaves else ''}{MARKS[step.event]}{value}"

    def _call(self, step: Step) -> str:
        frame = self.run.frames[step.frame]
        main = self.run.program.name
        caller_file = self.run.frames[frame.parent].file if frame.parent != NOBODY else main
        self._cursor.push(step.frame)
        if frame.file == caller_file:
            return f"({step.line}"
        number = self._files.get(frame.file)
        return f"({step.line}@{quote(frame.file) if number is None else number}"

    def _value(self, step: Step, leaves: bool) -> str:
        is_outermost = self.run.frames[step.frame].parent == NOBODY
        is_end = is_outermost and (leaves or step.event == "return")
        if not shows_value(self.options, step.i, step.event, is_end):
            return ""
        if step.arg is None:
            raise UsageError(f"step {step.i} ({step.event}) has no value")
        return step.arg

    def _write_queries(self, i: int, *, named: bool) -> None:
        for query in self._queries.get(i, ()):
            if bool(query.name) == named:
                self.out.append(_query_line(query.name))
                self.out.append("-\n" if query.value is None else f"={query.value}\n")


def shows_value(options: Compact, i: int, event: str, is_end: bool) -> bool:
    """Whether the value of step i is written: it is revealed, an input, or the result of the outermost frame."""
    return options.reveals(i) or event == "input" or (is_end and options.reveal > 0)


def _files(program: Program) -> list[tuple[str, str]]:
    return [(program.name, program.source), *program.files]


def _survey(run: RecordedSteps) -> tuple[dict[int, int], set[int]]:
    """The last step that each frame takes part in, and the steps whose changes come late.

    Late: other steps lie between this one and the next of its frame, so that its changes are not known before.
    """
    last_use: dict[int, int] = {}
    for step in reversed(run.steps):
        last_use.setdefault(step.frame, step.i)
        if step.event == "call":
            last_use.setdefault(run.frames[step.frame].parent, step.i)
    late = {i for i, after in enumerate(known_at(run.steps)) if after is not None and after != i + 1}
    return last_use, late


def assigned_by_step(run: RecordedSteps) -> dict[int, tuple[str, ...]]:
    """The names that each line step assigns: those of its statement, if that finished."""
    if not run.program.lang.has_syntax_tree:
        return {}
    by_file = {name: assigned_names(source) for name, source in reversed(_files(run.program))}
    starts = {step.frame: step.line for step in run.steps if step.event == "call"}
    names: dict[int, tuple[str, ...]] = {}
    for step, at in zip(run.steps, known_at(run.steps), strict=True):
        # A frame that starts on this line is of a lambda or a comprehension in the statement.
        if step.event != "line" or at is None or starts.get(step.frame) == step.line:
            continue
        assigned, after = by_file.get(run.frames[step.frame].file, {}).get(step.line), run.steps[at]
        if assigned is None or after.event not in ("line", "return"):
            continue
        if not assigned.body or (after.event == "line" and after.line in assigned.body):
            names[step.i] = assigned.names
    return names
