"""Every value of a run in the order in which people see it, and which object it is.

Row p shows what happened between event p and the next one (`core.events.shown_at`). A value has a root, which names its
outermost container (`contents`). If the recorder has numbered the containers (`Trace.held`), a place that holds one is
linked to its number. Otherwise names that share an object have one root: because the trace says so (`same`), or
because a line hands the object on (`aliases`) and the values agree. Values of one frame are known at the same time, so
two names that differ are separated.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.codec.reading import Event
from worldline.core.node import text as text_of
from worldline.core.value import Value
from worldline.diagnose.why.value_history import Write
from worldline.ui.session.heap.aliases import (
    CalledSignature,
    ReadObject,
    assigned_object,
    is_call,
    passed_object,
    returned_object,
    returned_parts,
    stored_objects,
)
from worldline.ui.session.heap.contents import BoxContents, BoxReader, parsed, part_text
from worldline.ui.session.marks.natives import native_names
from worldline.ui.session.marks.sharing import line_names
from worldline.ui.session.run import Run

_MUTABLE = ("list", "dict", "set", "deque")


class RootedValue(NamedTuple):
    """A value of a name from a row on: its text (None: deleted), the step that wrote it, its root.

    `since` is the row that shows the value first, earlier than `row` if only the root is new. `bound` is the row that
    shows the name with this object first, earlier than `since` if the object has changed.
    """

    row: int
    text: str | None
    writer: int
    root: str
    since: int
    bound: int


class BoxChange(NamedTuple):
    """A row at which an object is new or changes, and the keys of the changed parts (none of them: it is new)."""

    row: int
    box: str
    keys: tuple[str, ...]


class _Derived(NamedTuple):
    """Why a name has the root of a part: the name it is a part of, and the keys to it."""

    name: str
    keys: tuple[str, ...]


@dataclass
class _FrameNow:
    """The names of one frame while the run is read."""

    values: dict[str, RootedValue] = field(default_factory=dict)
    derived: dict[str, _Derived] = field(default_factory=dict)


class RunObjects:
    """The values of a run by row, their roots, and when objects changed."""

    def __init__(self, run: Run, held: Mapping[tuple[int, str], tuple[int, ...]] | None = None) -> None:
        self.run, self.events = run, run.events
        self._held = held
        self._numbers: dict[tuple[int, str], tuple[int, ...]] = {}  # of the containers of each frame's names, now
        self.reader = BoxReader(has_pointers="Ptr" in native_names(run.ask.program.lang.name).objects)
        self.names: dict[int, dict[str, list[RootedValue]]] = {}
        self.returned: dict[int, tuple[str, str]] = {}
        """By row that returns, yields or raises: the value and its root."""
        self.changes: list[BoxChange] = []
        self._lang = run.ask.program.lang
        self._sources: dict[str | None, str] = {None: run.ask.program.source, **dict(run.ask.program.files)}
        self._now: dict[int, _FrameNow] = {}
        self._contents: dict[str, BoxContents] = {}
        self._linked: set[str] = set()  # the objects that a link leads to
        self._read()

    def at(self, frame: int, row: int) -> Iterator[tuple[str, RootedValue]]:
        """Yield the names of a frame with their values after a row."""
        for name, values in self.names.get(frame, {}).items():
            at = bisect_right(values, row, key=lambda value: value.row)
            if at and values[at - 1].text is not None:
                yield name, values[at - 1]

    def changes_at(self, row: int) -> Sequence[BoxChange]:
        """Return the objects that a row changes."""
        start = bisect_right(self.changes, row - 1, key=lambda change: change.row)
        end = bisect_right(self.changes, row, key=lambda change: change.row)
        return self.changes[start:end]

    def _read(self) -> None:
        writes: dict[int, dict[int, list[Write]]] = {}
        settled: dict[int, list[int]] = {}
        renumbered: dict[int, list[str]] = {}
        for at, name in self._held or ():
            renumbered.setdefault(at, []).append(name)
        for step in range(len(self.events)):
            for write in self.run.writes(step):
                writes.setdefault(write.writer, {}).setdefault(write.frame, []).append(write)
        for step in range(len(self.events)):
            row = self.run.history.shown_at(step)
            if step in writes or self.events[step].same or step in renumbered:
                settled.setdefault(row, []).append(step)
        for row, moment in enumerate(self.events):
            self.reader.row = row
            if moment.arg is not None and moment.event in ("return", "yield", "raise"):
                self._return(row, moment)  # before what the caller does with it
            for step in reversed(settled.get(row, ())):  # a caller's line ends after what it called
                for name in renumbered.get(step, ()):
                    self._renumber(row, step, name)
                for frame, changes in writes.get(step, {self.events[step].frame: []}).items():
                    self._settle(row, step, frame, changes)
            if moment.event == "return":
                self._now.pop(moment.frame, None)

    def _settle(self, row: int, step: int, frame: int, changes: Sequence[Write]) -> None:
        """Apply the changes of a step, which a row shows."""
        moment, now = self.events[step], self._now.setdefault(frame, _FrameNow())
        for write in changes:
            root = self._root(row, moment, now, write)
            if self._held is not None:
                self.reader.number(write.text or "", root, self._numbers.get((frame, write.name), ()))
            bound = self._bound_row(row, now.values.get(write.name), write.text, root)
            self._put(frame, write.name, RootedValue(row, write.text, step, root, row, bound))
        if moment.frame == frame:
            for name, other in moment.same.items():
                self._share(row, frame, now, name, other)
            self._store(row, moment, now)
        for name in [] if self._held is not None else [*(write.name for write in changes), *now.derived]:
            self._check(row, frame, now, name)
        written = [now.values[write.name] for write in changes if write.text is not None]
        if self._linked and any(self._linked & set(self._boxes(value)) for value in written):
            self._check_links(now)
        for value in written:
            self._note_changes(row, value.text or "", value.root)

    def _renumber(self, row: int, step: int, name: str) -> None:
        """Note which containers a name holds from a step on. Without a change of its text, it holds another one now."""
        frame, numbers = self.events[step].frame, (self._held or {})[step, name]
        self._numbers[frame, name] = numbers
        value = self._now.setdefault(frame, _FrameNow()).values.get(name)
        if value is not None and value.text is not None:
            root = f"f{frame}.{name}@{row}"
            self.reader.number(value.text, root, numbers)
            self._put(frame, name, value._replace(row=row, root=root, bound=row))

    def _boxes(self, value: RootedValue) -> dict[str, BoxContents]:
        return self.reader.read(value.text or "", value.root)[1]

    def _bound_row(self, row: int, old: RootedValue | None, text: str | None, root: str) -> int:
        """The row that shows a name with its object first."""
        if old is None or old.text is None or text is None:
            return row
        slot = self.reader.slot(text, root)
        return old.bound if slot.ref and slot == self.reader.slot(old.text, old.root) else row

    def _put(self, frame: int, name: str, value: RootedValue) -> None:
        now = self._now.setdefault(frame, _FrameNow())
        now.values[name] = value
        history = self.names.setdefault(frame, {}).setdefault(name, [])
        if history and history[-1].row == value.row:
            history[-1] = value
        else:
            history.append(value)

    def _root(self, row: int, moment: Event, now: _FrameNow, write: Write) -> str:
        """The root of a value that is written: that of the object that the line hands on, else an own one."""
        old = now.values.get(write.name)
        fresh = f"f{write.frame}.{write.name}@{row}"
        if self._held is not None:
            return fresh
        if write.text is None:
            now.derived.pop(write.name, None)
            return fresh
        is_new = old is None or old.text is None
        if not is_new and old is not None and write.name not in self._bound(moment):
            return old.root  # changed in place
        now.derived.pop(write.name, None)
        return self._handed(row, moment, now, write) or fresh

    def _bound(self, moment: Event) -> frozenset[str]:
        if moment.line is None or not self._lang.shares_objects:
            return frozenset()
        return line_names(self._sources.get(moment.file, ""), moment.line, self._lang.name).bound

    def _handed(self, row: int, moment: Event, now: _FrameNow, write: Write) -> str | None:
        """The root of the object that a line makes a name of, or that a call passes."""
        source, line, language = self._sources.get(moment.file, ""), moment.line or 0, self._lang.name
        text = write.text or ""
        value = parsed(text)
        if value is None or not (_may_be_shared(text) or self.reader.is_pointer(value)):
            return None
        if moment.event == "call":
            return self._passed(row, moment, write.name, text)
        if not self._lang.shares_objects:
            return None
        read = assigned_object(source, line, write.name, language)
        if read is not None and read.name != write.name:
            return self._part_root(now, read, text, write.name)
        if is_call(source, line, write.name, language):
            return self._result_root(write.writer, row, text)
        return None

    def _passed(self, row: int, moment: Event, name: str, text: str) -> str | None:
        """The root of what the caller passes for a parameter."""
        caller = self._now.get(moment.parent)
        line = self.run.line(moment.parent, row) if moment.parent >= 0 else None
        if caller is None or line is None:
            return None
        info = self.run.frame(moment.frame)
        source = self._sources.get(self.run.frame(moment.parent).file, "")
        function = CalledSignature(info.function, self._sources.get(moment.file, ""), info.line, tuple(moment.values))
        read = passed_object(source, line, name, function, self._lang.name)
        value = parsed(text)
        if read is None or value is None:
            return None
        if not self.reader.is_pointer(value):
            return self._part_root(caller, read, text, None) if self._lang.shares_objects else None
        array = caller.values.get(read.name)
        if array is not None and array.text == text_of(value.items[0]):  # an array that is passed as a pointer
            self.reader.link(f"o{value.number}", array.root)
        return None

    def _part_root(self, now: _FrameNow, read: ReadObject, text: str, name: str | None) -> str | None:
        """The root of a part of a name, if it has this text. `name` gets this root."""
        owner = now.values.get(read.name)
        if owner is None or owner.text is None:
            return None
        for keys in self._spelled(now, read.keys, owner):
            part = self.reader.part(owner.text, owner.root, keys)
            if part is not None and not part[0].number and _agree(text_of(part[0]), text):
                if keys and name is not None:
                    now.derived[name] = _Derived(read.name, keys)
                return part[1]
        return None

    def _spelled(
        self, now: _FrameNow, keys: Sequence[str | ast.Name | None], owner: RootedValue
    ) -> Iterator[tuple[str, ...]]:
        """The keys with the values of their indices; of a loop, those of every element."""
        spelled = list[str]()
        for key in keys:
            if isinstance(key, ast.Name):
                index = now.values.get(key.id)
                if index is None or index.text is None:
                    return
                spelled.append(f"[{index.text}]")
            elif key is not None:
                spelled.append(key)
        if None not in keys:
            yield tuple(spelled)
            return
        part = self.reader.part(owner.text or "", owner.root, spelled)
        for i in range(len(part[0].items) if part is not None and part[0].kind in ("list", "tuple", "deque") else 0):
            yield (*spelled, f"[{i}]")

    def _result_root(self, step: int, row: int, text: str) -> str | None:
        """The root of what a call returned to the line of a step."""
        frame = self.events[step].frame
        for at in range(row, step, -1):
            if at in self.returned and self.events[at].parent == frame and self.returned[at][0] == text:
                return self.returned[at][1]
        return None

    def _return(self, row: int, moment: Event) -> None:
        text, root = moment.arg or "", f"r{row}"
        if self._held is not None:
            self.reader.number(text, root, self._held.get((row, ""), ()))
        elif _may_be_shared(text) and self._lang.shares_objects and moment.event != "raise" and moment.line:
            source = self._sources.get(moment.file, "")
            read = returned_object(source, moment.line, self._lang.name)
            if read is not None:
                root = self._part_root(self._now.get(moment.frame, _FrameNow()), read, text, None) or root
            for key, part in returned_parts(source, moment.line, self._lang.name):
                box = self._part_root(self._now.get(moment.frame, _FrameNow()), part, part_text(text, key), None)
                if box is not None:
                    self.reader.link(f"{root}{key}", box)
            if read is None and is_call(source, moment.line, None, self._lang.name):
                start = next((i for i in range(row - 1, -1, -1) if self.events[i].frame == moment.frame), row)
                root = self._result_root(start, row - 1, text) or root
        self.returned[row] = text, root
        self._note_changes(row, text, root)

    def _share(self, row: int, frame: int, now: _FrameNow, name: str, other: str | None) -> None:
        """Apply a mark of the trace: a name shares the object of another one, or no longer does."""
        value = now.values.get(name)
        if value is None or value.text is None or (frame, name) in self._numbers:
            return
        now.derived.pop(name, None)
        target = None if other is None else now.values.get(other)
        if target is None:
            if any(entry.root == value.root for key, entry in now.values.items() if key != name):
                self._put(frame, name, value._replace(row=row, root=f"f{frame}.{name}@{row}"))
            return
        node = parsed(value.text)
        if node is not None and self.reader.is_pointer(node):
            box = f"o{node.number}"
            whole = parsed(target.text or "")
            if whole is None or not whole.number:
                self.reader.link(box, target.root)
                if whole is None or whole.kind not in _MUTABLE:
                    self.reader.plain_names.add(target.root)
        else:
            self._put(frame, name, value._replace(row=row, root=target.root))

    def _store(self, row: int, moment: Event, now: _FrameNow) -> None:
        """Link the parts of objects that a line assigns to the objects that it stores there."""
        if self._held is not None:
            return
        if moment.event != "line" or moment.line is None or not self._lang.shares_objects:
            return
        for stored in stored_objects(self._sources.get(moment.file, ""), moment.line, self._lang.name):
            owner = now.values.get(stored.name)
            value = None if stored.value is None else now.values.get(stored.value)
            if owner is None or owner.text is None or (stored.value is not None and value is None):
                continue
            for keys in self._spelled(now, stored.keys, owner):
                self._store_part(row, owner, keys, value)

    def _store_part(self, row: int, owner: RootedValue, keys: Sequence[str], value: RootedValue | None) -> None:
        """Link one part of an object to the object of a value, or to a new one."""
        part = self.reader.part(owner.text or "", owner.root, keys[:-1])
        stored = self.reader.part(owner.text or "", owner.root, keys)
        if part is None or stored is None or stored[0].number or stored[0].kind not in _MUTABLE:
            return
        place = part[1] + self.reader.spelled(part[0], keys[-1])
        if value is None and self.reader.resolve(place) in self._contents:
            self._link(place, f"{place}@{row}")
        elif value is not None and _agree(text_of(stored[0]), value.text or ""):
            self._link(place, self.reader.resolve(value.root))

    def _link(self, place: str, box: str) -> None:
        self.reader.link(place, box)
        self._linked.add(box)

    def _check_links(self, now: _FrameNow) -> None:
        """End the links of places that hold another value than the object: all values of a frame are known together."""
        holders: dict[str, list[tuple[str, BoxContents]]] = {}
        for value in now.values.values():
            for place, box, contents in self.reader.places(value.text or "", value.root):
                holders.setdefault(box, []).append((place, contents))
        for box, places in holders.items():
            expected = next((contents for place, contents in places if place == box), places[0][1])
            for place, contents in places:
                if place != box and contents != expected:
                    self.reader.link(place, place)

    def _check(self, row: int, frame: int, now: _FrameNow, name: str) -> None:
        """Separate a name from an object that has another value than the name."""
        value, derived = now.values.get(name), now.derived.get(name)
        if value is None or value.text is None or not _may_be_shared(value.text):
            now.derived.pop(name, None)
            return
        others = [entry.text for key, entry in now.values.items() if key != name and entry.root == value.root]
        if derived is not None and (owner := now.values.get(derived.name)) is not None and owner.text is not None:
            part = self.reader.part(owner.text, owner.root, derived.keys)
            if part is None or part[1] == value.root:
                others.append(None if part is None else text_of(part[0]))
        if any(other is None or not _agree(other, value.text) for other in others):
            now.derived.pop(name, None)
            self._put(frame, name, value._replace(row=row, root=f"f{frame}.{name}@{row}"))

    def _note_changes(self, row: int, text: str, root: str) -> None:
        for box, contents in self.reader.read(text, root)[1].items():
            before = self._contents.get(box)
            if before == contents:
                continue
            keys = () if before is None else contents.changed_keys(before)
            self._contents[box] = contents
            self.changes.append(BoxChange(row, box, keys))


def _may_be_shared(text: str) -> bool:
    """Whether a value is a container without a number, or a tuple that holds one."""
    value = parsed(text)
    return value is not None and (value.kind in _MUTABLE or _holds_container(value))


def _holds_container(value: Value) -> bool:
    return value.kind == "tuple" and any(item.kind in (*_MUTABLE, "object") for item in value.items)


def _agree(text: str, other: str) -> bool:
    """Whether two texts may be the same object. Labels depend on where a value begins; then one level is compared."""
    if text == other:
        return True
    if "#" not in text + other:
        return False
    values = parsed(text), parsed(other)
    if values[0] is None or values[1] is None:
        return False
    return _level(values[0]) == _level(values[1])


def _level(value: Value) -> list[tuple[str, str]]:
    parts = [*value.items, *(part for _, part in value.fields)]
    return [(value.kind, ""), *((part.kind, part.atom) for part in parts if not part.items and part.kind != "ref")]
