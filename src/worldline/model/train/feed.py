"""Prefetched batches: a thread packs batches ahead of the step that needs them, in pinned memory for a GPU.

Each batch carries the state of every lane after it. A checkpoint therefore resumes with the batch that
the trainer needed next, not with the one that the thread packed next.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from worldline.data.batches import DEFAULT_LOOKAHEAD, Batch, Packer, StreamState, stack_batches
from worldline.data.lanes import SINGLE_LANE, Lanes
from worldline.data.sources import CommandPool, DocumentSource, open_mixed
from worldline.model.train.schedule import BatchPhase

PREFETCH_BATCHES = 4
# Documents that a lane can choose from, however many lanes there are.
MIN_LOOKAHEAD = 64


@dataclass(frozen=True)
class BatchTensors:
    """Tensors of a batch on one device, [rows, time] each."""

    data: Tensor
    position: Tensor
    prompt: Tensor
    weight: Tensor


@dataclass(frozen=True)
class FedBatch:
    """This trainer's rows of a batch.

    Attributes:
        batch: The rows as arrays.
        tensors: The rows as tensors on the CPU.
        size: Bytes of the whole batch, over all trainers.
        states: State of each of this trainer's lanes after the batch.
    """

    batch: Batch
    tensors: BatchTensors
    size: int
    states: dict[int, StreamState]


class Feed:
    """Endless iterator of `FedBatch`; `phase(n)` returns the size of the n-th batch."""

    def __init__(
        self,
        sources: Iterable[DocumentSource],
        phase: Callable[[int], BatchPhase],
        *,
        seed: str = "0",
        lanes: Lanes = SINGLE_LANE,
        first: int = 0,
        states: Sequence[StreamState] = (),
        carry: int = 0,
        pinned: bool = False,
    ) -> None:
        self._phase, self._lanes, self._next, self._pinned = phase, lanes, first, pinned
        positions = [state.position for state in states]
        self._mixed = open_mixed(sources, seed=seed, lanes=lanes, begun=first, states=positions)
        look = max(MIN_LOOKAHEAD, DEFAULT_LOOKAHEAD // lanes.count)
        self._packers = [
            Packer(mixed.draw, waiting=states[n].waiting if states else (), look=look, carry=carry)
            for n, mixed in zip(lanes.own, self._mixed, strict=True)
        ]
        self._ready: queue.Queue[FedBatch | BaseException] = queue.Queue(PREFETCH_BATCHES)
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> FedBatch:
        fed = self._ready.get()
        if isinstance(fed, BaseException):
            raise fed
        return fed

    def _work(self) -> None:
        while not self._closed:
            try:
                item: FedBatch | BaseException = self._make()
            except BaseException as error:
                # Raised again in the thread that asks for the batch.
                item = error
            self._put(item)
            if isinstance(item, BaseException):
                return

    def _make(self) -> FedBatch:
        phase = self._phase(self._next)
        self._next += 1
        rows = self._lanes.rows_each(phase.rows)
        batch = stack_batches([packer.batch(rows, phase.time) for packer in self._packers])
        lanes = zip(self._lanes.own, self._mixed, self._packers, strict=True)
        states = {n: StreamState(mixed.state(), packer.waiting) for n, mixed, packer in lanes}
        return FedBatch(batch, to_tensors(batch, pinned=self._pinned), phase.rows * phase.time, states)

    def _put(self, item: FedBatch | BaseException) -> None:
        while not self._closed:
            try:
                return self._ready.put(item, timeout=0.2)
            except queue.Full:
                continue

    @property
    def counts(self) -> dict[str, float]:
        """Documents from commands: how many were fresh and repeated, and seconds spent waiting for them."""
        # A trainer's lanes share its pools.
        pools = [stream.counts for stream in self._mixed[0].streams if isinstance(stream, CommandPool)]
        return {name: sum(pool[name] for pool in pools) for name in pools[0]} if pools else {}

    def close(self) -> None:
        """Stop the thread and the sources."""
        self._closed = True
        for mixed in self._mixed:
            mixed.close()
        self._thread.join()


def to_tensors(batch: Batch, *, pinned: bool = False) -> BatchTensors:
    """Convert a batch's arrays to tensors on the CPU."""
    unpinned = [torch.from_numpy(array) for array in (batch.data, batch.position, batch.prompt, batch.weight)]
    return BatchTensors(*(tensor.pin_memory() for tensor in unpinned)) if pinned else BatchTensors(*unpinned)


def to_device(batch: BatchTensors, device: torch.device) -> BatchTensors:
    """Copy tensors to a device without waiting."""
    parts = (batch.data, batch.position, batch.prompt, batch.weight)
    return BatchTensors(*(part.to(device, non_blocking=True) for part in parts))
