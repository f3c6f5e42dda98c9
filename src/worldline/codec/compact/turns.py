"""A compact text split for teacher forcing: into turns, one for each step, and each line into action and state.

The action of a line says which event happens where (`4`, `(1`, `)`, `~1`, a move between frames, the end); its
state is the rest: values, changes, late lines. A turn is everything that one step adds: hidden inputs, moves, late
changes, decisions, its own line. Any bytes are split, because a model writes anything; whether they make sense is
not checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.core.events import LEAVING, known_at, unsettled

# A quoted text that may be unfinished.
_QUOTED = rb"(?:'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?)"
_ACTION = re.compile(rb"\((?:[0-9]+(?:@(?:[0-9]+|" + _QUOTED + rb")?)?)?|[0-9]*(?:\)!?|[!*:<$]|~(?:#?[0-9]*))?")
_HIDDEN = re.compile(rb"%(?:[^=:'\"\n]+|" + _QUOTED + rb")?")
# The marks of lines without a state.
_STATELESS = (b"/", b"@", b".", b"?", b"^")
# Events before which late changes of their frame stand.
_CHANGING = ("line", "return", "raise", "yield")


@dataclass(frozen=True)
class Line:
    """One line as offsets: its start, the end of its action, and its end after the newline."""

    start: int
    action: int
    end: int


@dataclass(frozen=True)
class Turn:
    """What one step adds to a text; the last line is its own. `whole`: that line is complete."""

    lines: tuple[Line, ...]
    whole: bool = True

    @property
    def start(self) -> int:
        return self.lines[0].start

    @property
    def end(self) -> int:
        return self.lines[-1].end

    @property
    def state_start(self) -> int:
        """Where the state of the step's own line starts."""
        return self.lines[-1].action

    def action(self, text: bytes) -> bytes:
        """Return the bytes that say what happens."""
        return b"".join(text[line.start : line.action] for line in self.lines)

    def state(self, text: bytes) -> bytes:
        """Return the bytes that say what it changed: late changes, and those of the step itself."""
        return b"".join(text[line.action : line.end] for line in self.lines)


@dataclass(frozen=True)
class ForcedLine:
    """A line of the true text, for teacher forcing.

    `late`: it is a line of late changes. `open`: one may stand before it. `apart`: the changes of its step stand
    elsewhere, because other steps lie before the next one of its frame. `turn` is the number of its step.
    """

    turn: int
    action: bytes
    state: bytes
    late: bool = False
    open: bool = False
    apart: bool = False


def action_length(line: bytes) -> int:
    """Return the length of the action of a line, which may be unfinished."""
    if line[:1] in _STATELESS:
        return len(line)
    match = (_HIDDEN if line[:1] == b"%" else _ACTION).match(line)
    return match.end() if match else 0


def is_own(line: bytes) -> bool:
    """Whether a line is a step's own, or the end: no move, late change, hidden input, decision or query."""
    return line[:1] not in (b" ", b"/", b"@", b"%", b"?", b"^")


def turns(text: bytes) -> list[Turn]:
    """Split a text into turns; the last one may be unfinished."""
    complete, lines, at = list[Turn](), list[Line](), 0
    while at < len(text):
        stop = text.find(b"\n", at)
        end = stop + 1 if stop >= 0 else len(text)
        line = text[at:end]
        lines.append(Line(at, at + action_length(line), end))
        if stop >= 0 and is_own(line):
            complete.append(Turn(tuple(lines)))
            lines = []
        at = end
    return [*complete, Turn(tuple(lines), whole=False)] if lines else complete


def step_spans(text: bytes, count: int) -> list[tuple[int, int]]:
    """Return start and end of at most `count` steps, with their moves and late changes. Answers are not steps."""
    spans: list[tuple[int, int]] = []
    start = at = 0
    is_answer = False
    while len(spans) < count and at < len(text):
        stop = text.find(b"\n", at)
        end = stop + 1 if stop >= 0 else len(text)
        first = text[at : at + 1]
        if not is_answer and is_own(first):
            spans.append((start, end))
            start = end
        is_answer = not is_answer and first == b"?"
        at = end
    return spans


def first_lines(text: bytes, limit: int) -> bytes:
    """Return the first `limit` lines of a text."""
    at = 0
    for _ in range(limit):
        at = text.find(b"\n", at) + 1
        if at == 0:
            return text
    return text[:at]


def is_ended(text: bytes | bytearray) -> bool:
    """Whether the last line of a text ends it."""
    return text.endswith(b"\n.\n") or text == b".\n"


def forced_lines(prompt: bytes, options: Compact, truth: bytes) -> list[ForcedLine]:
    """Return the complete lines of a true text, with where its actions alone allow late changes."""
    slots, apart = _late_changes(prompt, options, truth)
    forced = []
    for number, turn in enumerate(turns(truth)):
        texts = [truth[line.start : line.end] for line in turn.lines]
        waits = number in slots or any(text.startswith(b" ") for text in texts)
        for line, text in zip(turn.lines, texts, strict=True):
            if not text.endswith(b"\n"):
                break
            late, before = text.startswith(b" "), text[:1] in (b"%", b"/", b"@")
            opens = waits and not late and not before
            waits = waits and not opens
            parts = truth[line.start : line.action], truth[line.action : line.end]
            distant = is_own(text) and number in apart
            forced.append(ForcedLine(number, *parts, late=late, open=opens, apart=distant))
    return forced


def _late_changes(prompt: bytes, options: Compact, truth: bytes) -> tuple[set[int], set[int]]:
    """The steps before which late changes may stand, and those whose changes are late, by the actions alone."""
    slots, apart = set[int](), set[int]()
    steps = parse(truth, prompt).steps
    for i, after in enumerate(known_at(steps)):
        if after is not None and after != i + 1:
            apart.add(i)
            if steps[after].event in _CHANGING and options.reveals(i):
                slots.add(after)
    # The newest steps of frames that the trace does not return to.
    abandoned = sorted(unsettled(steps).values())[:-1]
    return slots, apart | {i for i in abandoned if steps[i].event not in LEAVING}
