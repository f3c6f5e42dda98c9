"""The classes whose methods an object may have, by the words of a source that is not Python.

A result is certain, or it is None: the object may have methods of a class that the source does not name.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_RELATED = 64  # words of heads that are followed
_HEAD = re.compile(r"\b(?:class|interface|record|enum)\s+([\w$]+)([^{;]{0,2000})\{")
_WORD = re.compile(r"[\w$]+")
_CHANGES = re.compile(r"\b(?:prototype|__proto__|setPrototypeOf|call|apply|bind)\b")  # of what `this` may be
# Languages whose classes name their bases in their heads, and whether a class is a value that may be changed.
HEADED = {"js": True, "ts": True, "java": False}


def kin(name: str, source: str, language: str) -> frozenset[str] | None:
    """Return a class and all names in its head and in theirs, transitively; None if unknown."""
    is_changeable = HEADED.get(language)
    if is_changeable is None or (is_changeable and _CHANGES.search(source)):
        return None
    heads = _heads(source)
    if name not in heads:
        return None
    related, pending = {name}, [name]
    while pending:
        current = pending.pop()
        head = heads.get(current, "")
        if is_changeable and ("(" in head or re.search(rf"(?<![\w$.]){re.escape(current)}\s*=[^=>]", source)):
            return None  # made by an expression, or a name that stands for another class
        fresh = [word for word in _WORD.findall(head) if word not in related]
        related.update(fresh)
        pending.extend(fresh)
        if len(related) > MAX_RELATED:
            return None
    return frozenset(related)


@lru_cache(maxsize=16)
def _heads(source: str) -> dict[str, str]:
    """Return the text between each class's name and its body, joined for classes of the same name."""
    heads: dict[str, str] = {}
    for match in _HEAD.finditer(source):
        heads[match[1]] = f"{heads.get(match[1], '')} {match[2]}"
    return heads
