"""The engine in C, native/engine.c: the function of reference.py, an order of magnitude faster. Same tests.

`int8` keeps most matrices as int8, a scale a row, and rounds their inputs to eleven bits, a scale a vector; queries and
keys of attention layers and the head are bfloat16; rates, convolutions and all that a state holds are float32.
`fp32` keeps all in float32. Weights come as float32, as bfloat16 in the bits of a uint16, or in rows of int8 with a
scale each, as `weights` reads them; what is stored as the engine holds it is taken as it is. To the bit, logits depend
neither on threads nor on the batch nor on the pieces in which bytes were read. Engines may live side by side; calls of
one wait for each other. Where the C module was not built `open_engine` takes NumPy's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.model.engine import reference as reference
from worldline.model.engine.reference import Ids, check_weights, checked_ids
from worldline.model.shape import Shape
from worldline.model.weights import Array, Stored, widened

_native: Any = None
try:
    from worldline import _engine

    _native = _engine
except ImportError:  # built without a compiler: the NumPy engine serves
    pass

PRECISIONS = ("int8", "fp32")
PIECE = 4096  # bytes read between two chances to interrupt
GUESSED = 0 if _native is None else int(_native.GUESSED)  # bytes, at most, of a guess
State = Any  # of _engine: fork(), take_back(), nbytes, prompt, trace, loose


class NativeEngine:
    """The trunk's function over `weights`, named as in its `state_dict()`."""

    guessed = GUESSED

    def __init__(
        self,
        shape: Shape,
        weights: Mapping[str, Stored],
        *,
        threads: int | None = None,
        precision: str = "int8",
        path: str | None = None,
    ) -> None:
        if not ready():
            raise ValueError("the native engine was not built: install worldline with a C compiler at hand")
        check_weights(shape, weights)
        plain = {name: _plain(array) for name, array in weights.items()}
        self.shape = shape
        self._engine = _native.Engine(_fields(shape), plain, threads or usable_threads(), precision, path)

    @property
    def path(self) -> str:
        """The instruction set in use: one of `paths()`."""
        return str(self._engine.path)

    @property
    def nbytes(self) -> int:
        """Bytes of weights held."""
        return int(self._engine.nbytes)

    def start(self) -> State:
        """The state in which nothing was read."""
        return self._engine.start()

    def feed(self, state: State, data: Ids, *, pin: bool) -> Array:
        """Logits after the last byte of `data`, which `state` has then read. The prompt is pinned, and comes first."""
        ids = checked_ids(self.shape, data)
        if not len(ids):
            raise ValueError("there are no logits after no bytes")
        for first in range(0, len(ids), PIECE):
            piece = ids[first : first + PIECE]
            logits = self._read([state], [len(piece)], [int(first + PIECE >= len(ids))], piece, pin=pin)
        last: Array = logits[0]
        return last

    def feed_all(self, state: State, data: Ids, *, pin: bool) -> Array:
        """Logits after every byte of `data`: [bytes, vocabulary]."""
        ids = checked_ids(self.shape, data)
        pieces = [ids[first : first + PIECE] for first in range(0, len(ids), PIECE)] or [ids]
        return np.concatenate(
            [self._read([state], [len(piece)], [len(piece)], piece, pin=pin) for piece in pieces]
        )

    def step(self, states: Sequence[State], data: Ids) -> Array:
        """One byte of the trace for each state: logits [states, vocabulary]."""
        ids = checked_ids(self.shape, data)
        if len(ids) != len(states):
            raise ValueError(f"{len(states)} states cannot read {len(ids)} bytes")
        ones = [1] * len(states)
        return self._read(states, ones, ones, ids, pin=False)

    def try_all(
        self, states: Sequence[State], data: Sequence[bytes], guesses: Sequence[bytes]
    ) -> list[Array]:
        """Each state reads its bytes, one at least, and a guess of what follows: logits after the bytes and each guessed.

        Guessed bytes, `GUESSED` at most, can be taken back (`state.take_back(count)`) until the state reads again; to
        the bit it is then as if they had not been read.
        """
        if not all(data):
            raise ValueError("there are no logits after no bytes")
        counts = [len(sure) + len(guess) for sure, guess in zip(data, guesses, strict=True)]
        wanted = [1 + len(guess) for guess in guesses]
        ids = checked_ids(
            self.shape, b"".join(part for both in zip(data, guesses, strict=True) for part in both)
        )
        rows = self._read(states, counts, wanted, ids, pin=False, loose=True)
        return np.split(rows, np.cumsum(wanted[:-1])) if states else []

    def _read(
        self,
        states: Sequence[State],
        counts: Sequence[int],
        wanted: Sequence[int],
        ids: NDArray[np.int32],
        *,
        pin: bool,
        loose: bool = False,
    ) -> Array:
        """Logits after the newest `wanted` bytes of each state, which has then read its count of ids."""
        out = np.empty((sum(wanted), self.shape.vocabulary), np.float32)
        lengths = np.asarray(counts, np.int32), np.asarray(wanted, np.int32)
        self._engine.read(list(states), *lengths, ids, pin, loose, out)
        return out


def ready() -> bool:
    """Whether the C module was built."""
    return _native is not None


def paths() -> tuple[str, ...]:
    """The instruction sets that this machine can run, fastest first."""
    return tuple(_native.PATHS) if ready() else ()


def open_engine(
    shape: Shape, weights: Mapping[str, Stored], *, threads: int | None = None, precision: str = "int8"
) -> NativeEngine | reference.ReferenceEngine:
    """The fastest engine there is: in C, or in NumPy where that was not built."""
    if ready():
        return NativeEngine(shape, weights, threads=threads, precision=precision)
    return reference.ReferenceEngine(shape, widened(weights), threads=threads)


def usable_threads() -> int:
    """The cores that this process may use, eight at most: a byte is too little work for more."""
    return min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _plain(array: Stored) -> Stored:
    """In C order and aligned, float32, int8 or the bits of bfloat16; copied only if it is not."""
    kind = array.dtype if array.dtype in (np.int8, np.uint16) else np.dtype(np.float32)
    return np.require(array, kind, ["C", "A"])


def _fields(shape: Shape) -> dict[str, Any]:
    names = ("heads", "gated", "queries", "hidden", "householders", "window", "vocabulary", "slopes")
    kinds = "".join(kind[0] for kind in shape.layers).encode()
    return {"kinds": kinds, **{name: getattr(shape, name) for name in names}}
