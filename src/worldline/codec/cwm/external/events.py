"""Which event a frame without special tokens is, inferred from the source lines, the names and the control flow.

A frame with locals is a call or a line, one with a value a return or a raise. If both are possible, the likelier is
chosen. The line number of a text is not decided here.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.codec.cwm.activation import Activation, FramePlace, moved
from worldline.codec.cwm.external.scan import ScannedFrame, Stop
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.reader import RawFrame
from worldline.codec.cwm.text import UNCHANGED

BUILTIN_EXCEPTIONS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
COLLECTING = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
_CALLED = re.compile(r"([^\W\d][\w.]*)\(")
_TRIPLE = re.compile(r"\(<class '[^']*'>, .*, <traceback object[^>]*>\)\Z", re.DOTALL)
_GIVES = re.compile(r"\b(?:return|yield|await|lambda)\b")
_LINE_OF_DEF = re.compile(r"\s*(?:async\s+def|def|class|@)\b")


@dataclass
class EventInference:
    """The scopes of one text, fed one frame at a time; `frames` are the frames with their events."""

    scopes: Activations
    frames: list[RawFrame] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)

    @property
    def over(self) -> bool:
        """Whether the outermost scope has returned."""
        return bool(self.frames) and not self.scopes.stack

    def feed(self, seen: ScannedFrame, following: ScannedFrame | Stop) -> None:
        """Add the next frame; the frame after it helps to infer its event."""
        event = seen.event or self._event(seen, following)
        # The prompt had the first call.
        if not self.scopes.stack and event != "call":
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
        continues = self._continues(scope, text)
        # A call shows every value.
        if UNCHANGED in names.values():
            return not continues and _LINE_OF_DEF.match(text) is not None and begins
        if not continues:
            return True
        flows = {flow for flow, _ in scope.last.positions}
        if not any(all(flow.names.shows(name) for name in names) for flow in flows):
            return True
        if scope.names.keys() - names.keys():
            return True
        repeats = scopes.places[-1].scope is scope and any(names[k] == v for k, v in scope.names.items())
        return repeats or (text in self.visited and scope.last.event != "call")

    def _may_begin(self, text: str, names: Mapping[str, str]) -> bool:
        shown = set(names)
        return any(flow.names.may_start_with(shown) for flow in self.scopes.calls.get(text, ()) if flow.name)

    def _may_wake(self, text: str, names: Mapping[str, str]) -> bool:
        return any(scope.names.keys() <= names.keys() for scope in self.scopes.waiting.get(text, ()))

    def _continues(self, scope: Activation, text: str) -> bool:
        """Whether a line frame may stand here: of the innermost scope, or of one that an exception reaches."""
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
        # A comprehension returns a collection, so this is an exception.
        if names and names <= COLLECTING:
            return True
        if not any(name.startswith("<") for name in names) and not _GIVES.search(seen.line):
            return True
        return self._is_handled(seen, following, scope)

    def _is_handled(self, seen: ScannedFrame, following: ScannedFrame | Stop, scope: Activation) -> bool:
        """Whether the next frame follows an exception: the end of its frame, or a line that handles it."""
        if isinstance(following, Stop):
            return False
        if following.locals is None:
            return following.line == seen.line and following.arg == "None"
        # A generator expression handles nothing.
        if all(flow.name == "<genexpr>" for flow, _ in scope.last.positions):
            return False
        lines = self.scopes.numbers
        positions = moved(scope.last, "raise", lines.get(seen.line, frozenset()))
        raised = FramePlace(scope, "raise", positions)
        return bool(moved(raised, "line", lines.get(following.line, frozenset())))

    def _is_exception(self, value: str) -> bool:
        match = _CALLED.match(value)
        if match is None:
            return False
        pending, met = [match[1].rpartition(".")[2]], set[str]()
        while pending:
            name = pending.pop()
            if name in BUILTIN_EXCEPTIONS or name.endswith(("Error", "Exception", "Warning")):
                return True
            met.add(name)
            pending.extend(base for base in self.scopes.bases.get(name, ()) if base not in met)
        return False


def _whole(names: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    return {name: known.get(name, value) if value == UNCHANGED else value for name, value in names.items()}
