"""The trainer's side of a tutor: receive drills and score the model on them, byte by byte.

The tutor is a command in its own process. Threads read drills and send scores, so a step never waits.
Scores are teacher-forced: a trace is right exactly where greedy decoding would write it.
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
from worldline.data.batches import locate_documents, pack
from worldline.data.exchange import Score, receive_sets, send_scores
from worldline.data.frames import DocumentPair
from worldline.model.hybrid import Trunk
from worldline.model.train.feed import to_device, to_tensors
from worldline.model.train.schedule import BatchPhase

_NO_SCORE = Score(array("f"), b"")


class TutorProcess:
    """A running tutor. `drills` returns the next set if one has arrived."""

    def __init__(self, command: Sequence[str]) -> None:
        self._sets: queue.SimpleQueue[list[DocumentPair]] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[list[Score] | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for documents in receive_sets(self._process.stdout):
                self._sets.put(documents)
        except (FormatError, ValueError, OSError) as error:
            print(f"worldline: the tutor sent invalid data: {error}", file=sys.stderr)

    def _write(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (scores := self._outgoing.get()) is not None:
                send_scores(self._process.stdin, scores)

    def drills(self) -> list[DocumentPair] | None:
        """Return the next set of drills if it has arrived, else None."""
        try:
            return self._sets.get_nowait()
        except queue.Empty:
            return None

    def report(self, scores: list[Score]) -> None:
        """Send the scores of a set to the tutor."""
        self._outgoing.put(scores)

    def close(self) -> None:
        """Stop the tutor."""
        self._outgoing.put(None)
        self._process.terminate()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def score_documents(
    model: Trunk, documents: Sequence[DocumentPair], phase: BatchPhase, target_device: device, *, carry: int = 0
) -> list[Score]:
    """Score documents, packed in rows of a phase. Documents that do not fit in a row get an empty score.

    Gradients stay enabled, and `carry` must be that of training: otherwise a GPU would compile the layers
    again.

    Args:
        model: Model to score.
        documents: Prompts and steps.
        phase: Rows and row length.
        where: Device of the model.
        carry: Carried prompt bytes, as in training.

    Returns:
        One score per document.
    """
    scores: dict[bytes, Score] = {}
    fitting = [pair for pair in documents if len(pair[0]) + len(pair[1]) <= phase.time and pair[0] and pair[1]]
    for batch in pack(fitting, rows=phase.rows, time=phase.time):
        inputs = to_device(to_tensors(batch), target_device)
        logits = model(inputs.data, inputs.position, inputs.prompt, carry=carry).detach()
        logprobs, hits = _score_bytes(logits, inputs.data.roll(-1, 1).long())
        for place in locate_documents(batch):
            text = batch.data[place.row, place.start : place.end].tobytes()
            # Each byte is predicted at the byte before it.
            span = slice(place.steps - 1, place.end - 1)
            floats = array("f", logprobs[place.row, span].tobytes())
            scores[text] = Score(floats, hits[place.row, span].tobytes())
    return [scores.get(prompt + steps, _NO_SCORE) for prompt, steps in documents]


def _score_bytes(logits: Tensor, target: Tensor) -> tuple[Any, Any]:
    losses = functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten(), reduction="none")
    hits = (logits.argmax(-1) == target).cpu().numpy().astype(np.uint8)
    return -losses.view(target.shape).cpu().numpy().astype(np.float32), hits
