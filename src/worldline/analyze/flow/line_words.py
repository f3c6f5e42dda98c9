"""What one line of another language shows by its words: whether it decides, and which names it may change.

These languages share their words for loops and conditions. Nothing is parsed, so operations have no name: a line is
quoted. Doubt counts as no.
"""

from __future__ import annotations

import re

from worldline.analyze.flow.operations import Operation

_LEADING = r"\s*(?:\}\s*)*(?:'?\w+:\s*(?!:))?(?:else\s+)?"
_LOOP = re.compile(_LEADING + r"(?:for|while|loop|do)\b|\s*\}\s*while\b")
_CONDITION = re.compile(_LEADING + r"(?:if|switch|match|case)\b")
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_SET = r"\s*(?:=(?![=>])|(?:[-+*/%&|^]|<<|>>>?|\*\*|\?\?|&&|\|\|)=|\+\+|--|:=|->|\[|\.)"
_BEFORE = r"(?:\+\+|--|&mut\s+|&\s*|>>\s*|\b(?:for|let|const|var)\b[^=;]*?(?<![\w$]))"


def on_line(text: str) -> Operation:
    """Return what a line does, as written."""
    return Operation("", text.strip(), frozenset(_WORD.findall(text)))


def decision(text: str) -> Operation | None:
    """Return the loop or condition that a line begins with; None if there is none."""
    if _LOOP.match(text):
        return Operation("iteration", text.strip())
    return Operation("condition", text.strip()) if _CONDITION.match(text) else None


def may_change(text: str, name: str) -> bool:
    """Return whether a line seems to assign to a name or to change its value."""
    word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
    return re.search(f"{word}{_SET}|{_BEFORE}{word}", text) is not None
