"""From compact text back to steps. Total: any bytes give steps, and a Malformed where they leave the grammar.

Lines are read one at a time, in time linear in the text and in the values that it unfolds to; nothing recurses. An
ended text (its last line is `.`) is accepted only if it is exactly what `writer` writes for its steps; if read
loosely, values may be shown again. A last line without a newline is unfinished and not parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.codec.compact.prompt import Compact, parse_prompt
from worldline.codec.compact.reader import CompactReader
from worldline.codec.compact.words import Fault
from worldline.codec.compact.writer import Query, RecordedSteps, StepDecision, write
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Frame, Hidden, Step

# What element deltas may unfold to.
MAX_UNFOLDED_CHARACTERS = 256 << 20


@dataclass(frozen=True)
class Parsed:
    """What a compact text says. `frames` have no names; `end` is the offset after the last complete line.

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
    decisions: tuple[StepDecision, ...] = ()


def parse(
    data: bytes, prompt: bytes | None = None, *, budget: int = MAX_UNFOLDED_CHARACTERS, loose: bool = False
) -> Parsed:
    """Read the steps of a compact text.

    Args:
        data: The text. Offsets in the result are bytes of it.
        prompt: The prompt, if `data` does not start with it.
        budget: The maximum number of characters that element deltas may unfold to.
        loose: Accept a name that a sparse reveal shows again unchanged, as models write it.

    Returns:
        The steps up to the end or the first fault.
    """
    parsed = parse_prompt(data if prompt is None else prompt)
    if isinstance(parsed, Malformed):
        fault = parsed if prompt is None else Malformed(0, f"a prompt with {parsed.expected}")
        return Parsed([], False, fault)
    if prompt is not None and parsed.end != len(prompt):
        return Parsed([], False, Malformed(0, "a prompt that ends with its line >"), options=parsed.options)
    start = parsed.end if prompt is None else 0
    return _parse_steps(data, start, CompactReader(parsed, budget, loose=loose))


def _parse_steps(data: bytes, start: int, reader: CompactReader) -> Parsed:
    at, malformed, canonical = start, None, bytearray()
    while malformed is None and not reader.ended:
        stop = data.find(b"\n", at)
        if stop < 0:
            break
        malformed = _line(reader, data, at, stop)
        if malformed is None:
            canonical += reader.without_restated(data[at : stop + 1])
            at = stop + 1
    steps = reader.steps()
    if reader.ended and malformed is None:
        malformed = Malformed(at, "nothing after the end")
        if at == len(data):
            malformed = _canonical(reader, steps, bytes(canonical), start)
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
    """Compare an ended text, which started at `start`, with what its steps are written as.

    Only this checks what depends on later steps.
    """
    run = RecordedSteps(reader.prompt.program, steps, reader.frames, reader.hidden, True, reader.decisions)
    try:
        text = write(run, reader.prompt.options, reader.queries)
    # The end of the text shows that a value had to be written.
    except UsageError:
        return Malformed(start + len(data) - 2, "the canonical form of these steps")
    if data == text:
        return None
    same = next((i for i, (a, b) in enumerate(zip(data, text, strict=False)) if a != b), len(text))
    return Malformed(start + same, "the canonical form of these steps")


def _parsed(reader: CompactReader, steps: list[Step], malformed: Malformed | None, end: int) -> Parsed:
    return Parsed(
        steps,
        reader.ended and malformed is None,
        malformed,
        # The last line may be half a call.
        frames=reader.frames[: sum(step.event == "call" for step in steps)],
        hidden=tuple(reader.hidden),
        queries=tuple(reader.queries),
        program=reader.prompt.program,
        options=reader.prompt.options,
        end=end,
        decisions=tuple(reader.decisions),
    )
