"""Batches as tensors, made ahead of the step that needs them by a thread of their own, in pinned memory for a GPU.

With every batch comes the state of each lane of documents behind it, so that a checkpoint continues with the batch
that was next for the trainer, not with the one that was next for the thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from worldline.data.batches import WAITING, Batch, Packer, StreamState, stacked
from worldline.data.lanes import WHOLE, Lanes
from worldline.data.sources import Pool, Source, open_mixed
from worldline.model.train.schedule import Phase

DEPTH = 4  # batches ahead
LOOK = 64  # documents that a lane has to choose from, however many lanes there are


@dataclass(frozen=True)
class Tensors:
    """A batch on a device: [rows, time] each."""

    data: Tensor
    position: Tensor
    prompt: Tensor
    weight: Tensor


@dataclass(frozen=True)
class Fed:
    """This trainer's rows of a batch, their tensors on the CPU, and where its lanes stand behind it.

    `size` is the number of bytes of the whole batch, of all trainers.
    """

    batch: Batch
    tensors: Tensors
    size: int
    states: dict[int, StreamState]


class Feed:
    """An endless iterator of `Fed`; `phase(n)` says what the n-th batch is to look like."""

    def __init__(
        self,
        sources: Iterable[Source],
        phase: Callable[[int], Phase],
        *,
        seed: str = "0",
        lanes: Lanes = WHOLE,
        first: int = 0,
        states: Sequence[StreamState] = (),
        kept: int = 0,
        pinned: bool = False,
    ) -> None:
        self._phase, self._lanes, self._next, self._pinned = phase, lanes, first, pinned
        positions = [state.position for state in states]
        self._mixed = open_mixed(sources, seed=seed, lanes=lanes, begun=first, states=positions)
        look = max(LOOK, WAITING // lanes.count)
        self._packers = [
            Packer(mixed.draw, waiting=states[n].waiting if states else (), look=look, kept=kept)
            for n, mixed in zip(lanes.own, self._mixed, strict=True)
        ]
        self._ready: queue.Queue[Fed | BaseException] = queue.Queue(DEPTH)
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> Fed:
        fed = self._ready.get()
        if isinstance(fed, BaseException):
            raise fed
        return fed

    def _work(self) -> None:
        while not self._closed:
            try:
                made: Fed | BaseException = self._make()
            except BaseException as error:  # raised again where the batch is asked for
                made = error
            self._put(made)
            if isinstance(made, BaseException):
                return

    def _make(self) -> Fed:
        phase = self._phase(self._next)
        self._next += 1
        rows = self._lanes.rows_each(phase.rows)
        batch = stacked([packer.batch(rows, phase.time) for packer in self._packers])
        lanes = zip(self._lanes.own, self._mixed, self._packers, strict=True)
        states = {n: StreamState(mixed.state(), packer.waiting) for n, mixed, packer in lanes}
        return Fed(batch, tensors(batch, pinned=self._pinned), phase.rows * phase.time, states)

    def _put(self, made: Fed | BaseException) -> None:
        while not self._closed:
            try:
                return self._ready.put(made, timeout=0.2)
            except queue.Full:
                continue

    @property
    def counts(self) -> dict[str, float]:
        """Of the documents that commands write: how many were new and used again, and seconds waited for them."""
        # A trainer's lanes share its pools.
        pools = [stream.counts for stream in self._mixed[0].streams if isinstance(stream, Pool)]
        return {name: sum(pool[name] for pool in pools) for name in pools[0]} if pools else {}

    def close(self) -> None:
        """End the thread and the sources."""
        self._closed = True
        for mixed in self._mixed:
            mixed.close()
        self._thread.join()


def tensors(batch: Batch, *, pinned: bool = False) -> Tensors:
    """A batch's arrays as tensors on the CPU."""
    made = [torch.from_numpy(array) for array in (batch.data, batch.position, batch.prompt, batch.weight)]
    return Tensors(*(each.pin_memory() for each in made)) if pinned else Tensors(*made)


def to_device(given: Tensors, device: torch.device) -> Tensors:
    """The same tensors there, copied without waiting."""
    parts = (given.data, given.position, given.prompt, given.weight)
    return Tensors(*(part.to(device, non_blocking=True) for part in parts))
