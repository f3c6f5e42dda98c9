"""Judge a token model on held-out traces, value by value, in bytes that all tokenizers share.

Teacher-forced: every token is predicted from the true ones before it. A value is right when every token that overlaps
it (its mark, `=` or `)`, included) is the likeliest, and what follows does not go on with it; bytes of such a token
that lie outside the value are not held against it. Nothing here trains.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from cut import Cut, Ids, packed, tensors
from numpy.typing import NDArray

from worldline.model.hybrid import Trunk
from worldline.model.train.feed import to_device

EDGES = (0, 64, 128, 256, 512, 1024)  # bytes of the true trace before a value
SIZES = (0, 4, 8, 16, 32, 64)  # bytes of a value
DRAWS = 2000  # resampled sets of documents
_STOPS = (b"", b" ", b"\n")


@dataclass(frozen=True)
class Found:
    """Results of one model: for each held-out document, whether each value and the whole trace is right."""

    values: list[list[bool]]
    traces: list[bool]
    nats: float  # of all traces together


def measure(
    model: Trunk,
    tokenized: Cut,
    first: int,
    spans: Sequence[Sequence[Sequence[Any]]],
    batches: Sequence[Sequence[int]],
    *,
    rows: int,
    time: int,
    device: torch.device,
) -> Found:
    """Judge the documents from `first` on; `batches` number them from there."""
    values: list[list[bool]] = [[] for _ in spans]
    traces, nats = [False] * len(spans), 0.0
    sizes = tokenized.sizes
    for batch in batches:
        places = packed([first + n for n in batch], sizes, rows=rows, time=time)
        assert places is not None  # the rows were measured for these batches too
        likeliest, loss = _forward(model, tokenized, places, rows, time, device)
        nats += loss
        for number, row, at in places:
            prompt_ids, truth = tokenized.documents[number]
            start = at + len(prompt_ids) - 1
            guess = likeliest[row, start : start + len(truth)]
            traces[number - first] = bool(np.array_equal(guess, truth))
            values[number - first] = judge(spans[number - first], truth, guess, tokenized.pieces)
    return Found(values, traces, nats)


def _forward(
    model: Trunk, tokenized: Cut, places: Sequence[tuple[int, int, int]], rows: int, time: int, device: torch.device
) -> tuple[Ids, float]:
    """The likeliest next token at each place, and the nats of all tokens to be predicted.

    Gradients are not turned off: on a GPU the layers would be compiled a second time for that.
    """
    inputs = to_device(tensors(tokenized, places, rows=rows, time=time, pinned=False), device)
    stream = model.hidden(inputs.data, inputs.position, inputs.prompt).detach()
    target, total, best = inputs.data.roll(-1, 1).long(), 0.0, []
    with torch.no_grad():
        for x, wanted, weight in zip(stream, target, inputs.weight, strict=True):
            logits = functional.linear(x, model.head.to(x.dtype)).float()
            total += float((functional.cross_entropy(logits, wanted, reduction="none") * weight).sum())
            best.append(logits.argmax(-1).int().cpu().numpy())
    return np.stack(best), total


def judge(spans: Sequence[Sequence[Any]], truth: Ids, guess: Ids, pieces: Sequence[bytes]) -> list[bool]:
    """Judge each value of one document's steps."""
    starts, at = [], 0
    for number in truth:
        starts.append(at)
        at += len(pieces[number])
    starts.append(at)
    verdicts = []
    for start, end, *_ in spans:
        first = bisect_right(starts, start - 1) - 1  # the token of the mark
        past = next(i for i in range(first + 1, len(starts)) if starts[i] >= end)
        right = all(
            truth[i] == guess[i] or _agrees(pieces[guess[i]], pieces[truth[i]], start - 1 - starts[i], end - starts[i])
            for i in range(first, past)
        )
        if right and starts[past] == end and past < len(truth):
            right = pieces[guess[past]][:1] in _STOPS
        verdicts.append(right)
    return verdicts


def _agrees(guess: bytes, truth: bytes, left: int, right: int) -> bool:
    """Whether two tokens agree inside a value with these offsets in the true token."""
    left = max(0, left)
    if right >= len(truth):
        return len(guess) > left and guess[left:] == truth[left:]
    return guess[left:right] == truth[left:right] and guess[right : right + 1] in _STOPS


# ---- counts


def group(span: Sequence[Any]) -> str:
    """String, container with strings, or neither."""
    return "string" if span[2] == "str" else "holding strings" if span[3] else "other"


def bucket(number: int, edges: Sequence[int]) -> str:
    """Return the range that a number falls into."""
    at = bisect_right(edges, number) - 1
    return f"{edges[at]}-{edges[at + 1] - 1}" if at + 1 < len(edges) else f"{edges[at]}+"


KEYS: dict[str, Callable[[Sequence[Any]], tuple[str, ...]]] = {
    "group": lambda s: (group(s),),
    "kind": lambda s: (s[2],),
    "trace length": lambda s: (group(s), bucket(s[0], EDGES)),
    "value length": lambda s: (group(s), bucket(s[1] - s[0], SIZES)),
    "seen before": lambda s: (group(s), "seen" if s[4] else "new"),
}


def tallies(spans: Sequence[Sequence[Sequence[Any]]], measured: Found) -> dict[str, dict[str, list[int]]]:
    """Count wrong and total values by class, for each grouping."""
    counts: dict[str, dict[str, list[int]]] = {name: {} for name in KEYS}
    for document, rights in zip(spans, measured.values, strict=True):
        for span, right in zip(document, rights, strict=True):
            for name, key in KEYS.items():
                cell = counts[name].setdefault(" | ".join(key(span)), [0, 0])
                cell[0] += not right
                cell[1] += 1
    return counts


def summary(spans: Sequence[Sequence[Sequence[Any]]], measured: Found, trace_bytes: int) -> dict[str, Any]:
    """Summarize the results of one model."""
    return {
        "bits_per_byte": measured.nats / math.log(2) / trace_bytes,
        "traces": [sum(not right for right in measured.traces), len(measured.traces)],
        "wrong": tallies(spans, measured),
    }


def differences(
    spans: Sequence[Sequence[Sequence[Any]]], ours: Found, other: Found, *, seed: int
) -> dict[str, list[float]]:
    """Error rate of `other` less that of `ours`: [difference, low, high] in strings, in other values, and of the two.

    Intervals of 95 % by drawing whole documents anew: values of one trace are not independent.
    """
    table = np.array([_row(*row) for row in zip(spans, ours.values, other.values, strict=True)], float)
    rng = np.random.default_rng(seed)
    picks = rng.multinomial(len(table), [1 / len(table)] * len(table), size=DRAWS)
    drawn, whole = _gaps(picks @ table), _gaps(table.sum(0, keepdims=True))[0]
    low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
    names = ("string", "other", "string less other")
    return {name: [float(x) for x in (whole[i], low[i], high[i])] for i, name in enumerate(names)}


def _row(spans: Sequence[Sequence[Any]], ours: list[bool], other: list[bool]) -> list[int]:
    """Of one document: (n, ours wrong, other wrong) of strings, then of other values."""
    row = [0] * 6
    for span, a, b in zip(spans, ours, other, strict=True):
        at = {"string": 0, "other": 3}.get(group(span))
        if at is not None:
            row[at] += 1
            row[at + 1] += not a
            row[at + 2] += not b
    return row


def _gaps(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        string = (sums[:, 2] - sums[:, 1]) / sums[:, 0]
        other = (sums[:, 5] - sums[:, 4]) / sums[:, 3]
    return np.stack([string, other, string - other], 1)
