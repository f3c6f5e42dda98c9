"""Canonical values (docs/reference/format.md, section 1): where one ends, what it is made of, whether two are equal.

Total and linear: any text gives a result or a `Malformed`, without recursion, without evaluating anything.
`scan`, `parse` and `kind` take canonical text only; `canonical` and `equal` also take what a model may write
instead. The grammar is checked, and so is the order of sets; whether a number (`#3`) names something is not.
"""

from __future__ import annotations

from worldline.core.grammar import LOOSE, OPENINGS, STRICT, Spelling, plain, run
from worldline.core.malformed import Malformed
from worldline.core.node import Value, identity
from worldline.core.node import text as text
from worldline.core.reader import DEPTH, read
from worldline.core.spelling import WORDS, quote, unquote, unquote_bytes

__all__ = [
    "DEPTH", "Malformed", "Value", "canonical", "equal", "kind", "parse", "quote", "scan", "text", "unquote",
    "unquote_bytes",
]  # fmt: skip

_ENDS = {"[": ("]", "]", "]"), "(": (")", ",)", ")")}  # what closes none, one and several elements
_text = text  # the name is a parameter in most functions here


def scan(text: str, at: int = 0) -> int | Malformed:
    """The end of the canonical value that begins at `at`."""
    atom = plain().match(text, at)  # most values of real traces are one; the reader would say the same
    if atom is not None:
        return atom.end()
    flat = _flat(text, at)
    if flat is not None:
        return flat
    reader = read(text, at, STRICT, build=False)
    return reader if isinstance(reader, Malformed) else reader.at


def _flat(text: str, at: int) -> int | None:
    """The end of a list or tuple of plain atoms, as most others are; None: it is no such value."""
    ends = _ENDS.get(text[at : at + 1])
    if ends is None:
        return None
    found = run().match(text, at + 1)
    end = found.end() if found is not None else at + 1
    close = ends[0 if found is None else 2 if found[1] else 1]
    return end + len(close) if text.startswith(close, end) else None


def parse(text: str) -> Value | Malformed:
    """The structure of a canonical value that is the whole text."""
    return _whole(text, STRICT)


def kind(text: str) -> str:
    """The kind of the outermost value of canonical text; "malformed" where it does not begin one."""
    match = STRICT.lead.match(text)
    if match is not None and match.lastgroup == "label":
        match = STRICT.lead.match(text, match.end())
    group = match.lastgroup if match else None
    if match is None or group is None:
        return "malformed"
    if group == "word":
        return WORDS[match[0]]
    if group == "empty":
        return match[0].removesuffix("()")
    if group != "opening":
        return group
    found = OPENINGS[match[0]]
    return _brace_kind(text, match.end()) if found == "brace" else found


def _brace_kind(text: str, at: int) -> str:
    if text.startswith("}", at):
        return "dict"
    end = scan(text, at)
    if isinstance(end, Malformed):
        return "malformed"
    return "dict" if text.startswith(": ", end) else "set"


def canonical(text: str) -> str | Malformed:
    """The canonical text of a value in any spelling: dicts keep their order, sets are sorted."""
    if scan(text) == len(text):
        return text
    found = _whole(text, LOOSE)
    return found if isinstance(found, Malformed) else _text(found)


def equal(a: str, b: str) -> bool:
    """Whether two texts, in any spelling, are the same value; the order of dicts and fields is ignored."""
    one, other = canonical(a), canonical(b)
    if isinstance(one, Malformed) or isinstance(other, Malformed):
        return False
    if one == other or len(one) != len(other):
        return one == other
    nodes = parse(one), parse(other)
    table: dict[tuple[object, ...], int] = {}
    return len({identity(node, table) for node in nodes if isinstance(node, Value)}) == 1


def _whole(text: str, spelling: Spelling) -> Value | Malformed:
    start = spelling.blank.match(text) if spelling.blank else None
    reader = read(text, start.end() if start else 0, spelling, build=True)
    if isinstance(reader, Malformed):
        return reader
    end = spelling.blank.match(text, reader.at) if spelling.blank else None
    at = end.end() if end else reader.at
    if at != len(text):
        return Malformed(at, "the end of the value")
    assert reader.value is not None
    return reader.value
