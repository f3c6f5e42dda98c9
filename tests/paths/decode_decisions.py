"""Read the decisions of traces in the interpreter that recorded them: JSON from stdin, JSON to stdout."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

from worldline.analyze.flow.conditions.jumps import decision_outcomes
from worldline.core.trace import ConditionalJump


def read(row: dict[str, Any]) -> list[tuple[int, int, bool]]:
    trace: Any = SimpleNamespace(
        interpreter=SimpleNamespace(version=row["version"]),
        program=SimpleNamespace(name=row["name"], source=row["source"], files=()),
        columns=SimpleNamespace(frame=row["frame"], line=row["line"]),
        frames=[SimpleNamespace(name=name, file=file) for name, file in row["frames"]],
        jumps=[ConditionalJump(*jump) for jump in row["jumps"]],
    )
    return [(one.line, one.column, one.taken) for one in decision_outcomes(trace)]


if __name__ == "__main__":
    json.dump([read(row) for row in json.load(sys.stdin)], sys.stdout)
