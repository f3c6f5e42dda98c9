"""The engine in C, native/engine.c: same function and tests as reference.py, an order of magnitude faster.

`int8` holds most matrices as int8 with a scale per row, and rounds their inputs to eleven bits with a
scale per vector. Queries and keys of attention layers and the head are bfloat16; rates, convolutions
and states are float32. `fp32` holds everything in float32. Weights stored as the engine holds them are
used as they are.

Logits do not depend, to the bit, on threads, on the batch or on how the bytes were split into calls.
Engines can live side by side; calls to one engine wait for each other. Without the C module,
`open_engine` returns the NumPy engine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.model.engine import reference as reference
from worldline.model.engine.reference import TokenIds, check_weights, to_id_array
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, StoredArray, dequantize

_native: Any = None
try:
    from worldline import _engine

    _native = _engine
except ImportError:
    # Built without a compiler: open_engine falls back to NumPy.
    pass

PRECISIONS = ("int8", "fp32")
# Bytes read per C call: an interrupt waits for at most these.
MAX_FEED_BYTES = 4096
MAX_GUESS_BYTES = 0 if _native is None else int(_native.GUESSED)
# State of `_engine`: fork(), take_back(), nbytes, prompt, trace, loose.
NativeState = Any


class NativeEngine:
    """The trunk's function over `weights`, named as in its `state_dict()`."""

    guessed = MAX_GUESS_BYTES
    # Forks share the keys of their prompt.
    shares_keys = True

    def __init__(
        self,
        shape: Shape,
        weights: Mapping[str, StoredArray],
        *,
        threads: int | None = None,
        precision: str = "int8",
        path: str | None = None,
    ) -> None:
        if not is_built():
            raise ValueError("the native engine was not built: install worldline where a C compiler is available")
        check_weights(shape, weights)
        plain = {name: _to_plain(array) for name, array in weights.items()}
        self.shape = shape
        self._engine = _native.Engine(_engine_fields(shape), plain, threads or count_usable_threads(), precision, path)

    @property
    def path(self) -> str:
        """Instruction set in use, one of `instruction_sets()`."""
        return str(self._engine.path)

    @property
    def nbytes(self) -> int:
        """Bytes of weights held."""
        return int(self._engine.nbytes)

    def start(self) -> NativeState:
        """Return the state before the first byte."""
        return self._engine.start()

    def feed(self, state: NativeState, data: TokenIds, *, pin: bool) -> FloatArray:
        """Read bytes and return the logits after the last one.

        Args:
            state: State to advance.
            data: Bytes to read, at least one.
            pin: Whether the bytes belong to the prompt, which stays visible and comes first.

        Returns:
            The logits, [vocabulary].

        Raises:
            ValueError: There are no bytes, an id is out of range, or the prompt follows the trace.
        """
        ids = to_id_array(self.shape, data)
        if not len(ids):
            raise ValueError("logits need at least one byte")
        for first in range(0, len(ids), MAX_FEED_BYTES):
            piece = ids[first : first + MAX_FEED_BYTES]
            logits = self._read([state], [len(piece)], [int(first + MAX_FEED_BYTES >= len(ids))], piece, pin=pin)
        last: FloatArray = logits[0]
        return last

    def feed_all(self, state: NativeState, data: TokenIds, *, pin: bool) -> FloatArray:
        """Read bytes and return the logits after every one of them.

        Args:
            state: State to advance.
            data: Bytes to read.
            pin: Whether the bytes belong to the prompt.

        Returns:
            The logits, [bytes, vocabulary].
        """
        ids = to_id_array(self.shape, data)
        pieces = [ids[first : first + MAX_FEED_BYTES] for first in range(0, len(ids), MAX_FEED_BYTES)] or [ids]
        return np.concatenate([self._read([state], [len(piece)], [len(piece)], piece, pin=pin) for piece in pieces])

    def step(self, states: Sequence[NativeState], data: TokenIds) -> FloatArray:
        """Read one byte of the trace with each state.

        Args:
            states: Distinct states to advance.
            data: One byte per state.

        Returns:
            The logits, [states, vocabulary].
        """
        ids = to_id_array(self.shape, data)
        if len(ids) != len(states):
            raise ValueError(f"{len(states)} states cannot read {len(ids)} bytes")
        ones = [1] * len(states)
        return self._read(states, ones, ones, ids, pin=False)

    def try_all(
        self, states: Sequence[NativeState], data: Sequence[bytes], guesses: Sequence[bytes]
    ) -> list[FloatArray]:
        """Read bytes and a guess of what follows them, with each state.

        Guessed bytes can be taken back with `state.take_back(count)` until the state reads again. The state is
        then, to the bit, as if they had never been read.

        Args:
            states: Distinct states to advance.
            data: Bytes for each state, at least one.
            guesses: Guess for each state, at most `MAX_GUESS_BYTES` bytes.

        Returns:
            For each state, the logits after its bytes and after each guessed byte.
        """
        if not all(data):
            raise ValueError("logits need at least one byte")
        counts = [len(known) + len(guess) for known, guess in zip(data, guesses, strict=True)]
        output_counts = [1 + len(guess) for guess in guesses]
        ids = to_id_array(self.shape, b"".join(part for both in zip(data, guesses, strict=True) for part in both))
        rows = self._read(states, counts, output_counts, ids, pin=False, loose=True)
        return np.split(rows, np.cumsum(output_counts[:-1])) if states else []

    def _read(
        self,
        states: Sequence[NativeState],
        counts: Sequence[int],
        output_counts: Sequence[int],
        ids: NDArray[np.int32],
        *,
        pin: bool,
        loose: bool = False,
    ) -> FloatArray:
        """Read `counts` ids with each state; logits after the newest `output_counts` of them."""
        out = np.empty((sum(output_counts), self.shape.vocabulary), np.float32)
        lengths = np.asarray(counts, np.int32), np.asarray(output_counts, np.int32)
        self._engine.read(list(states), *lengths, ids, pin, loose, out)
        return out


def is_built() -> bool:
    """Return whether the C module was built."""
    return _native is not None


def instruction_sets() -> tuple[str, ...]:
    """List the instruction sets that this machine can run, fastest first."""
    return tuple(_native.PATHS) if is_built() else ()


def open_engine(
    shape: Shape, weights: Mapping[str, StoredArray], *, threads: int | None = None, precision: str = "int8"
) -> NativeEngine | reference.ReferenceEngine:
    """Open the fastest engine available: C, or NumPy if the C module was not built.

    Args:
        shape: Shape of the model.
        weights: Weights as stored.
        threads: Number of threads; by default, the cores this process may use, at most 8.
        precision: `int8` or `fp32`, for the C engine.

    Returns:
        The engine.
    """
    if is_built():
        return NativeEngine(shape, weights, threads=threads, precision=precision)
    _tell_that_numpy_serves()
    return reference.ReferenceEngine(shape, dequantize(weights), threads=threads)


@cache
def _tell_that_numpy_serves() -> None:
    """Say once why predictions are slow."""
    print(
        "worldline: the native engine was not built (no C compiler when worldline was installed); NumPy predicts, "
        "about ten times slower",
        file=sys.stderr,
    )


def count_usable_threads() -> int:
    """Count the cores that this process may use, at most eight: one byte is too little work for more."""
    return min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _to_plain(array: StoredArray) -> StoredArray:
    """Return a C-ordered, aligned array of float32, int8 or bfloat16 bits; copy only if needed."""
    kind = array.dtype if array.dtype in (np.int8, np.uint16) else np.dtype(np.float32)
    return np.require(array, kind, ["C", "A"])


def _engine_fields(shape: Shape) -> dict[str, Any]:
    names = ("heads", "gated", "queries", "hidden", "householders", "window", "vocabulary", "slopes")
    kinds = "".join(kind[0] for kind in shape.layers).encode()
    return {"kinds": kinds, **{name: getattr(shape, name) for name in names}}
