"""The flow table of a guest as JSON: its fields and their bounds, checked while it is decoded."""

from __future__ import annotations

from typing import Annotated

import msgspec

Line = Annotated[int, msgspec.Meta(ge=0, lt=2**32 - 1)]


class TableFunction(msgspec.Struct):
    """One code object, as a guest tells it."""

    name: str
    line: Line
    start: list[Line] = []
    next: dict[Line, list[Line]] = {}
    handlers: dict[Line, list[Line]] = {}
    returns: list[Line] = []
    yields: list[Line] = []
    names: list[str] = []
    file: str = ""


class WrittenTable(msgspec.Struct):
    """The whole of a table."""

    functions: list[TableFunction]
    globals: list[str] = []


DECODER = msgspec.json.Decoder(WrittenTable)
