"""Which event a frame without special tokens is, told by the lines of the source, the names shown and control flow.

A frame with locals is a call or a line, one with a value a return or a raise. Where both would do the likelier is
taken; which line number a text means is not decided here.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.codec.cwm.activation import Activation, FramePlace, moved
from worldline.codec.cwm.foreign.scan import ScannedFrame, Stop
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.reader import RawFrame
from worldline.codec.cwm.text import UNCHANGED

BUILTIN = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
COLLECTING = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
_CALLED = re.compile(r"([^\W\d][\w.]*)\(")
_TRIPLE = re.compile(r"\(<class '[^']*'>, .*, <traceback object[^>]*>\)\Z", re.DOTALL)
_GIVES = re.compile(r"\b(?:return|yield|await|lambda)\b")
_LINE_OF_DEF = re.compile(r"\s*(?:async\s+def|def|class|@)\b")


@dataclass
class Telling:
    """The scopes of one text, fed a frame at a time; `frames` are the frames with their events."""

    scopes: Activations
    frames: list[RawFrame] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Whether the outermost scope has returned."""
        return bool(self.frames) and not self.scopes.stack

    def feed(self, seen: ScannedFrame, following: ScannedFrame | Stop) -> None:
        """Take the next frame; the one after it may tell what it is."""
        event = seen.event or self._event(seen, following)
        if not self.scopes.stack and event != "call":  # the prompt had the first call
            self._take(RawFrame("call", dict(seen.locals or {}), self._entry(), None, seen.offset))
        self._take(RawFrame(event, dict(seen.locals or {}), seen.line, seen.arg, seen.offset))

    def _take(self, frame: RawFrame) -> None:
        place = self.scopes.place(frame.event, frame.line, frame.locals, frame.arg)
        if place is not None and frame.event in ("call", "line"):
            place.scope.names = _whole(frame.locals, place.scope.names)
        if frame.event == "line":
            self.visited.add(frame.line)
        self.frames.append(frame)

    def _entry(self) -> str:
        return self.scopes.lines.text(self.scopes.entry or 0)

    def _event(self, seen: ScannedFrame, following: ScannedFrame | Stop) -> str:
        if seen.locals is None:
            return "raise" if self._is_raise(seen, following) else "return"
        if not self.scopes.stack:
            return "line" if self._is_seeded(seen) else "call"
        return "call" if self._is_call(seen.line, seen.locals) else "line"

    def _is_seeded(self, seen: ScannedFrame) -> bool:
        """Whether the first frame is a line, because the prompt held the call before it."""
        return seen.line != self._entry() and seen.line not in self.scopes.calls

    def _is_call(self, text: str, names: Mapping[str, str]) -> bool:
        scopes, scope = self.scopes, self.scopes.stack[-1]
        begins = self._may_begin(text, names)
        if not begins and not self._may_wake(text, names):
            return False
        goes_on = self._goes_on(scope, text)
        if UNCHANGED in names.values():  # a call says everything anew
            return not goes_on and _LINE_OF_DEF.match(text) is not None and begins
        if not goes_on:
            return True
        flows = {flow for flow, _ in scope.last.positions}
        if not any(all(flow.names.shows(name) for name in names) for flow in flows):
            return True
        if scope.names.keys() - names.keys():
            return True
        said = scopes.places[-1].scope is scope and any(names[k] == v for k, v in scope.names.items())
        return said or (text in self.visited and scope.last.event != "call")

    def _may_begin(self, text: str, names: Mapping[str, str]) -> bool:
        shown = set(names)
        return any(flow.names.may_start_with(shown) for flow in self.scopes.calls.get(text, ()) if flow.name)

    def _may_wake(self, text: str, names: Mapping[str, str]) -> bool:
        return any(scope.names.keys() <= names.keys() for scope in self.scopes.waiting.get(text, ()))

    def _goes_on(self, scope: Activation, text: str) -> bool:
        """Whether a line frame of the innermost scope, or of one that an exception reaches, may stand here."""
        lines = self.scopes.numbers.get(text, frozenset())
        if moved(scope.last, "line", lines):
            return True
        around = self.scopes.stack[-2:-1] if scope.last.event == "raise" else []
        return any(moved(outer.last, "line", lines) for outer in around)

    def _is_raise(self, seen: ScannedFrame, following: ScannedFrame | Stop) -> bool:
        value = seen.arg or ""
        if _TRIPLE.match(value):
            return True
        if value == "None" or not self.scopes.stack:
            return False
        if seen.line.lstrip().startswith(("raise ", "raise\t")) or seen.line.strip() == "raise":
            return True
        if not self._is_exception(value):
            return False
        scope = self.scopes.stack[-1]
        names = {flow.name for flow, _ in scope.last.positions}
        if names and names <= COLLECTING:  # which gives a collection, or an exception on its way
            return True
        if not any(name.startswith("<") for name in names) and not _GIVES.search(seen.line):
            return True
        return self._is_handled(seen, following, scope)

    def _is_handled(self, seen: ScannedFrame, following: ScannedFrame | Stop, scope: Activation) -> bool:
        """Whether what follows is what follows an exception: its frame's end, or a line that handles it."""
        if isinstance(following, Stop):
            return False
        if following.locals is None:
            return following.line == seen.line and following.arg == "None"
        if all(
            flow.name == "<genexpr>" for flow, _ in scope.last.positions
        ):  # which handles nothing: it goes on
            return False
        lines = self.scopes.numbers
        here = moved(scope.last, "raise", lines.get(seen.line, frozenset()))
        raised = FramePlace(scope, "raise", here)
        return bool(moved(raised, "line", lines.get(following.line, frozenset())))

    def _is_exception(self, value: str) -> bool:
        match = _CALLED.match(value)
        if match is None:
            return False
        pending, met = [match[1].rpartition(".")[2]], set[str]()
        while pending:
            name = pending.pop()
            if name in BUILTIN or name.endswith(("Error", "Exception", "Warning")):
                return True
            met.add(name)
            pending.extend(base for base in self.scopes.bases.get(name, ()) if base not in met)
        return False


def _whole(names: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    return {name: known.get(name, value) if value == UNCHANGED else value for name, value in names.items()}
