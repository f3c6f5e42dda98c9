"""Batches as tensors, made ahead of the step that needs them by a thread of their own, in pinned memory for a GPU.

With every batch comes the state of the documents' stream behind it, so that a checkpoint continues with the batch
that was next for the trainer, not with the one that was next for the thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from worldline.data.batches import Batch, Packer, StreamState
from worldline.data.sources import Mixed, Pool
from worldline.model.train.schedule import Phase

DEPTH = 4  # batches ahead


@dataclass(frozen=True)
class Tensors:
    """A batch on a device: [rows, time] each."""

    data: Tensor
    position: Tensor
    prompt: Tensor
    weight: Tensor


@dataclass(frozen=True)
class Fed:
    """A batch, its tensors on the CPU, and where the stream stands behind it."""

    batch: Batch
    tensors: Tensors
    state: StreamState


class Feed:
    """An endless iterator of `Fed`; `phase(n)` says what the n-th batch is to look like."""

    def __init__(
        self,
        mixed: Mixed,
        phase: Callable[[int], Phase],
        *,
        first: int = 0,
        waiting: Any = (),
        kept: int = 0,
        pinned: bool = False,
    ) -> None:
        self._mixed, self._phase, self._next, self._pinned = mixed, phase, first, pinned
        self._packer = Packer(mixed.draw, waiting=waiting, kept=kept)
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
        batch = self._packer.batch(phase.rows, phase.time)
        return Fed(
            batch, tensors(batch, pinned=self._pinned), StreamState(self._mixed.state(), self._packer.waiting)
        )

    def _put(self, made: Fed | BaseException) -> None:
        while not self._closed:
            try:
                return self._ready.put(made, timeout=0.2)
            except queue.Full:
                continue

    @property
    def counts(self) -> dict[str, float]:
        """Of the documents that commands write: how many were new and used again, and seconds waited for them."""
        pools = [stream.counts for stream in self._mixed.streams if isinstance(stream, Pool)]
        return {name: sum(pool[name] for pool in pools) for name in pools[0]} if pools else {}

    def close(self) -> None:
        """End the thread and the sources."""
        self._closed = True
        self._mixed.close()
        self._thread.join()


def tensors(batch: Batch, *, pinned: bool = False) -> Tensors:
    """A batch's arrays as tensors on the CPU."""
    made = [torch.from_numpy(array) for array in (batch.data, batch.position, batch.prompt, batch.weight)]
    return Tensors(*(each.pin_memory() for each in made)) if pinned else Tensors(*made)


def to_device(given: Tensors, device: torch.device) -> Tensors:
    """The same tensors there, copied without waiting."""
    parts = (given.data, given.position, given.prompt, given.weight)
    return Tensors(*(part.to(device, non_blocking=True) for part in parts))
