"""Speculative decoding: the engine reads the text and a guess of what follows, and takes back what was wrong.

A guess copies what followed the newest bytes at their last occurrence in the prompt or the text. The logits and the
text are bit-identical with and without guesses; only the number of passes through the net differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldline.predict.rollout import Engine, Logits, RolloutDraft

MATCH_SIZES = (12, 6, 4, 3, 2)  # how many of the newest bytes must match, longest first
WINDOW_BYTES = 1 << 15  # of the text that is searched
MAX_BATCH_BYTES = 64  # that the net reads at about the cost of one


class Copier:
    """Guesses how a text continues. Guesses get longer while they are right, for each match size."""

    def __init__(self, text: bytes, max_bytes: int) -> None:
        self._text = bytearray(text[-WINDOW_BYTES:])
        self._max_bytes = max_bytes
        self._lengths = dict.fromkeys(MATCH_SIZES, 4.0)
        self._size = MATCH_SIZES[0]  # of the match behind the last guess

    def add(self, data: bytes) -> None:
        """Append to the text."""
        self._text += data
        if len(self._text) > 2 * WINDOW_BYTES:
            del self._text[:-WINDOW_BYTES]

    def guess(self, max_bytes: int) -> bytes:
        """Return what followed the last occurrence of the newest bytes; empty if they are new."""
        text, end = self._text, len(self._text)
        for self._size in MATCH_SIZES:
            at = text.rfind(text[-self._size :], 0, end - 1) if end > self._size else -1
            if at >= 0:
                start = at + self._size
                return bytes(text[start : start + min(max_bytes, int(self._lengths[self._size]))])
        return b""

    def update(self, guessed: int, right: int) -> None:
        """Adapt the length of guesses: `right` of the `guessed` bytes were right."""
        length = self._lengths[self._size]
        if right == guessed:
            self._lengths[self._size] = min(float(self._max_bytes), 1.5 * length + 1)
        else:
            self._lengths[self._size] = max(1.0, (length + right + 1) / 2)


class LookAhead:
    """The engine state of one text, which may be ahead of it by a guess.

    `before` is the prompt and the text so far.
    """

    def __init__(self, engine: Engine, state: Any, logits: Logits, before: bytes, *, guesses: bool) -> None:
        max_bytes = getattr(engine, "guessed", 0) if guesses else 0
        self.state = state
        # The logits after the text, and after each byte of the guess.
        self._rows: Sequence[Logits] = [logits]
        # The guess, and how many of its bytes the text has confirmed.
        self._guess, self._right = b"", 0
        self._copier = Copier(before, max_bytes) if max_bytes else None

    @property
    def logits(self) -> Logits:
        """The logits after the text."""
        return self._rows[self._right]

    def fresh(self, data: bytes) -> bytes:
        """Append to the text, take back a guess that was wrong, and return the bytes still to be read."""
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
        """Take back what is left of a guess, and return the logits after the text."""
        if self._guess:
            self._settle()
        return self.logits

    def _settle(self) -> None:
        if self._copier is not None:
            self._copier.update(len(self._guess), self._right)
        if self._right < len(self._guess):
            self.state.take_back(len(self._guess) - self._right)
        self._rows, self._guess, self._right = [self._rows[self._right]], b"", 0

    def guess(self, max_bytes: int) -> bytes:
        """Return a guess to read with the next pass."""
        return self._copier.guess(max_bytes) if self._copier is not None else b""

    def read(self, rows: Sequence[Logits], guess: bytes) -> None:
        """Store the logits after the text and after each byte of a guess."""
        self._rows, self._guess, self._right = rows, guess, 0


def write(draft: RolloutDraft, ahead: LookAhead, *, entropy: bool, merge: bool) -> bytes:
    """Write as far as the known logits reach, and return the bytes that the engine must read next.

    That is one forced run or one chosen byte, and more while the guess is right; with `merge` also the bytes that are
    forced after a choice.
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
    """Read the bytes and a guess of every text in one pass through the net."""
    if not hasattr(engine, "try_all"):
        for ahead, fresh in zip(members, data, strict=True):
            if len(fresh) > 1:
                engine.feed(ahead.state, fresh[:-1], pin=False)
        rows = engine.step([ahead.state for ahead in members], bytes(fresh[-1] for fresh in data))
        for ahead, row in zip(members, rows, strict=True):
            ahead.read([row], b"")
        return
    max_bytes = min(engine.guessed, max(1, MAX_BATCH_BYTES // len(members) - 1))
    guesses = [ahead.guess(max_bytes) for ahead in members]
    rows = engine.try_all([ahead.state for ahead in members], data, guesses)
    for ahead, after, guess in zip(members, rows, guesses, strict=True):
        ahead.read(after, guess)
