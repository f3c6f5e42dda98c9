"""Files without a name, which a guest hands to the program that it becomes. Imports nothing of worldline."""

from __future__ import annotations

import os
import tempfile
from typing import Any


def nameless_file(data: bytes) -> int:
    """Return a descriptor of a nameless file with this content."""
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno())


def control_text(control: dict[str, Any]) -> bytes:
    """Write a control as a guest without JSON reads it: the seed, and a line for each given input."""
    draws = (f"{kind}\t{plain}" for kind, plain, _ in control["given"])
    return "\n".join(["-" if control["seed"] is None else control["seed"], *draws, ""]).encode()
