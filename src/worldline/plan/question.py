"""Questions about an execution, as a user writes them: `return`, `raises`, `line:12`, `name:x@9` and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.core.errors import UsageError

WHAT = ("return", "raises", "line", "name", "passes", "ends")
_LINE = re.compile(r"line:([1-9][0-9]{0,8})")
_NAME = re.compile(r"name:([^\W\d]\w*)@([1-9][0-9]{0,8})")
_ENDS = re.compile(r"ends:([1-9][0-9]{0,8})")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question: `return` (the result), `raises`, `line` (is it reached?), `name` (its value when a line last ran),
    `passes` (does it end without an exception?), `ends` (within N steps?).
    """

    what: str = "return"
    line: int = 0
    name: str = ""
    steps: int = 0

    def __str__(self) -> str:
        place = {"line": f":{self.line}", "name": f":{self.name}@{self.line}", "ends": f":{self.steps}"}
        return self.what + place.get(self.what, "")


def read_question(text: str) -> Question:
    """Parse a question.

    Args:
        text: The question: `return`, `raises`, `passes`, `line:12`, `name:x@9` or `ends:500`.

    Raises:
        UsageError: The text is not a question.
    """
    if text in ("return", "raises", "passes"):
        return Question(what=text)
    if match := _LINE.fullmatch(text):
        return Question(what="line", line=int(match[1]))
    if match := _NAME.fullmatch(text):
        return Question(what="name", name=match[1], line=int(match[2]))
    if match := _ENDS.fullmatch(text):
        return Question(what="ends", steps=int(match[1]))
    raise UsageError(f"{text!r} is not a question: use one of return, raises, passes, line:12, name:x@9, ends:500")
