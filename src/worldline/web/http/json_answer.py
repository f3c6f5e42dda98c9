"""Answers as JSON: every text has bytes, every number is one. What the answers are is not known here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_bytes(value: Any) -> bytes:
    """A value as JSON, in ASCII, so that every text has bytes; a number that is none becomes null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value
