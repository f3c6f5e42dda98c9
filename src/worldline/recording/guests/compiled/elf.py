"""Sections and symbols of a linked 64-bit little-endian ELF file: as much as the readers of debug information need."""

from __future__ import annotations

import struct


class Elf:
    """One executable in memory; sections are found by name, bytes are views of the file."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data, self.machine = data, struct.unpack_from("<H", data, 18)[0]
        offset, (size, count, names) = (struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<3H", data, 58))
        rows = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        strings = rows[names][4]
        self._sections: dict[str, tuple[int, int, int, int]] = {}  # offset, size, link, address
        self._rows = rows
        for row in rows:
            end = data.index(b"\0", strings + row[0])
            name = data[strings + row[0] : end].decode()
            if row[1] != 8:  # no bytes of .bss
                self._sections[name] = (row[4], row[5], row[6], row[3])

    def section(self, name: str) -> bytes:
        """The bytes of a section; empty where there is none."""
        offset, size, _, _ = self._sections.get(name, (0, 0, 0, 0))
        return self.data[offset : offset + size]

    def symbols(self) -> dict[str, int]:
        """Every named symbol and its address."""
        addresses: dict[str, int] = {}
        if ".symtab" not in self._sections:
            return addresses
        offset, size, link, _ = self._sections[".symtab"]
        strings = self._rows[link][4]
        for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", self.data[offset : offset + size]):
            if name and section:
                end = self.data.index(b"\0", strings + name)
                addresses[self.data[strings + name : end].decode(errors="replace")] = value
        return addresses
