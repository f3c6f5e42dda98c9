"""JSON from outside the program: a line of a file or the answer of a server.

Unusual numbers do not spoil the rest: an int with too many digits for Python becomes a float, and a number beyond
all floats becomes infinite.
"""

from __future__ import annotations

import json
from typing import Any

# The most digits that `int` reads by default.
MAX_INT_DIGITS = 4300


def parse_external_json(text: str | bytes) -> Any:
    """Parse JSON from outside. Raises ValueError for text that is not JSON or is nested too deeply."""
    try:
        return json.loads(text, parse_int=_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_INT_DIGITS else float(digits)
