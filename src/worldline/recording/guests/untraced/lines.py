"""Write lines of JSON into the wire file, each completely or not at all, for guests without steps."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

HEADER = 64


class JsonLines:
    """Lines that are committed as soon as they are written: a crash loses only the current one."""

    def __init__(self, wire: int) -> None:
        self.wire, self.at, self.room = wire, HEADER, os.fstat(wire).st_size

    def add(self, row: Any) -> bool:
        """Commit a line. Return False if it does not fit."""
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
