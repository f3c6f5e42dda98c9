"""Which bytes may come next in the steps of a compact text (docs/reference/format.md, section 5), one byte at a time.

The byte-wise counterpart of `codec.compact.parse`: values by `values`, frames by `frames`, lines and names by
`guard`. It accepts every text that `codec.compact.writer` writes for an execution that ended by itself; nearly
every text that it accepts parses. Not checked: the order of sets, floats that are not shortest, whether edits fit
the value and are canonical, and what a reveal would leave out. With `guard`, lines follow the control flow.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from worldline.analyze.flow.table import FlowTable
from worldline.codec.compact.guide.lines import PHASES, may_query
from worldline.codec.compact.guide.nodes import DONE
from worldline.codec.compact.guide.state import GuideState
from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.core.trace import Hidden

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A frame that must call itself forever would force endless bytes.
_MAX_FORCED_BYTES = 4096


class ImpossibleByte(ValueError):
    """A byte that may not come here."""


class Guide:
    """The state after a beginning of steps: `allowed` gives what may follow, `feed` adds one byte.

    Args:
        program: The program of the text.
        options: How steps are written.
        guard: Whether lines must follow the control flow.
        queries: Whether query lines (`?`) are allowed; they are understood in any case.
        table: The flow table of a program that is not Python.
        hidden: The hidden inputs of the prompt: in the mode `given`, only they may come, in their order.
    """

    __slots__ = ("_bits", "_state")

    def __init__(
        self,
        program: Program,
        options: Compact | None = None,
        *,
        guard: bool = False,
        queries: bool = False,
        table: FlowTable | None = None,
        hidden: Iterable[Hidden] = (),
    ) -> None:
        self._state = GuideState(
            program, options or Compact(), table, guarded=guard, queries=queries, prompt_inputs=tuple(hidden)
        )
        self._bits = -1

    @property
    def ended(self) -> bool:
        """Whether the text is complete: nothing may follow."""
        return self._state.ended

    def fork(self) -> Guide:
        """Return an independent copy."""
        other = Guide.__new__(Guide)
        other._state, other._bits = self._state.fork(), self._bits
        return other

    @property
    def bits(self) -> int:
        """The bytes that may come next, as bits of an int."""
        if self._bits < 0:
            self._bits = _legal(self._state)
        return self._bits

    def allowed(self) -> NDArray[np.bool_]:
        """Return the bytes that may come next, as 256 read-only truth values."""
        return _array(self.bits)

    def forced(self) -> bytes:
        """Return the longest text without an alternative; it is not fed."""
        bits = self.bits
        return b"" if not bits or bits & (bits - 1) else self.fork().advance(_MAX_FORCED_BYTES)

    def advance(self, limit: int) -> bytes:
        """Feed the text without an alternative, at most `limit` bytes, and return it."""
        forced = bytearray()
        while len(forced) < limit and (bits := self.bits) and not bits & (bits - 1):
            forced.append(bits.bit_length() - 1)
            self.feed(forced[-1])
        return bytes(forced)

    def feed(self, byte: int) -> None:
        """Add one byte. Raises ImpossibleByte if it may not come; the guide is unusable afterwards."""
        self._bits = -1
        _feed(self._state, byte)

    def feed_all(self, data: bytes) -> None:
        self._bits = -1
        for byte in data:
            _feed(self._state, byte)


def _feed(state: GuideState, byte: int) -> None:
    node, levels = state.node, state.levels
    while (edge := node.edges.get(byte)) is None:
        if not node.final:
            raise ImpossibleByte(f"byte {byte} after {bytes(state.text)!r}")
        if levels is None:
            _take(state, byte)
            return
        node, levels = levels
    target, push, drop = edge
    if drop and levels is not None:
        levels = levels[1]
    if push is not None:
        levels = (push, levels)
    while target is DONE and levels is not None:
        target, levels = levels
    state.node, state.levels = target, levels
    state.text.append(byte)


def _take(state: GuideState, byte: int) -> None:
    """A byte of the line itself, after a complete word or value."""
    mask, take = PHASES[state.phase]
    if state.ended or not (mask(state) >> byte & 1 or (byte == 0x3F and may_query(state))):
        raise ImpossibleByte(f"byte {byte} after {bytes(state.text)!r}")
    take(state, byte)
    if byte == 0x0A:
        state.text.clear()
        state.at = 0
    elif state.node is not DONE and state.at == len(state.text):
        _feed(state, byte)  # the first byte of a word
    else:
        state.text.append(byte)


def _legal(state: GuideState) -> int:
    node, levels, mask = state.node, state.levels, 0
    while True:
        mask |= node.mask
        if not node.final:
            return mask
        if levels is None:
            return mask if state.ended else mask | PHASES[state.phase][0](state)
        node, levels = levels


@lru_cache(maxsize=8192)
def _array(bits: int) -> NDArray[np.bool_]:
    import numpy as np  # not needed to write documents

    allowed = np.unpackbits(np.frombuffer(bits.to_bytes(32, "little"), np.uint8), bitorder="little").astype(np.bool_)
    allowed.setflags(write=False)
    return allowed
