"""CrossHair, asked from the host: which inputs take which paths, as its process in a box has written them.

It runs the program's code, so it runs nowhere but in a box, in the interpreter that has it (extra `paths`). Nothing of
its answer is trusted: a call is text that must read as a call of the function, and `search` records it first.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.plan.paths.wording import worded
from worldline.recording.box import BoxPlan
from worldline.recording.exchange import WIRE_HEADER
from worldline.recording.recorder import prepare
from worldline.recording.sandbox import SandboxRun, open_box

MISSING = "CrossHair is not installed (pip install 'worldline[paths]'), so inputs were drawn at random alone"
MOST = 400  # paths of one exploration
LONGEST = 20_000  # characters of a call
LIMITS = Limits(memory=3 << 30, trace_bytes=16 << 20, processes=32)
GRACE = 30.0  # seconds beyond what was asked: CrossHair counts its own work, and this host may be busy
ENDS = ("exhausted", "time", "most", "failed")


@dataclass(frozen=True)
class SymbolicPath:
    """One path as CrossHair tells it: a call that takes it, and what its solver chose, by source line."""

    call: str
    conditions: tuple[tuple[int, str], ...]
    raised: str = ""


@dataclass(frozen=True)
class Exploration:
    """What CrossHair found: its paths, and why there are no more (`exhausted`: there are no others)."""

    paths: tuple[SymbolicPath, ...] = ()
    end: str = "failed"
    why: str = ""


def is_installed() -> bool:
    """Whether the interpreter that runs this has CrossHair and its solver."""
    return all(importlib.util.find_spec(name) is not None for name in ("crosshair", "z3"))


def explore(
    program: Program,
    function: str,
    *,
    seconds: float,
    names: Sequence[str] = (),
    guessed: Mapping[str, str] | None = None,
    consumed: bool = False,
    trust: bool = False,
) -> Exploration:
    """The paths of a function that CrossHair finds in so many seconds of its work, in a box.

    `names` are its parameters; `guessed` has a kind of `untraced/symbolic.py` for those without an annotation; what a
    generator yields is `consumed`.
    """
    limits = replace(LIMITS, wall=2 * seconds + GRACE)
    setup = prepare(limits=limits, python=None, core="python", trust=trust)
    plan: BoxPlan = replace(setup.plan, guest="untraced.symbolic", native=None)
    spec: dict[str, Any] = {
        "name": program.name,
        "source": program.source,
        "files": dict(program.files),
        "argv": [],
        "call": None,
        "limits": asdict(limits),
        "function": function,
        "seconds": seconds,
        "most": MOST,
        "guessed": dict(guessed or {}),
        "consumed": consumed,
    }
    with open_box(plan, limits) as box:
        return _read(box.run(spec, b""), function, names)


def _read(run: SandboxRun, function: str, names: Sequence[str]) -> Exploration:
    """What was committed, line by line; what is no line of ours ends it."""
    paths: list[SymbolicPath] = []
    end, why = ("time", "") if run.hit == "time" else ("failed", run.fault or run.hit or run.report)
    for line in bytes(run.wire[WIRE_HEADER:]).splitlines():
        try:
            row = msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError:
            return Exploration(tuple(paths), "failed", "its answer is damaged")
        if row.end:
            end, why = (row.end, row.why) if row.end in ENDS else ("failed", "its answer is damaged")
        elif is_call(row.call, function):
            worded_lines = ((line, worded(text, names)) for line, text in row.conditions)
            paths.append(
                SymbolicPath(
                    row.call,
                    tuple(dict.fromkeys(condition for condition in worded_lines if condition[1])),
                    row.raised,
                )
            )
    return Exploration(tuple(paths), end, why)


class _Row(msgspec.Struct):
    """A line of the guest's."""

    call: str = ""
    conditions: list[tuple[int, str]] = []
    raised: str = ""
    end: str = ""
    why: str = ""


def is_call(text: str, function: str) -> bool:
    """Whether a text is one call of the function, and no more."""
    if len(text) > LONGEST:
        return False
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
