"""Programs whose recordings the guide must let pass, from the other folders of tests."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from worldline.core.program import Program


def _module(room: str, name: str) -> Any:
    """A module of another folder, which pytest may not have put on the path yet."""
    folder = str(Path(__file__).parents[1] / room)
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


_cwm = _module("codec", "cwm_sources")
GENERATOR = _module("recording", "fuzz_programs").Generator
SHAPES: list[Program] = [
    *_module("codec", "test_compact_recorded").PROGRAMS.values(),
    *(Program(source=source) for source in _module("recording", "odd_programs").PROGRAMS.values()),
    Program(source=_cwm.STATEMENTS + "".join(f"{name}()\n" for name in _cwm.TOPS)),
]
HUMANEVAL = [
    Program(source=row["prompt"] + row["canonical_solution"], call=call)
    for row in _cwm.humaneval()
    for call in _cwm.humaneval_calls(row)[:1]
]
