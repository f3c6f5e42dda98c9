"""The programs of zoo.txt: everything in them whose spelling in Meta's format is not a plain literal's, by name."""

from __future__ import annotations

import re
from pathlib import Path

from worldline.core.program import Program

_HEAD = re.compile(r"^=== (.*?): (.*)\n", re.MULTILINE)


def _zoo() -> dict[str, Program]:
    _, *parts = _HEAD.split(Path(__file__).with_suffix(".txt").read_text("utf-8"))
    named = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return {name: Program(source=source.rstrip("\n") + "\n", call=call) for name, call, source in named}


ZOO = _zoo()
