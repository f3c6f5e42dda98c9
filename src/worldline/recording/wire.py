"""Decode the wire (docs/reference/format.md, section 3) into columns. native/wire.c is the fast twin.

Decoding never fails: any bytes give their records up to the first damage, and the offset of that
damage. Records that an honest guest never writes count as damage too: a step beyond the limit, or
more bytes than a wire may hold. So a wire cannot make the host use more than a small multiple of
`trace_bytes` (docs/reference/limits.md). No length, id or text is trusted before it is checked.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

from worldline.core.events import CHANGELESS, EVENTS, OUTCOMES
from worldline.core.texts.spliced import SplicedTexts, SpliceTable
from worldline.core.trace import NO_TEXT, Columns, ConditionalJump, Frame, Hidden, Outcome

try:
    from worldline import _wire as _native
except ImportError:  # built without a compiler: use the decoder below
    _native = None

HEADER = 64
MAGIC = b"WLW1"
_EVENT_OF = {
    0x02: "call",
    0x03: "resume",
    0x05: "line",
    0x06: "return",
    0x07: "yield",
    0x08: "raise",
    0x09: "output",
    0x0A: "input",
    0x0B: "exit",
}
_CODE = {tag: EVENTS.index(event) for tag, event in _EVENT_OF.items()}
_CHANGELESS = tuple(tag for tag, event in _EVENT_OF.items() if event in CHANGELESS)
_DRAW = 0x23
# A value of so many bytes may be the base of a splice (guests/wire_writer.py).
LARGE = 256
_COLUMN = 1 << 32
_RECORD_WEIGHT, _TEXT_WEIGHT = 8, 32  # beside the bytes, as guests/wire_writer.py counts them
UNBOUNDED = 1 << 62
_COLUMNS = tuple(column.name for column in fields(Columns))


@dataclass
class FrameColumns(Sequence[Frame]):
    """The frames of one trace in parallel buffers; `Frame` views are created on demand.

    `parent` is stored plus one; 0 means that there is none.
    """

    texts: Sequence[str]
    name: array[int] = field(default_factory=lambda: array("I"))
    file: array[int] = field(default_factory=lambda: array("I"))
    parent: array[int] = field(default_factory=lambda: array("I"))
    depth: array[int] = field(default_factory=lambda: array("I"))

    def __len__(self) -> int:
        return len(self.name)

    @overload
    def __getitem__(self, at: int) -> Frame: ...
    @overload
    def __getitem__(self, at: slice) -> list[Frame]: ...
    def __getitem__(self, at: int | slice) -> Frame | list[Frame]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        serial = range(len(self))[at]
        name, file = self.texts[self.name[serial]], self.texts[self.file[serial]]
        return Frame(serial, name, file, self.parent[serial] - 1, self.depth[serial])


@dataclass
class Decoded:
    """The content of a wire. `damage` is the offset of the first malformed record; None: there is none.

    `held` has the containers that a value holds, by step and name, as `Trace.held`; `jumps` is `Trace.jumps`.
    """

    columns: Columns
    frames: FrameColumns
    notes: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    meta: dict[str, str] = field(default_factory=dict)
    end: Outcome | None = None
    damage: int | None = None
    held: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict)
    jumps: list[ConditionalJump] = field(default_factory=list)


def decode(
    buffer: bytes | bytearray | memoryview,
    *,
    steps: int = UNBOUNDED,
    weight: int = UNBOUNDED,
    containers: bool = False,
    jumps: bool = False,
) -> Decoded:
    """Decode a wire, with the native decoder if it was built. Nobody may write to the buffer meanwhile.

    Args:
        buffer: The bytes of the wire.
        steps: The most steps that an honest guest writes.
        weight: The most that all its records weigh.
        containers: Whether it may say which containers values hold; the native decoder does not read that.
        jumps: Whether it may have conditional jumps; the native decoder does not read them.
    """
    with memoryview(buffer).cast("B") as view:
        data, damage = _committed(view)
        with data:
            if _native is not None and not (containers or jumps):
                return _by_native(data, damage, steps, weight)
            return _by_python(data, damage, steps, weight, containers, jumps)


def _committed(view: memoryview) -> tuple[memoryview, int | None]:
    """Return the committed bytes, and the offset of damage in the header.

    Damage in the header loses no step: if `committed` is impossible, all records are read.
    """
    header = bytes(view[:HEADER])
    if len(header) < HEADER:
        return view[:0], 0
    committed = int.from_bytes(header[8:16], "little")
    damage = None if header[:4] == MAGIC else 0
    if not HEADER <= committed <= len(view):
        damage, committed = 8 if damage is None else damage, len(view)
    rest = header[4:8] + header[16:]
    if damage is None and any(rest):
        damage = 4 if any(rest[:4]) else 16
    return view[:committed], damage


def _by_native(data: memoryview, damage: int | None, steps: int, weight: int) -> Decoded:
    assert _native is not None
    parts: dict[str, Any] = _native.decode(data, HEADER, OUTCOMES, array("I", [0]), steps, weight)
    splices = [parts[name] for name in ("spliced", "splice_base", "splice_prefix", "splice_suffix")]
    if splices[0]:
        parts["texts"] = SplicedTexts(parts["texts"], *splices)
    columns = Columns(**{name: parts[name] for name in _COLUMNS})
    frames = FrameColumns(columns.texts, *(parts[f"frame_{name}"] for name in ("name", "file", "parent", "depth")))
    return Decoded(
        columns,
        frames,
        tuple(parts["notes"]),
        tuple(Hidden(*row) for row in parts["hidden"]),
        parts["meta"],
        Outcome(*parts["end"]) if parts["end"] is not None else None,
        parts["damage"] if damage is None else damage,
    )


def _by_python(
    data: memoryview, damage: int | None, steps: int, weight: int, containers: bool = False, jumps: bool = False
) -> Decoded:
    reader = _Reader(data, steps, weight, containers, jumps)
    at = reader.read()
    decoded = reader.decoded
    decoded.damage = at if damage is None else damage
    return decoded


class _Damage(Exception):
    """Raised for a malformed record; it never leaves this module."""


@dataclass
class _Changes:
    """Changes in order of arrival: the step, the name and the value of each."""

    step: array[int] = field(default_factory=lambda: array("I"))
    name: array[int] = field(default_factory=lambda: array("I"))
    value: array[int] = field(default_factory=lambda: array("I"))

    def add(self, step: int, name: int, value: int) -> None:
        """Add a change."""
        self.step.append(step)
        self.name.append(name)
        self.value.append(value)


class _Reader:
    """One pass over the records. Changes arrive late, so they are collected and sorted at the end."""

    def __init__(self, data: memoryview, steps: int, weight: int, containers: bool, jumps: bool) -> None:
        self._data, self._at = data, min(HEADER, len(data))
        self._steps, self._left, self._start = steps, weight - HEADER, self._at
        self._columns = Columns()
        self._table = SpliceTable()
        self._texts: dict[str, int] = {}
        self._held_numbers: dict[tuple[int, int], tuple[int, ...]] = {}
        # The texts that a splice may change, by number.
        self._large = array("I")
        self._ids = array("I")
        self._pending = array("I")  # by frame, of every frame there is: it counts them, as in native/wire.c
        self._current: int | None = None
        self._changes, self._sames = _Changes(), _Changes()
        self._notes: list[str] = []
        self._hidden: list[Hidden] = []
        self.decoded = Decoded(self._columns, FrameColumns(self._table.pieces))
        self._records: dict[int, Callable[[int], None]] = {
            0x01: self._text_record,
            0x02: self._call,
            0x03: self._resume,
            0x04: self._switch,
            0x05: self._line,
            0x10: self._delta,
            0x11: self._gone,
            0x12: self._same,
            0x13: self._splice,
            0x20: self._note,
            0x21: self._hide,
            0x22: self._meta,
            0x23: self._hide,
            0x3F: self._end,
            **dict.fromkeys((0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B), self._with_arg),
            **({0x14: self._held} if containers else {}),
            **({0x15: self._jump} if jumps else {}),
        }

    def read(self) -> int | None:
        """Read all records. Return the offset of the first malformed one, if any."""
        damage = None
        while self._at < len(self._data):
            self._start = self._at
            try:
                self._record()
            except _Damage:
                damage = self._start
                break
        self._lay_out()
        return damage

    def _record(self) -> None:
        tag = self._data[self._at]
        self._at += 1
        self._left -= _RECORD_WEIGHT
        act = self._records.get(tag)
        if act is None or self.decoded.end is not None or self._left < 0:
            raise _Damage
        if tag in _CODE and len(self._columns) >= self._steps:
            raise _Damage
        act(tag)
        self._left -= self._at - self._start

    def _number(self, below: int = 1 << 63) -> int:
        """Read a LEB128 integer of at most nine bytes, whose last byte is not zero unless it is the only one."""
        value = 0
        for shift in range(0, 63, 7):
            if self._at >= len(self._data):
                raise _Damage
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if (byte == 0 and shift) or value >= below:
                    raise _Damage
                return value
        raise _Damage

    def _string(self) -> str:
        length = self._number()
        self._left -= _TEXT_WEIGHT
        if length > len(self._data) - self._at or self._at - self._start + length > self._left:
            raise _Damage
        raw = self._data[self._at : self._at + length]
        self._at += length
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            raise _Damage from None

    def _intern(self, text: str) -> int:
        pieces = self._table.pieces
        known = self._texts.setdefault(text, len(pieces))
        if known == len(pieces):
            pieces.append(text)
        return known

    def _name(self) -> int:
        return self._ids[self._number(len(self._ids))]

    def _step(self, tag: int, frame: int | None, line: int, arg: int = NO_TEXT) -> None:
        if frame is None:
            raise _Damage
        columns = self._columns
        if tag not in _CHANGELESS:
            self._pending[frame] = len(columns.event)
        columns.event.append(_CODE[tag])
        columns.frame.append(frame)
        columns.line.append(line)
        columns.arg.append(arg)

    def _text_record(self, _tag: int) -> None:
        self._ids.append(self._intern(self._string()))

    def _call(self, tag: int) -> None:
        frame, frames = len(self._pending), self.decoded.frames
        if self._number() != frame:
            raise _Damage
        parent = self._number(frame + 1)
        name, file, line = self._name(), self._name(), self._number(_COLUMN)
        frames.name.append(name)
        frames.file.append(file)
        frames.parent.append(parent)
        frames.depth.append(frames.depth[parent - 1] + 1 if parent else 0)
        self._pending.append(0)
        self._current = frame
        self._step(tag, frame, line)

    def _resume(self, tag: int) -> None:
        frame, line = self._number(len(self._pending)), self._number(_COLUMN)
        self._current = frame
        self._step(tag, frame, line)

    def _switch(self, _tag: int) -> None:
        self._current = self._number(len(self._pending))

    def _line(self, tag: int) -> None:
        self._step(tag, self._current, self._number(_COLUMN))

    def _with_arg(self, tag: int) -> None:
        line, arg = self._number(_COLUMN), self._string()
        if self._current is None:
            raise _Damage
        self._step(tag, self._current, line, self._intern(arg))

    def _target(self) -> int:
        if self._current is None:
            raise _Damage
        return self._pending[self._current]

    def _delta(self, _tag: int) -> None:
        step, name, start = self._target(), self._name(), self._at
        value = self._intern(self._string())
        if self._at - start >= LARGE + 2:  # its length takes two bytes or more
            self._large.append(value)
        self._changes.add(step, name, value)

    def _splice(self, _tag: int) -> None:
        step, name, back = self._target(), self._name(), self._number(len(self._large) + 1)
        prefix, suffix, middle = self._number(_COLUMN), self._number(_COLUMN), self._string()
        value = self._table.splice(self._large[-back], prefix, suffix, middle) if back else None
        if value is None:
            raise _Damage
        self._large.append(value)
        self._changes.add(step, name, value)

    def _gone(self, _tag: int) -> None:
        self._changes.add(self._target(), self._name(), NO_TEXT)

    def _same(self, _tag: int) -> None:
        step, name, other = self._target(), self._name(), self._number(len(self._ids) + 1)
        self._sames.add(step, name, self._ids[other - 1] if other else NO_TEXT)

    def _held(self, _tag: int) -> None:
        step, name, numbers = self._target(), self._name(), self._string().split(" ")
        if not all(number.isascii() and number.isdecimal() and len(number) < 19 for number in numbers if number):
            raise _Damage
        self._held_numbers[step, name] = tuple(int(number) for number in numbers if number)

    def _jump(self, _tag: int) -> None:
        step, frame = self._target(), self._current or 0
        offset, target, column = (self._number(_COLUMN) for _ in range(3))
        self.decoded.jumps.append(ConditionalJump(step, frame, offset, target, column - 1))

    def _note(self, _tag: int) -> None:
        self._notes.append(self._string())

    def _hide(self, tag: int) -> None:
        step = len(self._columns) - (tag == _DRAW)
        if step < (self._hidden[-1].step if self._hidden else 0):
            raise _Damage
        kind, value = self._string(), self._string()
        self._hidden.append(Hidden(step, kind, value))

    def _meta(self, _tag: int) -> None:
        key, value = self._string(), self._string()
        self.decoded.meta[key] = value

    def _end(self, _tag: int) -> None:
        kind, detail = self._string(), self._string()
        if kind not in OUTCOMES:
            raise _Damage
        self.decoded.end = Outcome(kind, detail)

    def _lay_out(self) -> None:
        columns = self._columns
        columns.texts = self.decoded.frames.texts = self._table.texts()
        self.decoded.held = {(at, columns.texts[name]): held for (at, name), held in self._held_numbers.items()}
        sizes = len(columns), len(columns.texts)
        columns.change_at, columns.change_name, columns.change_value = _by_step(self._changes, *sizes)
        columns.same_at, columns.same_name, columns.same_value = _by_step(self._sames, *sizes)
        self.decoded.notes, self.decoded.hidden = tuple(self._notes), tuple(self._hidden)


def _by_step(changes: _Changes, steps: int, texts: int) -> tuple[array[int], array[int], array[int]]:
    """Return changes as columns by step: per name and step the last change, at the place of the first."""
    at, names, values = array("I", [0]), array("I"), array("I")
    order, ends = _sorted(changes.step, steps)
    seen, place = _zeros(texts), _zeros(texts)
    begin = 0
    for step in range(steps):
        for i in order[begin : ends[step]]:
            name = changes.name[i]
            if seen[name] != step + 1:
                seen[name], place[name] = step + 1, len(names)
                names.append(name)
                values.append(NO_TEXT)
            values[place[name]] = changes.value[i]
        begin = ends[step]
        at.append(len(names))
    return at, names, values


def _sorted(of: array[int], steps: int) -> tuple[array[int], array[int]]:
    """Return the indices of the changes, sorted by step and stable, and where those of each step end."""
    order, ends = _zeros(len(of)), _zeros(steps)
    for step in of:
        ends[step] += 1
    total = 0
    for step, own in enumerate(ends):
        ends[step] = total  # where they begin; the loop below moves it to their end
        total += own
    for i, step in enumerate(of):
        order[ends[step]] = i
        ends[step] += 1
    return order, ends


def _zeros(count: int) -> array[int]:
    return array("I", bytes(4 * count))
