"""From compact text back to steps. Total: any bytes give steps, and a Malformed where they stop being the grammar's.

One line at a time, each by the mark it begins with, in time linear in the text and in the values that it unfolds to;
nothing recurses on what the text nests. A text that is ended (its last line is `.`) is accepted only when it is
exactly what `writer` writes for its steps (read loosely: but for values that are shown again). A last line without its
newline is not parsed: it is unfinished.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.codec.compact.prompt import Compact, parse_prompt
from worldline.codec.compact.reader import CompactReader, read_answer
from worldline.codec.compact.words import Fault
from worldline.codec.compact.writer import Decided, Query, Recorded, write
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Frame, Hidden, Step

BUDGET = 256 << 20  # characters that element deltas may unfold to


@dataclass(frozen=True)
class Parsed:
    """What a compact text says. `frames` have no names; `end` is the offset after the last whole line that was read.

    Steps that are not revealed have no changes and no value (`arg` None).
    """

    steps: list[Step]
    ended: bool
    malformed: Malformed | None
    frames: list[Frame] = field(default_factory=list)
    hidden: tuple[Hidden, ...] = ()
    queries: tuple[Query, ...] = ()
    program: Program | None = None
    options: Compact = field(default_factory=Compact)
    end: int = 0
    decided: tuple[Decided, ...] = ()


def parse(data: bytes, given: bytes | None = None, *, budget: int = BUDGET, loose: bool = False) -> Parsed:
    """The steps of a compact text: with its prompt, or, when the prompt is `given`, without it.

    Offsets are bytes of `data`. `budget` bounds the characters that element deltas unfold to. `loose` is for what
    models write: a name that a sparse reveal shows again as it was is then no change, otherwise malformed.
    """
    found = parse_prompt(data if given is None else given)
    if isinstance(found, Malformed):
        return Parsed([], False, found if given is None else Malformed(0, f"a prompt with {found.expected}"))
    start = found.end if given is None else 0
    if given is not None and found.end != len(given):
        return Parsed([], False, Malformed(0, "a prompt that ends with its line >"), options=found.options)
    return _parse_steps(data, start, CompactReader(found, budget, loose=loose))


def parse_answer(data: bytes) -> Query | Malformed:
    """The answer line to a query: a value, or none (`-`). The step and the name are not in it."""
    end = data.find(b"\n")
    try:
        text = data[: max(end, 0)].decode()
        if end < 0:
            raise Fault(len(data), "an answer: = and a value, or -")
        return Query(-1, "", read_answer(text))
    except Fault as fault:
        return Malformed(_bytes_before(data, 0, fault.args[0]), fault.args[1])
    except UnicodeDecodeError as error:
        return Malformed(error.start, "UTF-8")


def _parse_steps(data: bytes, start: int, reader: CompactReader) -> Parsed:
    at, malformed, kept = start, None, bytearray()
    while malformed is None and not reader.ended:
        stop = data.find(b"\n", at)
        if stop < 0:
            break
        malformed = _line(reader, data, at, stop)
        if malformed is None:
            kept += reader.without_restated(data[at : stop + 1])
            at = stop + 1
    steps = reader.steps()
    if reader.ended and malformed is None:
        malformed = (
            _canonical(reader, steps, bytes(kept), start)
            if at == len(data)
            else Malformed(at, "nothing after the end")
        )
    return _parsed(reader, steps, malformed, at)


def _line(reader: CompactReader, data: bytes, at: int, stop: int) -> Malformed | None:
    try:
        text = data[at:stop].decode()
    except UnicodeDecodeError as error:
        return Malformed(at + error.start, "UTF-8")
    try:
        reader.line(text)
    except Fault as fault:
        return Malformed(_bytes_before(data, at, fault.args[0]), fault.args[1])
    return None


def _bytes_before(data: bytes, at: int, characters: int) -> int:
    """The offset of a character of the line at `at`."""
    rest = data[at : at + 4 * characters].decode(errors="replace")[:characters]
    return at + len(rest.encode())


def _canonical(reader: CompactReader, steps: list[Step], data: bytes, start: int) -> Malformed | None:
    """Compares an ended text, which began at `start`, with what its steps are written as.

    What depends on the future is checked only here.
    """
    run = Recorded(reader.prompt.program, steps, reader.frames, reader.hidden, True, reader.decided)
    try:
        text = write(run, reader.prompt.options, reader.queries)
    except UsageError:  # a hidden value that the end of the text shows to be one that is written
        return Malformed(start + len(data) - 2, "the canonical form of these steps")
    if data == text:
        return None
    same = next((i for i, (a, b) in enumerate(zip(data, text, strict=False)) if a != b), len(text))
    return Malformed(start + same, "the canonical form of these steps")


def _parsed(reader: CompactReader, steps: list[Step], malformed: Malformed | None, end: int) -> Parsed:
    ended = reader.ended and malformed is None
    hidden, queries, prompt = tuple(reader.hidden), tuple(reader.queries), reader.prompt
    frames = reader.frames[: sum(step.event == "call" for step in steps)]  # the last line may be half a call
    return Parsed(
        steps,
        ended,
        malformed,
        frames,
        hidden,
        queries,
        prompt.program,
        prompt.options,
        end,
        tuple(reader.decided),
    )
