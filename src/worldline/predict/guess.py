"""Reading ahead of a text: an engine reads what was written and a guess of what follows, and takes back what was wrong.

A guess is a copy of what followed the newest bytes where they stood before, in the prompt or in the text. Every byte is
chosen as without it, from the same logits to the bit: only the number of passes through the net is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldline.predict.rollout import Engine, Logits, RolloutDraft

SIZES = (12, 6, 4, 3, 2)  # newest bytes that are looked for, more before fewer
FAR = 1 << 15  # bytes that are looked through
TOGETHER = 64  # bytes that go through the net at about the price of one pass


class Copier:
    """What may follow a growing text. How much of it is said depends on how much was right, by the bytes looked for."""

    def __init__(self, text: bytes, most: int) -> None:
        self._text = bytearray(text[-FAR:])
        self._most = most
        self._lengths = dict.fromkeys(SIZES, 4.0)
        self._size = SIZES[0]  # of the bytes by which the last guess was found

    def add(self, data: bytes) -> None:
        """The text goes on."""
        self._text += data
        if len(self._text) > 2 * FAR:
            del self._text[:-FAR]

    def guess(self, most: int) -> bytes:
        """What followed the newest bytes when they were last there, at most so many; nothing if they are new."""
        text, end = self._text, len(self._text)
        for self._size in SIZES:
            at = text.rfind(text[-self._size :], 0, end - 1) if end > self._size else -1
            if at >= 0:
                start = at + self._size
                return bytes(text[start : start + min(most, int(self._lengths[self._size]))])
        return b""

    def tell(self, length: int, right: int) -> None:
        """So many of the bytes last guessed were right."""
        held = self._lengths[self._size]
        if right == length:
            self._lengths[self._size] = min(float(self._most), 1.5 * held + 1)
        else:
            self._lengths[self._size] = max(1.0, (held + right + 1) / 2)


class LookAhead:
    """A text's state of the engine, which has read the text and perhaps a guess of what follows it.

    `before` is the prompt with what is written already.
    """

    def __init__(self, engine: Engine, state: Any, logits: Logits, before: bytes, *, guesses: bool) -> None:
        most = getattr(engine, "guessed", 0) if guesses else 0
        self.state = state
        self._rows: Sequence[Logits] = [logits]  # behind what was read, and behind each byte of the guess
        self._guess, self._right = b"", 0  # bytes of the guess that are in the text
        self._copier = Copier(before, most) if most else None

    @property
    def logits(self) -> Logits:
        """What the engine says behind the text."""
        return self._rows[self._right]

    def fresh(self, data: bytes) -> bytes:
        """The text goes on: what of it is still to be read. A guess that it does not follow is taken back."""
        if self._copier is not None:
            self._copier.add(data)
        guess, count = self._guess[self._right :], 0
        while count < min(len(guess), len(data)) and guess[count] == data[count]:
            count += 1
        self._right += count
        if self._guess and (count < len(data) or count == len(guess)):
            self._settle()
        return data[count:]

    def rest(self) -> Logits:
        """What the engine says behind the text, whose state is then of the text alone: a guess is taken back."""
        if self._guess:
            self._settle()
        return self.logits

    def _settle(self) -> None:
        if self._copier is not None:
            self._copier.tell(len(self._guess), self._right)
        if self._right < len(self._guess):
            self.state.take_back(len(self._guess) - self._right)
        self._rows, self._guess, self._right = [self._rows[self._right]], b"", 0

    def guess(self, most: int) -> bytes:
        """What is read beyond the text with the next pass."""
        return self._copier.guess(most) if self._copier is not None else b""

    def read(self, rows: Sequence[Logits], guess: bytes) -> None:
        """The engine has read what was fresh, and a guess."""
        self._rows, self._guess, self._right = rows, guess, 0


def write(draft: RolloutDraft, ahead: LookAhead, *, entropy: bool, merge: bool) -> bytes:
    """Writes as far as what the engine said goes; the bytes that it has to read next.

    One run that is forced or one byte that is chosen, and more of both while they were guessed; with `merge` also the
    bytes that are forced behind them.
    """
    while not draft.status:
        data = draft.force()
        if not data:
            logits = ahead.logits
            byte, logprob = draft.choose(logits)
            if draft.status:
                break
            data = draft.write(byte, logprob, draft.entropy(logits) if entropy else 0.0)
            if draft.status:
                break
            if merge:
                data += draft.force()
        if (fresh := ahead.fresh(data)) or draft.status:
            return fresh
    return b""


def read(engine: Any, members: Sequence[LookAhead], data: Sequence[bytes]) -> None:
    """One pass through the net for all: each reads its bytes and its guess."""
    if not hasattr(engine, "try_all"):
        for ahead, fresh in zip(members, data, strict=True):
            if len(fresh) > 1:
                engine.feed(ahead.state, fresh[:-1], pin=False)
        rows = engine.step([ahead.state for ahead in members], bytes(fresh[-1] for fresh in data))
        for ahead, row in zip(members, rows, strict=True):
            ahead.read([row], b"")
        return
    most = min(engine.guessed, max(1, TOGETHER // len(members) - 1))
    guesses = [ahead.guess(most) for ahead in members]
    found = engine.try_all([ahead.state for ahead in members], data, guesses)
    for ahead, after, guess in zip(members, found, guesses, strict=True):
        ahead.read(after, guess)
