"""CrossHair, called from the host: which inputs take which paths, as reported by its process in the sandbox.

CrossHair executes the program's code, so it always runs in the sandbox, in the interpreter that has it (extra `paths`).
Its report is not trusted: a call must parse as a call of the function, and `search` records it first.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import msgspec

from worldline.core.errors import NoSandbox
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.exchange import WIRE_HEADER
from worldline.recording.recorder import prepare
from worldline.recording.sandbox import SandboxRun, open_sandbox
from worldline.recording.sandbox_plan import SandboxPlan

_PART = r"""
        \b(NAMES[^\W\d]\w*?)_\d+             # an input, numbered
        ((?:_at_\d+)*)                       # an element of a tuple
        (?:_map_\d+|(?:_\d+)+)?              # a list's elements, a union's member
        (?:(?:items)?_?(len)(?:_\d+)?|@(\d+))?  # its length, or one character
        (?!\w)"""
_CODE = re.compile(r"(?<![\w.])(\d+) == ord\(([^()]*)\)")
_NEGATED = re.compile(r"Not\(([^(),]*(?:\([^(),]*\)[^(),]*)*) (<=|>=|==) ([^(),]*(?:\([^(),]*\)[^(),]*)*)\)")
_BACKWARDS = re.compile(r"^(-?\d+(?:/\d+)?) (==|<=|>=|!=|<|>) (.*)$")
_OTHER_WAY = {"<=": ">", ">=": "<", "==": "!="}
_TURNED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_MAX_CODE_POINT = 0x10FFFF


def rewrite_condition(text: str, names: Iterable[str] = ()) -> str:
    """Rewrite one condition of the solver about inputs of these names; empty if it is trivial."""
    if text == "True":
        return ""
    text = _CODE.sub(_character, _part("".join(f"{re.escape(name)}|" for name in names)).sub(_named, text))
    text = _NEGATED.sub(lambda match: f"{match[1]} {_OTHER_WAY[match[2]]} {match[3]}", text)
    if (turned := _BACKWARDS.match(text)) and not re.search("And|Or|Not", text):
        text = f"{turned[3]} {_TURNED[turned[2]]} {turned[1]}"
    return text


@lru_cache(maxsize=64)
def _part(names: str) -> re.Pattern[str]:
    """Compile the pattern of a numbered input; names that end in digits are listed."""
    return re.compile(_PART.replace("NAMES", names), re.VERBOSE)


def _named(match: re.Match[str]) -> str:
    name = match[1] + "".join(f"[{number}]" for number in re.findall(r"\d+", match[2] or ""))
    if match[3]:
        return f"len({name})"
    return f"ord({name}[{match[4]}])" if match[4] else name


def _character(match: re.Match[str]) -> str:
    code = int(match[1])
    return f"{match[2]} == {chr(code)!r}" if code <= _MAX_CODE_POINT else match[0]


MISSING = "CrossHair is not installed (pip install 'worldline[paths]'), so only random inputs were tried"
_LACKING = re.compile(r"No module named '(crosshair|z3)\b")
MAX_PATHS = 400  # per exploration
MAX_CALL_CHARACTERS = 20_000
SOLVER_LIMITS = Limits(memory=3 << 30, trace_bytes=16 << 20, processes=32)
GRACE_SECONDS = 30.0  # CrossHair counts only its own work, and the machine may be busy
ENDS = ("exhausted", "time", "most", "failed")


@dataclass(frozen=True)
class SymbolicPath:
    """One path reported by CrossHair: a call that takes it, and its conditions by source line."""

    call: str
    conditions: tuple[tuple[int, str], ...]
    raised: str = ""


@dataclass(frozen=True)
class Exploration:
    """What CrossHair found: its paths, and why it stopped (`exhausted`: there are no others).

    `unspelled` counts the paths whose input is no call that can be executed, or a very long one.
    """

    paths: tuple[SymbolicPath, ...] = ()
    end: str = "failed"
    why: str = ""
    unspelled: int = 0


def is_installed() -> bool:
    """Whether CrossHair and its solver are installed."""
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
    """Find paths of a function with CrossHair, for N seconds of its work, in the sandbox.

    `names` are the parameters; `guessed` has the kinds (of `untraced/symbolic.py`) of those without an annotation.
    With `consumed`, the function is a generator, and its items are read.
    """
    limits = replace(SOLVER_LIMITS, wall=2 * seconds + GRACE_SECONDS)
    setup = prepare(limits=limits, python=None, core="python", trust=trust)
    plan: SandboxPlan = replace(setup.plan, guest="untraced.symbolic", native=None)
    spec: dict[str, Any] = {
        "name": program.name,
        "source": program.source,
        "files": dict(program.files),
        "argv": [],
        "call": None,
        "limits": asdict(limits),
        "function": function,
        "seconds": seconds,
        "most": MAX_PATHS,
        "guessed": dict(guessed or {}),
        "consumed": consumed,
    }
    try:
        with open_sandbox(plan, limits) as sandbox:
            return _read(sandbox.run(spec, b""), function, names)
    except NoSandbox as error:
        # A folder of `PYTHONPATH` or a `.pth` file, which the sandbox does not have.
        if not _LACKING.search(str(error)):
            raise
        return Exploration(end="failed", why="the sandbox cannot import it: install it beside worldline")


def _read(run: SandboxRun, function: str, names: Sequence[str]) -> Exploration:
    """Parse the report line by line; a malformed line ends it."""
    paths: list[SymbolicPath] = []
    unspelled = 0
    end, why = ("time", "") if run.hit == "time" else ("failed", run.fault or run.hit or run.report)
    for line in bytes(run.wire[WIRE_HEADER:]).splitlines():
        try:
            row = msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError:
            return Exploration(tuple(paths), "failed", "its report is damaged", unspelled)
        if row.end:
            end, why = (row.end, row.why) if row.end in ENDS else ("failed", "its report is damaged")
        elif is_call(row.call, function):
            worded_lines = ((line, rewrite_condition(text, names)) for line, text in row.conditions)
            paths.append(
                SymbolicPath(
                    row.call, tuple(dict.fromkeys(condition for condition in worded_lines if condition[1])), row.raised
                )
            )
        else:
            unspelled += 1
    return Exploration(tuple(paths), end, why, unspelled)


class _Row(msgspec.Struct):
    """A line of CrossHair's report."""

    call: str = ""
    conditions: list[tuple[int, str]] = []
    raised: str = ""
    end: str = ""
    why: str = ""


def is_call(text: str, function: str) -> bool:
    """Whether a text is exactly one call of the function."""
    if len(text) > MAX_CALL_CHARACTERS:
        return False
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
