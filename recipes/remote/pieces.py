"""A model's weights in pieces that a lease's limits let through, and together again: bfloat16, its bytes in two planes.

    python recipes/remote/pieces.py split MODEL OUT [BYTES]     model.0, model.1, ... and index.json
    python recipes/remote/pieces.py join PIECES OUT             the model's folder, every digest checked

The high bytes (sign and exponent) compress to a third, the low ones not at all. The standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

BYTES = 15_800_000
CHUNK = 1 << 22  # of the high plane, compressed by a process each
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1}]


def _packed(data: bytes) -> bytes:
    return lzma.compress(data, lzma.FORMAT_RAW, filters=_FILTERS)


def _write(path: Path, data: bytes | bytearray) -> None:
    """A file anew: a link in its place goes, and is not written through."""
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(data)


def split(model: Path, out: Path, size: int) -> None:
    """Write a model's pieces."""
    data = (model / "model.safetensors").read_bytes()
    low, high = data[::2], data[1::2]
    with ProcessPoolExecutor() as pool:
        chunks = list(pool.map(_packed, (high[at : at + CHUNK] for at in range(0, len(high), CHUNK))))
    whole = b"".join([low, *chunks])
    out.mkdir(parents=True, exist_ok=True)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    index = {
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "chunks": [len(chunk) for chunk in chunks],
        "pieces": [hashlib.sha256(piece).hexdigest() for piece in pieces],
        "manifest": json.loads((model / "manifest.json").read_text()),
    }
    for number, piece in enumerate(pieces):
        _write(out / f"model.{number}", piece)
    _write(out / "index.json", json.dumps(index).encode())
    print(f"{len(data):,} bytes in {len(pieces)} pieces, {len(whole):,} bytes")


def join(pieces: Path, out: Path) -> None:
    """Put a model's pieces together; ends with an error where a digest is not the one written down."""
    index = json.loads((pieces / "index.json").read_text())
    parts = [(pieces / f"model.{number}").read_bytes() for number in range(len(index["pieces"]))]
    for part, digest in zip(parts, index["pieces"], strict=True):
        if hashlib.sha256(part).hexdigest() != digest:
            sys.exit("a piece is not the one that was written")
    whole, count = b"".join(parts), (index["bytes"] + 1) // 2
    data, at, high = bytearray(index["bytes"]), count, []
    for size in index["chunks"]:
        high.append(lzma.decompress(whole[at : at + size], lzma.FORMAT_RAW, filters=_FILTERS))
        at += size
    data[::2], data[1::2] = whole[:count], b"".join(high)
    digest = hashlib.sha256(data).hexdigest()
    if digest != index["sha256"] or digest != index["manifest"]["files"]["model.safetensors"]["sha256"]:
        sys.exit("the weights are not the ones that were split")
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "model.safetensors", data)
    _write(out / "manifest.json", json.dumps(index["manifest"], indent=1).encode())
    print(f"{len(data):,} bytes, sha256 {digest}")


if __name__ == "__main__":
    if sys.argv[1] == "split":
        split(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else BYTES)
    else:
        join(Path(sys.argv[2]), Path(sys.argv[3]))
