"""What teacher forcing dictates to a model while it writes: the true actions, the true states, or chosen steps.

At every byte that the grammar leaves open, a script says which bytes the model may choose, and what is written
instead of its choice (`predict.rollout.Script`). It follows the text line by line and never reads values.

- `Actions`: each line starts like the true one; the model chooses the rest, and whether late changes stand before it
  where they can. Writing stops where the true text was cut.
- `States`: the model chooses what happens; after a true action the true rest of the line is dictated, late changes too.
  After its first other action there is no true state for it: the model continues alone (`left`).
- `ChosenSteps`: the true step is dictated at some places, whatever states the model wrote, as long as all its actions
  so far are true. After another action the model continues alone (`left`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from worldline.codec.compact.turns import ForcedLine, action_length, is_own
from worldline.core.value import scan

ANY = (1 << 256) - 1
SPACE, _END = 1 << 0x20, 1 << 0x0A
_ASSIGN = 1 << 0x3D | 1 << 0x3A


def state_bits(action: bytes) -> int:
    """Return what a state can start with after an action: a digit or a mark would make it another action."""
    if action.startswith(b"%"):
        return _ASSIGN
    if action.endswith(b")"):
        return ANY & ~(1 << 0x21)
    return ANY if action[-1:] in (b"!", b"*", b":", b"<", b"$") else _END | SPACE


def _is_value(data: bytes) -> bool:
    """Whether a value is complete, so that a space would start changes."""
    text = data.decode(errors="replace")
    return scan(text, 0) == len(text)


class _Place:
    """How far the complete lines of a growing text reach."""

    def __init__(self) -> None:
        self.at = 0

    def move(self, text: bytearray) -> list[bytes]:
        """Return the lines that were finished since the last call."""
        finished = []
        while (stop := text.find(b"\n", self.at)) >= 0:
            finished.append(bytes(text[self.at : stop + 1]))
            self.at = stop + 1
        return finished

    def part(self, text: bytearray) -> bytes:
        """Return the line that is being written."""
        return bytes(text[self.at :])


class Actions:
    """Dictates the true actions; the model writes the states."""

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
        """Do nothing: the actions were all dictated."""

    def allowed(self, text: bytearray) -> int:
        """Return the bytes the model may choose: after an action only a state, and changes only where they can be."""
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
        """Return the rest of the true action where an action is due."""
        part = self._part(text)
        if self._number >= len(self._lines):
            return None
        line = self._lines[self._number]
        if part.startswith(b" ") or (not part and byte == 0x20 and line.open and not self._spoken):
            return b""
        if len(part) < len(line.action) and line.action.startswith(part):
            return line.action[len(part) :]
        # A model without byte-wise control may start another action: then it wrote no state.
        allowed = self.allowed(text)
        return b"\n" if byte is not None and not allowed >> byte & 1 and allowed & _END else b""


class States:
    """Dictates the true states, as long as the actions of the model are true."""

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
        self._part(bytearray(text))

    def allowed(self, text: bytearray) -> int:
        """Return the bytes the model may choose: it does not write late changes."""
        part = self._part(text)
        return ANY if part or self.left is not None else ANY & ~SPACE

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Return the true rest of the line after a true action, or a true line of late changes."""
        part = self._part(text)
        if self.left is not None:
            return b""
        if self._number >= len(self._lines):
            return None
        line = self._lines[self._number]
        if line.late:
            return line.state[len(part) :]
        if byte is not None and action_length(part + bytes([byte])) == len(part) + 1:
            # The action continues.
            return b""
        text_of_line = line.action + line.state
        if part[: action_length(part)] == line.action and text_of_line.startswith(part):
            return text_of_line[len(part) :]
        if byte is not None:
            self.left = line.turn
        return b""


class ChosenSteps:
    """Dictates the true steps of some numbers."""

    def __init__(self, lines: Sequence[ForcedLine], wanted: Collection[int]) -> None:
        self._wanted = wanted
        self._texts, self._actions = dict[int, bytes](), dict[int, bytes]()
        for line in lines:
            self._texts[line.turn] = self._texts.get(line.turn, b"") + line.action + line.state
            self._actions[line.turn] = self._actions.get(line.turn, b"") + line.action
        self._place, self._number = _Place(), 0
        # The lines and the actions of the current turn.
        self._written, self._done = b"", b""
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
        self._part(bytearray(text))

    def allowed(self, text: bytearray) -> int:
        return ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Return the true step, from its start."""
        part = self._part(text)
        if self.left is not None or self._number not in self._wanted:
            return b""
        step = self._texts.get(self._number, b"")
        if not step.startswith(part):
            return b""
        self.answered.add(self._number)
        return step[len(part) :]
