"""Drills and their scores as bytes, between a trainer and the tutor beside it. The standard library alone.

A set is the number of its documents and their frames. A score is one document's: for each byte of its steps the natural
log-probability, and whether it was the likeliest.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from worldline.data.sources import DocumentPair, frame, read_frames

_COUNT = struct.Struct("<I")


@dataclass(frozen=True)
class Score:
    """What a model made of the steps of one document, byte by byte; both are empty where it was not asked."""

    logprobs: array[float]
    hits: bytes

    def to_bytes(self) -> bytes:
        """The number of bytes, the log-probabilities as 32-bit floats, the hits."""
        return _COUNT.pack(len(self.hits)) + _little(self.logprobs).tobytes() + self.hits


def send_set(file: IO[bytes], documents: Sequence[DocumentPair]) -> None:
    """Write a set of documents."""
    file.write(_COUNT.pack(len(documents)) + b"".join(map(frame, documents)))
    file.flush()


def receive_sets(file: IO[bytes]) -> Iterator[list[DocumentPair]]:
    """Sets as they come, until the writer leaves."""
    documents = read_frames(file)
    while len(head := file.read(_COUNT.size)) == _COUNT.size:
        found = [pair for _, pair in zip(range(_COUNT.unpack(head)[0]), documents, strict=False)]
        if len(found) < _COUNT.unpack(head)[0]:
            return
        yield found


def send_scores(file: IO[bytes], scores: Iterable[Score]) -> None:
    """Write the scores of a set."""
    file.write(b"".join(score.to_bytes() for score in scores))
    file.flush()


def receive_scores(file: IO[bytes], count: int) -> list[Score] | None:
    """The scores of a set of so many documents; None if the writer has left."""
    found: list[Score] = []
    while len(found) < count:
        head = file.read(_COUNT.size)
        size = _COUNT.unpack(head)[0] if len(head) == _COUNT.size else -1
        data = file.read(5 * size) if size > 0 else b""
        if size < 0 or len(data) < 5 * size:
            return None
        found.append(Score(_little(array("f", data[: 4 * size])), data[4 * size :]))
    return found


def _little(floats: array[float]) -> array[float]:
    if sys.byteorder == "big":
        floats.byteswap()
    return floats
