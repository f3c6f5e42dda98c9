"""Recorded steps of a code, found again by statement and by the values of the names in it.

An entry is what a text says after a line number: the changes of that step and what happens next. It is used for the
same statement with the same values. If recorded steps disagree, the entry says nothing: the statement depends on more
than its names. Of another program, only the changes of a simple statement are used, if it needs no definition of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.turns import Turn, turns
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import FormatError
from worldline.core.program import Program
from worldline.core.trace import Frame, Step, Trace
from worldline.predict.retrieval.statement_place import statement_places
from worldline.storage import files

FORMAT, VERSION = "worldline-memory", 1
# Events that end a frame or start another one: their whole turn follows from the line before.
_WHOLE_TURN = ("call", "return", "raise")
# Lines of a turn that do not follow from its statement: moves of threads and generators, hidden inputs.
_APART = (b"/", b"@", b"%", b"?")


def can_remember(program: Program, options: Compact) -> bool:
    """Whether steps in this mode can be looked up: Python, every state is shown, nothing is written as a difference."""
    is_exact = options.reveal == 1 and options.delta == "whole" and not options.same
    return is_exact and program.lang.is_default and not program.files


@dataclass
class StepMemory:
    """Entries by key; None for steps that disagreed."""

    entries: dict[str, bytes | None] = field(default_factory=dict)

    def add(self, trace: Trace, options: Compact) -> None:
        """Add every line step of a trace, as it is written in one mode."""
        if not can_remember(trace.program, options) or trace.hidden:
            return
        text = encode_steps(trace, options)
        parsed, parts = parse(text, prompt(trace.program, options)), turns(text)
        names: dict[int, dict[str, str]] = {}
        for i, step in enumerate(parsed.steps):
            before = names.setdefault(step.frame, {})
            if step.event == "line":
                for place, entry in _entries(parsed.steps, parsed.frames, parts, text, i):
                    for key in _keys(trace.program, options, step.line, before, place, whole=True):
                        self._add(key, entry)
                own = text[parts[i].state_start : parts[i].end]
                if next_event(parsed.steps, i) != "call":
                    for key in _keys(trace.program, options, step.line, before, 0, whole=False):
                        self._add(key, own)
            names[step.frame] = _after(before, step)

    def _add(self, key: str, entry: bytes) -> None:
        self.entries[key] = entry if self.entries.get(key, entry) == entry else None

    def find(
        self, program: Program, options: Compact, line: int, names: Mapping[str, str], place: int = 0
    ) -> bytes | None:
        """Return what follows a line of a program, given the names before it.

        Args:
            program: The program.
            options: The mode of the text.
            line: The line.
            names: The names of the frame before the line.
            place: How many calls of the line have returned.

        Returns:
            The text after the line number or after the last of these calls; None if it is not known.
        """
        for whole in (True, False) if place == 0 else (True,):
            for key in _keys(program, options, line, names, place, whole=whole):
                if (entry := self.entries.get(key)) is not None:
                    return entry
        return None

    @property
    def digest(self) -> str:
        """Digest of all entries."""
        return hashlib.sha256(self._to_bytes()).hexdigest()

    def _to_bytes(self) -> bytes:
        entries = {key: None if entry is None else entry.decode() for key, entry in sorted(self.entries.items())}
        document = {"format": FORMAT, "version": VERSION, "entries": entries}
        return json.dumps(document, ensure_ascii=True, indent=0).encode() + b"\n"

    def save(self, path: str | Path) -> None:
        """Write the memory to a file."""
        files.write(Path(path), self._to_bytes())


def load_memory(path: str | Path) -> StepMemory:
    """Read a memory.

    Raises:
        FormatError: The file is not a memory.
    """
    try:
        document = json.loads(Path(path).read_bytes())
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ValueError(f"not {FORMAT} version {VERSION}")
        entries = {str(key): None if text is None else str(text).encode() for key, text in document["entries"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}: not a memory of `learn --retrieve`: {error}") from None
    return StepMemory(entries)


def _after(names: Mapping[str, str], step: Step) -> dict[str, str]:
    """The names of a frame after one of its steps."""
    return {name: value for name, value in names.items() if name not in step.gone} | dict(step.delta)


def frame_names(steps: Sequence[Step], frame: int) -> dict[str, str]:
    """Return the names of a frame after steps."""
    names: dict[str, str] = {}
    for step in steps:
        if step.frame == frame:
            names = _after(names, step)
    return names


def next_event(steps: Sequence[Step], i: int) -> str:
    """Return the event after a step; empty after the last one."""
    return steps[i + 1].event if i + 1 < len(steps) else ""


def _entries(
    steps: Sequence[Step], frames: Sequence[Frame], parts: Sequence[Turn], text: bytes, i: int
) -> Iterator[tuple[int, bytes]]:
    """Yield what follows line step `i`, and what follows each of its calls, by the number of calls before."""
    frame, after, calls = steps[i].frame, i, 0
    own = text[parts[i].state_start : parts[i].end]
    yield 0, own + _continuation(steps, frames, parts, text, after + 1, frame)
    while after + 1 < len(steps) and steps[after + 1].event == "call" and _caller(steps, frames, after + 1) == frame:
        callee = steps[after + 1].frame
        ends = (j for j in range(after + 1, len(steps)) if steps[j].frame == callee and steps[j].event == "return")
        after, calls = next(ends, len(steps)), calls + 1
        if continuation := _continuation(steps, frames, parts, text, after + 1, frame):
            yield calls, continuation


def _caller(steps: Sequence[Step], frames: Sequence[Frame], i: int) -> int:
    return frames[steps[i].frame].parent


def _continuation(
    steps: Sequence[Step], frames: Sequence[Frame], parts: Sequence[Turn], text: bytes, i: int, frame: int
) -> bytes:
    """Return the text of a step as far as it follows from the line before; empty if it does not."""
    if i >= len(steps) or any(text[line.start : line.start + 1] in _APART for line in parts[i].lines):
        return b""
    step = steps[i]
    is_own = step.frame == frame and step.event in ("line", "return", "raise")
    if not is_own and not (step.event == "call" and _caller(steps, frames, i) == frame):
        return b""
    if step.event == "call" and next_event(steps, i) == "line" and steps[i + 1].frame == step.frame:
        # The first line of the function follows too.
        return text[parts[i].start : parts[i + 1].state_start]
    end = parts[i].end if step.event in _WHOLE_TURN else parts[i].state_start
    return text[parts[i].start : end]


def _keys(
    program: Program, options: Compact, line: int, names: Mapping[str, str], place: int, *, whole: bool
) -> Iterator[str]:
    """Yield the key of a line: of this program with `whole`, else of its statement alone, if that is possible."""
    statement = statement_places(program.source).get(line)
    if statement is None:
        return
    values = tuple((name, names.get(name)) for name in statement.names)
    mode = (options.conditions, options.assigned, options.hidden)
    if whole:
        yield _digest(("line", program.source, line, values, place, mode))
    elif statement.is_simple and statement.is_closed and not any("<" in (value or "") for _, value in values):
        yield _digest(("statement", statement.text, values, mode))


def _digest(parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
