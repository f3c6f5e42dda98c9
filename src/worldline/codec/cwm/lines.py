"""Which line a text means: a stack of scopes that calls push and returns pop, with suspended generators beside it.

Control flow within the scope comes first, then a line of the same code object, then of the source. Several answers
stay several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from worldline.analyze.flow.control import Flow
from worldline.analyze.flow.kin import kin
from worldline.analyze.flow.names import Names
from worldline.codec.cwm.activation import Activation, FramePlace, Position, moved, narrow
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import UNCHANGED, SourceListing
from worldline.core.language import LANGUAGES
from worldline.core.value import kind

# What a generator returns that ends without a `return`.
_NOTHING = ("None", "<undefined>")
_ATOMS = frozenset(("None", "bool", "int", "float", "str", "bytes"))
# Suspended generators that a call is compared with.
MAX_WAITING = 8
_NONE: frozenset[str] = frozenset()
_NO_LINES: frozenset[int] = frozenset()
_ALL_NAMES = Names(_NONE, _NONE, _NONE, _NONE, whole=True)
# The code object of lines that belong to none.
NO_CODE = Flow("", 0, 0, "", (), _ALL_NAMES, _NO_LINES, {}, {}, _NO_LINES, _NO_LINES)
_CLASS = re.compile(r"<?([^\W\d][\w.]*)(?:#\d+)?[(>]")


@dataclass
class Activations:
    """The scopes of one prediction, fed one frame at a time."""

    lines: SourceListing
    flows: tuple[Flow, ...]
    entry: int | None
    language: str = "python"
    every: list[Activation] = field(default_factory=list)
    places: list[FramePlace] = field(default_factory=list)
    stack: list[Activation] = field(default_factory=list)
    waiting: dict[str, list[Activation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers: dict[str, list[int]] = {}
        for number, text in enumerate(self.lines.lines[1:], 1):
            numbers.setdefault(text, []).append(number)
        self.numbers = {text: frozenset(same) for text, same in numbers.items()}
        self.calls: dict[str, list[Flow]] = {}
        self.holders: dict[int, list[Flow]] = {}
        for flow in self.flows:
            self.calls.setdefault(self.lines.text(flow.line), []).append(flow)
            for line in flow.next.keys() | flow.start:
                self.holders.setdefault(line, []).append(flow)
        self.bases = {flow.name: flow.bases for flow in self.flows if flow.bases}
        self.known_kin: dict[str, frozenset[str]] = {}

    def place(self, event: str, text: str, names: Mapping[str, str], arg: str | None) -> FramePlace | None:
        """Return where a frame stands, or None if no scope is open for it."""
        if event != "call" and not self.stack:
            return None
        place = self._call(text, names) if event == "call" else self._move(event, text)
        place.scope.places.append(place)
        self.places.append(place)
        if event == "return":
            self._leave(self.stack.pop(), text, arg)
        return place

    def _move(self, event: str, text: str) -> FramePlace:
        """A frame of the innermost scope, or of the one around it if an exception just left the innermost."""
        scope, lines = self.stack[-1], self.numbers.get(text, frozenset())
        positions = moved(scope.last, event, lines)
        if positions:
            return FramePlace(scope, event, positions)
        if scope.last.event == "raise" and event != "return" and len(self.stack) > 1:
            positions = moved(self.stack[-2].last, event, lines)
            if positions:
                self.stack.pop()
                return FramePlace(self.stack[-1], event, positions)
        flows = dict.fromkeys(flow for flow, _ in scope.last.positions)
        own = [(flow, line) for line in sorted(lines) for flow in self.holders.get(line, ()) if flow in flows]
        return FramePlace(scope, event, narrow(own) or self._anywhere(lines), allowed=not self.flows)

    def _anywhere(self, lines: frozenset[int]) -> list[Position]:
        """All lines of one text, in every code object; a line of none, such as a comment, is still a line."""
        return narrow([(flow, line) for line in sorted(lines) for flow in self.holders.get(line, [NO_CODE])])

    def _leave(self, scope: Activation, text: str, arg: str | None) -> None:
        scope.spent = arg in _NOTHING
        scope.left_at = self._now()
        if any(line in flow.yields for flow, line in scope.last.positions):
            waiting = self.waiting.setdefault(text, [])
            waiting.append(scope)
            del waiting[:-MAX_WAITING]

    def _now(self) -> tuple[int, int]:
        """The innermost scope and its number of frames: the same until it moves on."""
        return (self.stack[-1].serial, len(self.stack[-1].places)) if self.stack else (-1, 0)

    def _call(self, text: str, names: Mapping[str, str]) -> FramePlace:
        fresh = self._fresh(text, names)
        woken = [] if any(flow.name == "<genexpr>" for flow in fresh) else self._woken(text, names)
        if woken and not (fresh and (woken[0].spent or _differs(woken[0], names))):
            scope = woken[0]
            self.waiting[text].remove(scope)
            positions = list(dict.fromkeys(position for other in woken for position in other.last.positions))
            raised = len(scope.places) > 1 and scope.places[-2].event == "raise"
            place = FramePlace(scope, "call", positions, raised=raised)
        else:
            scope = Activation(len(self.every))
            self.every.append(scope)
            flows = fresh or self.calls.get(text, [])
            starts = narrow([(flow, flow.line) for flow in flows])
            place = FramePlace(scope, "call", starts) if starts else self._unknown_call(scope, text)
        self.stack.append(scope)
        return place

    def _unknown_call(self, scope: Activation, text: str) -> FramePlace:
        """A call on a line that starts no code object."""
        return FramePlace(scope, "call", self._anywhere(self.numbers.get(text, frozenset())), allowed=not self.flows)

    def _fresh(self, text: str, names: Mapping[str, str]) -> list[Flow]:
        """The code objects that a call on this line with these names may start."""
        shown = set(names)
        fresh = [flow for flow in self.calls.get(text, []) if flow.names.may_start_with(shown)]
        if not self.every and self.entry is not None:
            fresh = [flow for flow in fresh if self.entry in (flow.line, flow.defined)] or fresh
        # Code without a name executes where it stands.
        if len({flow.line for flow in fresh}) > 1 and self.stack:
            current = {line for _, line in self.stack[-1].last.positions}
            fresh = [flow for flow in fresh if not flow.name.startswith("<") or flow.line in current] or fresh
        if len({flow.line for flow in fresh}) > 1:
            receiver = LANGUAGES[self.language].receiver
            own = next(iter(names.values()), "") if receiver is None else names.get(receiver, "")
            first = _CLASS.match(respelled(own))
            related = self._kin(first[1]) if first else set()
            fresh = [flow for flow in fresh if flow.owner in related] or fresh
        return fresh

    def _kin(self, name: str) -> AbstractSet[str]:
        """A class and its bases, as far as the source names them: the owners of its methods."""
        if not LANGUAGES[self.language].has_syntax_tree:
            if name not in self.known_kin:
                self.known_kin[name] = kin(name, "\n".join(self.lines.lines[1:]), self.language) or _NONE
            return self.known_kin[name]
        related, pending = {name}, [name]
        while pending:
            fresh = [base for base in self.bases.get(pending.pop(), ()) if base not in related]
            related.update(fresh)
            pending.extend(fresh)
        return related

    def _woken(self, text: str, names: Mapping[str, str]) -> list[Activation]:
        """The suspended generators that a call fits best; several only if they fit equally well.

        Of equals the oldest comes first if they were left on this very line, as in a zip, or if nothing is running,
        as in a queue of promises; otherwise the newest.
        """
        best: list[Activation] = []
        score, now = (False, False, False, -1), self._now()
        for scope in self.waiting.get(text, []):
            if len(scope.names) > len(names) or not scope.names.keys() <= names.keys():
                continue
            if not any(all(flow.names.shows(name) for name in names) for flow, _ in scope.last.positions):
                continue
            agreeing = sum(names[name] == value for name, value in scope.names.items())
            fit = not scope.spent, not _differs(scope, names), scope.left_at == now, agreeing
            if fit > score:
                best, score = [], fit
            best += [scope] if fit == score else []
        return best if score[2] or not self.stack else best[::-1]


def _differs(scope: Activation, names: Mapping[str, str]) -> bool:
    """Whether a name has another value than when the scope was left, of a kind that does not change in place."""
    changed = (value for name, value in scope.names.items() if names[name] not in (value, UNCHANGED))
    return any(kind(value) in _ATOMS for value in changed)
