"""Render values without parts as canonical text, exact to the bit. The readable twin of native/atoms.h."""

from __future__ import annotations

import builtins
import struct

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_DECIMAL_BITS = 1024
_ESCAPED = (
    (0x0, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x1680, 0x1680), (0x180E, 0x180E),
    (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_SHORT = {0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}


class TooLong(Exception):
    """The text is longer than `value_bytes`."""


def _escape_table() -> dict[int, str]:
    table = dict(_SHORT)
    for low, high in _ESCAPED:
        for point in range(low, high + 1):
            if point < 0x100:
                table.setdefault(point, f"\\x{point:02x}")
            else:
                table.setdefault(point, f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}")
    return table


ESCAPES = _escape_table()


def text_of_str(value: str) -> str:
    """Return a str as canonical text."""
    value = str.__str__(value)
    quote = '"' if "'" in value and '"' not in value else "'"
    body = value.translate(ESCAPES)
    return quote + (body.replace("'", "\\'") if quote == "'" else body) + quote


def text_of_float(value: float) -> str:
    """Return a float as canonical text, exact to the bit."""
    value = float.__float__(value)
    if value == value:
        return float.__repr__(value)
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    return "nan" if bits == 0x7FF8000000000000 else f"nan({bits:016x})"


def text_of_int(value: int) -> str:
    """Return an int as canonical text, without the limited str()."""
    value = int.__int__(value)
    return int.__repr__(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def text_of_complex(value: complex) -> str:
    """Return a complex number as canonical text."""
    value = complex.__complex__(value)
    return f"complex({text_of_float(value.real)}, {text_of_float(value.imag)})"


def text_of_range(value: range) -> str:
    """Return a range as canonical text."""
    step = "" if value.step == 1 else f", {text_of_int(value.step)}"
    return f"range({text_of_int(value.start)}, {text_of_int(value.stop)}{step})"


def is_identifier(text: str) -> bool:
    """Apply the rule of the grammar, which does not depend on the version of Unicode."""
    ascii_part = "".join(["a" if ord(c) >= 0x80 and ord(c) not in ESCAPES else c for c in text])
    return ascii_part.isascii() and ascii_part.isidentifier()


def word(name: str, joint: str = "") -> str:
    """Return a name, or a canonical str if it does not consist of identifiers joined by `joint`."""
    parts = name.split(joint) if joint else [name]
    return name if all(is_identifier(part) for part in parts) else text_of_str(name)
