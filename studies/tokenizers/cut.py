"""Split documents into tokens and pack them into rows: the same documents per step for every tokenizer.

A step's documents are those that fill so many rows of bytes; the same ones, as tokens, are packed into as many rows,
of one length for all steps, as short as they allow. Prompt and steps are cut apart: no token crosses into the trace.
"""

from __future__ import annotations

import lzma
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from worldline.codec.tokens import from_ranks
from worldline.data.frames import DocumentPair
from worldline.model.train.feed import BatchTensors

RANKS = {"bpe": ("bpe.ranks.xz", "gpt2"), "llama3": ("llama3.ranks.xz", "llama3")}
ROUND = 128  # rows are multiples of it

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Cut:
    """Documents as tokens, numbered from 0 among those that occur; `pieces` are their bytes."""

    name: str
    pieces: list[bytes]
    documents: list[tuple[Ids, Ids]]  # prompt, steps

    @property
    def sizes(self) -> list[int]:
        """Number of tokens of each document."""
        return [len(prompt) + len(steps) for prompt, steps in self.documents]


def cut(name: str, folder: Path, documents: Sequence[DocumentPair]) -> Cut:
    """Tokenize documents with `bytes`, `bpe` or `llama3`."""
    if name == "bytes":
        pieces = [bytes([byte]) for byte in range(256)]
        return Cut(name, pieces, [(_bytes(prompt), _bytes(steps)) for prompt, steps in documents])
    file, pattern = RANKS[name]
    encoding = from_ranks(name, lzma.decompress((folder / file).read_bytes()), pattern=pattern).encoding
    texts = [text.decode() for pair in documents for text in pair]
    cuts = encoding.encode_ordinary_batch(texts, num_threads=os.cpu_count() or 1)
    arrays = [np.array(ids, np.int32) for ids in cuts]
    used = np.unique(np.concatenate(arrays))
    dense = np.zeros(int(used[-1]) + 1, np.int32)
    dense[used] = np.arange(len(used), dtype=np.int32)
    pairs = [(dense[arrays[i]], dense[arrays[i + 1]]) for i in range(0, len(arrays), 2)]
    return Cut(name, [encoding.decode_single_token_bytes(int(number)) for number in used], pairs)


def _bytes(data: bytes) -> Ids:
    return np.frombuffer(data, np.uint8).astype(np.int32)


# ---- which documents a step sees


def plan(documents: Sequence[DocumentPair], *, rows: int, time: int, steps: int, seed: int) -> list[list[int]]:
    """Plan the documents of each step, every epoch in a new order; 0 steps means one epoch."""
    sizes = [len(prompt) + len(steps) for prompt, steps in documents]
    batches: list[list[int]] = []
    for epoch in range(1) if not steps else count():
        order = list(range(len(sizes)))
        random.Random(f"{seed}/{epoch}").shuffle(order)
        batches += _filled(order, sizes, rows, time)
        if steps and len(batches) >= steps:
            break
    return batches[:steps] if steps else batches


def _filled(order: list[int], sizes: list[int], rows: int, time: int) -> list[list[int]]:
    batches: list[list[int]] = [[]]
    room = [time] * rows
    for number in order:
        row = next((i for i, left in enumerate(room) if left >= sizes[number]), None)
        if row is None:
            batches.append([])
            room, row = [time] * rows, 0
        room[row] -= sizes[number]
        batches[-1].append(number)
    return batches


def row_length(batches: Sequence[Sequence[int]], sizes: Sequence[int], *, rows: int) -> int:
    """Compute the shortest row length, a multiple of ROUND, that fits every batch."""
    totals = [sum(sizes[n] for n in batch) for batch in batches]
    longest = max(sizes[n] for batch in batches for n in batch)
    time = -(-max(longest, max(totals) // rows) // ROUND) * ROUND
    hardest = sorted(zip(totals, batches, strict=True), key=lambda item: -item[0])
    while any(packed(batch, sizes, rows=rows, time=time) is None for _, batch in hardest):
        time += ROUND
    return time


def packed(batch: Sequence[int], sizes: Sequence[int], *, rows: int, time: int) -> list[tuple[int, int, int]] | None:
    """Place the documents of a batch in rows, longest first; None if the rows are too short."""
    room, places = [time] * rows, []
    for number in sorted(batch, key=lambda n: -sizes[n]):
        row = next((i for i, left in enumerate(room) if left >= sizes[number]), None)
        if row is None:
            return None
        places.append((number, row, time - room[row]))
        room[row] -= sizes[number]
    return places


# ---- as tensors


def tensors(
    tokenized: Cut, places: Sequence[tuple[int, int, int]], *, rows: int, time: int, pinned: bool
) -> BatchTensors:
    """Build the tensors of a batch; the rest of a row is a filler document."""
    data, position, prompt = (np.zeros((rows, time), np.int32) for _ in range(3))
    weight = np.zeros((rows, time), np.uint8)
    ends = [0] * rows
    for number, row, at in places:
        prompt_ids, steps = tokenized.documents[number]
        middle, end = at + len(prompt_ids), at + len(prompt_ids) + len(steps)
        data[row, at:middle], data[row, middle:end] = prompt_ids, steps
        position[row, at:end] = np.arange(end - at)
        prompt[row, at:end] = len(prompt_ids)
        weight[row, middle - 1 : end - 1] = 1
        ends[row] = max(ends[row], end)
    for row, end in enumerate(ends):
        position[row, end:] = np.arange(time - end)
        prompt[row, end:] = time - end
    parts = [torch.from_numpy(array) for array in (data, position, prompt, weight)]
    return BatchTensors(*(part.pin_memory() for part in parts)) if pinned else BatchTensors(*parts)


def epochs(sizes: Sequence[int], documents: int, batches: Sequence[Sequence[int]]) -> dict[str, float]:
    """Count the documents, tokens and epochs of some batches."""
    seen = sum(len(batch) for batch in batches)
    tokens = sum(sizes[n] for batch in batches for n in batch)
    return {"seen": seen, "tokens": tokens, "epochs": seen / documents}


def until(batches: Sequence[Sequence[int]], sizes: Sequence[int], tokens: int) -> int:
    """Count the batches needed to see a number of tokens."""
    total = 0
    for step, batch in enumerate(batches, 1):
        total += sum(sizes[n] for n in batch)
        if total >= tokens:
            return step
    return len(batches)
