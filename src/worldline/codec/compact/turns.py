"""A compact text cut where forcing needs it: into turns, one for each step, and each line into action and state.

The action of a line is what says which event happens where (`4`, `(1`, `)`, `~1`, a move between frames, the end); its
state is the rest: values, changes, late lines. A turn is all that one step adds: hidden inputs, moves, late changes,
conditions, its own line. Any bytes are cut, for a model writes anything; whether they mean something is not asked here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.core.events import LEAVING, known_at, unsettled

_QUOTED = rb"(?:'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?)"  # open at its end, since it may be under way
_ACTION = re.compile(
    rb"\((?:[0-9]+(?:@(?:[0-9]+|" + _QUOTED + rb")?)?)?|[0-9]*(?:\)!?|[!*:<$]|~(?:#?[0-9]*))?"
)
_HIDDEN = re.compile(rb"%(?:[^=:'\"\n]+|" + _QUOTED + rb")?")
_WHOLE = (b"/", b"@", b".", b"?", b"^")  # lines without a state
_CHANGING = ("line", "return", "raise", "yield")  # events before which late changes of their frame stand


@dataclass(frozen=True)
class Line:
    """One line by its offsets: it begins, its action ends, it ends behind its newline."""

    start: int
    action: int
    end: int


@dataclass(frozen=True)
class Turn:
    """What one step adds to a text, the last line being its own. `whole`: that line has come to its end."""

    lines: tuple[Line, ...]
    whole: bool = True

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.lines[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.lines[-1].end

    @property
    def state_start(self) -> int:
        """Where the state of the step's own line begins."""
        return self.lines[-1].action

    def action(self, text: bytes) -> bytes:
        """The bytes that say what happens."""
        return b"".join(text[line.start : line.action] for line in self.lines)

    def state(self, text: bytes) -> bytes:
        """The bytes that say what it did: those of late changes, and of the step itself."""
        return b"".join(text[line.action : line.end] for line in self.lines)


@dataclass(frozen=True)
class ForcedLine:
    """A line of the truth as forcing sees it.

    `late`: it is a line of late changes. `open`: one may stand before it. `apart`: the changes of its step stand
    elsewhere, since other steps lie between it and its frame's next. `turn` is the number of its step.
    """

    turn: int
    action: bytes
    state: bytes
    late: bool = False
    open: bool = False
    apart: bool = False


def action_length(line: bytes) -> int:
    """How much of a line, which may be under way, is its action."""
    if line[:1] in _WHOLE:
        return len(line)
    found = (_HIDDEN if line[:1] == b"%" else _ACTION).match(line)
    return found.end() if found else 0


def is_own(line: bytes) -> bool:
    """Whether a line is a step's own, or the end: no move, late change, hidden input, condition or query."""
    return line[:1] not in (b" ", b"/", b"@", b"%", b"?", b"^")


def turns(text: bytes) -> list[Turn]:
    """The turns of a text, the last one perhaps under way."""
    found, lines, at = list[Turn](), list[Line](), 0
    while at < len(text):
        stop = text.find(b"\n", at)
        end = stop + 1 if stop >= 0 else len(text)
        line = text[at:end]
        lines.append(Line(at, at + action_length(line), end))
        if stop >= 0 and is_own(line):
            found.append(Turn(tuple(lines)))
            lines = []
        at = end
    return [*found, Turn(tuple(lines), whole=False)] if lines else found


def step_spans(text: bytes, count: int) -> list[tuple[int, int]]:
    """The offsets of at most `count` steps, moves and late changes with them; the answer to a query is no step."""
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


def first_lines(text: bytes, most: int) -> bytes:
    """The first `most` lines of a text; all of it where it has no more."""
    at = 0
    for _ in range(most):
        at = text.find(b"\n", at) + 1
        if at == 0:
            return text
    return text[:at]


def is_ended(text: bytes | bytearray) -> bool:
    """Whether the last line of a text is the one that ends it."""
    return text.endswith(b"\n.\n") or text == b".\n"


def forced_lines(prompt: bytes, options: Compact, truth: bytes) -> list[ForcedLine]:
    """The whole lines of a true text, with what its actions alone say about where changes can stand."""
    slots, apart = _late_changes(prompt, options, truth)
    found = []
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
            found.append(ForcedLine(number, *parts, late=late, open=opens, apart=distant))
    return found


def _late_changes(prompt: bytes, options: Compact, truth: bytes) -> tuple[set[int], set[int]]:
    """The steps before which late changes may stand, and those whose changes are late, both by the actions alone."""
    slots, apart = set[int](), set[int]()
    steps = parse(truth, prompt).steps
    for i, after in enumerate(known_at(steps)):
        if after is not None and after != i + 1:
            apart.add(i)
            if steps[after].event in _CHANGING and options.reveals(i):
                slots.add(after)
    open_ = sorted(unsettled(steps).values())[:-1]  # in frames that the trace does not come back to
    return slots, apart | {i for i in open_ if steps[i].event not in LEAVING}
