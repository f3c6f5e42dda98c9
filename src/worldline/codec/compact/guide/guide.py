"""Which bytes may come next in the steps of a compact text (docs/reference/format.md, section 5), one byte at a time.

What `codec.compact.parse` says of a whole text, for a text that is being written: values by `values`, frames by
`frames`, lines and names by `guard`. Every text that `codec.compact.writer` writes for a run that came to its end
passes; nearly every text that ends by it parses. Not seen: the order of sets, floats that are not shortest, whether
edits fit the value and are canonical, and what a reveal would leave out. With `guard` lines follow the control flow.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from worldline.analyze.flow.table import FlowTable
from worldline.codec.compact.guide.lines import PHASES, may_ask
from worldline.codec.compact.guide.nodes import DONE
from worldline.codec.compact.guide.state import GuideState
from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.core.trace import Hidden

_MOST_FORCED = 4096  # bytes; a frame that must call itself for ever would force as many


class ImpossibleByte(ValueError):
    """A byte that may not come here."""


class Guide:
    """The state behind a beginning of steps: `allowed` says what may follow, `feed` goes on by one byte.

    `queries` says whether lines that ask (`?`) are among what is allowed; they are understood in any case. `table` is
    what is known of the control flow of a program that is not Python (`flow.table`); `hidden` are the hidden inputs
    that the prompt gives: in the mode `given` those may come, in their order, and no others.
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
            program, options or Compact(), table, guarded=guard, queries=queries, given=tuple(hidden)
        )
        self._bits = -1

    @property
    def ended(self) -> bool:
        """Whether the text is complete: nothing may follow."""
        return self._state.ended

    def fork(self) -> Guide:
        """An independent copy."""
        other = Guide.__new__(Guide)
        other._state, other._bits = self._state.twin(), self._bits
        return other

    @property
    def bits(self) -> int:
        """The bytes that may come next, as bits of an int."""
        if self._bits < 0:
            self._bits = _legal(self._state)
        return self._bits

    def allowed(self) -> NDArray[np.bool_]:
        """The bytes that may come next: 256 truth values, not to be written to."""
        return _array(self.bits)

    def forced(self) -> bytes:
        """The longest text that is the only way to go on; it is not fed."""
        bits = self.bits
        return b"" if not bits or bits & (bits - 1) else self.fork().advance(_MOST_FORCED)

    def advance(self, limit: int) -> bytes:
        """Feeds what is forced, up to so many bytes, and returns it."""
        found = bytearray()
        while len(found) < limit and (bits := self.bits) and not bits & (bits - 1):
            found.append(bits.bit_length() - 1)
            self.feed(found[-1])
        return bytes(found)

    def feed(self, byte: int) -> None:
        """Go on by one byte. ImpossibleByte where it may not come; the guide is of no use afterwards."""
        self._bits = -1
        _feed(self._state, byte)

    def feed_all(self, data: bytes) -> None:
        """Go on by several bytes."""
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
    """A byte of the line itself, behind a word or a value that is complete."""
    mask, take = PHASES[state.phase]
    if state.ended or not (mask(state) >> byte & 1 or (byte == 0x3F and may_ask(state))):
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
    node, levels, found = state.node, state.levels, 0
    while True:
        found |= node.mask
        if not node.final:
            return found
        if levels is None:
            return found if state.ended else found | PHASES[state.phase][0](state)
        node, levels = levels


@lru_cache(maxsize=8192)
def _array(bits: int) -> NDArray[np.bool_]:
    found = np.unpackbits(np.frombuffer(bits.to_bytes(32, "little"), np.uint8), bitorder="little").astype(
        np.bool_
    )
    found.setflags(write=False)
    return found
