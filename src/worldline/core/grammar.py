"""The grammar of canonical values as tables, one per spelling: what starts and what follows a value.

`core.reader` walks them with an explicit stack. Nothing here reads or builds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from worldline.core import spelling as sp

_COUNT = r"(?:0|[1-9][0-9]{0,18}+)"
_NUMBER = r"[1-9][0-9]{0,18}+"
_PART = f"(?>{sp.IDENTIFIER}|{sp.STR})"
_NAME = rf"{_PART}(?:\.{sp.IDENTIFIER})*+"
_CLASS = rf"(?!(?>{'|'.join(sp.RESERVED)})\(){_NAME}"
_MEMBER = rf"{_PART}(?:\.{_PART})++(?:\|{_PART})*+"
_STRICT_SETS, _LOOSE_SETS = r"frozenset\(\{", r"(?:frozen)?set\(\s*+[\[{]"
_MUTABLE = r"(?=[\[{]|set\(|bytearray\(|deque\()"

# What ends or continues each open container. `{` is a set or a dict: the first separator decides.
_CLOSINGS = {
    "list": ("]",),
    **dict.fromkeys(("brace", "dict", "set"), ("}",)),
    **dict.fromkeys(("tuple", "slice", "object", "exception"), (")",)),
    **dict.fromkeys(("frozenset", "set-of-set"), ("}", ")")),
    **dict.fromkeys(("set-of-list", "frozenset-of-list"), ("]", ")")),
}
EXPECTED = {kind: f"', ' or '{''.join(marks)}'" for kind, marks in _CLOSINGS.items()} | {
    "single": "', ' or ',)'",
    "brace": "': ', ', ' or '}'",
    "key": "': '",
    "deque": "', ' or '])'",
}
OPENINGS = {
    "[": "list",
    "(": "tuple",
    "{": "brace",
    "slice(": "slice",
    "deque([": "deque",
    "frozenset({": "frozenset",
    "set({": "set-of-set",
    "set([": "set-of-list",
    "frozenset([": "frozenset-of-list",
}


@dataclass(frozen=True)
class Spelling:
    """One way to write values: its atoms, the blanks it allows, and the canonical text of an atom.

    `atom` raises ValueError for a text that is not canonical. Patterns are compiled when they are first used: most
    commands need few of them.
    """

    atoms: Mapping[str, str]
    blanks: str
    atom: Callable[[str, str], str]

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """What a value may start with, each alternative under the name of its group; atoms first."""
        blank = self.blanks
        rest = {
            "empty": rf"(?:frozen)?set\({blank}\)",
            "opening": rf"\[|\(|\{{|{_LOOSE_SETS if blank else _STRICT_SETS}|deque\({blank}\[|slice\(",
            "label": rf"#{_NUMBER}{blank}{_MUTABLE}",
            "object": rf"{_NAME}#{_NUMBER}{blank}\(",
            "exception": rf"{_CLASS}{blank}\(",
            "ref": rf"(?:{_NAME})?#{_NUMBER}",
            "enum": _MEMBER,
            "cut": rf"\.\.\.<{_NAME} {_COUNT}>",
        }
        return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in {**self.atoms, **rest}.items()))

    @cached_property
    def field(self) -> re.Pattern[str]:
        return re.compile(f"{self.blanks}({_PART}){self.blanks}=")

    @cached_property
    def tails(self) -> Mapping[str, re.Pattern[str]]:
        """For each container: `close`, `more` (another element), `colon` (the value of a key)."""
        blank = self.blanks
        trailing = f"{blank}(?:,{blank})?" if blank else ""
        more, then = f"(?P<more>{self._mark(',')})", f"(?P<colon>{self._mark(':')})"
        tails: dict[str, str] = {}
        for name, parts in _CLOSINGS.items():
            closing = blank.join(re.escape(part) for part in parts)
            tails[name] = f"(?P<close>{trailing}{closing})|{more}"
        tails["tuple"] = rf"(?P<single>{blank},{blank}\))|(?P<close>{blank}\))|{more}"
        tails["brace"] += f"|{then}"
        tails["key"] = then
        tails["deque"] = rf"(?P<close>{trailing}{self._deque_end})|{more}"
        return {name: re.compile(pattern) for name, pattern in tails.items()}

    @cached_property
    def empties(self) -> Mapping[str, re.Pattern[str]]:
        """For each container that may be empty: what ends it at once."""
        blank = self.blanks
        ends = {"list": r"\]", "brace": r"\}", "deque": self._deque_end}
        ends |= dict.fromkeys(("tuple", "object", "exception"), r"\)")
        if blank:
            ends |= {"frozenset-of-list": rf"\]{blank}\)", "set-of-list": rf"\]{blank}\)"}
        return {name: re.compile(blank + pattern) for name, pattern in ends.items()}

    @cached_property
    def blank(self) -> re.Pattern[str] | None:
        """Blanks, where the spelling allows them."""
        return re.compile(self.blanks) if self.blanks else None

    @property
    def _deque_end(self) -> str:
        blank = self.blanks
        return rf"\](?:{self._mark(',')}maxlen{blank}={blank}(?P<maxlen>{_COUNT}))?{blank}\)"

    def _mark(self, mark: str) -> str:
        """A comma or a colon with its blanks."""
        return f"{self.blanks}{mark}{self.blanks}" if self.blanks else mark + " "


def _strict_atom(kind: str, text: str) -> str:
    if kind == "int":
        is_canonical = sp.strict_int(text)
    elif kind == "float":
        is_canonical = sp.strict_float(text)
    elif kind == "complex":
        is_canonical = all(sp.strict_float(part) for part in text[8:-1].split(", "))
    elif kind == "range":
        parts = text[6:-1].split(", ")
        is_canonical = all(sp.strict_int(part) for part in parts) and parts[2:] not in (["1"], ["0"])
    else:
        is_canonical = True
    if not is_canonical:
        raise ValueError("not canonical")
    return text


def _loose_atom(kind: str, text: str) -> str:
    if kind == "str":
        return sp.quote(sp.unquote(text))
    if kind == "bytes":
        return repr(sp.unquote_bytes(text))
    if kind == "bytearray":
        return f"bytearray({sp.unquote_bytes(text[10:-1].strip())!r})"
    if kind == "range":
        return _loose_range([sp.loose_int(part) for part in text[6:-1].split(",") if part.strip()])
    if kind == "opaque":
        return re.sub(r" at 0x[0-9a-fA-F]+>$", ">", text)
    normal = _NUMERIC.get(kind)
    return normal(text) if normal else "Ellipsis" if text == "..." else text


_NUMERIC = {"int": sp.loose_int, "float": sp.loose_float, "complex": sp.loose_complex}


def _loose_range(parts: list[str]) -> str:
    if parts[2:] == ["0"]:
        raise ValueError("a range without a step")
    shown = ["0", *parts] if len(parts) == 1 else parts[:2] if parts[2:] == ["1"] else parts
    return f"range({', '.join(shown)})"


_NO_NAME = r"(?![#(.])"
_WORD = f"(?>{'|'.join(sp.WORDS)}){sp.END}"
_OPAQUE_NAME = rf"(?: (?>{_NAME}|<{sp.IDENTIFIER}>|\?))?"
_LOOSE_ENDS = r"(?:\s*+,\s*+" + sp.LOOSE_INT + r"){0,2}"

STRICT = Spelling(
    atoms={
        "int": sp.INT,
        "str": sp.STR + _NO_NAME,
        "word": _WORD,
        "float": sp.FLOAT,
        "bytes": sp.BYTES,
        "complex": rf"complex\({sp.FLOAT}, {sp.FLOAT}\)",
        "bytearray": rf"bytearray\({sp.BYTES}\)",
        "range": rf"range\({sp.INT}, {sp.INT}(?:, {sp.INT})?\)",
        "opaque": f"<{_NAME}{_OPAQUE_NAME}>",
    },
    blanks="",
    atom=_strict_atom,
)
LOOSE = Spelling(
    atoms={
        "complex": sp.LOOSE_COMPLEX,
        "float": sp.LOOSE_FLOAT,
        "int": sp.LOOSE_INT,
        "bytes": sp.LOOSE_BYTES,
        "str": sp.LOOSE_STR + _NO_NAME,
        "word": rf"{_WORD}|\.\.\.(?!<)",
        "bytearray": rf"bytearray\(\s*+{sp.LOOSE_BYTES}\s*+\)",
        "range": rf"range\(\s*+{sp.LOOSE_INT}{_LOOSE_ENDS}\s*+(?:,\s*+)?\)",
        "opaque": f"<{_NAME}{_OPAQUE_NAME}(?: at 0x[0-9a-fA-F]++)?>",
    },
    blanks=r"\s*+",
    atom=_loose_atom,
)

_PLAIN = f"(?>{sp.SMALL_INT}|{sp.STR}(?![#(.=])|{_WORD}|{sp.SMALL_FLOAT}|{sp.BYTES})"


@cache
def plain() -> re.Pattern[str]:
    """A plain atom: canonical by its pattern alone."""
    return re.compile(_PLAIN)


@cache
def run() -> re.Pattern[str]:
    """A run of plain atoms, to skip a long flat container in one match. Group 1: there is more than one."""
    return re.compile(f"{_PLAIN}((?:, {_PLAIN})*+)")


@cache
def pairs() -> re.Pattern[str]:
    """A run of plain keys and values."""
    return re.compile(f"{_PLAIN}: {_PLAIN}(?:, {_PLAIN}: {_PLAIN})*+")
