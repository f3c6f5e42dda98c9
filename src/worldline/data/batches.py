"""Documents into rows of bytes: best fit first, never crossing a document, what is left over a filler document.

A document longer than a row is cut at the row's end, or goes on in the same row of the next batch, if the trainer
carries a state along. What was drawn so far is a `StreamState`, from
which the stream goes on exactly (sources.py says which sources can). NumPy alone: tensors are the trainer's business.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.data.sources import DocumentPair, frame, frames

WAITING = 1024  # documents among which a packer looks for the one that fits
_ANSWER = re.compile(rb"^\d*\)", re.MULTILINE)


@dataclass(frozen=True)
class Batch:
    """Rows of bytes, [rows, time] each; `weight` is 1 where the next byte is to be predicted."""

    data: NDArray[np.uint8]
    position: NDArray[np.int32]
    prompt: NDArray[np.int32]
    weight: NDArray[np.uint8]

    @property
    def fill(self) -> float:
        """The share of the bytes that are of a document."""
        return sum(place.end - place.start for place in document_places(self)) / self.data.size


@dataclass(frozen=True)
class DocumentPlace:
    """Where in a batch a document lies: its row, its first byte, its first step's, and the byte after its last."""

    row: int
    start: int
    steps: int
    end: int


@dataclass(frozen=True)
class StreamState:
    """How far a stream has been drawn: where each source stands, and the documents that wait for a row."""

    position: dict[str, Any]
    waiting: tuple[DocumentPair, ...]

    def to_bytes(self) -> bytes:
        """A line of JSON, then the waiting documents, framed."""
        return json.dumps(self.position).encode() + b"\n" + b"".join(frame(pair) for pair in self.waiting)


def state_from_bytes(data: bytes) -> StreamState:
    """What `StreamState.to_bytes` wrote."""
    line, _, rest = data.partition(b"\n")
    return StreamState(json.loads(line), tuple(frames(rest)))


class Packer:
    """Rows of whole documents: the one that waits longest, then again and again the longest that still fits.

    With `carry`, a document that is longer than a row goes on in the row's successor, if its prompt is not longer.
    """

    def __init__(
        self,
        draw: Callable[[], DocumentPair | None],
        *,
        waiting: Iterable[DocumentPair] = (),
        look: int = WAITING,
        carry: int = 0,
    ) -> None:
        self._draw, self._look, self._serial, self._carry, self._rows = draw, look, 0, carry, 0
        self._under_way: dict[
            int, tuple[DocumentPair, int]
        ] = {}  # by row: a document, and how much of it has been placed
        self._waiting: list[tuple[int, int, DocumentPair]] = []  # by length, then by age
        for pair in waiting:
            self._add(pair)

    @property
    def waiting(self) -> tuple[DocumentPair, ...]:
        """The documents drawn and not yet placed to their end, oldest first; those under way would begin anew."""
        under_way = (pair for pair, _ in self._under_way.values())
        return *under_way, *(pair for _, _, pair in sorted(self._waiting, key=lambda each: each[1]))

    def batch(self, rows: int, time: int) -> Batch:
        """The next rows; documents under way are left where the number of rows changes."""
        made = empty(rows, time)
        if rows != self._rows:
            self._under_way, self._rows = {}, rows
        for row in range(rows):
            at = 0
            if row in self._under_way:
                at = self._go_on(made, row, 0, *self._under_way.pop(row))
            while at < time and (pair := self._take(time - at, time)) is not None:
                at = self._go_on(made, row, at, pair, 0)
            _fill(made, row, at)
        return made

    def _go_on(self, made: Batch, row: int, at: int, pair: DocumentPair, skip: int) -> int:
        end = place(made, row, at, pair, skip=skip)
        placed = skip + end - at
        if placed < len(pair[0]) + len(pair[1]) and len(pair[0]) <= self._carry:
            self._under_way[row] = (pair, placed)
        return end

    def _add(self, pair: DocumentPair) -> None:
        bisect.insort(self._waiting, (len(pair[0]) + len(pair[1]), self._serial, pair))
        self._serial += 1

    def _take(self, free: int, time: int) -> DocumentPair | None:
        for _ in range(self._look * 100):
            if len(self._waiting) >= self._look:
                break
            if (pair := self._draw()) is None:  # no more will come
                break
            if (
                len(pair[0]) < max(time, self._carry + 1) and pair[1]
            ):  # else there is nothing to learn in a row of this length
                self._add(pair)
        else:
            raise UsageError(f"hardly any document has a prompt shorter than a row of {time} bytes")
        if free == time and self._waiting:
            at = min(range(len(self._waiting)), key=lambda n: self._waiting[n][1])
        else:
            at = bisect.bisect_right(self._waiting, (free, math.inf)) - 1
        return self._waiting.pop(at)[2] if at >= 0 else None


def pack(documents: Iterable[DocumentPair], *, rows: int, time: int) -> list[Batch]:
    """So many documents, and no more, in as many batches as they need."""
    packer, made = Packer(lambda: None, waiting=documents), []
    while packer.waiting:
        made.append(packer.batch(rows, time))
    return made


def stacked(several: Sequence[Batch]) -> Batch:
    """The rows of batches of one length, one below the other."""
    names = ("data", "position", "prompt", "weight")
    return Batch(*(np.concatenate([getattr(batch, name) for batch in several]) for name in names))


def empty(rows: int, time: int) -> Batch:
    """Rows of zeros."""
    shape = (rows, time)
    return Batch(
        np.zeros(shape, np.uint8),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.uint8),
    )


def place(batch: Batch, row: int, at: int, pair: DocumentPair, *, skip: int = 0) -> int:
    """Write a document behind its first `skip` bytes into a row, as far as there is room; where the next one begins."""
    prompt, text = len(pair[0]), pair[0] + pair[1]
    end = min(at + len(text) - skip, int(batch.data.shape[1]))
    batch.data[row, at:end] = np.frombuffer(text, np.uint8, end - at, skip)
    batch.position[row, at:end] = np.arange(skip, skip + end - at)
    batch.prompt[row, at:end] = prompt
    batch.weight[row, max(at, at + prompt - skip - 1) : end - 1] = 1
    return end


def _fill(batch: Batch, row: int, at: int) -> None:
    """Make the rest of a row a document that is all prompt."""
    rest = batch.data.shape[1] - at
    batch.position[row, at:] = np.arange(rest)
    batch.prompt[row, at:] = rest


def document_places(batch: Batch) -> list[DocumentPlace]:
    """Where the documents lie, fillers left out."""
    found = []
    begins = batch.position == 0
    begins[:, 0] = True
    for row, start in zip(*np.nonzero(begins), strict=True):
        later = np.flatnonzero(batch.position[row, start + 1 :] == 0)
        end = int(start + 1 + later[0]) if len(later) else batch.data.shape[1]
        prompt = max(0, int(batch.prompt[row, start]) - int(batch.position[row, start]))
        if prompt < end - start:
            found.append(DocumentPlace(int(row), int(start), int(start) + prompt, end))
    return found


def digests(batch: Batch) -> list[str]:
    """The sha256 of each document of a batch, as far as it is in it."""
    return [
        hashlib.sha256(batch.data[p.row, p.start : p.end].tobytes()).hexdigest()
        for p in document_places(batch)
    ]


def answer(steps: bytes) -> tuple[int, int]:
    """Where in a document's steps the last line of a return stands; the last line of all if nothing returns."""
    starts = [match.start() for match in _ANSWER.finditer(steps)]
    start = starts[-1] if starts else steps[:-1].rfind(b"\n") + 1
    end = steps.find(b"\n", start) + 1
    return start, end or len(steps)
