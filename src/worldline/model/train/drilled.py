"""The trainer's end of a tutor: drills as they come, and what the model makes of them, byte by byte.

The tutor is a command, in a process of its own; what it draws and decides is not known here. Reading and answering are
threads' business: a step never waits for it. Scores are teacher-forced, so a trace is right just where greedy
decoding would write it.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch.nn.functional as functional
from torch import Tensor, device

from worldline.core.errors import FormatError
from worldline.data.batches import document_places, pack
from worldline.data.exchange import Score, receive_sets, send_scores
from worldline.data.sources import Pair
from worldline.model.hybrid import Trunk
from worldline.model.train.feed import tensors, to_device
from worldline.model.train.schedule import Phase

_UNASKED = Score(array("f"), b"")


class TutorProcess:
    """A tutor under way; `drills` is the next set if one has come."""

    def __init__(self, command: Sequence[str]) -> None:
        self._sets: queue.SimpleQueue[list[Pair]] = queue.SimpleQueue()
        self._told: queue.SimpleQueue[list[Score] | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20
        )
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None  # a pipe was asked for
        try:
            for documents in receive_sets(self._process.stdout):
                self._sets.put(documents)
        except (FormatError, ValueError, OSError) as error:
            print(f"worldline: the tutor: {error}", file=sys.stderr)

    def _write(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (scores := self._told.get()) is not None:
                send_scores(self._process.stdin, scores)

    def drills(self) -> list[Pair] | None:
        """The next set, if it is here; without one training goes on as it is."""
        try:
            return self._sets.get_nowait()
        except queue.Empty:
            return None

    def tell(self, scores: list[Score]) -> None:
        """What came of a set."""
        self._told.put(scores)

    def close(self) -> None:
        """End the tutor."""
        self._told.put(None)
        self._process.terminate()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def scored(
    model: Trunk, documents: Sequence[Pair], phase: Phase, where: device, *, kept: int = 0
) -> list[Score]:
    """The scores of documents, in rows as a phase has them; those that do not fit in one are not asked.

    Gradients are not turned off, and `kept` is what training's rows keep: on a GPU the layers would be compiled a
    second time otherwise.
    """
    found: dict[bytes, Score] = {}
    fitting = [
        pair for pair in documents if len(pair[0]) + len(pair[1]) <= phase.time and pair[0] and pair[1]
    ]
    for batch in pack(fitting, rows=phase.rows, time=phase.time):
        given = to_device(tensors(batch), where)
        logits = model(given.data, given.position, given.prompt, kept=kept).detach()
        logprobs, hits = _facts(logits, given.data.roll(-1, 1).long())
        for place in document_places(batch):
            text = batch.data[place.row, place.start : place.end].tobytes()
            span = slice(place.steps - 1, place.end - 1)  # the byte before predicts
            floats = array("f", logprobs[place.row, span].tobytes())
            found[text] = Score(floats, hits[place.row, span].tobytes())
    return [found.get(prompt + steps, _UNASKED) for prompt, steps in documents]


def _facts(logits: Tensor, target: Tensor) -> tuple[Any, Any]:
    losses = functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten(), reduction="none")
    hits = (logits.argmax(-1) == target).cpu().numpy().astype(np.uint8)
    return -losses.view(target.shape).cpu().numpy().astype(np.float32), hits
