"""Documents as framed bytes: lengths, kind, prompt, steps. Uses only the standard library."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

from worldline.core.errors import FormatError

# A prompt and its steps.
DocumentPair = tuple[bytes, bytes]
# Lengths of prompt and steps and the document's kind; the bytes follow.
FRAME_HEADER = struct.Struct("<IIB")
# A frame that claims more is damaged.
MAX_FRAME_BYTES = 64 << 20


def encode_frame(pair: DocumentPair, kind: int = 0) -> bytes:
    """Encode a document as a frame."""
    return FRAME_HEADER.pack(len(pair[0]), len(pair[1]), kind) + pair[0] + pair[1]


def parse_frames(data: bytes) -> list[DocumentPair]:
    """Parse framed bytes into documents; raise FormatError if a frame is torn."""
    documents, at = [], 0
    while at < len(data):
        try:
            prompt, steps, _ = FRAME_HEADER.unpack_from(data, at)
        except struct.error:
            raise FormatError(f"a frame is torn at byte {at}") from None
        middle = at + FRAME_HEADER.size + prompt
        if middle + steps > len(data):
            raise FormatError(f"a frame is torn at byte {at}")
        documents.append((data[at + FRAME_HEADER.size : middle], data[middle : middle + steps]))
        at = middle + steps
    return documents


def read_frames(file: IO[bytes]) -> Iterator[DocumentPair]:
    """Yield the documents of an open stream; a torn one at the end is dropped."""
    while len(head := file.read(FRAME_HEADER.size)) == FRAME_HEADER.size:
        prompt, steps, _ = FRAME_HEADER.unpack(head)
        if prompt + steps > MAX_FRAME_BYTES:
            raise FormatError("not a stream of documents")
        data = file.read(prompt + steps)
        if len(data) < prompt + steps:
            return
        yield data[:prompt], data[prompt:]
