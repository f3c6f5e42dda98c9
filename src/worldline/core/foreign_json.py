"""JSON that others wrote, a file's line or a server's answer: a value for all that is JSON, ValueError for the rest.

Numbers that Python does not read as JSON writes them do not spoil what stands beside them: a whole one with more digits
than `int` takes is a float, as one beyond all floats is infinite. What is nested too deep is no JSON.
"""

from __future__ import annotations

import json
from typing import Any

DIGITS = 4300  # that `int` reads, unless somebody lowered it


def foreign_json(text: str | bytes) -> Any:
    """The value that a text is."""
    try:
        return json.loads(text, parse_int=_number)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else float(digits)
