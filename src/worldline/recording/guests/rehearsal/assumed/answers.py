"""The answers that a run assumes: stubs of the user, values from the host, and decisions about unknown values.

Nothing here is observed. Whatever is assumed is reported first, with its line, so that the host can label everything
that follows.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from sys import _getframe
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

ASSUME, DECIDE, CALL = "assume", "decide", "call"
BY_STUB, BY_MODEL, BY_NOBODY = "stub", "model", "unknown"
MAX_SHOWN = 120  # characters of a name or value
MAX_REPEATS = 3  # rounds of a loop whose condition stays the same; then it is the other way round
_ABSENT = object()
_PACKAGE = __name__.rpartition(".")[0]


class Answers:
    """What one run assumes. `tell` reports a kind, a target and a detail with the line of a frame."""

    def __init__(self, spec: Mapping[str, Any], tell: Callable[[str, str, str, Any], None]) -> None:
        self._tell = tell
        self.stubs = _stubs(spec)
        self.predicted: dict[str, str] = dict(spec["predicted"])
        self._planned: list[bool] = list(spec["decisions"])
        self._decided: dict[str, bool] = {}
        self._repeats: dict[tuple[str, int, int], int] = {}
        self._told: set[tuple[str, str, str, int]] = set()
        self.values: dict[str, Any] = {}  # of unknowns that a decision has fixed
        self._handlers: list[tuple[int, int, str]] = []
        self._path = ""

    def know_handlers(self, source: str, path: str) -> None:
        """Remember which exceptions the script handles, by dotted names and the lines in which they may be raised."""
        self._path = path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Try):
                first, last = node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
                kinds = [handler.type for handler in node.handlers if handler.type is not None]
                each_kind = [part for kind in kinds for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
                self._handlers += [(first, last, ast.unparse(kind)) for kind in each_kind]

    def handled(self, frame: Any) -> list[str]:
        """Return the exceptions that the script handles around the line of a frame."""
        if frame.f_code.co_filename != self._path:
            return []
        return [name for first, last, name in self._handlers if first <= (frame.f_lineno or 0) <= last]

    def assume(self, what: str, answer: str, by: str, frame: Any) -> None:
        """Report that something is assumed, once for each line that asks for it."""
        row = (what, answer, frame.f_code.co_filename, frame.f_lineno or 0)
        if row not in self._told:
            self._told.add(row)
            self._tell(ASSUME, what[: 4 * MAX_SHOWN], f"{by}:{answer[: 4 * MAX_SHOWN]}", frame)

    def note_call(self, what: str, frame: Any) -> None:
        """Report that something unknown is called, once for each line: the host knows some calls by their names."""
        row = (CALL, "", frame.f_code.co_filename, frame.f_lineno or 0)
        if row not in self._told:
            self._told.add(row)
            self._tell(CALL, what, "", frame)

    def supplied(self, what: str, frame: Any) -> tuple[bool, Any]:
        """Return whether a stub or the host has a value for something, and the value."""
        stub = self.stubs.get(what, _ABSENT)
        if stub is not _ABSENT:
            self.assume(what, spell(stub), BY_STUB, frame)
            return True, stub
        if what in self.predicted:
            self.assume(what, self.predicted[what], BY_MODEL, frame)
            return True, ast.literal_eval(self.predicted[what])
        return False, None

    def decide(self, condition: str, likely: bool, positive: str = "") -> bool:
        """Return whether a condition on an unknown holds: as the host plans it, else as is likely.

        A negation has the `positive` condition that it turns, so that both are decided together.
        """
        frame, key = _own_caller(), positive or condition
        is_turned = key != condition
        if key in self._decided:
            return self._again(key, frame) != is_turned
        number = len(self._decided)
        holds = self._planned[number] if number < len(self._planned) else likely
        self._decided[key] = holds != is_turned
        self._tell(DECIDE, condition, "yes" if holds else "no", frame)
        return holds

    def _again(self, condition: str, frame: Any) -> bool:
        """The same answer as before, unless a loop would never end by it."""
        place = (condition, id(frame), frame.f_lasti)
        self._repeats[place] = repeats = self._repeats.get(place, 0) + 1
        holds = self._decided[condition]
        return holds if repeats < MAX_REPEATS else not holds

    def call_stub(self, name: str, stub: Any) -> Any:
        """Return a stub that reports each call of it; a stub that cannot be called is its own value."""
        if not callable(stub):
            self.assume(name, spell(stub), BY_STUB, _own_caller())
            return stub

        def call(*args: Any, **named: Any) -> Any:
            frame = _own_caller()
            try:
                value = stub(*args, **named)
            except BaseException as error:
                self.assume(spelled_call(name, args, named), f"raises {type(error).__name__}", BY_STUB, frame)
                raise
            self.assume(spelled_call(name, args, named), spell(value), BY_STUB, frame)
            return value

        return call


def _stubs(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the stubs of the user, here in the sandbox; the names of a file come first."""
    namespace: dict[str, Any] = {"__name__": "stubs"}
    if spec["stubs_source"]:
        exec(compile(spec["stubs_source"], "<stubs>", "exec", dont_inherit=True), namespace)
    stubs = dict(namespace.get("STUBS", {}))
    for name, expression in spec["stubs"]:
        stubs[name] = eval(compile(expression, f"<stub {name}>", "eval", dont_inherit=True), namespace)
    return stubs


def _own_caller() -> Any:
    """Return the innermost frame outside this package."""
    frame: Any = _getframe(1)
    here = __file__.rpartition("/")[0]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame = frame.f_back
    return frame


def spell(value: Any) -> str:
    """Return a plain value as text, and anything else as its type; calls nothing of the program."""
    kind = type(value)
    if kind in (str, bytes, int, float, bool, type(None)):
        return repr(value)[:MAX_SHOWN]
    if kind in (list, tuple) and len(value) <= 8:
        inner = ", ".join(map(spell, value))
        text = f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
        return text[:MAX_SHOWN]
    if kind is dict and len(value) <= 8:
        return ("{" + ", ".join(f"{spell(key)}: {spell(item)}" for key, item in value.items()) + "}")[:MAX_SHOWN]
    name = getattr(value, "_shown", None) if kind.__module__.startswith(_PACKAGE) else None
    return name if isinstance(name, str) else f"<{kind.__name__}>"


def spelled_call(name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Spell a call with its plain arguments."""
    words = [*map(spell, args), *(f"{key}={spell(value)}" for key, value in named.items())]
    return f"{name}({', '.join(words)})"
