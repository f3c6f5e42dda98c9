"""Number the containers of a run, so that a reader can tell which values hold the same list, dict, set or tuple.

Containers are known by their addresses and never kept alive. A number ends when no value that was recorded last holds
its container any more, because the next container may have the same address.
"""

from __future__ import annotations

import builtins

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


class ContainerNumbers:
    """The numbers of the containers that recorded values hold."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._holders: dict[int, int] = {}
        self._next = 1

    def hold(self, addresses: tuple[int, ...]) -> tuple[int, ...]:
        """Add a value that holds these containers, and return their numbers."""
        for address in addresses:
            if address not in self._numbers:
                self._numbers[address], self._next = self._next, self._next + 1
            self._holders[address] = self._holders.get(address, 0) + 1
        return tuple(self._numbers[address] for address in addresses)

    def release(self, addresses: tuple[int, ...]) -> None:
        """Remove a value that held these containers."""
        for address in addresses:
            self._holders[address] -= 1
            if not self._holders[address]:
                del self._holders[address], self._numbers[address]
