"""The wire's file as lines of JSON that are whole or not there: what a guest writes that records no steps."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

HEADER = 64


class JsonLines:
    """Lines, each committed as soon as it is written, so that a sudden end costs only the one under way."""

    def __init__(self, wire: int) -> None:
        self.wire, self.at, self.room = wire, HEADER, os.fstat(wire).st_size

    def add(self, row: Any) -> bool:
        """Commit a line; False where no more fits."""
        data = json.dumps(row).encode("utf-8", "backslashreplace") + b"\n"
        if self.at + len(data) > self.room:
            return False
        view, at = memoryview(data), self.at
        while view:
            written = os.pwrite(self.wire, view, at)
            view, at = view[written:], at + written
        self.at = at
        os.pwrite(self.wire, b"WLW1" + struct.pack("<IQ", 0, at), 0)
        return True
