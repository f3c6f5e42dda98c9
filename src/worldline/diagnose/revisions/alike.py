"""Whether two values of two revisions mean the same, as far as their texts tell.

Numbers of objects (`Point#3`) and addresses depend on everything that happened before, so they are ignored. So are
the order of dicts, the names of functions and iterators, and fields that only one side has: a revision that adds a
field does not thereby behave differently. Nothing is evaluated.
"""

from __future__ import annotations

import re
from functools import lru_cache

from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.value import parse

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
# Folders that a run creates: pytest numbers its own, others are random.
_TEMPORARY = re.compile(r"/tmp/[^\s'\"\\,:)\]}>]*")
# Names of these say what a value is; those of other opaque values only where it was defined.
_NAMED = ("<class ", "<module ")
_CUT = re.compile(r"\.\.\.<(\S+) [0-9]+>")
# Of these a cut tells the length; of an object the number of its fields.
_SIZED = frozenset({"str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset", "deque", "int"})


def alike(first: str | None, second: str | None) -> bool:
    """Tell whether two canonical texts mean the same; None is no value, which equals only itself."""
    if first == second:
        return True
    if first is None or second is None:
        return False
    return _alike(first, second)


@lru_cache(maxsize=4096)  # a value that differs usually differs in many steps
def _alike(first: str, second: str) -> bool:
    left, right = parse(first), parse(second)
    if isinstance(left, Malformed) or isinstance(right, Malformed):
        return _plain(first) == _plain(second)
    pairs = [(left, right)]
    while pairs:
        inner = _parts(*pairs.pop())
        if inner is None:
            return False
        pairs += inner
    return True


def _parts(left: Value, right: Value) -> list[tuple[Value, Value]] | None:
    """The parts of two nodes that must be alike; None if the nodes themselves are not."""
    if "ref" in (left.kind, right.kind):
        # What it refers to is written out elsewhere in the value, and compared there.
        return []
    if left.kind != right.kind:
        return None
    if left.kind == "cut":
        return [] if _cut(left.atom) == _cut(right.atom) else None
    if left.kind == "opaque":
        is_named = left.atom.startswith(_NAMED) or right.atom.startswith(_NAMED)
        return None if is_named and left.atom != right.atom else []
    if left.kind in ("str", "bytes"):
        return [] if _plain(left.atom) == _plain(right.atom) else None
    if left.atom != right.atom or len(left.items) != len(right.items):
        return None
    fields = dict(right.fields)
    pairs = [(item, fields[name]) for name, item in left.fields if name in fields]
    if left.kind in ("set", "frozenset"):
        return pairs + list(zip(sorted(left.items, key=_order), sorted(right.items, key=_order), strict=True))
    if left.kind != "dict":
        return pairs + list(zip(left.items, right.items, strict=True))
    keys = dict(zip(map(_order, right.items[::2]), right.items[1::2], strict=True))
    for key, value in zip(map(_order, left.items[::2]), left.items[1::2], strict=True):
        if key not in keys:
            return None
        pairs.append((value, keys[key]))
    return pairs


def _cut(atom: str) -> str:
    match = _CUT.fullmatch(atom)
    return match[1] if match is not None and match[1] not in _SIZED else atom


def _order(value: Value) -> str:
    """A text of a node without the numbers of objects, by which keys and elements are compared."""
    return re.sub(r"#[0-9]+", "#", _plain(text(value)))


def _plain(text: str) -> str:
    """A text without addresses and temporary folders."""
    if "0x" in text:
        text = _ADDRESS.sub("0x", text)
    return _TEMPORARY.sub("/tmp", text) if "/tmp/" in text else text
