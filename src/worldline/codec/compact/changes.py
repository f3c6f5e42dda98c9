"""The changes of a compact line, written and read: ` n=0 xs[3]=5 -x b&a`, and what the text has shown so far.

With a reveal spacing, the changes of a frame accumulate until one of its steps is revealed. With element deltas, a
change is written against the value last shown. `KnownNames` tracks both, for the writer and for the parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.codec.compact.element import apply, change, read_edit
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.words import Fault, name_text, read_name, read_value
from worldline.core.malformed import Malformed
from worldline.core.trace import Step


@dataclass
class Changes:
    """The content of one list of changes."""

    delta: dict[str, str] = field(default_factory=dict)
    gone: dict[str, None] = field(default_factory=dict)
    same: dict[str, str | None] = field(default_factory=dict)
    # Names whose statement assigned them, with the same value or another.
    assigned: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.delta or self.gone or self.same)


class KnownNames:
    """What a text has shown of the names of each frame, and what has changed since.

    In the mode `assigned`, a name that a statement assigns is written even if its value stays; read back, it is no
    change. In `loose` mode, a name that is revealed again with its old value is no change; `restated` holds its place
    in the line.
    """

    def __init__(self, options: Compact, budget: int = 0, *, loose: bool = False) -> None:
        self._options, self._budget = options, budget
        self._element = options.delta == "element"
        self._exact, self._assigned = options.reveal == 1, options.assigned
        self._loose = loose and not self._exact and not self._element
        self.restated: dict[str, tuple[int, int]] = {}
        self._values: dict[int, dict[str, str]] = {}
        self._aliases: dict[int, dict[str, str]] = {}
        self._waiting: dict[int, Changes] = {}

    def forget(self, frame: int) -> None:
        """Forget a frame that has ended."""
        self._values.pop(frame, None)
        self._aliases.pop(frame, None)
        self._waiting.pop(frame, None)

    def write(self, step: Step, revealed: bool, assigned: Iterable[str] = ()) -> str:
        """Write the changes of a step: none if it is not revealed, otherwise all since the last reveal.

        `assigned` are names that come first, and with their old value if they have no new one.
        """
        if self._exact:
            delta = self._with_assigned(step, assigned) if self._assigned else step.delta
            if not (delta or step.gone or step.same):
                return ""
            changes = Changes(delta, dict.fromkeys(step.gone), step.same)
        else:
            changes = self._add_up(step, assigned)
            if not revealed:
                return ""
            del self._waiting[step.frame]
            changes = self._net(step.frame, changes)
        known = self._values.setdefault(step.frame, {})
        items = [self._item(known, name, value) for name, value in changes.delta.items()]
        items += [f"-{name_text(name)}" for name in changes.gone]
        if self._options.same:
            items += [f"{name_text(a)}&{name_text(b) if b is not None else ''}" for a, b in changes.same.items()]
        self._remember(step.frame, changes)
        return "".join(f" {item}" for item in items)

    def _with_assigned(self, step: Step, assigned: Iterable[str]) -> dict[str, str]:
        """The new values of a step and the old ones of assigned names, which come first."""
        known = self._values.get(step.frame, {})
        values = {name: step.delta.get(name, known.get(name)) for name in assigned if name not in step.gone}
        return {name: value for name, value in values.items() if value is not None} | step.delta

    def _item(self, known: dict[str, str], name: str, value: str) -> str:
        return self._spelled(name_text(name), known.get(name), value)

    def _spelled(self, label: str, old: str | None, new: str) -> str:
        """A new value as edits of the old one if that is shorter; a value that stays is written whole."""
        return change(label, old, new) if self._element and old != new else f"{label}={new}"

    def _add_up(self, step: Step, assigned: Iterable[str] = ()) -> Changes:
        waiting = self._waiting.setdefault(step.frame, Changes())
        known = self._values.get(step.frame, {})
        for name in assigned:
            waiting.assigned.add(name)
            if name in known and name not in waiting.gone:
                waiting.delta.setdefault(name, known[name])
        for name in step.gone:
            waiting.delta.pop(name, None)
            waiting.gone[name] = None
        for name, value in step.delta.items():
            waiting.delta[name] = value
            waiting.gone.pop(name, None)
        waiting.same.update(step.same)
        return waiting

    def _net(self, frame: int, changes: Changes) -> Changes:
        """The changes that differ from what was shown last."""
        known, aliases = self._values.get(frame, {}), self._aliases.get(frame, {})
        new = {
            name: value for name, value in changes.delta.items() if known.get(name) != value or name in changes.assigned
        }
        # With assigned names, those that were shown before come first, in the order of that.
        delta = {name: new[name] for name in known if name in new} | new if self._assigned else new
        return Changes(
            delta,
            dict.fromkeys(name for name in changes.gone if name in known),
            {name: other for name, other in changes.same.items() if aliases.get(name) != other},
        )

    def _remember(self, frame: int, changes: Changes) -> None:
        if self._exact and not self._element and not self._assigned:
            return
        known, aliases = self._values.setdefault(frame, {}), self._aliases.setdefault(frame, {})
        for name in changes.gone:
            known.pop(name, None)
        known.update(changes.delta)
        for name, other in changes.same.items():
            if other is None:
                aliases.pop(name, None)
            else:
                aliases[name] = other

    def read(self, frame: int, text: str, at: int) -> tuple[Changes, int]:
        """Read the changes of a frame that start at `at` with a space. Returns their end too."""
        changes = Changes()
        if at == len(text):
            return changes, at
        known = self._values.get(frame, {})
        while at < len(text) and text[at] == " " and text[at + 1 : at + 2] != "|":
            at = self._read_change(changes, known, text, at + 1)
        if self._assigned:
            changes.delta = {name: value for name, value in changes.delta.items() if known.get(name) != value}
        self._remember(frame, changes)
        return changes, at

    def _read_change(self, changes: Changes, known: dict[str, str], text: str, at: int) -> int:
        minus = text[at : at + 1] == "-"
        name, end = read_name(text, at + minus)
        mark = text[end : end + 1]
        if self._element and (mark in ("[", ".", "+") or (mark == "-" and not minus)):
            if changes.gone or changes.same:
                raise Fault(at, "a deleted name")
            return self._read_edits(changes, known, text, at)
        if mark == "&" and not minus and self._options.same:
            return self._read_alias(changes, name, text, end + 1)
        if name in changes.delta or name in changes.gone or name in self.restated or changes.same:
            raise Fault(at, "another name")
        if minus:
            changes.gone[name] = None
            return end
        if mark != "=" or changes.gone:
            raise Fault(end if mark != "=" else at, "=" if mark != "=" else "a deleted name")
        changes.delta[name], stop = read_value(text, end + 1)
        if self._element and name in known:
            self._check(name, known[name], changes.delta[name], text[at:stop], at)
        if self._loose and known.get(name) == changes.delta[name]:
            del changes.delta[name]
            self.restated[name] = (at - 1, stop)
        return stop

    def _read_alias(self, changes: Changes, name: str, text: str, at: int) -> int:
        if name in changes.same:
            raise Fault(at, "another name")
        if text[at : at + 1] in ("", " "):
            changes.same[name] = None
            return at
        changes.same[name], end = read_name(text, at)
        return end

    def _read_edits(self, changes: Changes, known: dict[str, str], text: str, start: int) -> int:
        """Read all edits of one name, which follow each other."""
        first = text[start : start + 1] == "-"
        name, _ = read_name(text, start + first)
        label, at = name_text(name), start
        if name in changes.delta or name not in known:
            raise Fault(start, "a name that has a value, once")
        value = known[name]
        while True:
            minus = text[at] == "-"
            read = read_edit(text, at + minus + len(label), minus)
            if isinstance(read, Malformed):
                raise Fault(read.offset, read.expected)
            new = apply(value, read[0])
            self._spend(len(value), at)
            if new is None:
                raise Fault(at, "an edit that fits the value")
            value, end = new, read[1]
            if not _has_more_edits(text, end, label):
                break
            at = end + 1
        self._check(name, known[name], value, text[start:end], start)
        changes.delta[name] = value
        return end

    def _check(self, name: str, old: str, new: str, written: str, at: int) -> None:
        self._spend(len(old) + len(new), at)
        if self._spelled(name_text(name), old, new) != written:
            raise Fault(at, "the canonical form of the change")

    def _spend(self, size: int, at: int) -> None:
        """Bound what edits unfold to: they are short and values are long."""
        self._budget -= size
        if self._budget < 0:
            raise Fault(at, "values within the budget")


def _has_more_edits(text: str, at: int, label: str) -> bool:
    """Whether another edit of the same name follows."""
    after = at + 1 + (text[at + 1 : at + 2] == "-") + len(label)
    if text[at : at + 1] != " " or text[after - len(label) : after] != label:
        return False
    return text[after : after + 1] in ("[", ".", "+") or text[after : after + 2] == "-="
