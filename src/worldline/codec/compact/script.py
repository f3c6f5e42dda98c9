"""What is dictated to a model while it writes: the true actions, the true states, or the steps that were asked for.

A script is asked at every byte that the grammar leaves open: which bytes are the model's to choose from, and what is
written instead of the one it chose (`predict.rollout.Script`). It follows the text line by line and never looks at
values.

- `Actions`: each line begins as the true one does; what follows, and whether late changes stand before it where they
  can, is the model's own. Where the truth was cut the writing stops.
- `States`: the model says what happens, and as soon as it has said the true action the true rest of the line is given,
  late changes too. At its first other action the truth has no state for it: from there it is on its own (`left`).
- `ChosenSteps`: the true step is given in some places, whatever the model's own states are, as long as its actions so
  far were the true ones; behind another action the true run says nothing about this one, and it is on its own (`left`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from worldline.codec.compact.turns import ForcedLine, action_length, is_own
from worldline.core.value import scan

ANY = (1 << 256) - 1
SPACE, _END = 1 << 0x20, 1 << 0x0A
_ASSIGN = 1 << 0x3D | 1 << 0x3A


def state_bits(action: bytes) -> int:
    """What a state can begin with behind an action: a digit or a mark would make it another action."""
    if action.startswith(b"%"):
        return _ASSIGN
    if action.endswith(b")"):
        return ANY & ~(1 << 0x21)
    return ANY if action[-1:] in (b"!", b"*", b":", b"<", b"$") else _END | SPACE


def _is_value(data: bytes) -> bool:
    """Whether a value is complete, so that a space would begin changes."""
    text = data.decode(errors="replace")
    return scan(text, 0) == len(text)


class _Place:
    """How far the whole lines of a growing text have come."""

    def __init__(self) -> None:
        self.at = 0

    def move(self, text: bytearray) -> list[bytes]:
        """The lines that were finished since the last time."""
        found = []
        while (stop := text.find(b"\n", self.at)) >= 0:
            found.append(bytes(text[self.at : stop + 1]))
            self.at = stop + 1
        return found

    def part(self, text: bytearray) -> bytes:
        """The line that is being written."""
        return bytes(text[self.at :])


class Actions:
    """The true actions; the model's own state is kept."""

    left: int | None = None
    answered: Set[int] = frozenset()

    def __init__(self, lines: Sequence[ForcedLine]) -> None:
        self._lines = [line for line in lines if not line.late]
        self._place, self._number, self._spoken = _Place(), 0, False

    def _part(self, text: bytearray) -> bytes:
        for line in self._place.move(text):
            self._spoken = line.startswith(b" ")
            self._number += not self._spoken
        return self._place.part(text)

    def finish(self, text: bytes) -> None:
        """The text is at its end."""

    def allowed(self, text: bytearray) -> int:
        """Behind an action only a state, and no changes where they cannot stand."""
        part = self._part(text)
        if not part or self._number >= len(self._lines):
            return ANY
        line = self._lines[self._number]
        if part == line.action:
            bits = state_bits(part)
            return _END if line.apart and bits == _END | SPACE and b"~" not in part else bits
        valued = line.apart and line.action[-1:] in (b"*", b"!") and part.startswith(line.action)
        return ANY & ~SPACE if valued and _is_value(part[len(line.action) :]) else ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """The rest of the true action, where an action is due."""
        part = self._part(text)
        if self._number >= len(self._lines):
            return None
        line = self._lines[self._number]
        if part.startswith(b" ") or (not part and byte == 0x20 and line.open and not self._spoken):
            return b""
        if len(part) < len(line.action) and line.action.startswith(part):
            return line.action[len(part) :]
        # Who only gives text may go on with another action: then it has said nothing about the state.
        allowed = self.allowed(text)
        return b"\n" if byte is not None and not allowed >> byte & 1 and allowed & _END else b""


class States:
    """The true states, as long as the model's actions are the true ones."""

    answered: Set[int] = frozenset()

    def __init__(self, lines: Sequence[ForcedLine]) -> None:
        self._lines = lines
        self._place, self._number = _Place(), 0
        self.left: int | None = None

    def _part(self, text: bytearray) -> bytes:
        for line in self._place.move(text):
            if self.left is None and self._number < len(self._lines):
                wanted = self._lines[self._number]
                if line == wanted.action + wanted.state:
                    self._number += 1
                else:
                    self.left = wanted.turn
        return self._place.part(text)

    def finish(self, text: bytes) -> None:
        """The text is at its end."""
        self._part(bytearray(text))

    def allowed(self, text: bytearray) -> int:
        """Late changes are not the model's to write."""
        part = self._part(text)
        return ANY if part or self.left is not None else ANY & ~SPACE

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """The true rest of the line behind a true action; a true line of late changes."""
        part = self._part(text)
        if self.left is not None:
            return b""
        if self._number >= len(self._lines):
            return None
        line = self._lines[self._number]
        if line.late:
            return line.state[len(part) :]
        if byte is not None and action_length(part + bytes([byte])) == len(part) + 1:
            return b""  # the action goes on
        text_of_line = line.action + line.state
        if part[: action_length(part)] == line.action and text_of_line.startswith(part):
            return text_of_line[len(part) :]
        if byte is not None:
            self.left = line.turn
        return b""


class ChosenSteps:
    """The true steps of these numbers."""

    def __init__(self, lines: Sequence[ForcedLine], wanted: Collection[int]) -> None:
        self._wanted = wanted
        self._texts, self._actions = dict[int, bytes](), dict[int, bytes]()
        for line in lines:
            self._texts[line.turn] = self._texts.get(line.turn, b"") + line.action + line.state
            self._actions[line.turn] = self._actions.get(line.turn, b"") + line.action
        self._place, self._number = _Place(), 0
        self._written, self._done = b"", b""  # of the turn under way: its lines, and their actions
        self.left: int | None = None
        self.answered = set[int]()

    def _part(self, text: bytearray) -> bytes:
        for line in self._place.move(text):
            self._written += line
            self._done += line[: action_length(line)]
            if is_own(line):
                if self.left is None and self._done != self._actions.get(self._number):
                    self.left = self._number
                self._number += 1
                self._written = self._done = b""
        return self._written + self._place.part(text)

    def finish(self, text: bytes) -> None:
        """The text is at its end."""
        self._part(bytearray(text))

    def allowed(self, text: bytearray) -> int:
        """Whatever the model likes."""
        return ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """The true step, from its beginning."""
        part = self._part(text)
        if self.left is not None or self._number not in self._wanted:
            return b""
        step = self._texts.get(self._number, b"")
        if not step.startswith(part):
            return b""
        self.answered.add(self._number)
        return step[len(part) :]
