"""The flow table of a guest as JSON: its fields and their bounds, checked while it is decoded."""

from __future__ import annotations

from typing import Annotated

import msgspec

LineNumber = Annotated[int, msgspec.Meta(ge=0, lt=2**32 - 1)]


class TableFunction(msgspec.Struct):
    """One code object, as a guest writes it."""

    name: str
    line: LineNumber
    start: list[LineNumber] = []
    next: dict[LineNumber, list[LineNumber]] = {}
    handlers: dict[LineNumber, list[LineNumber]] = {}
    returns: list[LineNumber] = []
    yields: list[LineNumber] = []
    names: list[str] = []
    file: str = ""


class WrittenTable(msgspec.Struct):
    """A whole table."""

    functions: list[TableFunction]
    globals: list[str] = []


DECODER = msgspec.json.Decoder(WrittenTable)
