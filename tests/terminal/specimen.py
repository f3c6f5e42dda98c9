"""A small hand-made trace: two frames, an alias, a deleted name, texts with terminal escapes."""

from __future__ import annotations

from typing import Any

from worldline.codec.json_text import parse
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace

SOURCE = "def f(n):\n\txs = [n]  # \u202eevil\x1b[2J\n\treturn g(xs)\ndef g(ys):\n\tdel ys\n\treturn 1\n"
EVIL = "\x1b[31m\u202e\u2066\x07\x9b\ud800"


def step(i: int, event: str, frame: int, line: int, arg: str | None = None, **rest: Any) -> dict[str, Any]:
    """One step as `record --json` writes it."""
    row = {"i": i, "event": event, "frame": frame, "depth": frame, "line": line, "delta": {}, "gone": []}
    return {**row, "arg": arg, **rest}


def document(**changed: Any) -> dict[str, Any]:
    """The trace as `record --json` writes it."""
    program = Program(source=SOURCE, call="f(1)", stdin="\udc80", argv=("a",), files=(("m.py", "x = 1\n"),))
    whole = {
        "program": {
            "name": program.name, "source": SOURCE, "call": "f(1)", "argv": ["a"], "stdin": "\udc80",
            "files": {"m.py": "x = 1\n"}, "digest": program.digest,
        },
        "interpreter": {"name": "cpython", "version": "3.11.7", "core": "python"},
        "limits": dict(Limits().__dict__),
        "outcome": {"kind": "returned", "detail": "1"},
        "frames": [
            {"serial": 0, "name": "f", "file": "program.py", "parent": -1, "depth": 0},
            {"serial": 1, "name": "g", "file": "program.py", "parent": 0, "depth": 1},
        ],
        "steps": [
            step(0, "call", 0, 1, delta={"n": "1"}),
            step(1, "line", 0, 2, delta={"xs": "[1]", "zs": "[1]"}, same={"zs": "xs"}),
            step(2, "line", 0, 3),
            step(3, "call", 1, 4, delta={"ys": "[1]"}),
            step(4, "line", 1, 5, gone=["ys"]),
            step(5, "line", 1, 6),
            step(6, "return", 1, 6, "1"),
            step(7, "return", 0, 3, "1"),
        ],
        "output": EVIL + "\n", "stderr": "", "notes": [EVIL],
        "hidden": [{"step": 1, "kind": EVIL, "value": "1"}],
    }  # fmt: skip
    return {**whole, **changed}


def specimen(**changed: Any) -> Trace:
    """The trace."""
    import json

    return parse(json.dumps(document(**changed)))
