"""Swap the functions that reveal memory addresses: `id`, and `uuid1`, which uses a clock and an address.

`id` counts from 1 by first use of an address, also when live, and keeps nothing alive. Only calls
from the code of the program are recorded: a library such as `copy.deepcopy` gets the same numbers.
"""

from __future__ import annotations

import builtins
from collections.abc import Container, Iterable
from contextlib import suppress
from importlib import import_module
from sys import _getframe
from types import ModuleType
from typing import Any

from .tape import Swap, Tape

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_uuid: Any = None
with suppress(ImportError):  # of an interpreter without libuuid: then uuid1 is made of draws
    _uuid = import_module("_uuid")


def install(tape: Tape, swap: Swap, files: Container[str], own: Iterable[ModuleType]) -> None:
    """Swap `id` and `uuid1`. Our own modules keep the real `id`."""
    numbers: dict[int, int] = {}
    used: set[int] = set()

    def identity(obj: Any, /) -> int:
        address = original(obj)
        number = numbers.get(address)
        if number is None:
            number = len(numbers) + 1
            while number in used:
                number += 1
        value = tape.draw("id", number) if _getframe(1).f_code.co_filename in files else number
        numbers[address] = value
        used.add(value)
        return value

    original: Any = swap(builtins, "id", identity)
    for mine in (vars(module).get("__builtins__") for module in own):
        if type(mine) is dict and mine is not vars(builtins):
            mine["id"] = original
    if _uuid is not None and hasattr(_uuid, "generate_time_safe"):
        _swap_time_based(tape, swap)


def _swap_time_based(tape: Tape, swap: Swap) -> None:
    def generate_time_safe() -> tuple[bytes, int | None]:
        value, safe = original()
        if not tape.live:
            value = _as_time_based(tape.bits(128).to_bytes(16, "big"))
        return tape.draw("uuid", value), safe

    original: Any = swap(_uuid, "generate_time_safe", generate_time_safe)


def _as_time_based(data: bytes) -> bytes:
    """Set the bits of UUID version 1."""
    return data[:6] + bytes([data[6] & 0x0F | 0x10, data[7], data[8] & 0x3F | 0x80]) + data[9:]
