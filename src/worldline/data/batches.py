"""Pack documents into rows of bytes: best fit first; the rest of a row is a filler document.

A document longer than a row is cut at the row's end, or continues in the same row of the next batch if
the trainer carries its state. A `StreamState` records what was drawn, so the stream resumes exactly
(sources.py says which sources can). Uses only NumPy; the trainer makes tensors.
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
from worldline.data.frames import DocumentPair, encode_frame, parse_frames

# Documents among which a packer chooses the one that fits.
DEFAULT_LOOKAHEAD = 1024
_RETURN_LINE = re.compile(rb"^\d*\)", re.MULTILINE)


@dataclass(frozen=True)
class Batch:
    """Rows of bytes, [rows, time] each. `weight` is 1 where the next byte is to be predicted."""

    data: NDArray[np.uint8]
    position: NDArray[np.int32]
    prompt: NDArray[np.int32]
    weight: NDArray[np.uint8]

    @property
    def fill(self) -> float:
        """Share of bytes that belong to a document."""
        return sum(place.end - place.start for place in locate_documents(self)) / self.data.size


@dataclass(frozen=True)
class DocumentPlace:
    """Place of a document in a batch: row, first byte, first byte of the steps, end."""

    row: int
    start: int
    steps: int
    end: int


@dataclass(frozen=True)
class StreamState:
    """State of a stream: position of each source, and documents that wait for a row."""

    position: dict[str, Any]
    waiting: tuple[DocumentPair, ...]

    def to_bytes(self) -> bytes:
        """Encode as a line of JSON followed by the waiting documents as frames."""
        return json.dumps(self.position).encode() + b"\n" + b"".join(encode_frame(pair) for pair in self.waiting)


def parse_stream_state(data: bytes) -> StreamState:
    """Parse what `StreamState.to_bytes` wrote."""
    line, _, rest = data.partition(b"\n")
    return StreamState(json.loads(line), tuple(parse_frames(rest)))


class Packer:
    """Packs rows of whole documents: the oldest waiting one first, then the longest that still fits.

    With `carry`, a document longer than a row continues in the next batch's row, if its prompt has at most
    `carry` bytes.
    """

    def __init__(
        self,
        draw: Callable[[], DocumentPair | None],
        *,
        waiting: Iterable[DocumentPair] = (),
        look: int = DEFAULT_LOOKAHEAD,
        carry: int = 0,
    ) -> None:
        self._draw, self._look, self._serial, self._carry, self._rows = draw, look, 0, carry, 0
        # By row: a document, and how many bytes of it have been placed.
        self._unfinished: dict[int, tuple[DocumentPair, int]] = {}
        # By length, then by age.
        self._waiting: list[tuple[int, int, DocumentPair]] = []
        for pair in waiting:
            self._add(pair)

    @property
    def waiting(self) -> tuple[DocumentPair, ...]:
        """Documents not placed completely, oldest first. Unfinished ones would start again."""
        unfinished = (pair for pair, _ in self._unfinished.values())
        return *unfinished, *(pair for _, _, pair in sorted(self._waiting, key=lambda item: item[1]))

    def batch(self, rows: int, time: int) -> Batch:
        """Pack the next rows. Unfinished documents are dropped if the number of rows changes."""
        packed = empty_batch(rows, time)
        if rows != self._rows:
            self._unfinished, self._rows = {}, rows
        for row in range(rows):
            at = 0
            if row in self._unfinished:
                at = self._place(packed, row, 0, *self._unfinished.pop(row))
            while at < time and (pair := self._take(time - at, time)) is not None:
                at = self._place(packed, row, at, pair, 0)
            _fill_row(packed, row, at)
        return packed

    def _place(self, packed: Batch, row: int, at: int, pair: DocumentPair, skip: int) -> int:
        end = place_document(packed, row, at, pair, skip=skip)
        placed = skip + end - at
        if placed < len(pair[0]) + len(pair[1]) and len(pair[0]) <= self._carry:
            self._unfinished[row] = (pair, placed)
        return end

    def _add(self, pair: DocumentPair) -> None:
        bisect.insort(self._waiting, (len(pair[0]) + len(pair[1]), self._serial, pair))
        self._serial += 1

    def _take(self, free: int, time: int) -> DocumentPair | None:
        for _ in range(self._look * 100):
            if len(self._waiting) >= self._look:
                break
            if (pair := self._draw()) is None:
                break
            # Otherwise a row of this length has nothing to predict.
            if len(pair[0]) < max(time, self._carry + 1) and pair[1]:
                self._add(pair)
        else:
            raise UsageError(f"hardly any document has a prompt shorter than a row of {time} bytes")
        if free == time and self._waiting:
            at = min(range(len(self._waiting)), key=lambda n: self._waiting[n][1])
        else:
            at = bisect.bisect_right(self._waiting, (free, math.inf)) - 1
        return self._waiting.pop(at)[2] if at >= 0 else None


def pack(documents: Iterable[DocumentPair], *, rows: int, time: int) -> list[Batch]:
    """Pack all documents into as many batches of `rows` rows of `time` bytes as they need."""
    packer, packed = Packer(lambda: None, waiting=documents), []
    while packer.waiting:
        packed.append(packer.batch(rows, time))
    return packed


def stack_batches(batches: Sequence[Batch]) -> Batch:
    """Concatenate the rows of batches of one length."""
    names = ("data", "position", "prompt", "weight")
    return Batch(*(np.concatenate([getattr(batch, name) for batch in batches]) for name in names))


def empty_batch(rows: int, time: int) -> Batch:
    """Create a batch of zeros."""
    shape = (rows, time)
    return Batch(
        np.zeros(shape, np.uint8), np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.uint8)
    )


def place_document(batch: Batch, row: int, at: int, pair: DocumentPair, *, skip: int = 0) -> int:
    """Write a document into a row, as far as there is room.

    Args:
        batch: Batch to write into.
        row: Row number.
        at: First byte in the row.
        pair: Prompt and steps.
        skip: Bytes of the document to leave out at its start.

    Returns:
        Where the next document starts.
    """
    prompt, text = len(pair[0]), pair[0] + pair[1]
    end = min(at + len(text) - skip, int(batch.data.shape[1]))
    batch.data[row, at:end] = np.frombuffer(text, np.uint8, end - at, skip)
    batch.position[row, at:end] = np.arange(skip, skip + end - at)
    batch.prompt[row, at:end] = prompt
    batch.weight[row, max(at, at + prompt - skip - 1) : end - 1] = 1
    return end


def _fill_row(batch: Batch, row: int, at: int) -> None:
    """Make the rest of a row a document that is all prompt."""
    rest = batch.data.shape[1] - at
    batch.position[row, at:] = np.arange(rest)
    batch.prompt[row, at:] = rest


def locate_documents(batch: Batch) -> list[DocumentPlace]:
    """Locate the documents of a batch, fillers excluded."""
    places = []
    begins = batch.position == 0
    begins[:, 0] = True
    for row, start in zip(*np.nonzero(begins), strict=True):
        later = np.flatnonzero(batch.position[row, start + 1 :] == 0)
        end = int(start + 1 + later[0]) if len(later) else batch.data.shape[1]
        prompt = max(0, int(batch.prompt[row, start]) - int(batch.position[row, start]))
        if prompt < end - start:
            places.append(DocumentPlace(int(row), int(start), int(start) + prompt, end))
    return places


def document_digests(batch: Batch) -> list[str]:
    """Return the sha256 of the part of each document that is in the batch."""
    return [hashlib.sha256(batch.data[p.row, p.start : p.end].tobytes()).hexdigest() for p in locate_documents(batch)]


def locate_answer(steps: bytes) -> tuple[int, int]:
    """Locate the last return line in a document's steps, or the last line if nothing returns."""
    starts = [match.start() for match in _RETURN_LINE.finditer(steps)]
    start = starts[-1] if starts else steps[:-1].rfind(b"\n") + 1
    end = steps.find(b"\n", start) + 1
    return start, end or len(steps)
