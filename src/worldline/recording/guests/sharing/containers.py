"""Record which containers values hold, so that a reader can tell which of them hold the same list, dict, set or tuple.

Containers are known by their addresses and never kept alive. A number ends when no value that was recorded last holds
its container any more, because the next container may have the same address.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable

from ..canonical import Renderer
from ..frames import OpenFrame
from ..wire_writer import WireWriter

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_HELD = 0x14
_RESULT = ""  # the name under which the containers of a returned or yielded value stand
_BRACKETS = ("[", "{", "(", "#", "set", "frozenset", "deque")  # a value that starts like this is a container


class HeldContainers:
    """The containers that the names of all frames hold, by number."""

    def __init__(self, renderer: Renderer, wire: WireWriter, switch: Callable[[int], None]) -> None:
        self._renderer, self._wire, self._switch = renderer, wire, switch
        self._numbers: dict[int, int] = {}
        self._holders: dict[int, int] = {}
        self._next = 1
        self._result: tuple[int, ...] = ()  # what the newest result holds
        self._left: list[tuple[int, tuple[int, ...]]] = []  # what parameters held, by the depth of their frame

    def hold(self, frame: OpenFrame, name: str) -> None:
        """Record which containers the value of a name holds, which was rendered last, if they are others now."""
        before, addresses = frame.containers.get(name, ()), tuple(self._renderer.containers)
        if addresses != before:
            frame.containers[name] = addresses
            self._add(addresses)
            self._put(frame, name, addresses)
            self._release(before)

    def drop(self, frame: OpenFrame, name: str) -> None:
        """Forget what a name held that is deleted."""
        self._release(frame.containers.pop(name, ()))

    def leave(self, frame: OpenFrame, depth: int, *, has_result: bool, is_suspended: bool) -> None:
        """Record which containers a result holds, which was rendered last, and forget the names of a frame that ends.

        Args:
            frame: The frame that is left.
            depth: How many frames are open, this one included.
            has_result: Whether it returns or yields a value.
            is_suspended: Whether it may go on.
        """
        before, self._result = self._result, tuple(self._renderer.containers) if has_result else ()
        self._add(self._result)
        if self._result:
            self._put(frame, _RESULT, self._result)
        self._release(before)
        if is_suspended:
            return
        for name, addresses in frame.containers.items():
            # The caller has the object that a parameter was: what is in it keeps its number until the caller goes on.
            if name in frame.code.parameters and not frame.texts.get(name, "").startswith(_BRACKETS):
                self._left.append((depth, addresses))
            else:
                self._release(addresses)

    def go_on(self, depth: int) -> None:
        """Forget what the parameters of deeper frames held: the frame at this depth has been read again."""
        while self._left and self._left[-1][0] > depth:
            self._release(self._left.pop()[1])

    def _add(self, addresses: tuple[int, ...]) -> None:
        for address in addresses:
            if address not in self._numbers:
                self._numbers[address], self._next = self._next, self._next + 1
            self._holders[address] = self._holders.get(address, 0) + 1

    def _release(self, addresses: tuple[int, ...]) -> None:
        for address in addresses:
            self._holders[address] -= 1
            if not self._holders[address]:
                del self._holders[address], self._numbers[address]

    def _put(self, frame: OpenFrame, name: str, addresses: tuple[int, ...]) -> None:
        key = self._wire.name(name)
        self._switch(frame.serial)
        self._wire.put(_HELD, key, " ".join([str(self._numbers[address]) for address in addresses]))
