"""The compact byte codec: a trace as the shortest text that a byte-level model can read and write line by line.

`encode` = `prompt` + `encode_steps`; the grammar is docs/reference/format.md, section 5, and the way back is
`codec.compact.parse`. Not in the text: the interpreter, the limits, standard error, notes, the names of functions
(the line of their `def` is) and, unless asked for, the alias column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldline.analyze.flow.conditions import conditions
from worldline.codec.compact.changes import KnownNames
from worldline.codec.compact.frames import NOBODY, Cursor
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.words import hidden_line, name_text
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS, ENDED, RETURNING, Pending, known_at
from worldline.core.program import Program
from worldline.core.state import State
from worldline.core.trace import Frame, Hidden, Step, Trace
from worldline.core.value import quote

HELD, NOT_HELD = "^\n", "^!\n"
_WAITING = re.compile(r"\b(?:yield|await)\b")  # such a test is over some steps after it began
MARKS = {"return": ")", "raise": "!", "yield": "*", "output": ":", "input": "<", "exit": "$"}


@dataclass(frozen=True)
class Query:
    """One name asked for after one step (the empty name: the step's own value), and the answer (None: no value)."""

    step: int
    name: str
    value: str | None = None


Decided = tuple[int, bool]
"""A step that decides, and whether its test held."""


@dataclass(frozen=True)
class Recorded:
    """What the writer needs of a trace. `decided`: what the mode `conditions` tells, in the order of the steps."""

    program: Program
    steps: Sequence[Step]
    frames: Sequence[Frame]
    hidden: Sequence[Hidden]
    ended: bool
    decided: Sequence[Decided] = ()


def encode(trace: Trace, options: Compact | None = None) -> bytes:
    """A whole trace: the prompt and the steps."""
    return prompt(trace.program, options, trace.hidden) + encode_steps(trace, options)


def encode_steps(
    trace: Trace, options: Compact | None = None, *, queries: Iterable[tuple[int, str]] = ()
) -> bytes:
    """The part that a model must predict, with queries (step, name) and their answers where they are known."""
    told = conditions(trace) if options is not None and options.conditions else ()
    run = Recorded(
        trace.program, list(trace.steps), list(trace.frames), trace.hidden, trace.outcome.kind in ENDED,
        [(one.step, one.taken) for one in told if not _WAITING.search(one.text)],
    )  # fmt: skip
    return write(run, options or Compact(), _answered(run, queries))


def ask(trace: Trace, step: int, name: str, options: Compact | None = None) -> tuple[bytes, bytes]:
    """The text up to and with a query for a name at a step, and the answer line that a model must give."""
    text = encode_steps(trace, options, queries=[(step, name)])
    line = query(name)
    at = 0 if text.startswith(line) else text.index(b"\n" + line) + 1
    end = text.index(b"\n", at + len(line)) + 1
    return prompt(trace.program, options, trace.hidden) + text[: at + len(line)], text[at + len(line) : end]


def query(name: str) -> bytes:
    """The line that asks for a name of the frame that runs; the empty name asks for the last step's own value."""
    return f"?{name_text(name) if name else ''}\n".encode()


def _answered(run: Recorded, queries: Iterable[tuple[int, str]]) -> list[Query]:
    wanted: dict[int, list[str]] = {}
    for i, name in queries:
        if not 0 <= i < len(run.steps):
            raise UsageError(f"no step {i} in a trace of {len(run.steps)}")
        wanted.setdefault(i, []).append(name)
    state, found = State(), []
    for step in run.steps:
        state.apply(step)
        for name in wanted.get(step.i, ()):
            if name and (step.event in RETURNING or step.event in CHANGELESS):
                raise UsageError(f"step {step.i} ({step.event}) has no names to ask for; ask at its line")
            found.append(Query(step.i, name, state.frames[step.frame].get(name) if name else step.arg))
    return found


def write(run: Recorded, options: Compact, queries: Sequence[Query] = ()) -> bytes:
    """The steps of a recording as text, with these queries and answers."""
    writer = _CompactWriter(run, options, queries)
    for step in run.steps:
        writer.step(step)
    writer.end()
    return "".join(writer.out).encode()


class _CompactWriter:
    """Walks the steps once, with the frames as `Cursor` sees them; `out` are the lines so far."""

    def __init__(self, run: Recorded, options: Compact, queries: Sequence[Query]) -> None:
        self.run, self.options, self.out = run, options, list[str]()
        self._cursor, self._names = Cursor(), KnownNames(options)
        self._files = {name: i for i, (name, _) in reversed(list(enumerate(_files(run.program))))}
        self._lines: dict[int, int] = {}
        self._pending = Pending[Step]()  # of the steps whose changes come late
        self._last_use, self._late = _survey(run)
        self._hidden: dict[int, list[Hidden]] = {}
        for hidden in run.hidden:
            if not options.tells(hidden.kind):
                continue
            self._hidden.setdefault(hidden.step, []).append(hidden)
        self._deciding: dict[int, list[bool]] = {}
        self._decided: dict[int, list[bool]] = {}  # of the newest step of each frame
        for i, taken in run.decided if options.conditions else ():
            self._deciding.setdefault(i, []).append(taken)
        self._queries: dict[int, list[Query]] = {}
        for asked in queries:
            self._queries.setdefault(asked.step, []).append(asked)

    def step(self, step: Step) -> None:
        """Everything that one step adds: hidden inputs, moves, late changes, what was decided, its own line."""
        self._check(step)
        for hidden in self._hidden.pop(step.i, ()):
            self.out.append(hidden_line(hidden))
            if (thread := hidden.thread) is not None:
                self._cursor.go(thread)
        self._reach(step)
        late = self._late_changes(step)
        self._tell_decided(step)
        mark = self._mark(step) + late
        changes = self._own_changes(step)
        self.out.append(f"{mark}{changes}\n")
        self._lines[step.frame] = step.line
        self._cursor.last = step.frame
        self._ask(step.i, named=False)
        if step.event not in CHANGELESS and step.i not in self._late:
            self._ask(step.i, named=True)

    def _tell_decided(self, step: Step) -> None:
        """What the frame's step before decided, in lines of their own: this one follows from it."""
        if step.event in CHANGELESS:
            return
        self.out += [HELD if taken else NOT_HELD for taken in self._decided.pop(step.frame, ())]
        if step.i in self._deciding:
            self._decided[step.frame] = self._deciding[step.i]

    def end(self) -> None:
        """What stands after the last step."""
        for i in sorted(self._hidden):
            self.out += [hidden_line(hidden) for hidden in self._hidden[i]]
        if self.run.ended:
            self.out.append(".\n")

    def _check(self, step: Step) -> None:
        known = len(self._lines)
        if step.event == "call":
            fits = step.frame == known and self.run.frames[step.frame].parent < known
        else:
            fits = 0 <= step.frame < known
        if step.event == "resume":
            fits = fits and self._cursor.is_suspended(step.frame)
        if step.event in CHANGELESS:
            fits = fits and not (step.delta or step.gone or step.same)
        if not fits:
            raise UsageError(f"step {step.i} ({step.event}) is of a frame that cannot have it")

    def _reach(self, step: Step) -> None:
        """Leave frames, or switch, until the frame that the step happens in is the one that runs."""
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
        """Output and the like after the last frame ended are of the frame that was last."""
        return step.event in CHANGELESS and self._cursor.top == NOBODY and self._cursor.last == step.frame

    def _late_changes(self, step: Step) -> str:
        """Writes what the frame's pending step had changed, as a line of its own; of a resume, as text of its line."""
        pending = self._pending.settle(step.frame, step.event)
        if pending is None:
            return ""
        changes = self._names.write(pending, self.options.reveals(pending.i))
        if step.event == "resume":
            return changes + " |" if changes else ""
        if changes:
            self.out.append(f"{changes}\n")
        self._ask(pending.i, named=True)
        return ""

    def _own_changes(self, step: Step) -> str:
        """The changes that are known at once: nothing else happens before the frame's next event."""
        if step.event in CHANGELESS:
            return ""
        if step.i in self._late:
            self._pending.hold(step.frame, step.event, step)
            return ""
        changes = self._names.write(step, self.options.reveals(step.i))
        if step.event == "return":
            self._names.forget(step.frame)
        return changes

    def _mark(self, step: Step) -> str:
        """The action of a step: its line where it is not the obvious one, its mark, its value where it is shown."""
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
        beneath = self.run.frames[frame.parent].file if frame.parent != NOBODY else main
        self._cursor.push(step.frame)
        if frame.file == beneath:
            return f"({step.line}"
        number = self._files.get(frame.file)
        return f"({step.line}@{quote(frame.file) if number is None else number}"

    def _value(self, step: Step, leaves: bool) -> str:
        outermost = self.run.frames[step.frame].parent == NOBODY
        if not shows_value(
            self.options, step.i, step.event, outermost and (leaves or step.event == "return")
        ):
            return ""
        if step.arg is None:
            raise UsageError(f"step {step.i} ({step.event}) has no value")
        return step.arg

    def _ask(self, i: int, *, named: bool) -> None:
        for asked in self._queries.get(i, ()):
            if bool(asked.name) == named:
                self.out.append(query(asked.name).decode())
                self.out.append("-\n" if asked.value is None else f"={asked.value}\n")


def shows_value(options: Compact, i: int, event: str, is_end: bool) -> bool:
    """Whether step i's own value is written: it is revealed, an input, or what the outermost frame ended with."""
    return options.reveals(i) or event == "input" or (is_end and options.reveal > 0)


def _files(program: Program) -> list[tuple[str, str]]:
    return [(program.name, program.source), *program.files]


def _survey(run: Recorded) -> tuple[dict[int, int], set[int]]:
    """The last step that each frame has a part in, and the steps whose changes come late.

    Late: other steps lie between this one and the next of its frame, so that its changes are not known before.
    """
    last_use: dict[int, int] = {}
    for step in reversed(run.steps):
        last_use.setdefault(step.frame, step.i)
        if step.event == "call":
            last_use.setdefault(run.frames[step.frame].parent, step.i)
    late = {i for i, after in enumerate(known_at(run.steps)) if after is not None and after != i + 1}
    return last_use, late
