"""Canonical values (docs/reference/format.md, section 1): where one ends, its structure, whether two are equal.

Total and linear: any text gives a result or a `Malformed`, without recursion and without evaluation. `scan`,
`parse` and `kind` accept canonical text only; `canonical` and `equal` also accept what a model may write instead.
The grammar and the order of sets are checked; whether a number (`#3`) refers to something is not.
"""

from __future__ import annotations

from worldline.core.grammar import LOOSE, OPENINGS, STRICT, Spelling, plain, run
from worldline.core.malformed import Malformed
from worldline.core.node import Value, identity
from worldline.core.node import text as text
from worldline.core.reader import DEPTH, read
from worldline.core.spelling import WORDS, quote, unquote, unquote_bytes

__all__ = ["Malformed", "Value", "canonical", "equal", "kind", "parse", "scan", "text"]
__all__ += ["DEPTH", "quote", "unquote", "unquote_bytes"]

# What closes no element, one element and several elements.
_ENDS = {"[": ("]", "]", "]"), "(": (")", ",)", ")")}
# `text` is a parameter of most functions here.
_text = text


def scan(text: str, at: int = 0) -> int | Malformed:
    """Return the end of the canonical value that starts at `at`."""
    # A fast path: most values of real traces are plain atoms.
    atom = plain().match(text, at)
    if atom is not None:
        return atom.end()
    flat = _flat(text, at)
    if flat is not None:
        return flat
    reader = read(text, at, STRICT, build=False)
    return reader if isinstance(reader, Malformed) else reader.at


def _flat(text: str, at: int) -> int | None:
    """The end of a list or tuple of plain atoms, or None for any other value."""
    ends = _ENDS.get(text[at : at + 1])
    if ends is None:
        return None
    atoms = run().match(text, at + 1)
    end = atoms.end() if atoms is not None else at + 1
    close = ends[0 if atoms is None else 2 if atoms[1] else 1]
    return end + len(close) if text.startswith(close, end) else None


def parse(text: str) -> Value | Malformed:
    """Return the structure of a text that is one canonical value."""
    return _whole(text, STRICT)


def kind(text: str) -> str:
    """Return the kind of the outermost value of canonical text; `malformed` for any other text."""
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
    opened = OPENINGS[match[0]]
    return _brace_kind(text, match.end()) if opened == "brace" else opened


def _brace_kind(text: str, at: int) -> str:
    if text.startswith("}", at):
        return "dict"
    end = scan(text, at)
    if isinstance(end, Malformed):
        return "malformed"
    return "dict" if text.startswith(": ", end) else "set"


def canonical(text: str) -> str | Malformed:
    """Return the canonical text of a value in any spelling: dicts keep their order, sets are sorted."""
    if scan(text) == len(text):
        return text
    value = _whole(text, LOOSE)
    return value if isinstance(value, Malformed) else _text(value)


def equal(a: str, b: str) -> bool:
    """Whether two texts in any spelling are the same value. The order of dicts and fields is ignored."""
    left, right = canonical(a), canonical(b)
    if isinstance(left, Malformed) or isinstance(right, Malformed):
        return False
    if left == right or len(left) != len(right):
        return left == right
    nodes = parse(left), parse(right)
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
