"""Hypothesis strategies shared by the tests: Python objects, canonical texts, wires with what they must decode to."""

from __future__ import annotations

import collections
import struct
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from worldline.core.events import EVENTS
from worldline.core.value import quote

# ---- Python objects ----

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=12) | st.text(
    "'\"\\a\n\x7f\xad\u2028é😀\ud800", max_size=6
)
INTS = (
    st.integers() | st.integers(-(1 << 1100), 1 << 1100) | st.sampled_from([(1 << 1024) - 1, 1 << 1024, -(1 << 1024)])
)
FLOATS = st.floats(allow_nan=False)
LITERAL_ATOMS = (
    st.none() | st.booleans() | INTS | FLOATS.filter(lambda x: abs(x) != float("inf")) | TEXTS | st.binary(max_size=8)
)
HASHABLE = st.recursive(
    LITERAL_ATOMS, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3), max_leaves=6
)


def _literal_containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    plain = LITERAL_ATOMS | st.lists(LITERAL_ATOMS, max_size=3).map(tuple)
    return (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(plain, inner, max_size=4)
        | st.sets(plain, min_size=1, max_size=4)
    )


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        _literal_containers(inner)
        | st.sets(HASHABLE, max_size=4)
        | st.frozensets(HASHABLE, max_size=4)
        | st.lists(inner, max_size=3).map(collections.deque)
        | st.builds(collections.deque, st.lists(inner, max_size=3), st.integers(0, 5))
        | st.builds(slice, inner, inner, inner)
    )


_OTHER_ATOMS = (
    st.floats()
    | st.complex_numbers()
    | st.binary(max_size=5).map(bytearray)
    | st.builds(range, st.integers(), st.integers(), st.integers().filter(bool))
    | st.sampled_from([..., NotImplemented])
)
LITERALS = st.recursive(LITERAL_ATOMS, _literal_containers, max_leaves=12)
OBJECTS = st.recursive(LITERAL_ATOMS | _OTHER_ATOMS, _containers, max_leaves=12)

# ---- canonical texts, of every production of the grammar ----

_NAMES = st.sampled_from(["a", "_x1", "é", "Point", "None_", "infx", "setter", "b"])
_FIELDS = _NAMES | st.sampled_from(["a b", "", "1", "x=", "'"]).map(quote)
_CLASSES = _NAMES | st.just("A.B") | st.sampled_from(["range", "None", "a b"]).map(quote)
_ATOM_TEXTS = (
    st.sampled_from(["None", "True", "False", "Ellipsis", "NotImplemented", "nan", "inf", "-inf", "-0.0"])
    | st.integers(1 - (1 << 1024), (1 << 1024) - 1).map(str)
    | st.integers(1 << 1024, 1 << 1030).map(hex)
    | FLOATS.map(repr)
    | TEXTS.map(quote)
    | st.binary(max_size=6).map(repr)
    | st.sampled_from(["nan(fff8000000000000)", "nan(7ff0000000000001)", "complex(1.0, nan)", "range(0, 5, -1)"])
    | st.sampled_from(["set()", "frozenset()", "bytearray(b'')", "#3", "Point#12", "Color.RED", "Perm.R|W"])
    | st.sampled_from(["<function <lambda>>", "<module os.path>", "<list_iterator>", "...<list 200>", "<method ?>"])
    | st.sampled_from(["#1set()", "#2bytearray(b'x')", "'None'.RED", "{1, 2.5, 'a', b'', (1,), <object>}"])
)  # fmt: skip


def _joined(parts: list[str]) -> str:
    return ", ".join(parts)


def _tuple_text(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({_joined(parts)})"


def _fields_text(fields: list[tuple[str, str]]) -> list[str]:
    return [f"{name}={value}" for name, value in fields]


def _text_containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some, label = st.lists(inner, max_size=4), st.sampled_from(["", "", "#1", "#22"])
    fields = st.lists(st.tuples(_FIELDS, inner), max_size=3).map(_fields_text)
    return (
        st.builds(lambda mark, parts: f"{mark}[{_joined(parts)}]", label, some)
        | some.map(_tuple_text)
        | st.builds(
            lambda mark, pairs: f"{mark}{{{_joined([f'{key}: {value}' for key, value in pairs])}}}",
            label,
            st.lists(st.tuples(inner, inner), max_size=3),
        )
        | st.builds(lambda mark, one: f"{mark}{{{one}}}", label, inner)
        | inner.map(lambda one: f"frozenset({{{one}}})")
        | st.builds(lambda parts, end: f"deque([{_joined(parts)}]{end})", some, st.sampled_from(["", ", maxlen=9"]))
        | st.builds(lambda a, b, c: f"slice({a}, {b}, {c})", inner, inner, inner)
        | st.builds(lambda name, n, base, rest: f"{name}#{n}({_joined(base + rest)})", _CLASSES, st.integers(1, 99),
                    st.lists(inner, max_size=1), fields)
        | st.builds(lambda name, args, rest: f"{name}({_joined(args + rest)})", _CLASSES, some, fields)
    )  # fmt: skip


VALUE_TEXTS = st.recursive(_ATOM_TEXTS, _text_containers, max_leaves=12)

# ---- wires ----


def varint(number: int) -> bytes:
    """Unsigned LEB128."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def wire_text(text: str) -> bytes:
    """A length and UTF-8."""
    data = text.encode("utf-8")
    return varint(len(data)) + data


def wire_of(records: bytes, committed: int | None = None) -> bytes:
    """A header and the records."""
    size = 64 + len(records) if committed is None else committed
    return struct.pack("<4sIQ48x", b"WLW1", 0, size) + records


TAGS = {"return": 6, "yield": 7, "raise": 8, "output": 9, "input": 10, "exit": 11}


@dataclass
class Script:
    """Writes a wire and, by the plainest means, what it must decode to."""

    records: bytearray = field(default_factory=bytearray)
    starts: list[int] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    hidden: list[list[Any]] = field(default_factory=list)
    # The values that a splice may change, and what their chains cost.
    large: list[tuple[str, int]] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    end: list[str] | None = None
    current: int = -1

    def put(self, tag: int, *parts: int | str) -> None:
        self.starts.append(64 + len(self.records))
        self.records.append(tag)
        for part in parts:
            self.records += wire_text(part) if isinstance(part, str) else varint(part)

    def id(self, name: str) -> int:
        if name not in self.ids:
            self.ids[name] = len(self.ids)
            self.put(0x01, name)
        return self.ids[name]

    def _step(self, event: str, line: int, arg: str | None = None) -> None:
        if event not in ("output", "input", "exit"):
            self.pending[self.current] = len(self.steps)
        self.steps.append({"event": event, "frame": self.current, "line": line, "arg": arg, "changes": {}, "same": {}})

    def call(self, parent: int, name: str, file: str, line: int) -> None:
        name_id, file_id = self.id(name), self.id(file)
        self.put(0x02, len(self.frames), parent + 1, name_id, file_id, line)
        depth = self.frames[parent]["depth"] + 1 if parent >= 0 else 0
        self.frames.append({"name": name, "file": file, "parent": parent, "depth": depth})
        self.pending.append(0)
        self.current = len(self.frames) - 1
        self._step("call", line)

    def resume(self, frame: int, line: int) -> None:
        self.put(0x03, frame, line)
        self.current = frame
        self._step("resume", line)

    def switch(self, frame: int) -> None:
        self.put(0x04, frame)
        self.current = frame

    def line(self, line: int) -> None:
        self.put(0x05, line)
        self._step("line", line)

    def event(self, event: str, line: int, arg: str) -> None:
        self.put(TAGS[event], line, arg)
        self._step(event, line, arg)

    def change(self, name: str, value: str | None) -> None:
        key = self.id(name)
        self.put(0x11, key) if value is None else self.put(0x10, key, value)
        self.steps[self.pending[self.current]]["changes"][name] = value
        if value is not None and len(value.encode()) >= 256:
            self.large.append((value, 0))

    def splice(self, name: str, back: int, prefix: int, suffix: int, middle: str) -> None:
        """A change of the large value so far back, if a wire may have it: its ends are clipped to what it has."""
        if not self.large:
            return
        base, cost = self.large[-(back := min(back, len(self.large)))]
        prefix = min(prefix, len(base))
        suffix = min(suffix, len(base) - prefix)
        value, cost = base[:prefix] + middle + base[len(base) - suffix :], cost + len(middle) + 48
        if cost <= len(value):
            self.put(0x13, self.id(name), back, prefix, suffix, middle)
            self.steps[self.pending[self.current]]["changes"][name] = value
            self.large.append((value, cost))

    def same(self, name: str, other: str | None) -> None:
        key, second = self.id(name), 0 if other is None else self.id(other) + 1
        self.put(0x12, key, second)
        self.steps[self.pending[self.current]]["same"][name] = other

    def note(self, text: str) -> None:
        self.put(0x20, text)
        self.notes.append(text)

    def hide(self, kind: str, value: str) -> None:
        self.put(0x21, kind, value)
        self.hidden.append([len(self.steps), kind, value])

    def draw(self, kind: str, value: str) -> None:
        if self.steps and not (self.hidden and self.hidden[-1][0] == len(self.steps)):
            self.put(0x23, kind, value)
            self.hidden.append([len(self.steps) - 1, kind, value])

    def tell(self, key: str, value: str) -> None:
        self.put(0x22, key, value)
        self.meta[key] = value

    def finish(self, kind: str, detail: str) -> None:
        self.put(0x3F, kind, detail)
        self.end = [kind, detail]

    def wire(self) -> bytes:
        return wire_of(bytes(self.records))

    def facts(self) -> dict[str, Any]:
        """What `facts_of` must say of the decoded wire."""
        return {
            "frames": self.frames, "steps": self.steps, "notes": self.notes, "hidden": self.hidden,
            "meta": self.meta, "end": self.end, "damage": None,
        }  # fmt: skip


def facts_of(decoded: Any) -> dict[str, Any]:
    """A decoded wire as plain data, like `Script.facts`."""
    from worldline.core.trace import NO_TEXT

    columns, texts = decoded.columns, decoded.columns.texts

    def named(at: Any, names: Any, values: Any, i: int) -> dict[str, str | None]:
        rows = range(at[i], at[i + 1])
        return {texts[names[k]]: None if values[k] == NO_TEXT else texts[values[k]] for k in rows}

    steps = [
        {
            "event": EVENTS[columns.event[i]], "frame": columns.frame[i], "line": columns.line[i],
            "arg": None if columns.arg[i] == NO_TEXT else texts[columns.arg[i]],
            "changes": named(columns.change_at, columns.change_name, columns.change_value, i),
            "same": named(columns.same_at, columns.same_name, columns.same_value, i),
        }
        for i in range(len(columns))
    ]  # fmt: skip
    frames = [{"name": f.name, "file": f.file, "parent": f.parent, "depth": f.depth} for f in decoded.frames]
    return {
        "frames": frames, "steps": steps, "notes": list(decoded.notes),
        "hidden": [[h.step, h.kind, h.value] for h in decoded.hidden], "meta": decoded.meta,
        "end": [decoded.end.kind, decoded.end.detail] if decoded.end else None, "damage": decoded.damage,
    }  # fmt: skip


_WORDS = st.sampled_from(["a", "b", "xs", "self", "é", ".0", ""])
_VALUES = st.sampled_from(["0", "1", "[1, 2]", "'é😀'", ""]) | st.text(st.characters(codec="utf-8"), max_size=5)
_LARGE = st.sampled_from(["[" + "1, " * 200 + "0]", "'" + "é😀" * 130 + "'", "x" * 256, "y" * 255])
_LINES = st.integers(0, 300) | st.integers(0, (1 << 32) - 1)


_ACTS = [
    "call", "line", "line", "change", "change", "event", "resume", "switch", "same", "hide", "draw", "note",
    "tell", "large", "splice", "splice",
]  # fmt: skip


def _act(draw: st.DrawFn, script: Script) -> None:
    """One random record, valid where it stands."""
    frame = st.integers(0, len(script.frames) - 1)
    act = draw(st.sampled_from(_ACTS))
    if act == "call":
        script.call(draw(st.integers(-1, len(script.frames) - 1)), draw(_WORDS), draw(_WORDS), draw(_LINES))
    elif act == "line":
        script.line(draw(_LINES))
    elif act == "change":
        script.change(draw(_WORDS), draw(st.none() | _VALUES))
    elif act == "large":
        script.change(draw(_WORDS), draw(_LARGE))
    elif act == "splice":
        ends = st.integers(0, 400) | st.integers(0, 3)
        script.splice(draw(_WORDS), draw(st.integers(1, 4)), draw(ends), draw(ends), draw(_VALUES | _LARGE))
    elif act == "event":
        script.event(draw(st.sampled_from(sorted(TAGS))), draw(_LINES), draw(_VALUES))
    elif act == "resume":
        script.resume(draw(frame), draw(_LINES))
    elif act == "switch":
        script.switch(draw(frame))
    elif act == "same":
        script.same(draw(_WORDS), draw(st.none() | _WORDS))
    elif act == "hide":
        script.hide(draw(_WORDS), draw(_VALUES))
    elif act == "draw":
        script.draw(draw(_WORDS), draw(_VALUES))
    elif act == "note":
        script.note(draw(_VALUES))
    else:
        script.tell(draw(_WORDS), draw(_VALUES))


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    """A random valid wire."""
    script = Script()
    if draw(st.integers(0, 19)):
        script.call(-1, draw(_WORDS), "program.py", 1)
        for _ in range(draw(st.integers(0, 30))):
            _act(draw, script)
    if draw(st.booleans()):
        script.finish(draw(st.sampled_from(["returned", "raised", "limit"])), draw(_VALUES))
    return script


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A wire with bytes changed, put in, taken out or cut off; perhaps the header too."""
    wire = bytearray(draw(scripts()).wire())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0 if draw(st.integers(0, 4)) == 0 else min(64, len(wire) - 1), len(wire) - 1))
        how = draw(st.sampled_from(["change", "put", "take", "cut"]))
        if how == "change":
            wire[at] = draw(st.integers(0, 255))
        elif how == "put":
            wire[at:at] = draw(st.binary(min_size=1, max_size=4))
        elif how == "take":
            del wire[at : at + draw(st.integers(1, 4))]
        else:
            del wire[at:]
        if not wire:
            break
    if len(wire) >= 64 and draw(st.integers(0, 9)):
        wire[8:16] = struct.pack("<Q", len(wire))
    return bytes(wire)
