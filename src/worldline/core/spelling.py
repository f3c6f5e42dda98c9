"""How the atoms of canonical values are spelled (docs/reference/format.md, section 1), and other spellings of them.

There are two spellings: the canonical one, and LOOSE, which accepts what a model may write for the same value
(Python's other quotes, escapes, bases, exponents, blanks). Only atoms: `core.grammar` has the structure. Nothing
here evaluates text, and every pattern is possessive, so that matching takes linear time.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from worldline.core.text import UNSAFE, escape

RESERVED = (
    *("None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float", "complex"),
    *("set", "frozenset", "bytearray", "deque", "range", "slice"),
)
WORDS = {"True": "bool", "False": "bool"} | {word: word for word in ("None", "Ellipsis", "NotImplemented")}
# Reading decimal digits takes quadratic time, so a longer loose int must be hexadecimal.
MAX_LOOSE_DIGITS = 4300
# A str for a search that skips strings. One that is not closed takes the rest of the text: if it did not match, each
# further quote would be tried as the start of a string, in quadratic time.
QUOTED = r"""'(?:[^'\\]|\\[\s\S])*+(?:'|\\?\Z)|"(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z)"""
# A number of an object, with the name before it. Only the last part of a dotted name: the others would be read again
# for each of its parts.
OBJECT_NUMBER = r"(?<!\w)([^\W\d]\w*+#)(\d+)"
_DECIMAL_BITS = 1024
_LARGEST_DECIMAL = str((1 << _DECIMAL_BITS) - 1)
_QUIET_NAN = 0x7FF8000000000000

_HIDE = re.compile(rf"[\\{UNSAFE}]")
_STR_ESCAPE = (
    r"\\(?:[\\nrt]|x(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f]|a0|ad)"
    r"|u(?:034f|061c|1680|180e|200[0-9a-f]|202[89a-f]|205f|206[0-9a-f]|3000|d[89a-f][0-9a-f]{2}|feff|fff[9ab])"
    r"|U000e00[0-7][0-9a-f])"
)
_BYTES_ESCAPE = r"\\(?:[\\nrt]|x(?:0[0-8bcef]|1[0-9a-f]|7f|[89a-f][0-9a-f]))"


def _quoted(single: str, double: str, escape: str) -> str:
    """A canonical str or bytes: in ', or in " if the text has ' and no ". The sets are the unescaped characters."""
    # Up to the first quote. The characters it passes are checked by the main pattern.
    ahead = r"(?:[^'\"\\\n]++|\\.)*+"
    plain = f"'(?:{single}++|{escape})*+'"
    both = f"'(?={ahead}\")(?:{single}++|{escape}|\\\\')*+'"
    within = f'"(?={ahead}\')(?:{double}++|{escape})*+"'
    return f"(?>{plain}|{both}|{within})"


# An identifier: letters, digits, _ and every character beyond ASCII that a str does not escape.
_LETTER = rf"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f{UNSAFE}]"
IDENTIFIER = f"(?![0-9]){_LETTER}++"
STR = _quoted(rf"[^'\\{UNSAFE}]", rf'[^"\\{UNSAFE}]', _STR_ESCAPE)
BYTES = "b" + _quoted(r"[ -&(-\[\]-~]", r"[ !#-\[\]-~]", _BYTES_ESCAPE)
END = f"(?![.]|{_LETTER})"
SMALL_INT = rf"(?>0|-?[1-9][0-9]{{0,307}}+){END}"
INT = rf"(?>{SMALL_INT}|-?1[0-9]{{308}}{END}|-?0x[1-9a-f][0-9a-f]{{256,}}+{END})"
FLOAT = (
    r"(?>-?[0-9]{1,17}+(?:\.[0-9]{1,20}+(?:e[+-][0-9]{2,3})?|e[+-][0-9]{2,3})"
    rf"|-?inf|nan(?:\([0-9a-f]{{16}}\))?){END}"
)
# Floats that are certainly the shortest spelling: at most 15 digits, no trailing zeros, no exponent.
SMALL_FLOAT = rf"(?>-?(?!0\.0000)(?:0|[1-9][0-9]{{0,6}}+)\.(?:0|[0-9]{{0,7}}[1-9])){END}"
# The longest valid beginning of a broken literal: `Malformed` points to its end.
BROKEN = re.compile(rf"b?(?:'(?:[^'\\{UNSAFE}]++|{_STR_ESCAPE}|\\')*+|\"(?:[^\"\\{UNSAFE}]++|{_STR_ESCAPE})*+)")

_SIGN = r"[+-]?\s*+"
_DIGITS = r"[0-9]++(?:_[0-9]++)*+"
_ANY_QUOTES = (
    r"(?>'''(?>[^\\]|\\[\s\S])*?'''|\"\"\"(?>[^\\]|\\[\s\S])*?\"\"\""
    r"|'(?>[^'\\]|\\[\s\S])*+'|\"(?>[^\"\\]|\\[\s\S])*+\")"
)
LOOSE_STR = f"[uUrR]?{_ANY_QUOTES}"
LOOSE_BYTES = f"(?>[bB][rR]?|[rR][bB]){_ANY_QUOTES}"
_BASED = r"0[xX](?:_?[0-9a-fA-F]++)++|0[oO](?:_?[0-7]++)++|0[bB](?:_?[01]++)++"
LOOSE_INT = rf"(?>{_SIGN}(?>{_BASED}|{_DIGITS})(?![0-9A-Za-z_.]))"
_POINT = rf"(?>{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS}|{_DIGITS}(?=[eE]))(?:[eE][+-]?{_DIGITS})?"
LOOSE_FLOAT = (
    rf"(?>{_SIGN}(?>{_POINT}|inf|nan(?:\([0-9a-f]{{16}}\))?)(?![0-9A-Za-z_(.])"
    r"|float\(\s*+['\"][+-]?(?:inf|infinity|nan)['\"]\s*+\))"
)
_REAL = rf"(?>{_SIGN}(?>{_POINT}|{_DIGITS}|inf|nan(?:\([0-9a-f]{{16}}\))?))"
LOOSE_COMPLEX = (
    rf"(?>complex\(\s*+{_REAL}\s*+,\s*+{_REAL}\s*+\)|\(\s*+{_REAL}\s*+(?=[+-]){_REAL}[jJ]\s*+\)"
    rf"|{_REAL}\s*+(?=[+-]){_REAL}[jJ](?!\w)|{_REAL}[jJ](?!\w))"
)
_EACH_REAL = re.compile(_REAL)
_ESCAPE = re.compile(
    r"\\(?:\r\n|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]{1,100})\}|([\s\S]))"
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": "", "\\": "\\"}


def quote(value: str) -> str:
    """Write a str as canonical text."""
    mark = '"' if "'" in value and '"' not in value else "'"
    body = _HIDE.sub(escape, value)
    return mark + (body.replace("'", "\\'") if mark == "'" else body) + mark


def unquote(text: str) -> str:
    """Return the str of a canonical or loose str literal. Raises ValueError for an unknown escape."""
    start = len(text) - len(text.lstrip("uUrR"))
    raw = "r" in text[:start].lower()
    body = _body(text[start:])
    return body if raw or "\\" not in body else _ESCAPE.sub(_unescape, body)


def unquote_bytes(text: str) -> bytes:
    """Return the bytes of a canonical or loose bytes literal. Raises ValueError for anything else."""
    start = len(text) - len(text.lstrip("bBrR"))
    body = _body(text[start:])
    if not body.isascii():
        raise ValueError("bytes literals are ASCII")
    if "r" not in text[:start].lower() and "\\" in body:
        body = _ESCAPE.sub(_unescape_byte, body)
    return body.encode("latin-1")


def _body(literal: str) -> str:
    width = 3 if literal[:3] in ("'''", '"""') and len(literal) >= 6 else 1
    return literal[width:-width]


def _unescape(match: re.Match[str]) -> str:
    octal, two, four, eight, name, char = match.groups()
    if octal:
        return chr(int(octal, 8))
    if two or four or eight:
        return _character(int(two or four or eight, 16))
    if name:
        return _named(name)
    if char is None:
        return ""
    if char in "xuUN":
        raise ValueError(f"incomplete escape \\{char}")
    return _SIMPLE.get(char, char if char in "'\"" else "\\" + char)


def _character(point: int) -> str:
    # Beyond a C int, `chr` raises another exception.
    if point > sys.maxunicode:
        raise ValueError(f"no character {point:x}")
    return chr(point)


def _named(name: str) -> str:
    try:
        return unicodedata.lookup(name)
    except KeyError:
        raise ValueError(f"no character named {name}") from None


def _unescape_byte(match: re.Match[str]) -> str:
    octal, _, four, eight, name, char = match.groups()
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if four or eight or name or (char and char in "uUN"):
        # Not an escape in bytes: a backslash and letters.
        return match[0]
    return _unescape(match)


def strict_int(text: str) -> bool:
    """Whether a match of INT is canonical."""
    digits = text.removeprefix("-")
    return len(digits) < len(_LARGEST_DECIMAL) or "x" in digits or digits <= _LARGEST_DECIMAL


def strict_float(text: str) -> bool:
    """Whether text matched by FLOAT is canonical: the shortest that reads back, or a real nan."""
    if text[:3] != "nan":
        return repr(float(text)) == text
    return text == "nan" or (int(text[4:-1], 16) != _QUIET_NAN and _is_nan(int(text[4:-1], 16)))


def _is_nan(bits: int) -> bool:
    return (bits >> 52) & 0x7FF == 0x7FF and bits & ((1 << 52) - 1) != 0


def loose_int(text: str) -> str:
    """Return the canonical spelling of a loose int. Raises ValueError for anything else, or if it is too long."""
    body = "".join(text.replace("_", "").split()).lower()
    sign, digits = ("-" if body[0] == "-" else ""), body.lstrip("+-")
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2], 10)
    if base == 10 and (len(digits) > MAX_LOOSE_DIGITS or (digits[0] == "0" and digits.strip("0"))):
        raise ValueError("not a decimal int")
    number = int(digits, base)
    spelled = str(number) if number.bit_length() <= _DECIMAL_BITS else hex(number)
    return spelled if not number else sign + spelled


def loose_float(text: str) -> str:
    """Return the canonical spelling of a loose float. Raises ValueError for anything else."""
    body = "".join(text.replace("_", "").split())
    if body.startswith("float("):
        body = body[7:-2]
    if body.endswith(")"):
        return _nan_text(int(body[body.index("(") + 1 : -1], 16) ^ (1 << 63 if body[0] == "-" else 0))
    if body.endswith("nan"):
        return "nan"
    return repr(float(body))


def _nan_text(bits: int) -> str:
    if not _is_nan(bits):
        raise ValueError("not the bits of a nan")
    return "nan" if bits == _QUIET_NAN else f"nan({bits:016x})"


def loose_complex(text: str) -> str:
    """Return the canonical spelling of a loose complex. Raises ValueError for anything else."""
    parts = [loose_float(part) for part in _EACH_REAL.findall(text.removeprefix("complex"))]
    real, imaginary = parts if len(parts) == 2 else ("0.0", parts[0])
    return f"complex({real}, {imaginary})"


def rank(kind: str) -> int:
    """Return the place of a kind in the canonical order of a set."""
    return _RANKS.get(kind, 7)


def order(kind: str, text: str) -> tuple[int, int, float, str]:
    """Return the sort key of a set's element in canonical order."""
    if kind == "int":
        return rank(kind), 0, int(text, 0), text
    if kind == "float":
        return (rank(kind), 1, 0.0, text) if text.startswith("nan") else (rank(kind), 0, float(text), text)
    return rank(kind), 0, 0, text


_RANKS = {"None": 0, "bool": 1, "int": 2, "float": 3, "str": 4, "bytes": 5, "tuple": 6}
