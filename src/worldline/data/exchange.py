"""Drills and scores as bytes, between a trainer and its tutor. Uses only the standard library.

A set is the number of its documents followed by their frames. The score of a document has, for each
byte of its steps, the natural log-probability and whether the byte was the likeliest.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from worldline.data.frames import DocumentPair, encode_frame, read_frames

_COUNT = struct.Struct("<I")


@dataclass(frozen=True)
class Score:
    """Score of one document's steps, byte by byte; empty if it was not scored."""

    logprobs: array[float]
    hits: bytes

    def to_bytes(self) -> bytes:
        """Encode as the number of bytes, 32-bit log-probabilities, and hits."""
        return _COUNT.pack(len(self.hits)) + _little(self.logprobs).tobytes() + self.hits


def send_set(file: IO[bytes], documents: Sequence[DocumentPair]) -> None:
    """Write a set of documents."""
    file.write(_COUNT.pack(len(documents)) + b"".join(map(encode_frame, documents)))
    file.flush()


def receive_sets(file: IO[bytes]) -> Iterator[list[DocumentPair]]:
    """Yield sets of documents until the writer closes."""
    documents = read_frames(file)
    while len(head := file.read(_COUNT.size)) == _COUNT.size:
        received = [pair for _, pair in zip(range(_COUNT.unpack(head)[0]), documents, strict=False)]
        if len(received) < _COUNT.unpack(head)[0]:
            return
        yield received


def send_scores(file: IO[bytes], scores: Iterable[Score]) -> None:
    """Write the scores of a set."""
    file.write(b"".join(score.to_bytes() for score in scores))
    file.flush()


def receive_scores(file: IO[bytes], count: int) -> list[Score] | None:
    """Read the scores of `count` documents; None if the writer closed."""
    scores: list[Score] = []
    while len(scores) < count:
        head = file.read(_COUNT.size)
        size = _COUNT.unpack(head)[0] if len(head) == _COUNT.size else -1
        data = file.read(5 * size) if size > 0 else b""
        if size < 0 or len(data) < 5 * size:
            return None
        scores.append(Score(_little(array("f", data[: 4 * size])), data[4 * size :]))
    return scores


def _little(floats: array[float]) -> array[float]:
    if sys.byteorder == "big":
        floats.byteswap()
    return floats
